// SPDX-License-Identifier: GPL-2.0

//! Reads of any size at any position of a text that is generated while it is read return the bytes at
//! that position.

#![no_main]

use iostat_fuzz::{
    fuzz_target,
    input::Input,
    records::{
        slice,
        Records, //
    }, //
};

/// The maximal length of a record in bytes, longer than two buffers.
const LONGEST: usize = 10_000;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let most = match input.choice(8) {
        0 => usize::MAX,
        most => most,
    };
    let lengths: Vec<usize> = (0..input.choice(40))
        .map(|_| input.number() as usize % LONGEST)
        .collect();
    let mut records = Records::new(&lengths, most);
    let all = records.all();
    let mut at = 0;
    while !input.is_empty() {
        // Either from the end of the last read on, as most programs do, or anywhere.
        if input.choice(4) == 0 {
            at = input.number() % (all.len() as u64 + 10);
        }
        let size = 1 + input.number() as usize % LONGEST;
        let got = records.at(at, size);
        assert_eq!(got, slice(&all, at, got.len()));
        assert_eq!(got.is_empty(), at >= all.len() as u64);
        at += got.len() as u64;
    }
});
