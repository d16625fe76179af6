//! Interrupts: told to end, the program leaves no lock and no temporary file behind, and says what had been changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use eigenfaces::store;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use super::{Output, shown};

/// Timeout for removing lock and temporary files when out of memory.
const REMOVAL: Duration = Duration::from_secs(2);

/// Handles running out of memory: Rust prints a line and aborts; instead of by SIGABRT the program ends with this exit code, once
/// the thread of [`watch`] has removed lock and temporary files.
#[allow(unsafe_code)]
fn fail_without_memory(code: i32) {
    let end = move || {
        thread::sleep(REMOVAL);
        low_level::exit(code);
    };
    // SAFETY: a signal may come anywhere, so its action must not allocate or take a lock; sleeping and ending do neither.
    // Where no action can be had the program ends by the signal.
    let _ = unsafe { low_level::register(SIGABRT, end) };
}

/// Work to be done before the program ends because it was told to: what it has promised to keep.
static LAST_WORK: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has work done before the program ends because it was told to. A second signal ends it at once.
pub fn before_interrupt(work: impl Fn() + Send + Sync + 'static) {
    let _ = LAST_WORK.set(Box::new(work));
}

/// Stack size of the thread, which does next to nothing.
const STACK: usize = 256 << 10;

/// Waits for signals in a thread of its own. Where none can be had the program ends at once, as it would without this:
/// models are whole all the same, but a lock file and a temporary one may be left. `code` is the exit code of failures.
pub fn watch(output: Output, code: u8) {
    let (tell_ready, ready) = mpsc::channel();
    let thread = thread::Builder::new().name("signals".to_owned());
    let watching = thread.stack_size(STACK).spawn(move || {
        // Only now, for a signal that is caught and never looked at would be lost.
        let caught: Vec<i32> = caught();
        let is_ending = Arc::new(AtomicBool::new(false));
        for &signal in &caught {
            // A second one ends the program whatever the first is held up by.
            let _ = flag::register_conditional_default(signal, Arc::clone(&is_ending));
        }
        let signals = Signals::new(caught.iter().chain(&[SIGABRT]));
        // After the signals above, so that this thread is woken before the one that aborts is put to sleep.
        fail_without_memory(i32::from(code));
        let _ = tell_ready.send(());
        let Ok(mut signals) = signals else { return };
        if let Some(signal) = signals.forever().next() {
            is_ending.store(true, Ordering::SeqCst);
            if let (Some(work), true) = (LAST_WORK.get(), signal != SIGABRT) {
                // On a stack of its own, whether or not it comes to its end.
                thread::scope(|scope| drop(scope.spawn(work).join()));
            }
            let written = store::interrupt();
            if signal == SIGABRT {
                low_level::exit(i32::from(code));
            }
            output.interrupted(&match written.as_slice() {
                [] => "stopped; nothing was written".to_owned(),
                [only] => format!("stopped; {} is saved", shown(only)),
                [.., last] => format!("stopped; {} files are saved, the last of them {}", written.len(), shown(last)),
            });
            let _ = low_level::emulate_default_handler(signal);
        }
    });
    if watching.is_ok() {
        let _ = ready.recv();
    }
}

/// The signals to be caught: not those that whoever started the program had it ignore, as `nohup` does.
fn caught() -> Vec<i32> {
    let Some(ignored) = ignored() else {
        // Elsewhere than on Linux that cannot be told; hanging up is what is usually ignored.
        return vec![SIGINT, SIGTERM];
    };
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect()
}

/// A bit for each signal that is ignored, from 1, as Linux tells.
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    u64::from_str_radix(status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?.trim(), 16).ok()
}
