// SPDX-License-Identifier: GPL-2.0

//! Messages: every rule of the grammar, and every error with its word.

use super::{
    asked::{
        asked,
        assert_parsed, //
    },
    dm::Asked,
};
use iostat::abi::message::{
    error::Reason,
    parse, //
};

fn create(range: Option<(u64, u64)>, step: Result<u64, u32>) -> Asked {
    Asked::Create {
        range,
        step,
        precise: false,
        classes: false,
        unchecked: false,
        bounds: vec![],
        program: b"-".to_vec(),
        aux: b"-".to_vec(),
    }
}

/// The region of [`create`], with options and names.
fn created(options: [bool; 3], bounds: &[u64], program: &[u8], aux: &[u8]) -> Asked {
    Asked::Create {
        range: None,
        step: Ok(8),
        precise: options[0],
        classes: options[1],
        unchecked: options[2],
        bounds: bounds.to_vec(),
        program: program.to_vec(),
        aux: aux.to_vec(),
    }
}

#[test]
fn what_is_taken() {
    let table = [
        ("@stats_create - /100", create(None, Err(100))),
        ("@stats_create 5+3 1", create(Some((5, 3)), Ok(1))),
        (
            "@STATS_Create 0+1 /4294967297",
            create(Some((0, 1)), Err(1)),
        ),
        (
            "@stats_create \\ 5+\\ 3 /\\ 7",
            create(Some((5, 3)), Err(7)),
        ),
        (
            "@stats_create 0+99999999999999999999 18446744073709551616",
            create(Some((0, u64::MAX)), Ok(u64::MAX)),
        ),
        ("@stats_create - 8 0", created([false; 3], &[], b"-", b"-")),
        (
            "@stats_create - 8 0 p",
            created([false; 3], &[], b"p", b"-"),
        ),
        (
            "@stats_create - 8 p a\\ b",
            created([false; 3], &[], b"p", b"a b"),
        ),
        ("@stats_create - 8 precise_timestamps", {
            created([false; 3], &[], b"precise_timestamps", b"-")
        }),
        (
            "@stats_create - 8 2x",
            created([false; 3], &[], b"2x", b"-"),
        ),
        (
            "@stats_create - 8 3 Precise_TimeStamps precise_timestamps HISTOGRAM:1,2,30 p a",
            created([true, false, false], &[1, 2, 30], b"p", b"a"),
        ),
        (
            "@stats_create - 8 2 Classes UNCHECKED",
            created([false, true, true], &[], b"-", b"-"),
        ),
        (
            "@stats_create - 8 4294967297 histogram:\\ 7",
            created([false; 3], &[7], b"-", b"-"),
        ),
        ("@stats_delete 4294967296", Asked::Delete(0)),
        ("@stats_clear 2147483647", Asked::Clear(i32::MAX as u32)),
        ("@stats_list", Asked::List(None)),
        ("@stats_list -", Asked::List(Some(b"-".to_vec()))),
        ("@stats_print 1", Asked::Print(1, 0, u64::MAX, false)),
        ("@stats_print 1 - 2", Asked::Print(1, 0, 2, false)),
        (
            "@stats_print_clear 1 3 -",
            Asked::Print(1, 3, u64::MAX, true),
        ),
        (
            "@stats_set_aux 0 \\\\\\ ",
            Asked::SetAux(0, b"\\ ".to_vec()),
        ),
        ("@stats_resize 2 - UnChecked", Asked::Resize(2, None, true)),
        ("@stats_resize 2 8+8", Asked::Resize(2, Some((8, 8)), false)),
    ];
    for (line, expected) in table {
        let line = format!("sda {line}\n");
        let parsed = parse(line.as_bytes()).map(|(_, message)| asked(&message));
        assert_eq!(parsed, Ok(expected), "{line}");
        assert_parsed(line.as_bytes());
    }
}

