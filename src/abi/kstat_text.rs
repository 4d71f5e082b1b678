// SPDX-License-Identifier: GPL-2.0

//! Kstats as `kstat -p` of illumos shows them.

use crate::acct::kstat::Value;
use core::fmt::{
    Result,
    Write, //
};

/// Writes text fit for one line: what cannot be printed as `\xNN`.
fn printable(out: &mut impl Write, text: &[u8]) -> Result {
    for byte in text {
        match byte {
            b' '..=b'~' => out.write_char((*byte).into())?,
            _ => write!(out, "\\x{byte:02x}")?,
        }
    }
    Ok(())
}

/// A line for a statistic, whose name is made of the bytes given: `module:instance:name:statistic`, a tab,
/// the value.
pub fn line(
    out: &mut impl Write,
    (module, instance, name): (&str, i32, &str),
    statistic: impl Iterator<Item = u8>,
    value: Value<'_>,
) -> Result {
    write!(out, "{module}:{instance}:{name}:")?;
    for byte in statistic {
        printable(out, &[byte])?;
    }
    out.write_char('\t')?;
    match value {
        Value::Int32(number) => write!(out, "{number}")?,
        Value::Uint32(number) => write!(out, "{number}")?,
        Value::Int64(number) => write!(out, "{number}")?,
        Value::Uint64(number) => write!(out, "{number}")?,
        Value::Float(bits) => write!(out, "{bits:#x}")?,
        Value::Double(bits) => write!(out, "{bits:#x}")?,
        Value::Char(text) | Value::String(text) => printable(out, text)?,
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
                ("sd", -1, "sda"),
                statistic.iter().copied(),
                value,
            );
            assert_eq!(result, Ok(()));
        }
        let expected = "sd:-1:sda:reads\t18446744073709551615\nsd:-1:sda:delta\t-1\n\
                        sd:-1:sda:ratio\t0x3ff\nsd:-1:sda:a\\x09b\ttwo\\x0alines \\xff\n";
        assert_eq!(text, expected);
    }
}
