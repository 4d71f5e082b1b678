// SPDX-License-Identifier: GPL-2.0

//! Messages: any line compared with a model, and ranges and names.

use super::{
    asked::assert_parsed,
    config,
    dm, //
};
use iostat::{
    abi::{
        message::{
            create::Create,
            error::{
                Error,
                Reason, //
            },
            parse,
            Message, //
        },
        out::{
            Out,
            ReplyWriter, //
        },
        region_text::{
            listed,
            ListedRegion, //
        }, //
    },
    acct::region::{
        columns::Unit,
        geometry::Geometry, //
    }, //
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};
use std::fmt::{
    self,
    Write, //
};

/// A reply in memory.
#[derive(Default)]
struct Text(Vec<u8>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}

impl Out for Text {}

impl ReplyWriter for Text {
    fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

fn create_of(line: &str) -> Create<'_> {
    match parse(line.as_bytes()) {
        Ok((_, Message::Create(create))) => create,
        other => panic!("{line}: {other:?}"),
    }
}

/// Returns the areas of a message on a device of 1000 sectors: start, length, step and number.
fn geometry(line: &str) -> Result<(u64, u64, u64, usize), (Reason, String)> {
    let line = format!("sda @stats_create {line}");
    let refused = |error: Error<'_>| (error.reason, error.word.unwrap().to_string());
    let geometry = create_of(&line).geometry(1000).map_err(refused)?;
    Ok((
        geometry.start(),
        geometry.len(),
        geometry.step(),
        geometry.areas(),
    ))
}

#[test]
fn areas_and_limits() {
    use Reason::*;
    let wrong = |reason, word: &str| Err((reason, word.to_string()));
    let table = [
        ("- /100", Ok((0, 1000, 10, 100))),
        ("- /3", Ok((0, 1000, 334, 3))),
        ("- /600", Ok((0, 1000, 2, 500))),
        ("- /4294967295", Ok((0, 1000, 1, 1000))),
        ("- 5000", Ok((0, 1000, 5000, 1))),
        ("990+10 3", Ok((990, 10, 3, 4))),
        ("990+11 3", wrong(OutsideDevice, "990+11")),
        ("990+11 3 1 unchecked", Ok((990, 11, 3, 4))),
        ("0+8388608 1 1 unchecked", Ok((0, 8388608, 1, 8388608))),
        // device-mapper refuses this for any device.
        ("0+8388609 1", wrong(TooManyAreas, "1")),
        ("0+16777217 2", wrong(TooManyAreas, "2")),
        (
            "0+8388608 1 2 unchecked histogram:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
            { Ok((0, 8388608, 1, 8388608)) },
        ),
        (
            "0+8388608 1 1 histogram:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
            wrong(TooManyBuckets, "1"),
        ),
    ];
    for (line, expected) in table {
        assert_eq!(geometry(line), expected, "{line}");
    }
    // A device without sectors has one area.
    let empty = create_of("sda @stats_create - 8").geometry(0).unwrap();
    assert_eq!((empty.len(), empty.areas()), (1, 1));
}

#[test]
fn resizing_keeps_the_grid() {
    let old = Geometry::new(100, 100, 10).unwrap();
    let table = [
        ("80+50", None),
        ("-", None),
        ("85+50", Some(Reason::Unaligned)),
        ("900+101", Some(Reason::OutsideDevice)),
        ("900+101 unchecked", None),
        ("0+83886090 unchecked", Some(Reason::TooManyAreas)),
        ("0+1000000000", Some(Reason::TooManyAreas)),
        ("0+83886080 unchecked", Some(Reason::TooManyBuckets)),
    ];
    for (line, refused) in table {
        let line = format!("sda @stats_resize 0 {line}");
        let Ok((_, Message::Resize(resize))) = parse(line.as_bytes()) else {
            panic!("{line}")
        };
        let new = resize.geometry(&old, 17, 1000);
        assert_eq!(new.err().map(|error| error.reason), refused, "{line}");
    }
    let most = b"sda @stats_resize 0 0+83886080 unchecked";
    let Ok((_, Message::Resize(resize))) = parse(most) else {
        panic!()
    };
    assert_eq!(resize.geometry(&old, 16, 1000).unwrap().areas(), 1 << 23);
}

/// Lines that are almost messages.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let words = select(
        &[
            "sda",
            "@stats_create",
            "@STATS_LIST",
            "@stats_print",
            "@stats_print_clear",
            "@stats_delete",
            "@stats_set_aux",
            "@stats_resize",
            "-",
            "0+8",
            "8+0",
            "/2",
            "0",
            "1",
            "2",
            "7",
            "histogram:1,2",
            "histogram:2,1",
            "precise_timestamps",
            "classes",
            "unchecked",
            "x",
            "-1",
            "\\",
            "\\ 1",
            "a\\ b",
            "4294967296",
            "99999999999999999999",
            "18446744073709551615+1",
            "\u{a0}",
        ][..],
    );
    let words = words.prop_map(|word| word.as_bytes().to_vec());
    let any = vec(select(&b"@stats_lid 019-+/\\,:\t\n\0\xa0x"[..]), 0..8);
    let word = prop_oneof![9 => words, 1 => any];
    vec(word, 0..10).prop_map(|words| words.join(&b' '))
}

/// Messages with random arguments.
fn messages() -> impl Strategy<Value = Vec<u8>> {
    let names = select(
        &[
            "create - 8 2",
            "create 0+9 /2",
            "print 1",
            "set_aux 0",
            "resize 1",
        ][..],
    );
    (names, lines())
        .prop_map(|(name, rest)| [format!("sda @stats_{name} ").into_bytes(), rest].concat())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_line_is_read_as_device_mapper_would(line in prop_oneof![lines(), messages()]) {
        assert_parsed(&line);
    }

    #[test]
    fn any_bytes_are_read_as_device_mapper_would(line in vec(any::<u8>(), 0..60)) {
        assert_parsed(&line);
    }

    #[test]
    fn what_is_listed_with_classes_can_be_split_again(
        program in vec(1..=u8::MAX, 1..12),
        aux in vec(1..=u8::MAX, 1..12),
    ) {
        let geometry = Geometry::new(3, 20, 8).unwrap();
        let mut region = ListedRegion {
            id: 7,
            geometry: &geometry,
            program: &program,
            aux: &aux,
            unit: Unit::Ns,
            bounds: &[5, 60],
            classes: true,
        };
        let mut text = Text::default();
        listed(&mut text, &region).unwrap();
        let words = dm::split(&text.0);
        let expected: [&[u8]; 8] = [
            b"7:", b"3+20", b"8", &program, &aux, b"precise_timestamps", b"histogram:5,60", b"classes",
        ];
        prop_assert_eq!(words, expected.map(<[u8]>::to_vec));
        // Without options only the names follow the step.
        region.classes = false;
        region.unit = Unit::Ms;
        region.bounds = &[];
        let mut text = Text::default();
        listed(&mut text, &region).unwrap();
        let expected = [&b"7: 3+20 8 "[..], &program, b" ", &aux, b"\n"].concat();
        prop_assert_eq!(text.0, expected);
    }
}
