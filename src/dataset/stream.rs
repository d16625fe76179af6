//! Reading more photos than memory holds: in chunks, the next one read while the last is worked on.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc;

use super::load::{load_each, sorted};
use super::{PhotoFile, Skipped};
use crate::error::PhotoProblem;

/// As [`load_each`], but hands what became of the photos to `consume` chunk by chunk, in the photos' order. The
/// next chunk is read, in parallel, while `consume` works on the last, so up to three are in memory.
///
/// A chunk has `chunk` entries, the last one perhaps fewer. If `consume` stops asking, reading stops soon.
pub fn stream_each<P: AsRef<Path> + Sync, T: Send, R>(
    photos: &[P],
    chunk: NonZeroUsize,
    make: impl Fn(&P, &PhotoFile) -> Result<T, PhotoProblem> + Sync,
    progress: &(dyn Fn(usize) + Sync),
    consume: impl FnOnce(&mut dyn Iterator<Item = Vec<Result<T, PhotoProblem>>>) -> R,
) -> R {
    let read = |(index, photos): (usize, &[P])| {
        let before = index * chunk.get();
        load_each(photos, &make, &|done| progress(before + done))
    };
    let chunks = photos.chunks(chunk.get()).enumerate();
    // A worker of the thread pool must not wait for work that may need that very worker.
    if rayon::current_thread_index().is_some() {
        return consume(&mut chunks.map(read));
    }
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let reader = scope.spawn(move || {
            for chunk in chunks {
                if sender.send(read(chunk)).is_err() {
                    break;
                }
            }
        });
        let result = consume(&mut receiver.into_iter());
        match reader.join() {
            Ok(()) => result,
            // What reads panicked: so does its caller.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// As [`load`](super::load), but hands the items to `consume` chunk by chunk: see [`stream_each`].
///
/// A chunk stands for `chunk` photos and has fewer items where some of them could not be used. Only of chunks that
/// `consume` asked for are photos among the skipped.
pub fn stream<P: AsRef<Path> + Sync, T: Send, R>(
    photos: &[P],
    chunk: NonZeroUsize,
    make: impl Fn(&P, &PhotoFile) -> Result<T, PhotoProblem> + Sync,
    progress: &(dyn Fn(usize) + Sync),
    consume: impl FnOnce(&mut dyn Iterator<Item = Vec<T>>) -> R,
) -> (R, Vec<Skipped>) {
    let mut skipped = Vec::new();
    let result = stream_each(photos, chunk, make, progress, |chunks| {
        let mut items = photos.chunks(chunk.get()).zip(chunks).map(|(photos, made)| {
            let sorted = sorted(photos, made);
            skipped.extend(sorted.skipped);
            sorted.items
        });
        consume(&mut items)
    });
    (result, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn photos(folder: &Path) -> Vec<PathBuf> {
        let write = |i: u8| {
            let path = folder.join(format!("{i}.pgm"));
            let sound = [b"P5\n1 1\n255\n".as_slice(), &[i]].concat();
            std::fs::write(&path, if i % 10 == 3 { Vec::new() } else { sound }).unwrap();
            path
        };
        (0..40).map(write).collect()
    }

    fn run(photos: &[PathBuf], take: usize) -> (Vec<Vec<u8>>, usize, usize) {
        let most = AtomicUsize::new(0);
        let (chunks, skipped) = stream(
            photos,
            NonZeroUsize::new(7).unwrap(),
            |_, file| Ok(file.decode()?.as_raw()[0]),
            &|done| {
                most.fetch_max(done, Ordering::Relaxed);
            },
            |chunks| chunks.take(take).collect::<Vec<_>>(),
        );
        (chunks, skipped.len(), most.into_inner())
    }

    #[test]
    fn chunks_come_in_order_and_the_bad_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let photos = photos(folder.path());
        let (chunks, skipped, most) = run(&photos, 100);
        let expected: Vec<u8> = (0..40).filter(|i| i % 10 != 3).collect();
        assert_eq!((chunks.concat(), skipped, most), (expected, 4, 40));
        assert_eq!(chunks.len(), 6);
        // From within the pool, with as few workers as can be.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| run(&photos, 100)), (chunks, 4, 40));
        assert_eq!(run(&photos, 2).0.len(), 2);
        assert_eq!(run(&[], 2), (vec![], 0, 0));
    }
}
