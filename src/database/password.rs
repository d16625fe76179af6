//! Passwords that do not stand in the address, where whoever lists processes can read them: `PGPASSWORD`, and the
//! password file of libpq.

use std::fs;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The password kept for whom the configuration connects as, if there is one.
pub(super) fn kept_for(config: &Config) -> Option<String> {
    if let Some(password) = std::env::var_os("PGPASSWORD") {
        return password.into_string().ok();
    }
    let user = match config.get_user() {
        Some(user) => user.to_owned(),
        None => std::env::var("USER").ok()?,
    };
    let host = tcp(config.get_hosts().first()?).unwrap_or("localhost");
    let port = config.get_ports().first().unwrap_or(&5432).to_string();
    let database = config.get_dbname().unwrap_or(&user).to_owned();
    let text = fs::read_to_string(file()?).ok()?;
    find(&text, &[host, &port, &database, &user])
}

/// The name of a host that is reached by TCP; `None` of a socket in a folder.
pub(super) fn tcp(host: &Host) -> Option<&str> {
    match host {
        Host::Tcp(name) => Some(name),
        #[cfg(unix)]
        Host::Unix(_) => None,
    }
}

/// The password file; `None` where there is none, or others may read it (then libpq does not use it either).
fn file() -> Option<PathBuf> {
    let path = match std::env::var_os("PGPASSFILE") {
        Some(path) => PathBuf::from(path),
        None => Path::new(&std::env::var_os("HOME")?).join(".pgpass"),
    };
    let about = path.metadata().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if about.permissions().mode() & 0o077 != 0 {
            return None;
        }
    }
    about.is_file().then_some(path)
}

/// The password of the first line whose other fields (host, port, database, user) are these or `*`.
fn find(text: &str, wanted: &[&str; 4]) -> Option<String> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let [fields @ .., password] = &fields(line)[..] else {
                return None;
            };
            let fits = fields.len() == wanted.len()
                && fields
                    .iter()
                    .zip(wanted)
                    .all(|(field, wanted)| field == "*" || field == wanted);
            fits.then(|| password.clone())
        })
}

/// The fields between colons; a backslash takes the next letter as it is.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' if fields.len() < 4 => fields.push(std::mem::take(&mut field)),
            '\\' => field.extend(letters.next()),
            letter => field.push(letter),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let text =
            "# a comment\nother:5432:faces:ada:wrong\n*:*:faces:ada:p\\:a\\\\ss\n*:*:*:*:late\n";
        let find = |wanted: [&str; 4]| find(text, &wanted);
        assert_eq!(find(["db", "5432", "faces", "ada"]).unwrap(), "p:a\\ss");
        assert_eq!(find(["db", "5432", "faces", "bob"]).unwrap(), "late");
        assert_eq!(super::find("a:b:c\n", &["a", "b", "c", "d"]), None);
    }
}
