// SPDX-License-Identifier: GPL-2.0

//! Prints kstats as `kstat -p` of illumos does.

use super::{
    name::Escaped, //
    out::{
        number,
        Out, //
    },
};
use crate::acct::kstat::Value;
use core::fmt::Result;

/// Writes the name of a kstat, `module:instance:name`: as a selector it matches only this kstat.
pub fn id(out: &mut impl Out, (module, instance, name): (&[u8], i32, &[u8])) -> Result {
    let (module, name) = (Escaped::part(module), Escaped::part(name));
    write!(out, "{module}:{instance}:{name}")
}

/// Writes the line of a statistic with this name: `module:instance:name:statistic`, a tab, the value. Blanks
/// and colons in the name of the statistic are not escaped.
pub fn line(
    out: &mut impl Out,
    kstat: (&[u8], i32, &[u8]),
    statistic: impl Iterator<Item = u8>,
    value: Value<'_>,
) -> Result {
    id(out, kstat)?;
    out.write_char(':')?;
    for byte in statistic {
        write!(out, "{}", Escaped::rest(&[byte]))?;
    }
    out.write_char('\t')?;
    match value {
        Value::Int32(number) => write!(out, "{number}")?,
        Value::Uint32(value) => number(out, value.into())?,
        Value::Int64(number) => write!(out, "{number}")?,
        Value::Uint64(value) => number(out, value)?,
        Value::Float(bits) => write!(out, "{bits:#x}")?,
        Value::Double(bits) => write!(out, "{bits:#x}")?,
        Value::Char(text) | Value::String(text) => write!(out, "{}", Escaped::rest(text))?,
    }
    out.write_char('\n')
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_kstat() {
        let mut text = String::new();
        let table = [
            (&b"reads"[..], Value::Uint64(u64::MAX)),
            (b"delta", Value::Int32(-1)),
            (b"ratio", Value::Float(0x3ff)),
            (b"a\tb", Value::String(b"two\nlines \xff")),
        ];
        for (statistic, value) in table {
            let result = line(
                &mut text,
                (b"sd", -1, b"a b:c"),
                statistic.iter().copied(),
                value,
            );
            assert_eq!(result, Ok(()));
        }
        let expected = [
            "sd:-1:a\\040b\\072c:reads\t18446744073709551615\n",
            "sd:-1:a\\040b\\072c:delta\t-1\n",
            "sd:-1:a\\040b\\072c:ratio\t0x3ff\n",
            "sd:-1:a\\040b\\072c:a\\011b\ttwo\\012lines \\377\n",
        ];
        assert_eq!(text, expected.concat());
    }
}
