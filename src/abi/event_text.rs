// SPDX-License-Identifier: GPL-2.0

//! Prints event counters as NetBSD's `vmstat -e` does.

use crate::acct::evcnt::EvcntType;
use core::fmt::{
    Result,
    Write, //
};

/// The column at which the numbers begin, unless a name is longer.
const NAME_WIDTH: usize = 34;

const NS_PER_S: u64 = 1_000_000_000;

/// Writes the line with the names of the columns.
pub fn header(out: &mut impl Write) -> Result {
    writeln!(
        out,
        "{:NAME_WIDTH$} {:>16} {:>8} type",
        "event", "total", "rate"
    )
}

/// Writes the line of a counter: group and name, the count of the last `age_ns`, its average per second, and
/// the type. The rate is rounded down; an age of less than one second counts as one second.
pub fn event(
    out: &mut impl Write,
    (group, name): (&str, &str),
    total: u64,
    age_ns: u64,
    kind: EvcntType,
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
            event(&mut text, ("cpu0", "timer"), 25009, age_ns, EvcntType::Intr),
            Ok(())
        );
        let name = "n".repeat(40);
        assert_eq!(
            event(&mut text, ("sda", &name), u64::MAX, 0, EvcntType::Misc),
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
