// SPDX-License-Identifier: GPL-2.0

//! Answers that clients have not read yet take limited memory: those of `/metrics`, and all others.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

/// The limit of the bytes of each.
const MOST_BYTES: usize = 1 << 25;
/// What is passed on at a time: a copy, so that the rest does not keep the memory of the whole.
const PIECE: usize = 1 << 16;

/// The bytes of an answer, or none if they were dropped before all clients had read them.
struct Content {
    len: usize,
    bytes: Mutex<Bytes>,
}

impl Content {
    fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Content {
            len: bytes.len(),
            bytes: Mutex::new(bytes.into()),
        })
    }

    fn bytes(&self) -> MutexGuard<'_, Bytes> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer. If its bytes are dropped it ends too early, and hyper closes the connection.
pub struct Answer {
    content: Arc<Content>,
    /// How many of its bytes were passed on.
    at: usize,
    _counted: Option<Counted>,
}

/// Counts the bytes of all answers that clients have not read.
#[derive(Default)]
pub struct Unread(Arc<AtomicUsize>);

/// Bytes that count until this is dropped.
struct Counted {
    len: usize,
    all: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.all.fetch_sub(self.len, Relaxed);
    }
}

impl Unread {
    /// Keeps an answer until it is dropped. `None` if there is no room. One that is larger than the limit is kept if it is
    /// the only one.
    pub fn keep(&self, bytes: Vec<u8>) -> Option<Answer> {
        let len = bytes.len();
        let fits = |all: usize| (all == 0 || all + len <= MOST_BYTES).then_some(all + len);
        self.0.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Answer {
            content: Content::new(bytes),
            at: 0,
            _counted: Some(Counted {
                len,
                all: self.0.clone(),
            }),
        })
    }

    /// How many bytes there are.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.0.load(Relaxed)
    }
}

/// The answers of `/metrics`. Those of the newest scrape are kept for the next client. Of older scrapes, which only clients
/// that have not read them keep, those beyond the limit are dropped, the oldest first.
#[derive(Default)]
pub struct Scrapes {
    /// By form.
    newest: [Option<Arc<Content>>; 3],
    older: VecDeque<Weak<Content>>,
}

impl Scrapes {
    /// The answers from here on are of a new scrape.
    pub fn begin(&mut self) {
        self.older.retain(|content| content.strong_count() != 0);
        let newest = self.newest.iter_mut().filter_map(Option::take);
        self.older
            .extend(newest.map(|content| Arc::downgrade(&content)));
    }

    /// The answer of the newest scrape in a form. The first one makes it.
    pub fn answer(&mut self, form: usize, make: impl FnOnce() -> Vec<u8>) -> Answer {
        let is_new = self.newest[form].is_none();
        let content = self.newest[form].get_or_insert_with(|| Content::new(make()));
        let content = content.clone();
        if is_new {
            self.limit();
        }
        Answer {
            content,
            at: 0,
            _counted: None,
        }
    }

    fn limit(&mut self) {
        let mut bytes = self.bytes();
        while bytes > MOST_BYTES {
            let Some(oldest) = self.older.pop_front() else {
                break;
            };
            if let Some(oldest) = oldest.upgrade() {
                bytes -= oldest.len;
                *oldest.bytes() = Bytes::new();
            }
        }
    }

    /// How many bytes there are.
    fn bytes(&self) -> usize {
        let newest = self.newest.iter().flatten().map(|content| content.len);
        let older = self.older.iter().filter_map(Weak::upgrade);
        newest.chain(older.map(|content| content.len)).sum()
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let rest = self.content.bytes();
        let piece: Vec<u8> = rest.iter().skip(self.at).take(PIECE).copied().collect();
        drop(rest);
        self.at += piece.len();
        let frame = (!piece.is_empty()).then(|| Ok(Frame::data(piece.into())));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.at == self.content.len
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.content.len - self.at) as u64)
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
    fn the_newest_scrape_is_answered_and_the_oldest_is_dropped() {
        let mut scrapes = Scrapes::default();
        let mut scrape = |byte: u8, len: usize| {
            scrapes.begin();
            let answers = [1, 2].map(|_| scrapes.answer(0, || vec![byte; len]));
            (scrapes.bytes(), answers)
        };
        let read = |answer: Answer| {
            block_on(answer.collect())
                .expect("it cannot fail")
                .to_bytes()
        };
        let len = MOST_BYTES / 4;
        // However many clients do not read it, a scrape counts once.
        let mut all: VecDeque<_> = (0..4).map(|byte| scrape(byte, len)).collect();
        let bytes: Vec<usize> = all.iter().map(|(bytes, _)| *bytes).collect();
        assert_eq!(bytes, [len, 2 * len, 3 * len, 4 * len]);
        all.push_back(scrape(4, len));
        assert_eq!(all[4].0, MOST_BYTES);
        // Those who have read theirs make room.
        let (_, [second, _]) = all.remove(1).expect("an answer");
        assert!(read(second) == vec![1; len]);
        all.push_back(scrape(5, len));
        assert_eq!(all[4].0, MOST_BYTES);
        let lens = |(_, [one, other]): (usize, [Answer; 2])| {
            let len = read(one).len();
            assert_eq!(read(other).len(), len);
            len
        };
        let lens: Vec<usize> = all.into_iter().map(lens).collect();
        assert_eq!(lens, [0, len, len, len, len]);
    }

    #[test]
    fn a_scrape_that_is_dropped_ends_too_early() {
        let mut scrapes = Scrapes::default();
        let mut one = scrapes.answer(0, || vec![0; MOST_BYTES]);
        let _ = block_on(one.frame());
        scrapes.begin();
        let other = scrapes.answer(0, || vec![0; 1]);
        assert!(block_on(one.frame()).is_none() && !one.is_end_stream());
        assert_eq!(scrapes.bytes(), 1);
        drop(other);
    }

    #[test]
    fn all_forms_of_the_newest_scrape_are_kept() {
        let mut scrapes = Scrapes::default();
        let all = [0, 1, 2].map(|form| scrapes.answer(form, || vec![form as u8; MOST_BYTES]));
        for (form, answer) in all.into_iter().enumerate() {
            let read = block_on(answer.collect()).expect("it cannot fail");
            assert!(read.to_bytes() == vec![form as u8; MOST_BYTES], "{form}");
        }
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
