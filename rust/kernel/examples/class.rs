// SPDX-License-Identifier: GPL-2.0

/// Counts the disks and partitions of the system.
#[derive(Default)]
struct Count {
    present: AtomicUsize,
}

impl Devices for Count {
    fn arrived(&self, device: &BlockDevice<'_>) {
        let what = if device.is_partition() {
            "partition"
        } else {
            "disk"
        };
        pr_info!("a {what}, dev_t {}\n", device.dev());
        self.present.fetch_add(1, Relaxed);
    }

    fn leaves(&self, _device: &BlockDevice<'_>) {
        self.present.fetch_sub(1, Relaxed);
    }
}

/// Returns the number of devices while the listener is registered, and after that.
fn count() -> Result<(usize, usize)> {
    let count = Arc::new(Count::default(), GFP_KERNEL)?;
    let registration = ClassRegistration::new(count.clone())?;
    let present = count.present.load(Relaxed);
    drop(registration);
    Ok((present, count.present.load(Relaxed)))
}
