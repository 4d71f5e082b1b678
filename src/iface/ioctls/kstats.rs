// SPDX-License-Identifier: GPL-2.0

//! The calls for kstats. Their errnos are those of illumos' `/dev/kstat`.

use super::{
    count,
    filled,
    zero,
    LONGEST_MESSAGE, //
};
use crate::{
    abi::binary::kstat::{
        self,
        KstatList,
        KstatValue,
        KstatWrite,
        Read, //
    },
    glue::kstat::{
        Change,
        NewValue, //
    },
    kapi::kstat::{
        Chain,
        KstatSnapshot, //
    },
    kernel_ext::ioctl::{
        user_memory,
        Argument,
        Array, //
    },
};
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*, //
};

/// The sizes of the structures in their first version: each caller's structures are at least as
/// large.
mod size_ver0 {
    pub(super) const LIST: usize = 32;
    pub(super) const HEADER: usize = 224;
    pub(super) const READ: usize = 72;
    pub(super) const VALUE: usize = 64;
    pub(super) const WRITE: usize = 80;
}

/// May sleep; `ENOMEM`.
pub(super) fn list(chain: &Chain, argument: Argument) -> Result {
    let (mut list, size) = argument.read::<KstatList>(size_ver0::LIST)?;
    zero(&[list.flags.into(), list.reserved.into()])?;
    let all = chain.by_number()?;
    // CAST: 32 bits.
    let room = (list.count as usize).min(all.entries.len());
    let mut headers = Array::new(list.headers, room, list.entry_size, size_ver0::HEADER)?;
    for entry in all.entries.iter().take(room) {
        headers.push(&entry.header())?;
    }
    list.size = filled::<KstatList>(size);
    list.count = count(all.entries.len());
    list.chain_id = all.id;
    argument.write(&list, size)
}

/// The offset of the text of each statistic, and the length of all texts, bytes.
fn layout(snapshot: &KstatSnapshot) -> (impl Iterator<Item = usize> + '_, usize) {
    let bytes = |value| kstat::text(value).map_or(0, |text| text.len().saturating_add(1));
    let lengths = snapshot
        .statistics
        .iter()
        .map(move |one| bytes(one.value()));
    let all = lengths
        .clone()
        .fold(snapshot.raw().len(), usize::saturating_add);
    let offsets = lengths.scan(0usize, |end, len| {
        let offset = *end;
        *end = offset.saturating_add(len);
        Some(offset)
    });
    (offsets, all)
}

/// Replaces `ENOMEM`, for lack of memory, by `EAGAIN`: in these calls `ENOMEM` means that the
/// caller has too little room.
fn not_enomem(error: Error) -> Error {
    match error {
        ENOMEM => EAGAIN,
        error => error,
    }
}

/// May sleep, for as long as the kstat's client does. `ENXIO` if there is no such kstat, `EAGAIN` if it is not
/// installed, or there is no memory; `ENOMEM` if the caller has too little room; errors of the client.
pub(super) fn read(chain: &Chain, argument: Argument) -> Result {
    let (read, size) = argument.read::<Read>(size_ver0::READ)?;
    zero(&[read.flags.into()])?;
    let chain_id = chain.id();
    let entry = chain.numbered(read.kid)?;
    let snapshot = entry.snapshot(chain).map_err(not_enomem)?;
    let header = entry.header();
    let (offsets, bytes) = layout(&snapshot);
    let number = snapshot.statistics.len();
    // CAST: 32 bits.
    let is_room = number <= read.count as usize && bytes <= read.bytes as usize;
    let number_to_write = if is_room { number } else { 0 };
    let mut values = Array::new(
        read.values,
        number_to_write,
        read.entry_size,
        size_ver0::VALUE,
    )?;
    if is_room {
        let mut data = user_memory(read.data, bytes)?.writer();
        for (statistic, offset) in snapshot.statistics.iter().zip(offsets) {
            let value = statistic.value();
            values.push(&KstatValue::new(statistic.name(), value, offset as u64))?;
            if let Some(text) = kstat::text(value) {
                data.write_slice(text)?;
                data.write_slice(&[0])?;
            }
        }
        data.write_slice(snapshot.raw())?;
    }
    let read = Read {
        size: filled::<Read>(size),
        chain_id,
        snaptime: snapshot.snaptime_ns,
        crtime: header.crtime,
        kind: header.kind,
        kstat_flags: header.flags,
        ndata: snapshot.ndata,
        count: count(number),
        bytes: count(bytes),
        ..read
    };
    argument.write(&read, size)?;
    match is_room {
        true => Ok(()),
        false => Err(ENOMEM),
    }
}

/// Writes statistics of a kstat. May sleep. `ENXIO` and `EAGAIN` as [`read`]; `E2BIG` if text or bytes are longer than a
/// message may be; other errors as [`crate::kapi::kstat::KstatEntry::write`].
pub(super) fn write(chain: &Chain, argument: Argument) -> Result {
    change(chain, argument).map_err(not_enomem)
}

fn change(chain: &Chain, argument: Argument) -> Result {
    let (mut write, size) = argument.read::<KstatWrite>(size_ver0::WRITE)?;
    zero(&[write.flags.into()])?;
    // CAST: 32 bits.
    let len = write.len as usize;
    if len > LONGEST_MESSAGE {
        return Err(E2BIG);
    }
    let name = write.name.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let entry = chain.numbered(write.kid)?;
    let mut text = KVVec::new();
    let is_text = name.is_empty() || kstat::is_text(write.data_type);
    if is_text {
        user_memory(write.value, len)?.read_all(&mut text, GFP_KERNEL_ACCOUNT)?;
    } else {
        zero(&[write.len.into()])?;
    }
    if name.is_empty() {
        zero(&[write.data_type.into()])?;
        entry.write(&Change::Bytes(&text))?;
    } else {
        if write.data_type == kstat::data::STRING {
            // Strings of C end at their first NUL.
            if text.contains(&0) {
                return Err(EINVAL);
            }
            text.push(0, GFP_KERNEL_ACCOUNT)?;
        }
        let value = kstat::value(write.data_type, write.value, &text).ok_or(EINVAL)?;
        entry.write(&Change::Statistic(name, NewValue::Value(value)))?;
    }
    write.size = filled::<KstatWrite>(size);
    write.chain_id = chain.id();
    argument.write(&write, size)
}
