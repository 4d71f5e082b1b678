// SPDX-License-Identifier: GPL-2.0

//! Where on its device a file is, as filefrag(8) of e2fsprogs says it.

use anyhow::{anyhow, bail, Result};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// A part of a file that is in one piece on the device, in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where in the file.
    pub logical: u64,
    /// Where on the device.
    pub physical: u64,
    pub length: u64,
}

/// The most extents: each makes regions, and each region is asked for by every I/O.
const MOST: usize = 128;

/// What is not on the device as it is in the file.
const ELSEWHERE: [&str; 5] = [
    "unknown_loc",
    "delalloc",
    "encoded",
    "inline",
    "not_aligned",
];

/// The extents of a file, after its data was written back.
pub fn extents(path: &Path) -> Result<Vec<Extent>> {
    let mut command = Command::new("filefrag");
    let output = command
        .args(["-s", "-e", "-v", "-b512"])
        .arg(path)
        .env("LC_ALL", "C")
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no filefrag: install e2fsprogs"),
        _ => anyhow!("cannot run filefrag: {error}"),
    })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("filefrag: {}", text.lines().next().unwrap_or("it failed"));
    }
    let extents = parse(&String::from_utf8_lossy(&output.stdout));
    let name = path.display();
    match extents.map_err(|error| anyhow!("{name}: {error}"))? {
        extents if extents.is_empty() => bail!("{name}: it has no data on the device"),
        extents if extents.len() > MOST => {
            bail!(
                "{name}: it has {} extents, and {MOST} are the most",
                extents.len()
            )
        }
        extents => Ok(extents),
    }
}

/// `   1:        8..      15:      40000..     40007:      8:      34824: last,eof`; the last number but one is
/// where the extent would be without a gap, if it is elsewhere.
fn parse(text: &str) -> Result<Vec<Extent>> {
    let mut extents = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(':').map(str::trim).collect();
        let [number, logical, physical, length, .., flags] = fields[..] else {
            continue;
        };
        if number.parse::<u32>().is_err() {
            continue;
        }
        if flags.split(',').any(|flag| ELSEWHERE.contains(&flag)) {
            bail!("a part of it is not on the device as it is in the file ({flags})");
        }
        let first = |range: &str| {
            range
                .split_once("..")
                .and_then(|(first, _)| first.parse().ok())
        };
        match (first(logical), first(physical), length.parse().ok()) {
            (Some(logical), Some(physical), Some(length)) => extents.push(Extent {
                logical,
                physical,
                length,
            }),
            _ => bail!("a line of filefrag cannot be understood: {line}"),
        }
    }
    Ok(extents)
}

/// An extent as ranges of the device whose areas of `step` sectors, from their beginning on, are the same parts of the
/// file as if it was one piece: start, length, and which part of the file comes first.
pub fn pieces(extent: &Extent, step: u64) -> Vec<(u64, u64, usize)> {
    let head = match extent.logical % step {
        0 => 0,
        behind => (step - behind).min(extent.length),
    };
    let part = |logical: u64| (logical / step) as usize;
    let (start, rest) = (extent.physical + head, extent.length - head);
    let pieces = [
        (extent.physical, head, part(extent.logical)),
        (start, rest, part(extent.logical + head)),
    ];
    pieces
        .into_iter()
        .filter(|(_, length, _)| *length != 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extents_are_those_of_filefrag() -> Result<()> {
        let text = "Filesystem type is: ef53\n\
                    File size of /mnt/a: b is 12288 (24 blocks of 512 bytes)\n \
                    ext:     logical_offset:        physical_offset: length:   expected: flags:\n   \
                    0:        0..       7:      34816..     34823:      8:            \n   \
                    1:        8..      23:      40000..     40015:     16:      34824: last,unwritten,eof\n\
                    /mnt/a: b: 2 extents found\n";
        let extent = |logical, physical, length| Extent {
            logical,
            physical,
            length,
        };
        assert_eq!(parse(text)?, [extent(0, 34816, 8), extent(8, 40000, 16)]);
        let inline = text.replace("last,unwritten", "last,not_aligned,inline");
        assert!(parse(&inline).is_err());
        assert_eq!(parse("nothing\n")?, []);
        Ok(())
    }

    proptest! {
        /// Each sector is in one piece, and in the area that is its part of the file.
        #[test]
        fn pieces_are_the_extent(logical in 0u64..1000, physical in 0u64..1000, length in 1u64..300, step in 1u64..100) {
            let extent = Extent { logical, physical, length };
            let mut next = physical;
            for (start, length, first) in pieces(&extent, step) {
                prop_assert_eq!(start, next);
                for sector in start..start + length {
                    let part = (logical + sector - physical) / step;
                    prop_assert_eq!(first as u64 + (sector - start) / step, part);
                }
                next = start + length;
            }
            prop_assert_eq!(next, physical + length);
        }
    }
}
