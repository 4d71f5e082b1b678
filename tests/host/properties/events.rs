// SPDX-License-Identifier: GPL-2.0

//! Event counters: messages, totals of parents, lines of the list.

use super::{
    asked::assert_listed,
    config, //
};
use iostat::{
    abi::event_text,
    acct::evcnt::{
        check_string,
        roll_up,
        EvcntType, //
    },
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};

fn lines() -> impl Strategy<Value = Vec<u8>> {
    let words = select(
        &[
            "all", "ALL", "rollup", "misc", "intr", "trap", "Trap", "a\\ll", "x",
        ][..],
    );
    let names = select(
        &[
            "@evcnt_list",
            "@EVCNT_LIST",
            "@evcnt_lis",
            "sda @evcnt_list",
            "@inflight",
            "@Inflight",
            "@inflights",
            "@sizes",
        ][..],
    );
    let blanks = select(&[" ", "\t ", "\0", "\n"][..]);
    let line = (names, vec((blanks, words), 0..5)).prop_map(|(name, words)| {
        let words = words.iter().map(|(blank, word)| format!("{blank}{word}"));
        format!("{name}{}", words.collect::<String>()).into_bytes()
    });
    prop_oneof![line, vec(any::<u8>(), 0..40)]
}

/// A total for each counter, and which of the counters before it is its parent.
fn families() -> impl Strategy<Value = Vec<(u64, Option<usize>)>> {
    vec((any::<u64>(), any::<Option<usize>>()), 0..60).prop_map(|all| {
        let one = |(child, (count, parent)): (usize, (u64, Option<usize>))| {
            (
                count,
                parent
                    .filter(|_| child != 0)
                    .map(|parent| parent % child.max(1)),
            )
        };
        all.into_iter().enumerate().map(one).collect()
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_asked_for_is_understood(line in lines()) {
        assert_listed(&line);
    }

    #[test]
    fn each_count_reaches_all_its_ancestors(family in families()) {
        let mut totals: Vec<u64> = family.iter().map(|(count, _)| *count).collect();
        roll_up(&mut totals, |child| family[child].1);
        let mut model = vec![0u64; family.len()];
        for (child, (count, _)) in family.iter().enumerate() {
            let mut at = Some(child);
            while let Some(index) = at {
                model[index] = model[index].wrapping_add(*count);
                at = family[index].1;
            }
        }
        prop_assert_eq!(totals, model);
    }

    #[test]
    fn a_line_says_what_it_was_made_of(
        group in "[!-~]{1,40}",
        name in "[!-~]([ -~]{0,60}[!-~])?",
        total in any::<u64>(),
        age_ns in any::<u64>(),
        kind in select(&EvcntType::ALL[..]),
    ) {
        prop_assert!(check_string(name.as_bytes()).is_ok());
        let mut text = String::new();
        event_text::event(&mut text, (&group, &name), total, age_ns, kind).unwrap();
        prop_assert_eq!(text.matches('\n').count(), 1);
        let fields: Vec<&str> = text.split_whitespace().rev().take(3).collect();
        let rate = total / (age_ns / 1_000_000_000).max(1);
        prop_assert_eq!(fields, [kind.name(), &rate.to_string(), &total.to_string()]);
        let expected = format!("{group} {name} ");
        prop_assert!(text.starts_with(&expected));
    }
}
