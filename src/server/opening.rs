//! Opens the page in the user's browser.
//!
//! Everybody on the machine can read what a program is started with, so the browser is given a file that only this user can
//! read, and that leads to the address with the one-time token.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

use super::locked;
use super::service::Service;

/// Time after which the file is removed, opened or not.
const LONGEST: Duration = Duration::from_secs(120);

const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Default)]
pub struct Opening(Arc<Mutex<Option<TempPath>>>);

impl Opening {
    pub fn end(&self) {
        locked(&self.0).take();
    }
}

/// Opens the address with the one-time token. Where that fails, it stands on the terminal.
pub fn open(opening: &Opening, service: &Arc<Service>) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let opened = leading_to(&service.access.first_address()).and_then(|file| {
        Command::new(opener)
            .arg(file.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(file)
    });
    let Ok(file) = opened.map(NamedTempFile::into_temp_path) else {
        service.messages.say("no browser could be started: open the address above");
        return;
    };
    *locked(&opening.0) = Some(file);
    let (service, opening) = (Arc::clone(service), opening.clone());
    tokio::spawn(async move {
        let opened = async {
            while !service.access.is_opened() {
                tokio::time::sleep(PAUSE).await;
            }
        };
        let _ = tokio::time::timeout(LONGEST, opened).await;
        opening.end();
    });
}

/// A file of this user's that leads a browser to an address. Browsers in a box of their own (snap, flatpak) see no other
/// folder than the user's, and nothing hidden in it.
fn leading_to(address: &str) -> io::Result<NamedTempFile> {
    let folders = std::env::home_dir().filter(|home| home.is_dir()).into_iter().chain([std::env::temp_dir()]);
    let made = |folder: PathBuf| {
        let mut name = tempfile::Builder::new();
        name.prefix("eigenfaces-open-").suffix(".html");
        name.tempfile_in(folder).ok()
    };
    let mut made = folders.filter_map(made);
    let mut file = made.next().ok_or(io::ErrorKind::PermissionDenied)?;
    // The address is this program's own: of letters that mean nothing in HTML.
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\"><title>eigenfaces</title><p><a href=\"{address}\">Open the page</a></p>"
    )?;
    file.flush()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_this_user_can_read_where_it_leads() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = leading_to("http://127.0.0.1:8384/?token=secret").unwrap();
        let mode = file.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("url=http://127.0.0.1:8384/?token=secret\""));
    }
}
