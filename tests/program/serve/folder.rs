//! A folder of photos, from its faces without names to photos by person.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Server;
use super::{ended, people, photos_of};
use crate::run;
use crate::support::{bundled_faces, scratch};

/// Photos of two people, and a server.
struct Folder {
    scratch: tempfile::TempDir,
    photos: PathBuf,
    server: Server,
}

impl Folder {
    fn new(people: &[&str]) -> Self {
        let scratch = scratch();
        let photos = scratch.path().join("photos");
        fs::create_dir(&photos).unwrap();
        for person in people {
            for (at, photo) in photos_of(person).iter().enumerate() {
                fs::write(photos.join(format!("{person} {at}.png")), photo).unwrap();
            }
        }
        let server = Server::start(scratch.path());
        Self { scratch, photos, server }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn work(&self, content: Value) -> Value {
        let content = content.to_string();
        let begun = self.server.ask("POST", "/api/v0/jobs", content.as_bytes());
        ended(&self.server, &begun.has(202).json())
    }

    fn done(&self, content: Value) -> Value {
        let job = self.work(content);
        assert_eq!(job["state"], "done", "{job}");
        job["result"].clone()
    }

    fn group(&self) -> Value {
        self.done(json!({ "kind": "group", "folder": self.photos.to_str().unwrap() }))
    }

    fn name(&self, person: &str, faces: &[String]) -> Value {
        self.done(json!({ "kind": "name", "groups": [{ "person": person, "faces": faces }] }))
    }

    fn undo(&self) -> String {
        let next = self.server.ask("GET", "/api/v0/undo", b"").has(200).json();
        let undone = self.server.ask("POST", "/api/v0/undo", b"").has(200).json();
        assert_eq!(undone["change"], next["change"], "it says what it will do");
        undone["change"].as_str().unwrap().to_owned()
    }
}

/// The names of the faces of a group.
fn ids(group: &Value) -> Vec<String> {
    let faces = group["faces"].as_array().unwrap().iter();
    faces.map(|face| face["id"].as_str().unwrap().to_owned()).collect()
}

fn all(groups: &Value) -> Vec<String> {
    groups.as_array().unwrap().iter().flat_map(ids).collect()
}

/// The faces of a person, of whose photos the names begin with theirs.
fn faces_of(found: &Value, person: &str) -> Vec<String> {
    let groups = found["groups"].as_array().unwrap().iter();
    let faces = groups.flat_map(|group| group["faces"].as_array().unwrap());
    let own = faces.filter(|face| face["photo"].as_str().unwrap().contains(person));
    own.map(|face| face["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn faces_of_a_folder_are_grouped_named_ignored_and_brought_back() {
    let folder = Folder::new(&["Ada", "Keiko"]);
    let found = folder.group();
    let groups = found["groups"].as_array().unwrap();
    let picture = groups[0]["faces"][0]["picture"].as_str().unwrap();
    assert!(picture.starts_with("data:image/jpeg;base64,"), "{picture}");
    let (first, last) = (ids(&groups[0]), ids(groups.last().unwrap()));
    let before = all(&found["groups"]);

    assert_eq!(folder.name("Zoe", &first)["added"], first.len());
    assert_eq!(people(&folder.server), ["Zoe"]);
    // The same again, as by a double click, and a name that is refused change nothing: what can be taken back stays so.
    assert_eq!(folder.name("Zoe", &first)["added"], 0);
    assert_eq!(folder.name("Quentin", &first)["refused"], first.len());
    assert_eq!(folder.undo(), format!("{} of Zoe added", counted(first.len())));
    assert_eq!(people(&folder.server), Vec::<String>::new());
    folder.name("Zoe", &first);
    folder.done(json!({ "kind": "name", "groups": [{ "person": null, "faces": last }] }));
    let after = folder.group();
    assert_eq!(after["known"], json!([{ "person": "Zoe", "faces": first.len() }]));
    assert_eq!(all(&json!([{ "faces": after["ignored"] }])), last);
    let proposed = all(&after["proposed"]).len();
    let left = all(&after["groups"]).len();
    assert_eq!(left + proposed, before.len() - first.len() - last.len());

    // What is taken back is what was done last, and is called so.
    let told = folder.undo();
    assert_eq!(told, format!("{} ignored", counted(last.len())));
    assert_eq!(folder.group()["ignored"], json!([]));
    assert_eq!(people(&folder.server), ["Zoe"], "naming stays");
    // What would be taken back is another change than before, so the state has another tag.
    let tag = || {
        let next = folder.server.ask("GET", "/api/v0/undo", b"").has(200);
        next.header("etag").unwrap().to_owned()
    };
    let before = tag();
    folder.done(json!({ "kind": "name", "groups": [{ "person": null, "faces": last }] }));
    assert_ne!(tag(), before);
    folder.done(json!({ "kind": "bring-back", "faces": last }));
    assert_eq!(folder.group()["ignored"], json!([]));
    assert!(folder.undo().contains("brought back"));
    assert_eq!(all(&json!([{ "faces": folder.group()["ignored"] }])), last);
    folder.name("Yan", &last);
    assert_eq!(folder.group()["ignored"], json!([]), "a name ends it");
    assert_eq!(folder.undo(), format!("{} of Yan added", counted(last.len())));
    assert_eq!(all(&json!([{ "faces": folder.group()["ignored"] }])), last);
    assert_eq!(people(&folder.server), ["Zoe"]);

    let missing = format!("{}-1", "0".repeat(64));
    for wrong in [
        json!({ "kind": "group", "folder": "/missing" }),
        json!({ "kind": "name", "groups": [{ "person": "Zoe", "faces": [missing] }] }),
        json!({ "kind": "name", "groups": [{ "person": "Zoe", "faces": ["/etc/passwd"] }] }),
        json!({ "kind": "name", "groups": [{ "person": " ", "faces": first }] }),
        json!({ "kind": "bring-back", "faces": ["../1"] }),
        json!({ "kind": "sort", "into": "relative", "by": "copy" }),
    ] {
        let job = folder.work(wrong.clone());
        assert_eq!(job["state"], "failed", "{wrong}: {job}");
    }
}

#[test]
fn what_cannot_be_remembered_fails_and_can_be_undone_later() {
    let folder = Folder::new(&["Ada", "Keiko"]);
    let found = folder.group();
    let (first, last) = (ids(&found["groups"][0]), ids(found["groups"].as_array().unwrap().last().unwrap()));
    let ignoring = |faces: &[String]| json!({ "kind": "name", "groups": [{ "person": null, "faces": faces }] });
    folder.done(ignoring(&last));
    let index = folder.photos.join("eigenfaces.faces");
    fs::rename(&index, folder.at("away")).unwrap();
    let named = json!({ "kind": "name", "groups": [{ "person": "Zoe", "faces": last }, { "faces": first }] });
    for job in [ignoring(&first), named, json!({ "kind": "bring-back", "faces": last })] {
        let job = folder.work(job);
        assert_eq!(job["state"], "failed", "{job}");
        assert!(job["error"].to_string().contains("group the folder again"), "{job}");
    }
    assert_eq!(people(&folder.server), Vec::<String>::new(), "what fails changes nothing");
    assert_ne!(folder.server.ask("POST", "/api/v0/undo", b"").status, 200);
    fs::rename(folder.at("away"), &index).unwrap();
    assert_eq!(all(&json!([{ "faces": folder.group()["ignored"] }])), last);
    assert_eq!(folder.undo(), format!("{} ignored", counted(last.len())));
    assert_eq!(folder.group()["ignored"], json!([]));
}

fn counted(faces: usize) -> String {
    match faces {
        1 => "1 face".to_owned(),
        many => format!("{many} faces"),
    }
}

#[test]
fn people_who_are_enrolled_are_proposed_and_never_written_unconfirmed() {
    let folder = Folder::new(&["Ada", "Keiko"]);
    let theirs = folder.at("theirs");
    fs::create_dir_all(theirs.join("Ada")).unwrap();
    for (at, photo) in photos_of("Ada").iter().enumerate().take(5) {
        fs::write(theirs.join(format!("Ada/{at}.png")), photo).unwrap();
    }
    let enroll = json!({ "kind": "enroll", "folder": theirs.to_str().unwrap() });
    folder.done(enroll);
    let found = folder.group();
    // The five are enrolled themselves; others of hers are proposed.
    assert_eq!(found["known"], json!([{ "person": "Ada", "faces": 5 }]));
    let proposed = found["proposed"].as_array().unwrap();
    assert_eq!(proposed.len(), 1, "{proposed:?}");
    assert_eq!(proposed[0]["person"], "Ada");
    let ids = ids(&proposed[0]);
    let sorted = |by: &str| {
        folder.done(json!({ "kind": "sort", "into": folder.at("sorted"), "by": by }))["folders"][0]["new"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(sorted("copy"), 5, "nothing that nobody has confirmed");
    folder.name("Ada", &ids);
    assert_eq!(sorted("copy") as usize, ids.len());
    // One that is said to be somebody else's is not proposed again.
    folder.undo();
    let wrong = json!([{ "person": "Ada", "faces": [], "wrong": ids }]);
    folder.done(json!({ "kind": "name", "groups": wrong }));
    let after = folder.group();
    assert_eq!(after["proposed"], json!([]));
    assert!(folder.undo().contains("kept apart"));
    assert_eq!(all(&folder.group()["proposed"]), ids);
}

#[test]
fn named_people_have_their_photos_shown_sorted_described_and_sent() {
    let folder = Folder::new(&["Ada", "Keiko"]);
    let server = &folder.server;
    for path in ["/api/v0/folder", "/api/v0/folder/photos.zip?person=Ada"] {
        let refused = server.ask("GET", path, b"").has(409).json();
        assert!(refused["message"].as_str().unwrap().contains("group"));
    }
    let found = folder.group();
    let nobody = folder.work(json!({ "kind": "write-xmp" }));
    assert!(nobody["error"].as_str().unwrap().contains("name a group"));
    let faces = faces_of(&found, "Ada");
    folder.name("Ada/Zoë", &faces);
    let named = server.ask("GET", "/api/v0/folder", b"").has(200).json();
    let ada = &named["people"][0];
    assert_eq!(ada["person"], "Ada/Zoë");
    let photos = ada["photos"].as_array().unwrap();
    assert_eq!(photos.len(), faces.len());
    assert_eq!(photos[0]["name"], "Ada 0.png", "in natural order");

    let id = photos[0]["id"].as_str().unwrap();
    let photo = |side: &str| {
        let path = format!("/api/v0/folder/faces/{id}/photo.jpg{side}");
        let answer = server.ask("GET", &path, b"").has(200);
        assert_eq!(answer.header("content-type"), Some("image/jpeg"));
        image::load_from_memory(&answer.body).unwrap()
    };
    let plain = image::load_from_memory(&photos_of("Ada")[0]).unwrap();
    let framed = photo("");
    assert!(framed.width() >= plain.width());
    let is_green = |pixel: &image::Rgb<u8>| pixel.0[1] > 120 && pixel.0[0] < 60;
    assert!(framed.to_rgb8().pixels().any(is_green), "a frame is drawn");
    assert!(photo("?side=100").width() <= 100);
    let missing = format!("/api/v0/folder/faces/{}-1/photo.jpg", "0".repeat(64));
    server.ask("GET", &missing, b"").has(404);
    server.ask("GET", "/api/v0/folder/faces/..%2f1/photo.jpg", b"").has(404);

    let file = fs::File::options().append(true).open(folder.photos.join("Ada 0.png")).unwrap();
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(981_173_106);
    file.set_modified(written).unwrap();
    let path = "/api/v0/folder/photos.zip?person=Ada%2FZo%C3%AB";
    let sent = server.ask("GET", path, b"").has(200);
    let disposition = sent.header("content-disposition").unwrap();
    assert!(disposition.ends_with("Ada%2FZo%C3%AB.zip"), "{disposition}");
    let mut zip = zip::ZipArchive::new(Cursor::new(sent.body)).unwrap();
    assert_eq!(zip.len(), faces.len());
    let mut bytes = Vec::new();
    let mut photo = zip.by_name("Ada 0.png").unwrap();
    let date = photo.last_modified().unwrap().to_string();
    assert_eq!(date, "2001-02-03 04:05:06");
    std::io::Read::read_to_end(&mut photo, &mut bytes).unwrap();
    drop(photo);
    assert_eq!(bytes, photos_of("Ada")[0]);
    server.ask("GET", "/api/v0/folder/photos.zip?person=Bo", b"").has(404);
    // Only what was grouped is sent.
    let first = folder.photos.join("Ada 0.png");
    fs::write(&first, "something else").unwrap();
    server.ask("GET", path, b"").has(409);
    fs::write(&first, &photos_of("Ada")[0]).unwrap();
    server.ask("GET", path, b"").has(200);

    for by in ["link", "copy"] {
        let into = folder.at(by);
        let sort = json!({ "kind": "sort", "into": into, "by": by });
        let done = folder.done(sort.clone());
        assert_eq!(done["folders"][0]["new"], faces.len(), "{done}");
        assert_eq!(done["problems"], json!([]));
        let again = folder.done(sort);
        assert_eq!(again["folders"][0]["there"], faces.len(), "{again}");
        let own = Path::new(again["folders"][0]["folder"].as_str().unwrap());
        assert_eq!(own.parent(), Some(into.as_path()), "a name is no path");
        assert_eq!(fs::read(own.join("Ada 0.png")).unwrap(), photos_of("Ada")[0]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            let about = |path: &Path| path.metadata().unwrap();
            let mode = |path: &Path| about(path).permissions().mode() & 0o777;
            assert_eq!(mode(own), 0o700);
            assert_eq!(mode(&into), 0o700);
            let sorted = own.join("Ada 0.png");
            match by {
                "copy" => assert_eq!(mode(&sorted), 0o600),
                _ => {
                    assert_eq!(about(&sorted).ino(), about(&folder.photos.join("Ada 0.png")).ino())
                }
            }
        }
    }

    // A name that a person wrote stays, and what cannot be read is left alone.
    let broken = folder.photos.join("Ada 1.png.xmp");
    fs::write(&broken, "<x:xmpmeta broken").unwrap();
    let written = folder.done(json!({ "kind": "write-xmp" }));
    assert_eq!(written["sidecars"], faces.len() - 1, "{written}");
    assert_eq!(written["problems"].as_array().unwrap().len(), 1, "{written}");
    assert_eq!(fs::read_to_string(&broken).unwrap(), "<x:xmpmeta broken");
    let sidecar = folder.photos.join("Ada 0.png.xmp");
    let text = fs::read_to_string(&sidecar).unwrap();
    assert!(text.contains("Ada/Zoë"), "{text}");
    let theirs = text.replace("Ada/Zoë", "Grandma");
    fs::write(&sidecar, &theirs).unwrap();
    let written = folder.done(json!({ "kind": "write-xmp" }));
    assert_eq!(written["kept"], 1, "{written}");
    assert_eq!(fs::read_to_string(&sidecar).unwrap(), theirs);

    // A photo that was replaced is not taken for what was grouped.
    fs::write(folder.photos.join("Ada 0.png"), &photos_of("Keiko")[0]).unwrap();
    let path = format!("/api/v0/folder/faces/{id}/photo.jpg");
    server.ask("GET", &path, b"").has(409);
    let sort = json!({ "kind": "sort", "into": folder.at("late"), "by": "copy" });
    let late = folder.done(sort);
    assert!(late["problems"][0].as_str().unwrap().contains("changed"), "{late}");
    // Nothing is left of a folder when somebody is erased.
    server.ask("DELETE", "/api/v0/people/Ada%2FZo%C3%AB", b"").has(200);
    server.ask("GET", "/api/v0/folder", b"").has(409);
    let openapi = server.ask("GET", "/openapi.json", b"").has(200).json();
    for path in ["", "/photos.zip", "/faces/{id}/photo.jpg"] {
        let path = format!("/api/v0/folder{path}");
        assert!(openapi["paths"].get(&path).is_some(), "{path}");
    }
}

/// A model that takes photos whole is no place for single faces of photos.
#[test]
fn faces_of_groups_do_not_go_into_a_model_of_whole_photos() {
    let folder = Folder::new(&["Keiko"]);
    let faces = bundled_faces().to_str().unwrap();
    drop(folder.server);
    run(folder.scratch.path(), ["enroll", faces, "--framing", "as-is"]).done();
    let folder = Folder { server: Server::start(folder.scratch.path()), ..folder };
    let before = people(&folder.server);
    let first = ids(&folder.group()["groups"][0]);
    let name = json!({ "kind": "name", "groups": [{ "person": "Zoe", "faces": first }] });
    let named = folder.work(name);
    assert_eq!(named["state"], "failed", "{named}");
    assert!(named.to_string().contains("as-is"), "{named}");
    assert_eq!(people(&folder.server), before);
}

/// A group that shows two people is made two, and groups that were said to be of two people are no proposal any more.
#[test]
fn a_group_is_split_by_likeness_and_two_people_stay_two() {
    let folder = Folder::new(&["Ada", "Keiko"]);
    let found = folder.group();
    let own = ["Ada", "Keiko"].map(|person| faces_of(&found, person));
    let both = json!({ "faces": own.concat() }).to_string();
    let split = folder.server.ask("POST", "/api/v0/folder/split", both.as_bytes());
    let parts = split.has(200).json()["parts"].clone();
    let parts: Vec<Vec<String>> = serde_json::from_value(parts).unwrap();
    let mut sorted = parts.clone();
    sorted.iter_mut().for_each(|part| part.sort());
    let mut expected = own.map(|mut faces| {
        faces.sort();
        faces
    });
    expected.sort();
    sorted.sort();
    assert_eq!(sorted, expected);

    let [one, other] = [0, 1].map(|at| vec![parts[0][at].clone()]);
    let said = json!([{ "person": "", "faces": one, "wrong": other }]);
    let done = folder.done(json!({ "kind": "name", "groups": said }));
    assert_eq!(done["added"], 0);
    assert!(people(&folder.server).is_empty());
    let groups = folder.group()["groups"].clone();
    let together = |group: &Value| {
        let faces = ids(group);
        [&one, &other].iter().all(|face| faces.contains(&face[0]))
    };
    assert!(!groups.as_array().unwrap().iter().any(together), "{groups}");
    assert_eq!(folder.undo(), "two groups kept apart");
}

/// Photos that are added by one gesture are taken back at once, and each step before by itself.
#[test]
fn photos_of_one_gesture_are_one_step() {
    let folder = Folder::new(&[]);
    let ada = photos_of("Ada");
    for (photo, step) in ada.iter().zip(["", "", "?step=joined", "?step=joined"]) {
        let path = format!("/api/v0/people/Ada/faces{step}");
        folder.server.ask("POST", &path, photo).has(201);
    }
    assert_eq!(folder.undo(), "3 faces of Ada added");
    let last = folder.server.ask("GET", "/api/v0/undo", b"").has(200).json();
    assert_eq!(last["erases"], 1);
    assert_eq!(folder.undo(), "1 face of Ada added");
    assert!(people(&folder.server).is_empty());
    folder.server.ask("POST", "/api/v0/undo", b"").has(409);
}
