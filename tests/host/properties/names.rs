// SPDX-License-Identifier: GPL-2.0

//! Names of any bytes stay complete and distinct, and can be read back.

use super::{
    config,
    written::{
        assert_distinguished, //
        assert_fits,
        assert_name,
        assert_selected,
    }, //
};
use iostat::abi::name::Name;
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};

/// Bytes many of which have a meaning in one of the formats.
fn names() -> impl Strategy<Value = Vec<u8>> {
    let odd = select(&b"\\01234 \n\t*?[]-!:/a\xff"[..]);
    prop_oneof![vec(any::<u8>(), 0..80), vec(odd, 0..40)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_name_is_whole_and_read_back(name in names()) {
        assert_name(&name);
    }

    #[test]
    fn names_that_differ_are_written_differently(one in names(), other in names(), at in 0usize..40) {
        assert_distinguished(&one, &one);
        assert_distinguished(&one, &other);
        // Names that differ in one byte as well.
        let mut near = one.clone();
        if let Some(byte) = near.get_mut(at) {
            *byte = other.first().copied().unwrap_or(b' ');
        }
        assert_distinguished(&one, &near);
        let rest = one.get(at..).unwrap_or(&[]);
        let start = Name::new(one.get(..at).unwrap_or(&one)).to_string();
        assert_distinguished(&one, &[start.as_bytes(), rest].concat());
    }

    #[test]
    fn kstats_are_selected_by_what_they_are_printed_as(
        module in vec(1..=u8::MAX, 0..32),
        instance: i32,
        name in names(),
        other in names(),
    ) {
        // A selector has at most 255 bytes.
        assert_selected(&module, instance, &name, &name);
        assert_selected(&module, instance, &name, &other);
        assert_selected(&name, instance, &module, &other);
    }

    #[test]
    fn what_does_not_fit_keeps_its_end(name in names(), dev: u32) {
        assert_fits(&name, dev);
    }

    #[test]
    fn a_unit_is_read_as_it_was_written(word in "[a-z][a-z0-9]{0,18}[a-z]", unit: u32) {
        let name = Name::new(format!("{word}{unit}").as_bytes());
        prop_assert_eq!(name.unit(), (word.as_bytes(), unit));
        prop_assert_eq!(Name::new(word.as_bytes()).with_unit(unit), name);
    }
}
