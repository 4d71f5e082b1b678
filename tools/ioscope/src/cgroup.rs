// SPDX-License-Identifier: GPL-2.0

//! Accounts by cgroup, and the paths of cgroups.

use crate::quantile::Counts;
use iostat_map::layout::{written, BUCKETS};
use iostat_map::{Cgroup, NO_DEVICE};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// So many cgroups have a path; more are shown by their ids.
const MOST_PATHS: usize = 1 << 16;

/// What an account is of: the number of the disk, the id of the cgroup, and the class. The order is that of the module.
/// [`NO_DEVICE`] and 0 are of what had no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    pub number: u32,
    pub cgroup: u64,
    pub class: u8,
}

impl Key {
    /// Whether it is the account of what had no room.
    pub fn is_other(&self) -> bool {
        self.number == NO_DEVICE
    }
}

/// The account of a cgroup, disk and class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub ios: u64,
    pub bytes: u64,
    pub operations: u64,
    pub duration_ns: u64,
    pub service_ns: u64,
    /// The buckets of their times that are not empty.
    pub buckets: Vec<(u8, u64)>,
}

impl From<&Cgroup> for Account {
    fn from(cgroup: &Cgroup) -> Self {
        let counts = cgroup.counts.iter().enumerate();
        let filled = counts.filter(|(_, count)| **count != 0);
        Account {
            ios: cgroup.ios,
            bytes: cgroup.bytes,
            operations: cgroup.operations,
            duration_ns: cgroup.duration,
            service_ns: cgroup.service,
            buckets: filled
                .map(|(bucket, count)| (bucket as u8, *count))
                .collect(),
        }
    }
}

impl Account {
    /// Its times.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (bucket, count) in &self.buckets {
            if let Some(place) = counts.buckets.get_mut(usize::from(*bucket)) {
                *place = *count;
            }
        }
        counts
    }

    /// The growth since it was as `before`. An account that has less than before was made again: all of it is growth.
    pub fn since(&self, before: Option<&Account>) -> Account {
        let is_older =
            |before: &&Account| before.ios <= self.ios && before.operations <= self.operations;
        match before.filter(is_older) {
            Some(before) => self.without(before),
            None => self.clone(),
        }
    }

    /// This account less another, or 0 where that is larger.
    fn without(&self, other: &Account) -> Account {
        let less: HashMap<u8, u64> = other.buckets.iter().copied().collect();
        let buckets = self.buckets.iter().map(|(bucket, count)| {
            let less = less.get(bucket).copied().unwrap_or(0);
            (*bucket, count.saturating_sub(less))
        });
        Account {
            ios: self.ios.saturating_sub(other.ios),
            bytes: self.bytes.saturating_sub(other.bytes),
            operations: self.operations.saturating_sub(other.operations),
            duration_ns: self.duration_ns.saturating_sub(other.duration_ns),
            service_ns: self.service_ns.saturating_sub(other.service_ns),
            buckets: buckets.filter(|(_, count)| *count != 0).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.ios == 0 && self.operations == 0
    }

    pub fn add(&mut self, other: &Account) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.ios, other.ios);
        add(&mut self.bytes, other.bytes);
        add(&mut self.operations, other.operations);
        add(&mut self.duration_ns, other.duration_ns);
        add(&mut self.service_ns, other.service_ns);
        let mut sum: BTreeMap<u8, u64> = self.buckets.iter().copied().collect();
        for (bucket, count) in &other.buckets {
            add(sum.entry(*bucket).or_default(), *count);
        }
        self.buckets = sum.into_iter().collect();
    }
}

/// The accounts of one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cgroups {
    pub accounts: BTreeMap<Key, Account>,
    /// By id: of those that have one.
    pub paths: Rc<HashMap<u64, String>>,
}

impl Cgroups {
    /// What a cgroup is called: its path from the root of all cgroups on, or its id.
    pub fn name(&self, key: &Key) -> String {
        match self.paths.get(&key.cgroup) {
            _ if key.is_other() => "other".to_owned(),
            Some(path) => path.clone(),
            None => key.cgroup.to_string(),
        }
    }

    /// The growth of each account since `before`; accounts without growth are left out. The account of a removed cgroup is
    /// now a part of that of its nearest ancestor, where it is not growth.
    pub fn since(&self, before: Option<&Cgroups>) -> BTreeMap<Key, Account> {
        let changes = self.accounts.iter().map(|(key, account)| {
            let before = before.and_then(|before| before.accounts.get(key));
            (*key, account.since(before))
        });
        let mut changes: BTreeMap<_, _> = changes.collect();
        for (heir, removed) in before.map_or(Vec::new(), |before| self.inherited(before)) {
            if let Some(change) = changes.get_mut(&heir) {
                *change = change.without(removed);
            }
        }
        changes.retain(|_, change| !change.is_empty());
        changes
    }

