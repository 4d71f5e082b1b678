// SPDX-License-Identifier: GPL-2.0

//! Decimal numbers. A line has dozens of them, and `core::fmt` takes several times as long for each.

/// The number of digits of the largest number.
pub const DIGITS: usize = 20;

/// The last index of [`PAIRS`]. An index that is masked with it needs no check of the bounds.
const PAIRS_MASK: usize = 127;

/// The two digits of each number below 100. The rest is not used.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static PAIRS: [[u8; 2]; PAIRS_MASK + 1] = {
    let mut pairs = [[b'0'; 2]; PAIRS_MASK + 1];
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

/// Returns the two digits of a number below 100.
#[inline(always)]
fn pair(number: u32) -> [u8; 2] {
    // CAST: Below 100.
    let index = number as usize & PAIRS_MASK;
    PAIRS.get(index).copied().unwrap_or_default()
}

/// Returns the digit of a number below 10.
#[inline(always)]
pub(super) fn digit(number: u64) -> u8 {
    // CAST: Below 10.
    b'0'.wrapping_add(number as u8)
}

/// Writes the digits of a number to `digits`, whose length must be [`len`] of the number.
#[inline]
pub fn fill(digits: &mut [u8], mut number: u64) {
    let mut fours = digits.rchunks_exact_mut(4);
    for four in &mut fours {
        let rest = number / 10_000;
        // CAST: Below 10,000.
        let low = number.wrapping_sub(rest.wrapping_mul(10_000)) as u32;
        number = rest;
        let ([a, b], [c, d]) = (pair(low / 100), pair(low % 100));
        four.copy_from_slice(&[a, b, c, d]);
    }
    match fours.into_remainder() {
        [a, rest @ ..] if rest.len() == 2 => {
            *a = digit(number / 100);
            // CAST: Below 100.
            rest.copy_from_slice(&pair((number % 100) as u32));
        }
        // CAST: Two digits are below 100.
        [a, b] => [*a, *b] = pair(number as u32),
        [a] => *a = digit(number),
        _ => {}
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::out::{
        number,
        numbers, //
    };

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
