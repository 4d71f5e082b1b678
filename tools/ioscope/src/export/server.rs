// SPDX-License-Identifier: GPL-2.0

//! Serves metrics and the page by HTTP/1, in one thread; recordings are read by another one.
//!
//! Clients can slow down each other, but not the machine: the module is read once for all requests of
//! [`SHARED`], and of more than [`MOST_CONNECTIONS`] connections that is closed which has asked for nothing for the
//! longest time. So a client that asks at once is served, however many others have connected and said nothing.

use super::accept::{content_type, form};
use super::collect::{Collector, Scrape, SHARED};
use super::follow::Follow;
use super::query::Query;
use super::timed::Timed;
use super::unread::{Answer, Scrapes, Unread};
use super::{api, expose, page, Options};
use crate::cli::export::Form;
use anyhow::{bail, Context, Result};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, ACCEPT, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use listenfd::ListenFd;
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::future::Future;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::Notify;
use tokio::task::{spawn_blocking, spawn_local, JoinError, JoinHandle, LocalSet};
use tokio::time::sleep;

/// Connections that are open at the same time.
const MOST_CONNECTIONS: usize = 64;
/// How long a client may take to ask, also for the next time.
const ASK: Duration = Duration::from_secs(30);
/// How long a client may take to read a response.
const READ: Duration = Duration::from_secs(10);
/// The longest request, without its body, and how many headers it may have.
const MOST_BYTES: usize = 16384;
const MOST_HEADERS: usize = 64;

/// A body. Of any kind, since not all responses have an end.
type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Where numbers come from.
pub enum From {
    /// The module: at the ends of intervals so long for pages that follow it.
    Module(Duration),
    Recording(PathBuf),
}

/// Serves at these addresses, or on the sockets that systemd passes, until a signal comes.
pub fn serve(addresses: &[SocketAddr], options: Options, from: From) -> Result<()> {
    let listeners = match addresses {
        [] => passed()?,
        addresses => addresses.iter().map(listen).collect::<Result<_>>()?,
    };
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        // For recordings: one is read at a time.
        .max_blocking_threads(1)
        .build();
    let runtime = runtime.context("cannot serve")?;
    let server = Rc::new(Server::new(options, from));
    LocalSet::new().block_on(&runtime, async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        if let Pages::Follow(follow) = &server.pages {
            spawn_local(follow.clone().run());
        }
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            spawn_local(server.clone().accept(listener));
        }
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    })
}

fn listen(address: &SocketAddr) -> Result<StdListener> {
    let listener = StdListener::bind(address);
    listener.with_context(|| format!("cannot listen at {address}"))
}

/// The sockets that systemd passes.
fn passed() -> Result<Vec<StdListener>> {
    let mut sockets = ListenFd::from_env();
    let count = sockets.len();
    if count == 0 {
        bail!("give --listen ADDRESS:PORT, or --textfile FILE");
    }
    let take = |index| {
        let socket = sockets.take_tcp_listener(index);
        let socket =
            socket.context("a socket that systemd passed is not a listening TCP socket")?;
        socket.context("a socket was passed twice")
    };
    (0..count).map(take).collect()
}

pub(super) struct Server {
    pub(super) options: Options,
    pub(super) pages: Pages,
    state: RefCell<State>,
    connections: RefCell<Vec<Rc<Connection>>>,
    /// Of `/api/`.
    unread: Unread,
}

/// What pages show.
pub(super) enum Pages {
    Follow(Rc<Follow>),
    Recording(PathBuf),
}

struct State {
    collector: Collector,
    sample: Option<Sampled>,
    /// Of `/metrics`: the newest are of the sample.
    scrapes: Scrapes,
}

struct Sampled {
    at: Instant,
    scrape: Option<Scrape>,
}

struct Connection {
    /// When it was opened, or asked for the last time.
    asked: Cell<Instant>,
    /// Its response has no end. There are few of these, and others do not replace them.
    follows: Cell<bool>,
    end: Notify,
}

