//! No server keeps the program waiting for ever: not one that accepts and says nothing, nor one that sends a byte a
//! second.
//!
//! The client has a limit for connecting only, and none for TLS, the password and answers. So all that waits for the
//! server runs in a thread of its own, which tells of every answer; whoever waits for the thread gives it up when it
//! has not told of one for too long.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::DatabaseProblem;

/// Time to wait for a server to let somebody in, all steps of connecting together.
pub(super) const CONNECTING: Duration = Duration::from_secs(10);

/// Time to wait for one answer. Tens of millions of points can be looked at meanwhile.
pub(super) const ANSWER: Duration = Duration::from_secs(30);

pub(super) struct Heartbeat<T>(Sender<Said<T>>);

impl<T> Heartbeat<T> {
    /// An answer came; the wait for the next one begins.
    pub fn answered(&self) {
        // Whoever waited may have given up.
        let _ = self.0.send(Said::Answered);
    }
}

enum Said<T> {
    Answered,
    Done(Result<T, DatabaseProblem>),
}

/// The result of `work`, which may wait for the server so long between two answers.
///
/// # Errors
/// [`DatabaseProblem::Silent`] where it waits longer: its thread stays behind. Whatever `work` fails with.
pub(super) fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce(&Heartbeat<T>) -> Result<T, DatabaseProblem> + Send + 'static,
) -> Result<T, DatabaseProblem> {
    let (said, heard) = mpsc::channel();
    let heartbeat = Heartbeat(said);
    let thread = thread::Builder::new().name("database".to_owned());
    let spawned = thread.spawn(move || {
        let done = work(&heartbeat);
        let _ = heartbeat.0.send(Said::Done(done));
    });
    spawned.map_err(|error| DatabaseProblem::Unreachable {
        reason: format!("no thread can be started to ask it: {error}"),
    })?;
    let mut until = Instant::now() + patience;
    loop {
        match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Said::Answered) => until = Instant::now() + patience,
            Ok(Said::Done(done)) => return done,
            Err(RecvTimeoutError::Timeout) => {
                return Err(DatabaseProblem::Silent {
                    seconds: patience.as_secs(),
                });
            }
            Err(RecvTimeoutError::Disconnected) => {
                // The thread panicked: the client was sent what it does not expect.
                return Err(DatabaseProblem::senseless(
                    "the server's answer is not that of PostgreSQL",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(200);

    #[test]
    fn an_answer_now_and_then_is_waited_for_and_silence_is_not() {
        let slow = |heartbeat: &Heartbeat<u32>| {
            for _ in 0..6 {
                thread::sleep(SHORT / 2);
                heartbeat.answered();
            }
            Ok(7)
        };
        assert_eq!(within(SHORT, slow), Ok(7));
        let silent = within(SHORT, |_| {
            thread::sleep(SHORT * 20);
            Ok(7)
        });
        assert_eq!(silent, Err(DatabaseProblem::Silent { seconds: 0 }));
        let fails = within::<u32>(SHORT, |_| Err(DatabaseProblem::Empty));
        assert_eq!(fails, Err(DatabaseProblem::Empty));
    }
}
