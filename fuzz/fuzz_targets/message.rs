// SPDX-License-Identifier: GPL-2.0

//! Any line is parsed as the model of device-mapper parses it. If the model refuses it, the error is one
//! line of text. Regions of any range and step have the areas that a plain computation gives.

#![no_main]

use iostat::{
    abi::message::{
        parse,
        Message, //
    },
    acct::region::geometry::Geometry,
};
use iostat_fuzz::{
    asked::{
        assert_listed,
        assert_parsed, //
    },
    fuzz_target, //
};

fuzz_target!(|data: &[u8]| {
    assert_parsed(data);
    assert_listed(data);
    if let Ok((_, message)) = parse(data) {
        // The sum of the line's bytes is the size of the device.
        let sectors = data.iter().map(|byte| u64::from(*byte));
        let device = sectors.fold(1, u64::wrapping_mul);
        assert_sound(&message, device, data.len() as u32);
    }
});

fn assert_sound(message: &Message<'_>, device: u64, sectors: u32) {
    match message {
        Message::Create(create) => {
            if let Ok(geometry) = create.geometry(device) {
                let end = geometry.start() + geometry.len();
                assert!(create.options.unchecked || geometry.len() == 1 || end <= device);
                assert_covers(&geometry, sectors);
            }
        }
        Message::Print(print) => {
            let areas = print.areas(100);
            assert!(areas.start <= areas.end && areas.end <= 100);
            let asked = |area: &u64| *area >= print.first && area - print.first < print.count;
            assert_eq!(areas.len(), (0..100u64).filter(asked).count());
        }
        _ => {}
    }
}

/// Each sector is in exactly one area.
fn assert_covers(geometry: &Geometry, sectors: u32) {
    let (start, len, step) = (geometry.start(), geometry.len(), geometry.step());
    let end = start + len;
    let last = geometry.areas() - 1;
    assert_eq!(last as u64, (len - 1) / step);
    let (first, rest) = geometry.area(last);
    assert_eq!(first + rest, end);
    for (sector, sectors) in [(first, 1), (end - 1, 9), (start, sectors.min(2000))] {
        let (mut sum, mut next) = (0, None);
        let here = geometry.fragments(sector, sectors, |area, part| {
            assert!(next.is_none_or(|next| area == next));
            assert!(area <= last && part <= step && part != 0);
            next = Some(area + 1);
            sum += part;
        });
        assert_eq!(sum, here);
        assert_eq!(here, u64::from(sectors).min(end - sector));
    }
}
