// SPDX-License-Identifier: GPL-2.0

//! Answers that clients have not read yet: together they take limited memory.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

/// The limit of these bytes.
const MOST_BYTES: usize = 1 << 25;
/// What is passed on at a time: a copy, so that the rest does not keep the memory of the whole.
const PIECE: usize = 1 << 16;

/// Counts the bytes of all answers that clients have not read.
#[derive(Default)]
pub struct Unread(Arc<AtomicUsize>);

/// Bytes that count until the last answer of them is dropped.
struct Kept {
    bytes: Bytes,
    all: Arc<AtomicUsize>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes.len(), Relaxed);
    }
}

/// An answer.
pub struct Answer {
    kept: Arc<Kept>,
    /// How many of its bytes were passed on.
    at: usize,
}

/// Bytes for the answers to several clients. They are kept in any case, and count as unread once, however many clients have
/// not read them.
pub struct Shared {
    bytes: Bytes,
    kept: Weak<Kept>,
}

impl Shared {
    pub fn new(bytes: Vec<u8>) -> Self {
        Shared {
            bytes: bytes.into(),
            kept: Weak::new(),
        }
    }
}

impl Unread {
    /// Keeps an answer until it is dropped. `None` if there is no room. One that is larger than the limit is kept if it is
    /// the only one.
    pub fn keep(&self, bytes: Vec<u8>) -> Option<Answer> {
        let kept = self.count(bytes.into())?;
        Some(Answer { kept, at: 0 })
    }

    /// The same for an answer that others may have too.
    pub fn share(&self, shared: &mut Shared) -> Option<Answer> {
        let kept = match shared.kept.upgrade() {
            Some(kept) => kept,
            None => {
                let kept = self.count(shared.bytes.clone())?;
                shared.kept = Arc::downgrade(&kept);
                kept
            }
        };
        Some(Answer { kept, at: 0 })
    }

    fn count(&self, bytes: Bytes) -> Option<Arc<Kept>> {
        let fits = |all: usize| {
            let sum = all + bytes.len();
            (all == 0 || sum <= MOST_BYTES).then_some(sum)
        };
        self.0.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Arc::new(Kept {
            bytes,
            all: self.0.clone(),
        }))
    }

    /// How many bytes there are.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.0.load(Relaxed)
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let rest = &self.kept.bytes[self.at..];
        let piece: Vec<u8> = rest.iter().take(PIECE).copied().collect();
        self.at += piece.len();
        let frame = (!piece.is_empty()).then(|| Ok(Frame::data(piece.into())));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.at == self.kept.bytes.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.kept.bytes.len() - self.at) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    fn block_on<T>(future: impl std::future::Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(future)
    }

    #[test]
    fn an_answer_is_passed_on_whole() {
        let unread = Unread::default();
        for len in [0, 1, PIECE, 3 * PIECE + 5] {
            let bytes: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let answer = unread.keep(bytes.clone()).expect("there is room");
            assert_eq!(answer.size_hint().exact(), Some(len as u64));
            let read = block_on(answer.collect()).expect("it cannot fail");
            assert_eq!(read.to_bytes(), bytes);
        }
        assert_eq!(unread.bytes(), 0);
    }

    #[test]
    fn answers_that_are_not_read_take_limited_memory() {
        let unread = Unread::default();
        let one = unread.keep(vec![0; MOST_BYTES / 2]);
        let two = unread.keep(vec![0; MOST_BYTES / 2]);
        assert!(one.is_some() && two.is_some());
        assert!(unread.keep(vec![0; 1]).is_none());
        drop(one);
        assert!(unread.keep(vec![0; 1]).is_some());
    }

    #[test]
    fn a_shared_answer_counts_once_until_all_have_read_it() {
        let unread = Unread::default();
        let mut shared = Shared::new(vec![7; MOST_BYTES / 2]);
        assert_eq!(unread.bytes(), 0);
        let (one, two) = (unread.share(&mut shared), unread.share(&mut shared));
        assert_eq!(unread.bytes(), MOST_BYTES / 2);
        // The next ones have no room beside it, but more of it has.
        let mut next = [1, 2].map(|_| Shared::new(vec![8; MOST_BYTES / 2]));
        let other = unread.share(&mut next[0]);
        assert!(other.is_some() && unread.share(&mut next[1]).is_none());
        assert!(unread.share(&mut shared).is_some());
        drop(shared);
        drop(one);
        assert!(unread.share(&mut next[1]).is_none());
        let two = two.expect("there was room");
        let read = block_on(two.collect()).expect("it cannot fail");
        assert_eq!(read.to_bytes(), vec![7; MOST_BYTES / 2]);
        assert!(unread.share(&mut next[1]).is_some());
        drop(other);
        assert_eq!(unread.bytes(), 0);
    }

    #[test]
    fn an_answer_that_is_too_large_is_the_only_one() {
        let unread = Unread::default();
        let one = unread.keep(vec![0; MOST_BYTES + 1]);
        assert!(one.is_some() && unread.keep(vec![0; 1]).is_none());
        drop(one);
        assert!(unread.keep(vec![0; 1]).is_some());
    }
}