impl Server {
    fn new(options: Options, from: From) -> Self {
        Server {
            options,
            pages: match from {
                From::Module(interval) => Pages::Follow(Rc::new(Follow::new(options, interval))),
                From::Recording(path) => Pages::Recording(path),
            },
            state: RefCell::new(State {
                collector: Collector::new(options),
                sample: None,
                scrapes: Scrapes::default(),
            }),
            connections: RefCell::new(Vec::new()),
            unread: Unread::default(),
        }
    }

    async fn accept(self: Rc<Self>, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(spawn_local(self.clone().connection(stream))),
                // Out of descriptors, or the client has left: nothing that the next client has to do with.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    }

    async fn connection(self: Rc<Self>, stream: TcpStream) {
        let own = self.enter();
        // Without, a short response waits until the one before is acknowledged, which clients delay by 40 ms.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request: Request<Incoming>| {
            own.asked.set(Instant::now());
            let (server, own) = (self.clone(), own.clone());
            async move { Ok::<_, Infallible>(server.respond(&request, &own).await) }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(ASK)
            .max_buf_size(MOST_BYTES)
            .max_headers(MOST_HEADERS);
        let served = http.serve_connection(TokioIo::new(Timed::new(stream, READ)), service);
        // An error is the client's, and the client knows.
        tokio::select! {
            _ = served => {}
            () = own.end.notified() => {}
        }
        let is_other = |other: &Rc<Connection>| !Rc::ptr_eq(other, &own);
        self.connections.borrow_mut().retain(is_other);
    }

    /// A new connection, in place of another one if there are too many.
    fn enter(&self) -> Rc<Connection> {
        let own = Rc::new(Connection {
            asked: Cell::new(Instant::now()),
            follows: Cell::new(false),
            end: Notify::new(),
        });
        let mut connections = self.connections.borrow_mut();
        if connections.len() >= MOST_CONNECTIONS {
            let ages = connections.iter().enumerate();
            let oldest = ages.min_by_key(|(_, one)| (one.follows.get(), one.asked.get()));
            if let Some(index) = oldest.map(|(index, _)| index) {
                connections.swap_remove(index).end.notify_one();
            }
        }
        connections.push(own.clone());
        own
    }

    async fn respond(&self, request: &Request<Incoming>, own: &Connection) -> Response<Body> {
        let path = request.uri().path();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let file = page::find(path);
        let is_there = file.is_some() || matches!(path, "/metrics" | "/-/healthy");
        if !is_read && (is_there || path.starts_with("/api/")) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n");
            let methods = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(ALLOW, methods);
            return response;
        }
        if let Some(file) = file {
            let mut response = respond(StatusCode::OK, file.kind, file.content.into());
            response.headers_mut().extend(page::headers());
            return response;
        }
        match path {
            "/metrics" if matches!(self.pages, Pages::Recording(_)) => {
                text(StatusCode::NOT_FOUND, "a recording has no metrics\n")
            }
            "/metrics" => {
                // Several headers are one list.
                let accept = request.headers().get_all(ACCEPT).iter();
                let accept: Vec<&str> = accept.filter_map(|value| value.to_str().ok()).collect();
                let form = form(&accept.join(","));
                let answer = self.metrics(form).boxed_unsync();
                respond_with(StatusCode::OK, content_type(form), answer)
            }
            "/-/healthy" => text(StatusCode::OK, "ok\n"),
            "/api/live" => match &self.pages {
                Pages::Follow(follow) => live(follow, request.method(), own),
                Pages::Recording(_) => text(StatusCode::NOT_FOUND, "it is a recording\n"),
            },
            _ => match path.strip_prefix("/api/") {
                Some(name) => self.api(name, request.uri().query().unwrap_or("")).await,
                None => text(StatusCode::NOT_FOUND, "metrics are at /metrics\n"),
            },
        }
    }

