//! `--webhook`: results are posted one after the other, in a thread of its own, each until it is taken.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::args::WebhookUrl;
use super::{Error, Output, Result, counted, http, misuse};

/// Each step of a request takes no longer.
const LONGEST: Duration = Duration::from_secs(10);

/// Pauses after failures: twice as long each time, from the first to the last.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Results that wait at most; the oldest go first.
const MOST_WAITING: usize = 1000;

/// Time that results have left to be posted when the program is told to end.
const LAST_POSTS: Duration = Duration::from_secs(2);

/// Results on their way.
#[derive(Clone)]
pub struct Webhook(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    /// A line is being posted, which is none of these.
    posting: usize,
    /// Lines that were given up for newer ones.
    dropped: usize,
}

impl Webhook {
    /// Begins posting to the address that was given, if any was. A wrong one ends the program as a wrong option does.
    pub fn begin(given: Option<&WebhookUrl>, output: &Output) -> Result<Option<Self>> {
        let Some(url) = WebhookUrl::chosen(given) else {
            return Ok(None);
        };
        let target = url
            .checked()
            .unwrap_or_else(|wrong| misuse::bad_value(wrong));
        let webhook = Self(Arc::default());
        let (own, output) = (webhook.clone(), *output);
        let post = move |line: &str| {
            let length = line.len();
            let head = format!(
                "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n",
                target.path, target.host
            );
            let address = (target.address.0.as_str(), target.address.1);
            http::status(address, &head, line.as_bytes(), LONGEST)
        };
        thread::Builder::new()
            .name("webhook".to_owned())
            .spawn(move || own.deliver(&output, post))
            .map_err(|error| Error::Told(format!("no thread can be started ({error})")))?;
        Ok(Some(webhook))
    }

    /// Has an object posted.
    pub fn post(&self, object: &Value) {
        let mut waiting = self.waiting();
        waiting.lines.push_back(object.to_string());
        waiting.trim();
        self.0.came.notify_one();
    }

    /// Gives what waits a moment to be posted. Says how much was not.
    pub fn end(&self, output: &Output) {
        let begun = Instant::now();
        while self.left() > 0 && begun.elapsed() < LAST_POSTS {
            thread::sleep(Duration::from_millis(20));
        }
        if let left @ 1.. = self.left() {
            output.warn(&format!(
                "{} not posted to the webhook",
                counted(left, "result was", "results were")
            ));
        }
    }

    fn left(&self) -> usize {
        let waiting = self.waiting();
        waiting.lines.len() + waiting.posting
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        locked(&self.0.waiting)
    }

    /// Posts what comes, for ever. Nothing of the address is said, nor of an answer but its status.
    fn deliver(&self, output: &Output, post: impl Fn(&str) -> std::io::Result<u16>) {
        let mut pause = PAUSES[0];
        loop {
            let line = self.next();
            let posted = post(&line);
            let mut waiting = self.waiting();
            waiting.posting = 0;
            let failure = match posted {
                Ok(200..=299) => {
                    if std::mem::replace(&mut pause, PAUSES[0]) > PAUSES[0] {
                        output.say("the webhook takes results again");
                    }
                    continue;
                }
                // It will refuse the same again; not so where it is busy, or not there yet.
                Ok(status @ (300..=407 | 409..=428 | 430..=499)) => {
                    output.warn(&format!("the webhook refused a result (status {status})"));
                    continue;
                }
                Ok(status) => format!("status {status}"),
                Err(error) => error.kind().to_string(),
            };
            waiting.lines.push_front(line);
            waiting.trim();
            let dropped = std::mem::take(&mut waiting.dropped);
            drop(waiting);
            if pause == PAUSES[0] {
                output.warn(&format!(
                    "the webhook takes no results ({failure}): they wait, and are posted when it does"
                ));
            }
            if dropped > 0 {
                output.warn(&format!(
                    "{} given up for newer ones",
                    counted(dropped, "result was", "results were")
                ));
            }
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSES[1]);
        }
    }

    /// The next line, when it has come.
    fn next(&self) -> String {
        let mut waiting = self.waiting();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.posting = 1;
                return line;
            }
            let came = self.0.came.wait(waiting);
            waiting = came.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Waiting {
    fn trim(&mut self) {
        while self.lines.len() > MOST_WAITING {
            self.lines.pop_front();
            self.dropped += 1;
        }
    }
}

fn locked<T>(behind: &Mutex<T>) -> MutexGuard<'_, T> {
    behind.lock().unwrap_or_else(PoisonError::into_inner)
}
