//! `/api/v0/folders`: names of folders of this machine, for whoever chooses one on the page.
//!
//! Folders below the user's own and below mounted drives are told of, none that is hidden, and nothing else. The key does not
//! open this: programs know their folders, and only the browser that opened the page was given this machine to look through.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use eigenfaces::dataset::natural;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::UrlQuery;
use super::failure::{Answer, Failure};
use super::service::{Service, Shared};

/// Folders in which systems show mounted drives.
const MOUNTS: [&str; 4] = ["/media", "/mnt", "/run/media", "/Volumes"];

const MOST_NAMES: usize = 2000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct In {
    path: Option<PathBuf>,
}

/// The folders in a folder, and the one above it; without one, the user's own folder and the drives.
pub async fn folders(State(service): Shared, UrlQuery(asked): UrlQuery<In>, headers: HeaderMap) -> Answer<Json<Value>> {
    if !service.access.has_session(&headers) {
        let message = "folders are told to the page only: give the path of a folder that you know";
        return Err(Failure::new(StatusCode::FORBIDDEN, message));
    }
    let work = move |_: &Service| {
        let places = Places::of_machine();
        let Some(path) = asked.path else { return Ok(told(None, None, &places.starts())) };
        // A file, a missing folder and a forbidden one get the same answer.
        let outside = || Failure::not_found("no such folder below your own and the drives of this machine");
        let folder = places.open(&path).ok_or_else(outside)?;
        let names = places.names(&folder).ok_or_else(outside)?;
        Ok(told(Some(&folder), folder.parent().filter(|above| places.holds(above)), &names))
    };
    service.work(work).await.map(Json)
}

fn told(folder: Option<&Path>, above: Option<&Path>, folders: &[(String, PathBuf)]) -> Value {
    let folders = folders.iter().map(|(name, path)| json!({ "name": name, "path": shown(path) }));
    json!({ "path": folder.map(shown), "above": above.map(shown), "folders": folders.collect::<Vec<Value>>() })
}

/// A path as people write it: Windows puts a mark before one whose links were followed.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.strip_prefix(r"\\?\").unwrap_or(&text).to_owned()
}

fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '$'])
}

/// The parts of the file system that are listed.
struct Places {
    home: Option<PathBuf>,
    /// Drives, and folders of which each is one.
    drives: Vec<PathBuf>,
}

impl Places {
    fn of_machine() -> Self {
        let letters = ('A'..='Z').map(|letter| format!(r"{letter}:\"));
        let drives: Vec<String> = if cfg!(windows) { letters.collect() } else { MOUNTS.map(str::to_owned).into() };
        Self::of(env::home_dir(), drives)
    }

    fn of(home: Option<PathBuf>, drives: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let there = |path: PathBuf| path.canonicalize().ok();
        Self {
            // The home of a service is often the root.
            home: home.and_then(there).filter(|home| home.parent().is_some()),
            drives: drives.into_iter().filter_map(|drive| there(drive.as_ref().into())).collect(),
        }
    }

    /// Whether a folder, of which all links were followed, is one of these or below.
    fn holds(&self, folder: &Path) -> bool {
        let mut roots = self.home.iter().chain(&self.drives);
        roots.any(|root| {
            folder.strip_prefix(root).is_ok_and(|below| {
                below.components().all(|part| part.as_os_str().to_str().is_some_and(|name| !is_hidden(name)))
            })
        })
    }

    /// The canonical path of a folder, if it may be listed.
    fn open(&self, path: &Path) -> Option<PathBuf> {
        // A path through a folder that may not be listed would reveal whether that folder exists.
        if !path.is_absolute() || !path.components().all(|part| !matches!(part, Component::ParentDir)) {
            return None;
        }
        let folder = path.canonicalize().ok()?;
        (self.holds(&folder) && folder.is_dir()).then_some(folder)
    }

    fn names(&self, folder: &Path) -> Option<Vec<(String, PathBuf)>> {
        let folders = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let path = self.open(&entry.path()).filter(|_| !is_hidden(&name))?;
            Some((name, path))
        });
        let mut folders: Vec<_> = folders.collect();
        folders.sort_by(|(a, _), (b, _)| natural::names(a.as_bytes(), b.as_bytes()));
        folders.truncate(MOST_NAMES);
        Some(folders)
    }