    /// The accounts that are no longer there, each with the account that has it now.
    fn inherited<'a>(&self, before: &'a Cgroups) -> Vec<(Key, &'a Account)> {
        let accounts = before.accounts.iter();
        let removed = accounts.filter(|(key, _)| !self.accounts.contains_key(key));
        let removed: Vec<_> = removed.collect();
        if removed.is_empty() {
            return Vec::new();
        }
        let ids: HashMap<&str, u64> = self.paths.iter().map(|(id, path)| (&**path, *id)).collect();
        let heirs = removed.into_iter().filter_map(|(key, account)| {
            let path = Path::new(before.paths.get(&key.cgroup)?);
            let keys = path.ancestors().skip(1).filter_map(|ancestor| {
                let cgroup = *ids.get(ancestor.to_str()?)?;
                Some(Key { cgroup, ..*key })
            });
            let mut heirs = keys.filter(|key| self.accounts.contains_key(key));
            Some((heirs.next()?, account))
        });
        heirs.collect()
    }
}

/// The paths of cgroups. They are read again when there is an id without one.
#[derive(Default)]
pub struct Paths {
    found: Rc<HashMap<u64, String>>,
    /// Ids of cgroups that have no directory.
    unknown: HashSet<u64>,
}

impl Paths {
    /// The paths of these cgroups and of others.
    pub fn of(&mut self, ids: impl Iterator<Item = u64>) -> Rc<HashMap<u64, String>> {
        let ids: HashSet<u64> = ids.filter(|id| *id != 0).collect();
        // Ids that do not come again are forgotten.
        self.unknown.retain(|id| ids.contains(id));
        let is_new = |id: &u64| !self.found.contains_key(id) && !self.unknown.contains(id);
        if ids.iter().any(is_new) {
            let mut found = walk(&mount());
            for id in ids {
                if found.contains_key(&id) {
                    continue;
                }
                // A cgroup that was removed keeps its path for as long as it has an account.
                match self.found.get(&id) {
                    Some(path) => drop(found.insert(id, path.clone())),
                    None => drop(self.unknown.insert(id)),
                }
            }
            self.found = Rc::new(found);
        }
        self.found.clone()
    }
}

/// Where the hierarchy of version 2 is mounted, as systemd does it.
fn mount() -> PathBuf {
    let hybrid = Path::new("/sys/fs/cgroup/unified");
    match hybrid.join("cgroup.procs").exists() {
        true => hybrid.to_owned(),
        false => PathBuf::from("/sys/fs/cgroup"),
    }
}

/// The path of each cgroup by its id, which is the inode number of its directory. What cannot be read is left out.
fn walk(root: &Path) -> HashMap<u64, String> {
    let mut found = HashMap::new();
    if let Ok(metadata) = root.metadata() {
        found.insert(metadata.ino(), "/".to_owned());
    }
    let mut left = VecDeque::from([(root.to_owned(), String::new())]);
    while let Some((directory, path)) = left.pop_front() {
        let entries = std::fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries {
            if found.len() >= MOST_PATHS {
                return found;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let path = format!("{path}/{}", written(entry.file_name().as_bytes()));
                found.insert(entry.ino(), path.clone());
                left.push_back((entry.path(), path));
            }
        }
    }
    found
}

/// What changed in accounts: those that are others, those that have gone, and new paths.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Changes {
    pub changed: Vec<(Key, Account)>,
    pub gone: Vec<Key>,
    pub paths: Vec<(u64, String)>,
}

