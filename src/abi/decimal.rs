// SPDX-License-Identifier: GPL-2.0

//! Decimal numbers. A line has dozens of them, and `core::fmt` takes several times as long for each.

use super::out::Out;
use core::fmt::Result;

/// The number of digits of the largest number.
pub const DIGITS: usize = 20;

/// The two digits of each number below 100.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// The powers of ten. The first one is 0 instead of 1, so that 0 has one digit.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static POWERS: [u64; DIGITS] = {
    let mut powers = [0; DIGITS];
    let mut power = 1u64;
    let mut digits = 1;
    while digits < DIGITS {
        power *= 10;
        powers[digits] = power;
        digits += 1;
    }
    powers
};

/// Returns the number of digits without leading zeros.
#[inline]
pub fn len(number: u64) -> usize {
    let bits = 64u32.wrapping_sub(number.leading_zeros());
    // The factor 1233 / 4096 is a little more than log10(2), the digits per bit: the result is right, or one
    // too large.
    // CAST: Below 20.
    let digits = (bits.wrapping_mul(1233) >> 12) as usize;
    let is_more = POWERS.get(digits).is_some_and(|power| number >= *power);
    digits.wrapping_add(usize::from(is_more))
}

/// Writes the digits of a number to `digits`, whose length must be [`len`] of the number.
#[inline]
pub fn fill(digits: &mut [u8], mut number: u64) {
    for pair in digits.rchunks_mut(2) {
        let rest = number / 100;
        let [tens, ones] = PAIRS
            .get(number.wrapping_sub(rest.wrapping_mul(100)) as usize)
            .copied()
            .unwrap_or_default();
        number = rest;
        match pair {
            [first, second] => [*first, *second] = [tens, ones],
            [only] => *only = ones,
            _ => {}
        }
    }
}

/// Writes a number without leading zeros.
#[inline]
pub fn number(out: &mut impl Out, number: u64) -> Result {
    out.write_number(number)
}

/// Writes numbers, each after a blank.
pub fn numbers(out: &mut impl Out, numbers: &[u64]) -> Result {
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
        let bits = (0..64).map(|bit| 1u64 << bit);
        let near = powers
            .chain(bits)
            .flat_map(|power| [power - 1, power, power.saturating_add(1)]);
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
