// SPDX-License-Identifier: GPL-2.0

//! Reads of any sizes at any positions of a text that is made while it is read: what they give is what
//! stands there.

#![no_main]

use iostat_fuzz::{
    fuzz_target,
    input::Input,
    records::{
        slice,
        Records, //
    }, //
};

/// Bytes of a record, at most: two are longer than the buffer.
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
        // On from where the last one ended, as most do, or anywhere.
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
