//! Passwords outside the address, which whoever lists processes can read: `PGPASSWORD`, and libpq's password file.

use std::env::{var, var_os};
use std::fs;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The password kept for whom the configuration connects as, if there is one.
pub(super) fn kept_for(config: &Config) -> Option<String> {
    if let Ok(password) = var("PGPASSWORD") {
        return Some(password);
    }
    let user = config.get_user().map(str::to_owned).or_else(|| var("USER").ok())?;
    let host = tcp(config.get_hosts().first()?).unwrap_or("localhost");
    let port = config.get_ports().first().unwrap_or(&5432).to_string();
    let database = config.get_dbname().unwrap_or(&user);
    let path = var_os("PGPASSFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(Path::new(&var_os("HOME")?).join(".pgpass")))?;
    // A file that others may read is not used, as libpq does not.
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&path.metadata().ok()?.permissions()) & 0o077 != 0 {
        return None;
    }
    find(&fs::read_to_string(path).ok()?, [host, &port, database, &user])
}

/// The name of a host that is reached by TCP; `None` of a socket in a folder.
pub(super) fn tcp(host: &Host) -> Option<&str> {
    match host {
        Host::Tcp(name) => Some(name),
        #[cfg(unix)]
        Host::Unix(_) => None,
    }
}

/// The password of the first line whose other fields (host, port, database, user) are these or `*`; a backslash escapes.
fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines().find_map(|line| {
        let (mut fields, mut letters) = (vec![String::new()], line.chars());
        while let Some(letter) = letters.next() {
            match letter {
                ':' if fields.len() < 5 => fields.push(String::new()),
                '\\' => fields.last_mut()?.extend(letters.next()),
                letter => fields.last_mut()?.push(letter),
            }
        }
        let password = (fields.len() == 5).then(|| fields.pop())??;
        let mut both = fields.iter().zip(wanted);
        both.all(|(field, wanted)| field == "*" || field == wanted).then_some(password)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# a comment\nother:5432:faces:ada:wrong\n*:*:faces:ada:p\\:a\\\\ss\n*:*:*:*:late\n";
        let find = |wanted: [&str; 4]| find(text, wanted);
        assert_eq!(find(["db", "5432", "faces", "ada"]).unwrap(), "p:a\\ss");
        assert_eq!(find(["db", "5432", "faces", "bob"]).unwrap(), "late");
        assert_eq!(super::find("a:b:c\n", ["a", "b", "c", "d"]), None);
    }
}
