// SPDX-License-Identifier: GPL-2.0

//! Answers that were made for one client and that it has not read yet: together they take limited memory.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::task::{Context, Poll};

/// The limit of these bytes.
const MOST_BYTES: usize = 1 << 25;
/// What is passed on at a time: a copy, so that the rest does not keep the memory of the whole.
const PIECE: usize = 1 << 16;

/// Counts the bytes of all answers that clients have not read.
#[derive(Default)]
pub struct Unread(Arc<AtomicUsize>);

/// An answer.
pub struct Answer {
    bytes: Vec<u8>,
    /// How many of them were passed on.
    at: usize,
    all: Arc<AtomicUsize>,
}

impl Unread {
    /// Keeps an answer until it is dropped. `None` if there is no room.
    pub fn keep(&self, bytes: Vec<u8>) -> Option<Answer> {
        let fits = |all: usize| Some(all + bytes.len()).filter(|all| *all <= MOST_BYTES);
        self.0.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Answer {
            bytes,
            at: 0,
            all: self.0.clone(),
        })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes.len(), Relaxed);
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece: Vec<u8> = self.bytes[self.at..].iter().take(PIECE).copied().collect();
        self.at += piece.len();
        let frame = (!piece.is_empty()).then(|| Ok(Frame::data(piece.into())));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.bytes.len() - self.at) as u64)
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
        assert_eq!(unread.0.load(Relaxed), 0);
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
}
