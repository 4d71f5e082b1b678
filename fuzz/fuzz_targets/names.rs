// SPDX-License-Identifier: GPL-2.0

//! Any names stay complete and distinct, and can be read back from messages and selectors.

#![no_main]

use iostat_fuzz::{
    fuzz_target,
    input::Input,
    written::{
        assert_distinguished, //
        assert_fits,
        assert_name,
        assert_selected,
    }, //
};

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let (dev, instance) = (input.number() as u32, input.number() as i32);
    let length = input.choice(80);
    let one = input.bytes(length).to_vec();
    let length = input.choice(80);
    let other = input.bytes(length);
    assert_name(&one);
    assert_distinguished(&one, other);
    // A selector has at most 255 bytes.
    assert_selected(&one, instance, other, &one);
    assert_fits(&one, dev);
});
