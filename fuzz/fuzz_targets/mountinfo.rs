// SPDX-License-Identifier: GPL-2.0

//! Any text as that of mountinfo: what is found in it are strings of it, and the same as by looking at each line.

#![no_main]

use iostat::abi::mountinfo::{
    self,
    MountTable,
    Mounted, //
};
use iostat_fuzz::{
    fuzz_target,
    input::Input, //
};

/// Returns the string at this index of the text.
fn string(text: &[u8], start: usize) -> &[u8] {
    let rest = &text[start..];
    let end = rest.iter().position(|byte| *byte == 0);
    &rest[..end.expect("a path ends in a NUL")]
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let dev = input.number() as u32;
    let length = input.choice(40);
    let path = input.bytes(length).to_vec();
    let length = input.choice(40);
    let name = input.bytes(length).to_vec();
    let mut text = input.bytes(data.len()).to_vec();
    text.push(b'\n');
    let mut mounted: Vec<Mounted> = Vec::new();
    mountinfo::parse(&mut text, |line| {
        mounted.push(line);
        true
    });
    mountinfo::sort(&mut mounted);
    let table = MountTable::new(&text, &mounted);
    let devs = mounted.iter().map(Mounted::dev).chain([dev]);
    for dev in devs {
        let lines = || table.of_dev(dev);
        assert_eq!(
            lines().count(),
            mounted.iter().filter(|line| line.dev() == dev).count()
        );
        let found = table.of(dev, &path);
        assert_eq!(
            found.is_some(),
            lines().any(|line| {
                let root = line.root(&text);
                root.len() == 1
                    || path.starts_with(root) && matches!(path.get(root.len()), None | Some(b'/'))
            })
        );
        if let Some((point, skipped)) = found {
            string(&text, point);
            assert!(skipped <= path.len());
        }
        assert_eq!(
            table.of_all(dev).is_some(),
            lines().any(|line| line.root(&text).len() <= 1)
        );
        if let Some(point) = table.at(dev, &path, &name) {
            let point = string(&text, point);
            assert!(point.len() == 1 || name.starts_with(point));
        }
    }
    let none = MountTable::new(&[], &[]);
    assert_eq!(table.former(none).count(), mounted.len());
    assert_eq!(table.former(table).count(), 0);
    mounted.iter().for_each(Mounted::set_gone);
    assert_eq!(table.former(none).count(), 0);
    assert!(mounted
        .iter()
        .all(|line| table.of(line.dev(), &path).is_none()));
});
