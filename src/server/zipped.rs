//! Files sent as a ZIP while it is made: no more of it than a file is ever in memory.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use eigenfaces::dataset::ContentHash;
use eigenfaces::store::{ZipOfFiles, numbered as numbered_file};
use hyper::body::Frame;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::folder_faces::{CHANGED, file_as_grouped};

/// Chunk size in bytes, and number of chunks buffered.
const PIECE: usize = 64 << 10;
const WAITING: usize = 4;

type Piece = io::Result<Bytes>;

/// A ZIP of photos of this content under their own names, to be saved as `name.zip`. Where one cannot be read, or is another by now,
/// the answer breaks off, so that what has come is not taken for all of it.
pub fn response(name: &str, photos: Vec<(PathBuf, ContentHash)>) -> Response {
    let (sender, receiver) = channel(WAITING);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = write(&photos, Pieces(sender.clone())) {
            // A closed connection needs no error.
            let _ = sender.blocking_send(Err(error));
        }
    });
    let head = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{}.zip", escaped(name))),
    ];
    (head, Body::new(Streamed(receiver))).into_response()
}

/// As RFC 8187 writes it.
fn escaped(name: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(byte).collect()
}

fn write(photos: &[(PathBuf, ContentHash)], pieces: Pieces) -> io::Result<()> {
    let mut zip = ZipOfFiles::new(io::BufWriter::with_capacity(PIECE, pieces));
    let mut taken = BTreeSet::new();
    for (file, content) in photos {
        let name = Path::new(file.file_name().unwrap_or_default());
        let mut names = (1..).map(|number| numbered_file(name, number).to_string_lossy().into_owned());
        let free = names.find(|name| taken.insert(name.to_lowercase()));
        let photo = file_as_grouped(file, *content).ok_or_else(|| io::Error::other(CHANGED))?;
        zip.add(free.unwrap_or_default(), file.metadata().and_then(|about| about.modified()).ok(), photo.bytes())?;
    }
    zip.finish().map(drop)
}

/// Where the ZIP is written: each piece is sent, as soon as there is room.
struct Pieces(Sender<Piece>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = &bytes[..bytes.len().min(PIECE)];
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(piece)));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Streamed(Receiver<Piece>);

impl hyper::body::Body for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