#[test]
fn what_is_refused_and_for_which_word() {
    use Reason::*;
    let table = [
        ("", NoDisk, None),
        (" \t\n", NoDisk, None),
        ("sda", NoMessage, None),
        ("sda hello", NoAtSign, Some("hello")),
        ("sda 0 @stats_list", NoAtSign, Some("0")),
        ("sda @stats", UnknownMessage, Some("@stats")),
        (
            "sda @cancel_deferred_remove",
            UnknownMessage,
            Some("@cancel_deferred_remove"),
        ),
        ("sda @stats_create", NoRange, None),
        ("sda @stats_create 5", BadRange, Some("5")),
        ("sda @stats_create 5+", BadRange, Some("5+")),
        ("sda @stats_create 5+3x 1", BadRange, Some("5+3x")),
        ("sda @stats_create -5+3 1", BadRange, Some("-5+3")),
        ("sda @stats_create 5\\ +3 1", BadRange, Some("5 +3")),
        ("sda @stats_create 5+0 1", EmptyRange, Some("5+0")),
        (
            "sda @stats_create 2+18446744073709551615 1",
            EmptyRange,
            Some("2+18446744073709551615"),
        ),
        ("sda @stats_create -", NoStep, None),
        ("sda @stats_create - -1", BadStep, Some("-1")),
        ("sda @stats_create - 1M", BadStep, Some("1M")),
        ("sda @stats_create - /", BadStep, Some("/")),
        ("sda @stats_create - /3k", BadStep, Some("/3k")),
        ("sda @stats_create - 0", ZeroStep, Some("0")),
        ("sda @stats_create - /0", ZeroStep, Some("/0")),
        (
            "sda @stats_create - /4294967296",
            ZeroStep,
            Some("/4294967296"),
        ),
        ("sda @stats_create - 8 1", NoOption, None),
        ("sda @stats_create - 8 2 precise_timestamps", NoOption, None),
        (
            "sda @stats_create - 8 1 precise",
            UnknownOption,
            Some("precise"),
        ),
        (
            "sda @stats_create - 8 1 histogram",
            UnknownOption,
            Some("histogram"),
        ),
        (
            "sda @stats_create - 8 2 histogram:1 histogram:1",
            SecondHistogram,
            Some("histogram:1"),
        ),
        (
            "sda @stats_create - 8 1 histogram:",
            BadBounds,
            Some("histogram:"),
        ),
        (
            "sda @stats_create - 8 1 histogram:0,1",
            BadBounds,
            Some("histogram:0,1"),
        ),
        (
            "sda @stats_create - 8 1 histogram:2,2",
            BadBounds,
            Some("histogram:2,2"),
        ),
        (
            "sda @stats_create - 8 1 histogram:3,2",
            BadBounds,
            Some("histogram:3,2"),
        ),
        (
            "sda @stats_create - 8 1 histogram:1,",
            BadBounds,
            Some("histogram:1,"),
        ),
        (
            "sda @stats_create - 8 1 histogram:,1",
            BadBounds,
            Some("histogram:,1"),
        ),
        (
            "sda @stats_create - 8 1 histogram:1ms",
            BadBounds,
            Some("histogram:1ms"),
        ),
        (
            "sda @stats_create - 8 1 histogram:1;2",
            BadBounds,
            Some("histogram:1;2"),
        ),
        ("sda @stats_create - 8 p a x", Surplus, Some("x")),
        ("sda @stats_create - 8 0 0 0 0", Surplus, Some("0")),
        ("sda @stats_delete", NoId, None),
        ("sda @stats_delete 0x1", BadId, Some("0x1")),
        ("sda @stats_delete -1", BadId, Some("-1")),
        ("sda @stats_delete 2147483648", BadId, Some("2147483648")),
        ("sda @stats_delete 1 2", Surplus, Some("2")),
        ("sda @stats_clear", NoId, None),
        ("sda @stats_clear x", BadId, Some("x")),
        ("sda @stats_clear 1 2", Surplus, Some("2")),
        ("sda @stats_list a b", Surplus, Some("b")),
        ("sda @stats_print", NoId, None),
        ("sda @stats_print -", BadId, Some("-")),
        ("sda @stats_print 1 2", NoCount, None),
        ("sda @stats_print 1 a 2", BadFirst, Some("a")),
        ("sda @stats_print 1 -1 2", BadFirst, Some("-1")),
        ("sda @stats_print 1 2 a", BadCount, Some("a")),
        ("sda @stats_print_clear 1 2 3 4", Surplus, Some("4")),
        ("sda @stats_set_aux", NoId, None),
        ("sda @stats_set_aux 1", NoAux, None),
        ("sda @stats_set_aux 1 a b", Surplus, Some("b")),
        ("sda @stats_resize", NoId, None),
        ("sda @stats_resize 1", NoRange, None),
        ("sda @stats_resize 1 8", BadRange, Some("8")),
        (
            "sda @stats_resize 1 - checked",
            UnknownOption,
            Some("checked"),
        ),
        ("sda @stats_resize 1 - unchecked x", Surplus, Some("x")),
    ];
    for (line, reason, word) in table {
        let Err(error) = parse(line.as_bytes()) else {
            panic!("{line} is accepted")
        };
        assert_eq!(error.reason, reason, "{line}");
        let named = error.word.map(|word| word.to_string());
        assert_eq!(named.as_deref(), word, "{line}");
        assert!(error.to_string().ends_with(reason.as_str()));
        assert!(error.to_string().starts_with(word.unwrap_or("")));
        assert_parsed(line.as_bytes());
    }
}
