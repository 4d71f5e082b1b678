// SPDX-License-Identifier: GPL-2.0

//! Serves metrics by HTTP/1, in one thread.
//!
//! Clients can slow down each other, but not the machine: the module is read once for all requests of
//! [`SHARED`], and of more than [`MOST_CONNECTIONS`] connections that is closed which has asked for nothing for the
//! longest time. So a client that asks at once is served, however many others have connected and said nothing.

use super::accept::{content_type, form};
use super::collect::{Collector, Scrape};
use super::timed::Timed;
use super::{expose, Options};
use crate::cli::export::Form;
use anyhow::{bail, Context, Result};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use listenfd::ListenFd;
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::Notify;
use tokio::task::{spawn_local, LocalSet};
use tokio::time::sleep;

/// Requests that come so soon after a sample was taken get the same sample.
const SHARED: Duration = Duration::from_millis(100);
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

/// Serves at these addresses, or on the sockets that systemd passes, until a signal comes.
pub fn serve(addresses: &[SocketAddr], options: Options) -> Result<()> {
    let listeners = match addresses {
        [] => passed()?,
        addresses => addresses.iter().map(listen).collect::<Result<_>>()?,
    };
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot serve")?;
    let server = Rc::new(Server::new(options));
    LocalSet::new().block_on(&runtime, async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
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
        let socket = socket.context("a socket that was passed is not one of TCP that listens")?;
        socket.context("a socket was passed twice")
    };
    (0..count).map(take).collect()
}

struct Server {
    options: Options,
    state: RefCell<State>,
    connections: RefCell<Vec<Rc<Connection>>>,
}

struct State {
    collector: Collector,
    sample: Option<Sampled>,
}

/// A sample, and what was made of it.
struct Sampled {
    at: Instant,
    scrape: Option<Scrape>,
    /// By form.
    bodies: [Option<Bytes>; 3],
}

struct Connection {
    /// When it was opened, or asked for the last time.
    asked: Cell<Instant>,
    end: Notify,
}

impl Server {
    fn new(options: Options) -> Self {
        Server {
            options,
            state: RefCell::new(State {
                collector: Collector::new(options),
                sample: None,
            }),
            connections: RefCell::new(Vec::new()),
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
        let service = service_fn(|request: Request<Incoming>| {
            own.asked.set(Instant::now());
            let response = self.respond(&request);
            async move { Ok::<_, Infallible>(response) }
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
            end: Notify::new(),
        });
        let mut connections = self.connections.borrow_mut();
        if connections.len() >= MOST_CONNECTIONS {
            let ages = connections.iter().enumerate();
            let oldest = ages.min_by_key(|(_, one)| one.asked.get());
            if let Some(index) = oldest.map(|(index, _)| index) {
                connections.swap_remove(index).end.notify_one();
            }
        }
        connections.push(own.clone());
        own
    }

    fn respond(&self, request: &Request<Incoming>) -> Response<Body> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/metrics" | "/-/healthy" | "/" if !is_read => {
                let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n");
                let methods = HeaderValue::from_static("GET, HEAD");
                response.headers_mut().insert(ALLOW, methods);
                response
            }
            "/metrics" => {
                // Several headers are one list.
                let accept = request.headers().get_all(ACCEPT).iter();
                let accept: Vec<&str> = accept.filter_map(|value| value.to_str().ok()).collect();
                let form = form(&accept.join(","));
                respond(StatusCode::OK, content_type(form), self.metrics(form))
            }
            "/-/healthy" => text(StatusCode::OK, "ok\n"),
            "/" => respond(StatusCode::OK, "text/html; charset=utf-8", PAGE.into()),
            _ => text(StatusCode::NOT_FOUND, "metrics are at /metrics\n"),
        }
    }

    fn metrics(&self, form: Form) -> Bytes {
        let mut state = self.state.borrow_mut();
        let State { collector, sample } = &mut *state;
        let sampled = match sample
            .take()
            .filter(|sampled| sampled.at.elapsed() < SHARED)
        {
            Some(sampled) => sample.insert(sampled),
            None => sample.insert(Sampled {
                at: Instant::now(),
                scrape: collector.collect(),
                bodies: [None, None, None],
            }),
        };
        let body = &mut sampled.bodies[form as usize];
        let make = || expose(sampled.scrape.as_ref(), &self.options, form).into();
        body.get_or_insert_with(make).clone()
    }
}

const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>iostat</title></head>\
<body><h1>iostat</h1><p><a href=\"/metrics\">Metrics</a></p></body></html>\n";

fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    respond(status, "text/plain; charset=utf-8", text.into())
}

fn respond(status: StatusCode, content_type: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body).boxed_unsync());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
