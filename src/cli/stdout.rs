//! Standard output: whatever cannot be written there is an error, also where it was closed from the beginning.
//!
//! Before `main`, Rust's runtime opens the null device in place of a closed standard output, and all that is printed would
//! vanish. So whether it was closed is looked at before that.

use std::io::{self, Write};

/// Prints bytes.
/// Errors: standard output is closed; a closed pipe, or a full disk behind it.
pub fn print(bytes: &[u8]) -> io::Result<()> {
    check_open()?;
    io::stdout().write_all(bytes)
}

/// Prints what was held back until its line would end.
pub fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Errors: standard output was closed when the program started.
pub fn check_open() -> io::Result<()> {
    #[cfg(unix)]
    if unix::WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: The loader calls the functions of this section once, before `main`. This one is called with whatever
    // arguments the system passes, reads none of them, and neither allocates nor uses the runtime.
    #[allow(unsafe_code)]
    #[used]
    #[cfg_attr(
        target_vendor = "apple",
        unsafe(link_section = "__DATA,__mod_init_func")
    )]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static BEFORE_MAIN: extern "C" fn() = look;

    extern "C" fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        WAS_CLOSED.store(closed, Ordering::Relaxed);
    }
}
