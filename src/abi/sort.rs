// SPDX-License-Identifier: GPL-2.0

//! Sorts in place with little stack: the sort functions of `core` use kilobytes of it.

use core::cmp::Ordering;

/// Heapsort. It is not stable.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for root in (0..list.len() / 2).rev() {
        sift_down(list, root, &compare);
    }
    for end in (1..list.len()).rev() {
        list.swap(0, end);
        if let Some((heap, _)) = list.split_at_mut_checked(end) {
            sift_down(heap, 0, &compare);
        }
    }
}

/// Restores the heap property if only the root may violate it.
fn sift_down<T>(heap: &mut [T], mut root: usize, compare: &impl Fn(&T, &T) -> Ordering) {
    let is_less = |heap: &[T], one: usize, other: usize| match (heap.get(one), heap.get(other)) {
        (Some(one), Some(other)) => compare(one, other).is_lt(),
        _ => false,
    };
    loop {
        let left = root.saturating_mul(2).saturating_add(1);
        let right = left.saturating_add(1);
        let child = if is_less(heap, left, right) {
            right
        } else {
            left
        };
        if !is_less(heap, root, child) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_sort))]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        let sorted = [0, 1, 1, 2, 3, 5, 8];
        for turn in 0..7 {
            let mut list = sorted;
            list.rotate_left(turn);
            sort_by(&mut list, u32::cmp);
            assert_eq!(list, sorted);
            list.reverse();
            sort_by(&mut list, u32::cmp);
            assert_eq!(list, sorted);
        }
        let mut none: [u32; 0] = [];
        sort_by(&mut none, u32::cmp);
    }
}
