//! Who may stay connected, and for how long without saying anything.
//!
//! Somebody who opens connections and sends nothing, or a byte now and then, would hold them all. So there are at most
//! [`MOST_PER_ADDRESS`] from one address and [`MOST`] in all; the rest are closed at once. A request must be complete within
//! [`PATIENCE`], and one that is answered may be followed by another within [`IDLE`]. A WebSocket, which begins with the answer
//! `101`, may be silent: its tab is known, counted and [asked](crate::client) whether it is still there.

use axum::serve::Listener;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};

/// The most connections from one address, and in all.
pub(crate) const MOST_PER_ADDRESS: usize = 160;
const MOST: usize = 512;
/// How long a request may take to come in.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection may be without a request.
const IDLE: Duration = Duration::from_secs(30);

/// How many connections there are from which address.
type Present = Arc<Mutex<BTreeMap<IpAddr, usize>>>;

/// A listener that keeps to these rules.
pub(crate) struct Gate {
    listener: TcpListener,
    present: Present,
}

impl Gate {
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self { listener, present: Present::default() }
    }

    /// Counts a connection, if there is room for it.
    fn enter(&self, address: IpAddr) -> Option<Place> {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = present.values().sum();
        let same = present.entry(address).or_default();
        if *same >= MOST_PER_ADDRESS || all >= MOST {
            return None;
        }
        *same += 1;
        Some(Place { address, present: self.present.clone() })
    }
}

impl Listener for Gate {
    type Io = Guarded;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guarded, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    if let Some(place) = self.enter(address.ip()) {
                        return (Guarded::new(stream, place), address);
                    }
                }
                // As when there are too many open files: somebody may leave.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn local_addr(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Counts a connection until it is gone.
struct Place {
    address: IpAddr,
    present: Present,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = present.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                present.remove(&self.address);
            }
        }
    }
}

/// What is to come next on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The rest of a request: so many of the four bytes that end its head have been seen.
    Request { ending: usize },
    /// The answer to it.
    Answer,
    /// Anything: it is a WebSocket.
    Anything,
}

/// The bytes that end the head of a request.
const END: &[u8; 4] = b"\r\n\r\n";

/// A connection that is closed if it keeps us waiting.
pub(crate) struct Guarded {
    stream: TcpStream,
    awaited: Awaited,
    deadline: Pin<Box<Sleep>>,
    _place: Place,
}

impl Guarded {
    fn new(stream: TcpStream, place: Place) -> Self {
        let deadline = Box::pin(tokio::time::sleep(PATIENCE));
        Self { stream, awaited: Awaited::Request { ending: 0 }, deadline, _place: place }
    }

    fn heard(&mut self, bytes: &[u8]) {
        let Awaited::Request { mut ending } = self.awaited else { return };
        for &byte in bytes {
            ending = if byte == END[ending] { ending + 1 } else { usize::from(byte == END[0]) };
            if ending == END.len() {
                self.awaited = Awaited::Answer;
                return;
            }
        }
        self.awaited = Awaited::Request { ending };
    }

    fn said(&mut self, bytes: &[u8]) {
        match self.awaited {
            Awaited::Anything => {}
            Awaited::Answer if bytes.starts_with(b"HTTP/1.1 101") => self.awaited = Awaited::Anything,
            _ => {
                self.awaited = Awaited::Request { ending: 0 };
                self.deadline.as_mut().reset(Instant::now() + IDLE);
            }
        }
    }
}

impl AsyncRead for Guarded {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.heard(&buffer.filled()[before..]);
        }
        // Who sends a byte now and then is late, too.
        if matches!(self.awaited, Awaited::Request { .. }) && self.deadline.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "no request came")));
        }
        read
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.said(&bytes[..count]);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