impl Changes {
    /// Those from `before` to `now`.
    pub fn between(before: &Cgroups, now: &Cgroups) -> Self {
        let changed = now.accounts.iter();
        let changed = changed.filter(|(key, account)| before.accounts.get(key) != Some(account));
        let gone = before.accounts.keys();
        let gone = gone.filter(|key| !now.accounts.contains_key(key));
        let ids: HashSet<u64> = now.accounts.keys().map(|key| key.cgroup).collect();
        let paths = now.paths.iter();
        let paths =
            paths.filter(|(id, path)| ids.contains(id) && before.paths.get(id) != Some(path));
        let mut paths: Vec<_> = paths.map(|(id, path)| (*id, path.clone())).collect();
        paths.sort_unstable();
        Changes {
            changed: changed
                .map(|(key, account)| (*key, account.clone()))
                .collect(),
            gone: gone.copied().collect(),
            paths,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty() && self.paths.is_empty()
    }

    /// Makes `cgroups` what they became.
    pub fn apply(self, cgroups: &mut Cgroups) {
        for key in &self.gone {
            cgroups.accounts.remove(key);
        }
        let counts = |bucket: &(u8, u64)| usize::from(bucket.0) < BUCKETS;
        for (key, mut account) in self.changed {
            account.buckets.retain(counts);
            cgroups.accounts.insert(key, account);
        }
        if !self.paths.is_empty() {
            let mut paths = (*cgroups.paths).clone();
            paths.extend(self.paths);
            cgroups.paths = Rc::new(paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(operations: u64, bucket: u8) -> Account {
        Account {
            ios: operations + 1,
            bytes: operations * 4096,
            operations,
            duration_ns: operations * 1000,
            service_ns: operations * 600,
            buckets: vec![(bucket, operations)],
        }
    }

    fn key(number: u32, cgroup: u64) -> Key {
        Key {
            number,
            cgroup,
            class: 1,
        }
    }

    #[test]
    fn growth_is_the_difference() {
        let (one, mut two) = (account(5, 20), account(7, 20));
        two.buckets.push((21, 3));
        two.operations += 3;
        let change = two.since(Some(&one));
        assert_eq!((change.ios, change.operations, change.bytes), (2, 5, 8192));
        assert_eq!(change.buckets, [(20, 2), (21, 3)]);
        assert_eq!(change.counts().total(), 5);
        assert!(one.since(Some(&one)).is_empty());
        // An id of a cgroup is not used again, but accounts may be switched off and on.
        assert_eq!(one.since(Some(&two)), one);
        let mut sum = one.clone();
        sum.add(&two);
        assert_eq!((sum.operations, sum.buckets), (15, vec![(20, 12), (21, 3)]));
    }

    #[test]
    fn names_are_paths_ids_or_other() {
        let cgroups = Cgroups {
            paths: Rc::new(HashMap::from([(7, "/a".to_owned())])),
            ..Cgroups::default()
        };
        assert_eq!(cgroups.name(&key(1, 7)), "/a");
        assert_eq!(cgroups.name(&key(1, 8)), "8");
        assert_eq!(cgroups.name(&key(NO_DEVICE, 0)), "other");
    }

    #[test]
    fn changes_lead_from_one_moment_to_the_next() {
        let at = |accounts: &[(Key, Account)], paths: &[(u64, &str)]| Cgroups {
            accounts: accounts.iter().cloned().collect(),
            paths: Rc::new(
                paths
                    .iter()
                    .map(|(id, path)| (*id, path.to_string()))
                    .collect(),
            ),
        };
        let one = at(
            &[(key(1, 7), account(1, 2)), (key(1, 8), account(2, 3))],
            &[(7, "/a"), (8, "/b")],
        );
        let two = at(
            &[(key(1, 7), account(4, 2)), (key(2, 9), account(2, 3))],
            &[(7, "/a"), (8, "/b"), (9, "/c")],
        );
        let mut now = Cgroups::default();
        for next in [&one, &two, &two] {
            let changes = Changes::between(&now, next);
            assert_eq!(changes.is_empty(), *next == now);
            changes.apply(&mut now);
            assert_eq!(&now.accounts, &next.accounts);
        }
        assert_eq!(now.name(&key(2, 9)), "/c");
        let changes = two.since(Some(&one));
        assert_eq!(
            changes.keys().copied().collect::<Vec<_>>(),
            [key(1, 7), key(2, 9)]
        );
        assert_eq!(changes[&key(1, 7)].operations, 3);
    }

    #[test]
    fn an_account_of_a_removed_cgroup_is_no_growth_of_its_parent() {
        let paths: HashMap<u64, String> = [(1, "/"), (7, "/a"), (8, "/a/b/c")]
            .map(|(id, path)| (id, path.to_owned()))
            .into();
        let at = |accounts: &[(Key, Account)]| Cgroups {
            accounts: accounts.iter().cloned().collect(),
            paths: Rc::new(paths.clone()),
        };
        // /a did 2 I/Os, and has the 50 of /a/b/c, too. The other disk has left.
        let one = at(&[
            (key(1, 7), account(10, 2)),
            (key(1, 8), account(50, 3)),
            (key(2, 8), account(9, 3)),
        ]);
        let mut both = account(12, 2);
        both.add(&account(50, 3));
        let two = at(&[(key(1, 7), both)]);
        let changes = two.since(Some(&one));
        assert_eq!(changes.len(), 1);
        let change = &changes[&key(1, 7)];
        assert_eq!((change.operations, change.bytes), (2, 8192));
        assert_eq!(change.buckets, [(2, 2)]);
        // /a had no account before.
        let one = at(&[(key(1, 8), account(50, 3))]);
        assert_eq!(two.since(Some(&one))[&key(1, 7)].operations, 12);
        // Nothing else was done in it.
        let two = at(&[(key(1, 7), account(50, 3))]);
        assert!(two.since(Some(&one)).is_empty());
    }

    #[test]
    fn paths_are_kept_while_they_are_needed() {
        let mut paths = Paths::default();
        let missing = u64::MAX - 1;
        paths.of([missing, 0].into_iter());
        assert!(paths.unknown.contains(&missing) && paths.unknown.len() == 1);
        let before = paths.of([missing].into_iter());
        assert!(Rc::ptr_eq(&before, &paths.found));
        paths.of([].into_iter());
        assert!(paths.unknown.is_empty());
    }

    #[test]
    fn a_tree_of_directories_is_walked() {
        let root = std::env::temp_dir().join(format!("ioscope-cgroups-{}", std::process::id()));
        std::fs::create_dir_all(root.join("system.slice/a b")).unwrap();
        let paths = walk(&root);
        std::fs::remove_dir_all(&root).unwrap();
        let mut paths: Vec<_> = paths.into_values().collect();
        paths.sort_unstable();
        assert_eq!(paths, ["/", "/system.slice", "/system.slice/a\\040b"]);
    }
}