    /// The starting points: the user's own folder, and each drive.
    fn starts(&self) -> Vec<(String, PathBuf)> {
        let user = self.home.as_deref().and_then(Path::file_name);
        let mut drives = Vec::new();
        for place in &self.drives {
            if cfg!(windows) {
                drives.push((shown(place), place.clone()));
                continue;
            }
            // Some systems put a folder per user between mount point and drives.
            for (name, drive) in self.names(place).unwrap_or_default() {
                match user.is_some_and(|user| user == name.as_str()) {
                    true => drives.extend(self.names(&drive).unwrap_or_default()),
                    false => drives.push((name, drive)),
                }
            }
        }
        let home = self.home.iter().cloned();
        home.map(|home| ("Home".to_owned(), home)).chain(drives).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folders: Option<Vec<(String, PathBuf)>>) -> Vec<String> {
        folders.unwrap().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn only_folders_below_home_and_drives_are_told_of() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        for folder in [
            "home/ada/Pictures/2 b",
            "home/ada/Pictures/10 a",
            "home/ada/.ssh/keys",
            "home/bob",
            "media/ada/Stick/DCIM",
            "media/card",
            "etc",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("home/ada/letter.txt"), "dear").unwrap();
        let places = Places::of(Some(at("home/ada")), [at("media"), at("missing")]);
        let starts = names(Some(places.starts()));
        assert_eq!(starts, ["Home", "Stick", "card"]);
        assert_eq!(names(places.names(&at("home/ada"))), ["Pictures"]);
        let pictures = places.open(&at("home/ada/Pictures")).unwrap();
        assert_eq!(names(places.names(&pictures)), ["2 b", "10 a"]);
        for wrong in [
            "home/bob",
            "home",
            "etc",
            "home/ada/.ssh",
            "home/ada/.ssh/keys",
            "home/ada/letter.txt",
            "home/ada/missing",
            "home/ada/Pictures/..",
            "home/ada/../bob",
            "home/ada/../ada/Pictures",
            "media/../etc",
        ] {
            assert_eq!(places.open(&at(wrong)), None, "{wrong}");
        }
        for wrong in ["", "Pictures", "/", ".", "..", "~", "/home\0"] {
            assert_eq!(places.open(Path::new(wrong)), None, "{wrong}");
        }
        // A service's home, and none.
        assert!(Places::of(Some("/".into()), [at("missing")]).starts().is_empty());
        assert!(Places::of(None, [at("missing")]).starts().is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn links_lead_to_what_is_told_of_anyway() {
        use std::os::unix::fs::symlink;
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        for folder in ["ada/.hidden", "mnt/disk/photos", "etc/secret"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for (link, to) in [
            ("ada/disk", "mnt/disk"),
            ("ada/etc", "etc"),
            ("ada/secret", "ada/.hidden"),
            ("ada/loop", "ada/loop"),
            ("ada/dangling", "nowhere"),
        ] {
            symlink(at(to), at(link)).unwrap();
        }
        let places = Places::of(Some(at("ada")), [at("mnt")]);
        let found = places.names(&at("ada")).unwrap();
        assert_eq!(found, [("disk".to_owned(), at("mnt/disk"))]);
        for wrong in ["ada/etc", "ada/etc/secret", "ada/secret", "ada/loop"] {
            assert_eq!(places.open(&at(wrong)), None, "{wrong}");
        }
        // A home that is a link itself.
        symlink(at("ada"), at("me")).unwrap();
        assert!(Places::of(Some(at("me")), [at("mnt")]).open(&at("me/disk/photos")).is_some());
    }
}
