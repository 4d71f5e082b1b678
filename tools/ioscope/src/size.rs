// SPDX-License-Identifier: GPL-2.0

//! How the sizes of I/Os are distributed.

use iostat_map::{least_bytes, SIZES};
use std::collections::BTreeMap;

/// I/Os by bucket: those from [`least_bytes`] of it on, below that of the next.
pub type Counts = [u64; SIZES];

/// By the number of the device and the class. What is not here has had no I/O.
pub type Sizes = BTreeMap<(u32, u8), Counts>;

/// The growth of the counts from `from` to `to`; a count that is less than before was cleared meanwhile, and is taken
/// whole.
pub fn between(from: Option<&Counts>, to: &Counts) -> Counts {
    let Some(from) = from else {
        return *to;
    };
    std::array::from_fn(|bucket| to[bucket].checked_sub(from[bucket]).unwrap_or(to[bucket]))
}

pub fn total(counts: &Counts) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// The largest size in a bucket; `None` of the last.
pub fn most_bytes(bucket: usize) -> Option<u64> {
    (bucket + 1 < SIZES).then(|| least_bytes(bucket + 1) - 1)
}

/// The buckets that are not empty.
pub fn filled(counts: &Counts) -> impl Iterator<Item = (usize, u64)> + '_ {
    let all = counts.iter().copied().enumerate();
    all.filter(|(_, count)| *count != 0)
}

/// The lines of a histogram, from the first bucket that is not empty to the last.
pub fn rows(counts: &Counts) -> Vec<String> {
    let first = counts.iter().position(|count| *count != 0);
    let last = counts.iter().rposition(|count| *count != 0);
    let (Some(first), Some(last)) = (first, last) else {
        return Vec::new();
    };
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut lines = vec!["     bytes               : count    distribution".to_owned()];
    for (bucket, count) in counts.iter().enumerate().take(last + 1).skip(first) {
        let stars = "*".repeat((u128::from(*count) * 40 / u128::from(most)) as usize);
        let high = most_bytes(bucket).map_or("inf".to_owned(), |high| high.to_string());
        lines.push(format!(
            "{:>10} -> {high:<10} : {count:<8} |{stars:<40}|",
            least_bytes(bucket)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(usize, u64)]) -> Counts {
        let mut counts = [0; SIZES];
        for (bucket, count) in pairs {
            counts[*bucket] = *count;
        }
        counts
    }

    #[test]
    fn what_came_is_the_difference() {
        let (one, two) = (counts(&[(3, 5)]), counts(&[(3, 7), (22, 1)]));
        assert_eq!(between(Some(&one), &two), counts(&[(3, 2), (22, 1)]));
        assert_eq!(between(None, &two), two);
        assert_eq!(between(Some(&two), &one), counts(&[(3, 5)]));
        assert_eq!(total(&two), 8);
        assert_eq!(filled(&two).collect::<Vec<_>>(), [(3, 7), (22, 1)]);
    }

    #[test]
    fn histograms_have_powers_of_two() {
        let expected = [
            "     bytes               : count    distribution",
            "      4096 -> 8191       : 10       |****************************************|",
            "      8192 -> 16383      : 0        |                                        |",
            "     16384 -> 32767      : 5        |********************                    |",
        ];
        assert_eq!(rows(&counts(&[(3, 10), (5, 5)])), expected);
        let ends = rows(&counts(&[(0, 1), (22, 1)]));
        assert!(ends[1].starts_with("         0 -> 1023 "), "{}", ends[1]);
        assert!(ends[23].starts_with("2147483648 -> inf "), "{}", ends[23]);
        assert!(rows(&counts(&[])).is_empty());
    }
}
