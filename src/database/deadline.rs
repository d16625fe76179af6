//! No server keeps the program waiting for ever: not one that accepts and says nothing, nor one that sends a byte a second.

use std::future::Future;
use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::error::DatabaseProblem;

/// Time to wait for a server to let somebody in, all steps of connecting together.
pub(super) const CONNECTING: Duration = Duration::from_secs(10);

/// Time to wait for one answer. Tens of millions of points can be looked at meanwhile.
const ANSWER: Duration = Duration::from_secs(30);

/// Waits for servers, in a thread of its own. It is never taken down: that would wait for whatever is still looked up.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(1).thread_name("database");
    runtime.enable_all().build()
});

fn runtime() -> Result<&'static Runtime, DatabaseProblem> {
    let reason = |error| format!("no thread can be started to ask it: {error}");
    RUNTIME.as_ref().map_err(|error| DatabaseProblem::Unreachable { reason: reason(error) })
}

pub(super) fn wait<T>(work: impl Future<Output = Result<T, DatabaseProblem>>) -> Result<T, DatabaseProblem> {
    runtime()?.block_on(work)
}

/// The same of work that must be done within a time, and whose panic is taken for an answer that is not PostgreSQL's.
/// Errors: [`DatabaseProblem::Silent`] where it takes longer. Whatever `work` fails with.
pub(super) fn connect<T: Send + 'static>(
    patience: Duration,
    work: impl Future<Output = Result<T, DatabaseProblem>> + Send + 'static,
) -> Result<T, DatabaseProblem> {
    let done = runtime()?.spawn(within(patience, work));
    let invalid = |_| DatabaseProblem::invalid("the server's answer is not that of PostgreSQL");
    wait(async { done.await.map_err(invalid)? })
}

/// The answer to one question.
/// Errors: [`DatabaseProblem::Silent`] where there is none for too long. Whatever the question fails with.
pub(super) async fn answer<T, E: Into<DatabaseProblem>>(
    question: impl Future<Output = Result<T, E>>,
) -> Result<T, DatabaseProblem> {
    within(ANSWER, question).await
}

async fn within<T, E: Into<DatabaseProblem>>(
    patience: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, DatabaseProblem> {
    let silent = |_| DatabaseProblem::Silent { seconds: patience.as_secs() };
    timeout(patience, work).await.map_err(silent)?.map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const SHORT: Duration = Duration::from_millis(200);

    #[test]
    fn an_answer_now_and_then_is_waited_for_and_silence_is_not() {
        type Done = Result<u32, DatabaseProblem>;
        let slow = async {
            for _ in 0..6 {
                let beat = async {
                    sleep(SHORT / 2).await;
                    Done::Ok(0)
                };
                within(SHORT, beat).await?;
            }
            Ok(7)
        };
        assert_eq!(wait(slow), Ok(7));
        let silent = connect(SHORT, async {
            sleep(SHORT * 20).await;
            Ok(7)
        });
        assert_eq!(silent, Err(DatabaseProblem::Silent { seconds: 0 }));
        let fails = connect::<u32>(SHORT, async { Err(DatabaseProblem::Empty) });
        assert_eq!(fails, Err(DatabaseProblem::Empty));
        let panics = connect::<u32>(SHORT, async { panic!("as on noise") });
        assert!(matches!(panics, Err(DatabaseProblem::Invalid { .. })));
    }
}
