// SPDX-License-Identifier: GPL-2.0

//! `@cgroups on|off`: starts or stops counting by cgroup; `@cgroups_list [<disk>]`: lists what was counted.

use super::{
    error::{
        Error,
        Reason, //
    },
    word::{
        Word,
        Words, //
    },
};

/// A message about accounts by cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupMessage<'a> {
    /// Whether to count by cgroup.
    Switch(bool),
    /// Lists the accounts of this disk, or of all disks.
    List(Option<Word<'a>>),
}

impl<'a> CgroupMessage<'a> {
    /// Parses a line; returns [`None`] if it is another message.
    pub fn parse(line: &'a [u8]) -> Option<Result<Self, Error<'a>>> {
        let mut words = Words::of(line);
        let name = words.next()?;
        let message = if name.is_ignoring_case("@cgroups_list") {
            Ok(CgroupMessage::List(words.next()))
        } else if name.is_ignoring_case("@cgroups") {
            switch(words.next())
        } else {
            return None;
        };
        Some(message.and_then(|message| match words.next() {
            Some(word) => Err(Error::wrong(Reason::Surplus, word)),
            None => Ok(message),
        }))
    }
}

fn switch<'a>(word: Option<Word<'a>>) -> Result<CgroupMessage<'a>, Error<'a>> {
    let word = word.ok_or(Error::missing(Reason::NoSwitch))?;
    if word.is(b"on") {
        Ok(CgroupMessage::Switch(true))
    } else if word.is(b"off") {
        Ok(CgroupMessage::Switch(false))
    } else {
        Err(Error::wrong(Reason::BadSwitch, word))
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message_cgroup))]
mod tests {
    use super::*;

    fn reason(line: &[u8]) -> Option<Reason> {
        CgroupMessage::parse(line)?.err().map(|error| error.reason)
    }

    #[test]
    fn accounts_by_cgroup_are_switched() {
        assert!(CgroupMessage::parse(b"@cgroups on\n") == Some(Ok(CgroupMessage::Switch(true))));
        assert!(CgroupMessage::parse(b" @CGROUPS off") == Some(Ok(CgroupMessage::Switch(false))));
        assert_eq!(reason(b"@cgroups"), Some(Reason::NoSwitch));
        assert_eq!(reason(b"@cgroups 1"), Some(Reason::BadSwitch));
        assert_eq!(reason(b"@cgroups on off"), Some(Reason::Surplus));
        assert!(CgroupMessage::parse(b"sda @cgroups on").is_none());
    }

    #[test]
    fn accounts_by_cgroup_are_of_all_disks_or_of_one() {
        assert!(CgroupMessage::parse(b"@cgroups_list") == Some(Ok(CgroupMessage::List(None))));
        assert!(
            CgroupMessage::parse(b"@cgroups_list sda").is_some_and(|one| {
                matches!(one, Ok(CgroupMessage::List(Some(word))) if word.is_disk(b"sda"))
            })
        );
        assert_eq!(reason(b"@cgroups_list sda sdb"), Some(Reason::Surplus));
    }
}