    /// An answer of [`api`].
    async fn api(&self, name: &str, query: &str) -> Response<Body> {
        let Some(query) = Query::parse(query) else {
            return text(StatusCode::BAD_REQUEST, "the query is invalid\n");
        };
        let answer = match &self.pages {
            Pages::Follow(follow) => match name {
                "devices" => self.sampled(|scrape, _| api::devices(scrape)),
                "info" => self.sampled(|scrape, _| api::info(scrape, follow)),
                _ => api::live(follow, name, &query),
            },
            Pages::Recording(path) => {
                let (path, name) = (path.clone(), name.to_owned());
                let partitions = self.options.partitions;
                // It may take its time.
                let read = spawn_blocking(move || api::recorded(&path, &name, &query, partitions));
                let read = CancelOnDrop(read);
                read.await.unwrap_or_else(|error| Some(Err(error.into())))
            }
        };
        match answer {
            Some(Ok(json)) => unread("application/json", self.unread.keep(json)),
            Some(Err(error)) => respond(
                StatusCode::BAD_REQUEST,
                "text/plain; charset=utf-8",
                format!("{error:#}\n").into(),
            ),
            None => text(StatusCode::NOT_FOUND, "there is no such thing\n"),
        }
    }

    /// Has `act` look at a sample that is new enough, and at the answers that were made of it.
    fn sampled<T>(&self, act: impl FnOnce(Option<&Scrape>, &mut Scrapes) -> T) -> T {
        let mut state = self.state.borrow_mut();
        let State {
            collector,
            sample,
            scrapes,
        } = &mut *state;
        let is_new_enough = |sampled: &Sampled| sampled.at.elapsed() < SHARED;
        let sampled = match sample.take().filter(is_new_enough) {
            Some(sampled) => sample.insert(sampled),
            None => {
                scrapes.begin();
                sample.insert(Sampled {
                    at: Instant::now(),
                    scrape: collector.collect(),
                })
            }
        };
        act(sampled.scrape.as_ref(), scrapes)
    }

    fn metrics(&self, form: Form) -> Answer {
        self.sampled(|scrape, scrapes| {
            scrapes.answer(form as usize, || expose(scrape, &self.options, form))
        })
    }
}

/// A task of the other thread. If this is dropped, as the client has left, and the task has not begun, it is cancelled.
struct CancelOnDrop<T>(JoinHandle<T>);

impl<T> Future for CancelOnDrop<T> {
    type Output = std::result::Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl<T> Drop for CancelOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Events, as long as the client reads.
fn live(follow: &Follow, method: &Method, own: &Connection) -> Response<Body> {
    let events = match method {
        &Method::HEAD => Some(Full::default().boxed_unsync()),
        _ => follow.enter().map(BodyExt::boxed_unsync),
    };
    let Some(events) = events else {
        let busy = "too many pages are open: close one\n";
        return text(StatusCode::SERVICE_UNAVAILABLE, busy);
    };
    own.follows.set(*method != Method::HEAD);
    let mut response = text(StatusCode::OK, "");
    *response.body_mut() = events;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// An answer, if there was room for it.
fn unread(content_type: &'static str, answer: Option<Answer>) -> Response<Body> {
    match answer {
        Some(answer) => respond_with(StatusCode::OK, content_type, answer.boxed_unsync()),
        None => {
            let busy = "other clients have not read their answers: try again\n";
            text(StatusCode::SERVICE_UNAVAILABLE, busy)
        }
    }
}

fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    respond(status, "text/plain; charset=utf-8", text.into())
}

fn respond(status: StatusCode, content_type: &'static str, body: Bytes) -> Response<Body> {
    respond_with(status, content_type, Full::new(body).boxed_unsync())
}

fn respond_with(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::export::Buckets;
    use hyper::body::Body as _;

    #[test]
    fn metrics_are_answered_however_much_of_the_api_is_unread() {
        let options = Options {
            buckets: Buckets::None,
            compat: None,
            partitions: false,
            cgroups: false,
        };
        let server = Server::new(options, From::Module(Duration::from_secs(1)));
        let unread = server.unread.keep(vec![0; 1 << 26]);
        assert!(unread.is_some() && server.unread.keep(vec![0; 1]).is_none());
        let answers = [Form::Text, Form::Protobuf].map(|form| server.metrics(form));
        assert_eq!(server.unread.bytes(), 1 << 26);
        let lens = answers.map(|answer| answer.size_hint().exact());
        assert!(lens.iter().all(|len| len.is_some_and(|len| len > 0)));
    }
}
