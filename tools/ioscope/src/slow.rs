// SPDX-License-Identifier: GPL-2.0

//! The reply to `@slow`.

/// An I/O that was slow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlowIo {
    /// As `/dev/iostat` writes it: one word. `None` if the device has left.
    pub device: Option<String>,
    pub number: u32,
    /// On the module's clock.
    pub end_ns: u64,
    pub wait_ns: u64,
    pub service_ns: u64,
    /// The errno that it ended with, or 0.
    pub error: u32,
    /// I/Os in the queues of its device when it ended.
    pub wcnt: u64,
    pub rcnt: u64,
    /// `None`, as those that follow, if it is not known or not for this user.
    pub op: Option<String>,
    pub sector: Option<u64>,
    pub bytes: Option<u64>,
    pub pid: Option<u32>,
    pub comm: Option<String>,
    pub cgroup: Option<u64>,
}

/// The I/Os of a reply. `None` if it is no such reply.
pub fn parse(text: &str) -> Option<Vec<SlowIo>> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next()?.split(' ').collect();
    // Columns may be added.
    let place = |name: &str| columns.iter().position(|column| *column == name);
    place("end_ns")?;
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let word = |name: &str| words.get(place(name)?).copied();
            let known = |name: &str| word(name).filter(|word| *word != "-");
            let number = |name: &str| word(name)?.parse::<u64>().ok();
            let known_number = |name: &str| known(name).and_then(|word| word.parse::<u64>().ok());
            Some(SlowIo {
                device: known("device").map(str::to_owned),
                number: word("number")?.parse().ok()?,
                end_ns: number("end_ns")?,
                wait_ns: number("wait_ns")?,
                service_ns: number("service_ns")?,
                error: word("error")?.parse().ok()?,
                wcnt: number("wcnt")?,
                rcnt: number("rcnt")?,
                op: known("op").map(str::to_owned),
                sector: known_number("sector"),
                bytes: known_number("bytes"),
                pid: known("pid").and_then(|word| word.parse().ok()),
                comm: known("comm").map(str::to_owned),
                cgroup: known_number("cgroup"),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "device number end_ns wait_ns service_ns error wcnt rcnt op sector bytes pid comm cgroup\n\
        sda1 3 9000 100 800 5 1 2 write 8 4096 77 a\\040b 12\n\
        - 4 8000 0 900 0 0 0 - - - - - -\n";

    #[test]
    fn lines_are_slow_ios() {
        let ios = parse(TEXT).unwrap();
        assert_eq!(ios.len(), 2);
        let first = SlowIo {
            device: Some("sda1".into()),
            number: 3,
            end_ns: 9000,
            wait_ns: 100,
            service_ns: 800,
            error: 5,
            wcnt: 1,
            rcnt: 2,
            op: Some("write".into()),
            sector: Some(8),
            bytes: Some(4096),
            pid: Some(77),
            comm: Some("a\\040b".into()),
            cgroup: Some(12),
        };
        assert_eq!(ios[0], first);
        let second = SlowIo {
            number: 4,
            end_ns: 8000,
            service_ns: 900,
            ..SlowIo::default()
        };
        assert_eq!(ios[1], second);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(parse("").is_none());
        assert!(parse("sda: there is no such disk\n").is_none());
        assert!(parse(&TEXT.replace("800", "-8")).is_none());
        let more = TEXT
            .replace("error", "new error")
            .replace("800 5", "800 x 5")
            .replace("900 0", "900 x 0");
        assert_eq!(parse(&more).map(|ios| ios[0].error), Some(5));
    }
}
