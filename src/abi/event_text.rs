// SPDX-License-Identifier: GPL-2.0

//! Event counters as NetBSD's `vmstat -e` shows them.

use crate::acct::evcnt::Type;
use core::fmt::{
    Result,
    Write, //
};

/// Where the numbers begin, unless a name is longer.
const NAME_WIDTH: usize = 34;

const NS_PER_S: u64 = 1_000_000_000;

/// The line with the names of the columns.
pub fn header(out: &mut impl Write) -> Result {
    writeln!(
        out,
        "{:NAME_WIDTH$} {:>16} {:>8} type",
        "event", "total", "rate"
    )
}

/// A line for a counter: its group and name, what was counted in `age_ns`, the same per second of
/// that on average, and its type. The rate is rounded down, and a first second that is not over
/// is one.
pub fn event(
    out: &mut impl Write,
    (group, name): (&str, &str),
    total: u64,
    age_ns: u64,
    kind: Type,
) -> Result {
    let rate = total.checked_div((age_ns / NS_PER_S).max(1)).unwrap_or(0);
    let len = group.len().saturating_add(name.len()).saturating_add(1);
    let pad = NAME_WIDTH.saturating_sub(len);
    let kind = kind.name();
    writeln!(
        out,
        "{group} {name}{:pad$} {total:>16} {rate:>8} {kind}",
        ""
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_vmstat() {
        let mut text = String::new();
        assert_eq!(header(&mut text), Ok(()));
        let age_ns = 10 * NS_PER_S + 1;
        assert_eq!(
            event(&mut text, ("cpu0", "timer"), 25009, age_ns, Type::Intr),
            Ok(())
        );
        let name = "n".repeat(40);
        assert_eq!(
            event(&mut text, ("sda", &name), u64::MAX, 0, Type::Misc),
            Ok(())
        );
        let expected = [
            "event                                         total     rate type".to_string(),
            "cpu0 timer                                    25009     2500 intr".to_string(),
            format!("sda {name} {} {} misc", u64::MAX, u64::MAX),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
