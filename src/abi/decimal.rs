// SPDX-License-Identifier: GPL-2.0

//! Numbers in decimal. A line has dozens of them, and `core::fmt` takes several times as long for each.

use core::fmt::{
    Result,
    Write, //
};

/// Digits of the largest number.
pub const DIGITS: usize = 20;

/// Writes a number without leading zeros.
pub fn number(out: &mut impl Write, mut number: u64) -> Result {
    let mut digits = [b'0'; DIGITS];
    let mut zeros = DIGITS;
    for digit in digits.iter_mut().rev() {
        // CAST: Below 10.
        *digit |= (number % 10) as u8;
        number /= 10;
        zeros = zeros.wrapping_sub(1);
        if number == 0 {
            break;
        }
    }
    let digits = digits.get(zeros..).unwrap_or(&[]);
    out.write_str(core::str::from_utf8(digits).unwrap_or(""))
}

/// Writes numbers, each after a blank.
pub fn numbers(out: &mut impl Write, numbers: &[u64]) -> Result {
    for each in numbers {
        out.write_char(' ')?;
        number(out, *each)?;
    }
    Ok(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_fmt() {
        let powers = core::iter::successors(Some(1u64), |power| power.checked_mul(10));
        let near = powers.flat_map(|power| [power - 1, power, power + 1]);
        for value in near.chain([u64::MAX - 1, u64::MAX]) {
            let mut text = String::new();
            assert_eq!(number(&mut text, value), Ok(()));
            assert_eq!(text, value.to_string());
        }
        let mut text = String::new();
        assert_eq!(numbers(&mut text, &[0, 7, u64::MAX]), Ok(()));
        assert_eq!(text, format!(" 0 7 {}", u64::MAX));
    }
}
