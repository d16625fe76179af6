//! Connections: how many there may be, and how long one may say nothing. Nobody who only holds connections keeps others out.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::incoming::tidy;
use super::locked;

/// Time after which a connection, new or answered, is closed that sends no whole request head.
const IDLE: Duration = Duration::from_secs(10);

/// Bytes that a request's head may take.
const HEAD: usize = 64 << 10;

/// Maximum number of connections, where the system would allow more.
const MOST: usize = 1024;

/// Pause when the system accepts no more connections and none can be closed.
const PAUSE: Duration = Duration::from_millis(50);

/// The answer to a client at its limit of connections, each with a request at work.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

#[derive(Debug, Default)]
struct Connections(Mutex<HashMap<u64, Open>>);

#[derive(Debug)]
struct Open {
    client: IpAddr,
    /// Time of its beginning, or of its last answer.
    since: Instant,
    /// Requests of known clients that are worked on.
    busy: usize,
    task: Option<AbortHandle>,
}

#[derive(Debug, Clone)]
pub struct Connection {
    all: Arc<Connections>,
    number: u64,
}

/// A request of a known client is worked on, until this is dropped: its connection is not closed for others.
#[derive(Debug)]
#[must_use = "the connection counts as idle at once if this is not kept"]
pub struct Busy(Connection);

impl Connection {
    pub fn begin_work(&self) -> Busy {
        self.change(|open| open.busy += 1);
        Busy(self.clone())
    }

    fn change(&self, change: impl FnOnce(&mut Open)) {
        if let Some(open) = locked(&self.all.0).get_mut(&self.number) {
            change(open);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.change(|open| {
            open.busy -= 1;
            open.since = Instant::now();
        });
    }
}

/// Removes the connection from the list when its task ends, however it ends.
struct Listed(Connection);

impl Drop for Listed {
    fn drop(&mut self) {
        locked(&self.0.all.0).remove(&self.0.number);
    }
}

impl Connections {
    /// Makes room for one more of this client: closes the longest idle of its connections, or of all. False if none is idle.
    fn make_room(&self, client: IpAddr) -> bool {
        let most = most_connections();
        let mut open = locked(&self.0);
        let of_client = open.values().filter(|one| one.client == client).count();
        (of_client < most.div_ceil(2) || close_idle(&mut open, |one| one.client == client))
            && (open.len() < most || close_idle(&mut open, |_| true))
    }
}

/// Closes the connection that has been idle longest, of those that count.
fn close_idle(open: &mut HashMap<u64, Open>, counts: impl Fn(&Open) -> bool) -> bool {
    let idle = open.iter().filter(|(_, one)| one.busy == 0 && counts(one));
    let Some((&number, _)) = idle.min_by_key(|(_, one)| one.since) else { return false };
    if let Some(task) = open.remove(&number).and_then(|closed| closed.task) {
        task.abort();
    }
    true
}

/// Half of the files that the process may have open: the others are for models and photos.
fn most_connections() -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        let files = getrlimit(Resource::Nofile).current;
        (files.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX)) / 2).clamp(2, MOST)
    }
    #[cfg(not(unix))]
    MOST
}

/// Answers whoever connects, for ever. The page is below this path where a proxy does not leave it out.
pub async fn serve(listener: TcpListener, router: Router, below: &str) {
    let below: Arc<str> = below.into();
    let all = Arc::new(Connections::default());
    for number in 0.. {
        let (stream, address) = accepted(&listener, &all).await;
        let client = address.ip().to_canonical();
        if !all.make_room(client) {
            let _ = stream.try_write(FULL);
            continue;
        }
        let (all, router, below) = (Arc::clone(&all), router.clone(), Arc::clone(&below));
        let connection = Connection { all, number };
        locked(&connection.all.0).insert(number, Open { client, since: Instant::now(), busy: 0, task: None });
        let task = tokio::spawn(answer(stream, router, below, Listed(connection.clone())));
        connection.change(|open| open.task = Some(task.abort_handle()));
    }
}

/// Accepts the next connection; where too many files are open, closes an idle one or waits.
async fn accepted(listener: &TcpListener, all: &Connections) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one(&error) => {}
            // Too many files are open.
            Err(_) => {
                close_idle(&mut locked(&all.0), |_| true);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Whether an error is of the connection that was to be accepted, and the next one may have none.
fn is_of_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

async fn answer(stream: TcpStream, router: Router, below: Arc<str>, listed: Listed) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
        tidy(request.uri_mut(), &below);
        request.extensions_mut().insert(listed.0.clone());
        service.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(HEAD);
    // An error concerns this connection only.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

pub fn of(request: &Request) -> Option<&Connection> {
    request.extensions().get()
}
