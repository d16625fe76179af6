//! `openapi.json` tells the truth: every call that it describes is asked, and what is answered is held against it.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::client::{Answer, KEY, Server};
use super::{ended, photos_of, probe};
use crate::{another, enrolled};

/// A server, its own description, and the calls that have been asked.
struct Described {
    server: Server,
    description: Value,
    asked: BTreeSet<(String, String)>,
}

impl Described {
    /// Asks a call by its address as described, with these values for what stands in braces.
    fn ask(&mut self, call: &str, values: &[&str], query: &str, body: &[u8]) -> Answer {
        let (method, path) = call.split_once(' ').unwrap();
        let mut address = path.to_owned();
        for value in values {
            let (before, rest) = address.split_once('{').unwrap();
            let (_, after) = rest.split_once('}').unwrap();
            address = format!("{before}{value}{after}");
        }
        let answer = self.server.ask(method, &(address + query), body);
        self.hold(call, &answer);
        answer
    }

    /// As [`ask`](Self::ask), of a form.
    fn form(&mut self, call: &str, query: &str, files: &[(&str, &[u8])]) -> Value {
        let (_, path) = call.split_once(' ').unwrap();
        let answer = self.server.form(&format!("{path}{query}"), files);
        self.hold(call, &answer);
        answer.json()
    }

    /// Holds an answer against what is described.
    fn hold(&mut self, call: &str, answer: &Answer) {
        let (method, path) = call.split_once(' ').unwrap();
        let method = method.to_lowercase();
        let told = &self.description["paths"][path][&method];
        assert!(told.is_object(), "{call} is not described");
        let said = &told["responses"][answer.status.to_string()];
        let text = || String::from_utf8_lossy(&answer.body).into_owned();
        assert!(said.is_object(), "{call}: {} is not described: {}", answer.status, text());
        let kind = answer.header("content-type").unwrap();
        if answer.status >= 400 {
            assert!(answer.json()["message"].is_string());
            return;
        }
        let described = said["content"][kind].as_object();
        let described = described.unwrap_or_else(|| panic!("{call}: {kind} is not described"));
        if kind == "application/json" {
            self.check(&described["schema"], &answer.json(), call);
        }
        self.asked.insert((method, path.to_owned()));
    }

    fn check(&self, schema: &Value, value: &Value, place: &str) {
        let components = &self.description["components"]["schemas"];
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap();
            assert!(components[name].is_object(), "{place}: no {name}");
            return self.check(&components[name], value, place);
        }
        if let Some(words) = schema["enum"].as_array() {
            assert!(words.contains(value), "{place}: {value} is none of {words:?}");
            return;
        }
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let kinds = match &schema["type"] {
            Value::Null => return,
            Value::Array(kinds) => kinds.clone(),
            one => vec![one.clone()],
        };
        let is_kind = |kind: &str| kinds.iter().any(|it| it == kind);
        let fits = is_kind(kind) || kind == "integer" && is_kind("number");
        assert!(fits, "{place}: {value} is none of {kinds:?}");
        for item in value.as_array().into_iter().flatten() {
            self.check(&schema["items"], item, place);
        }
        let Some(object) = value.as_object() else { return };
        for field in schema["required"].as_array().into_iter().flatten() {
            let field = field.as_str().unwrap();
            assert!(object.contains_key(field), "{place}: {field} is missing");
        }
        for (field, value) in object {
            let own = &schema["properties"][field];
            assert!(own.is_object(), "{place}: {field} is not described");
            self.check(own, value, &format!("{place}.{field}"));
        }
    }

    /// A job from its beginning to its result.
    fn job(&mut self, work: &Value) -> Value {
        let begun = self.ask("POST /api/v0/jobs", &[], "", work.to_string().as_bytes());
        let begun = begun.has(202).json();
        let id = begun["id"].to_string();
        ended(&self.server, &begun);
        let one = "/api/v0/jobs/{id}";
        self.ask(&format!("DELETE {one}"), &[&id], "", b"").has(200);
        let job = self.ask(&format!("GET {one}"), &[&id], "", b"").has(200);
        let job = job.json();
        assert_eq!(job["state"], "done", "{job}");
        let kind = work["kind"].as_str().unwrap();
        let schema = &self.description["components"]["schemas"][format!("result-{kind}")];
        assert!(schema.is_object(), "{kind}");
        self.check(schema, &job["result"], kind);
        job["result"].clone()
    }
}

fn described(folder: &std::path::Path) -> Described {
    let server = Server::start(folder);
    let description = server.ask("GET", "/openapi.json", b"").has(200).json();
    Described { server, description, asked: BTreeSet::new() }
}

fn own_calls(d: &mut Described, folder: &std::path::Path) {
    let (ada, boris) = (probe("ada.png"), probe("boris.png"));
    d.ask("GET /api/v0/model", &[], "", b"").has(200);
    d.ask("GET /api/v0/folders", &[], "", b"").has(403);
    let session = d.server.session();
    let folders = d.server.page(&session, "/api/v0/folders").has(200);
    d.hold("GET /api/v0/folders", &folders);
    d.ask("POST /api/v0/identify", &[], "?top=3", &ada).has(200);
    d.ask("POST /api/v0/identify", &[], "", b"").has(400);
    d.ask("POST /api/v0/verify", &[], "?person=Ada", &ada).has(200);
    d.form("POST /api/v0/verify", "", &[("file", &ada), ("other", &boris)]);
    d.ask("POST /api/v0/verify", &[], "", b"").has(400);
    d.ask("POST /api/v0/explain", &[], "", &ada).has(200);
    d.ask("GET /api/v0/people", &[], "", b"").has(200);
    let faces = d.ask("GET /api/v0/people/{person}/faces", &["Ada"], "", b"");
    let hash = faces.has(200).json()["faces"][0]["hash"].clone();
    let hash = hash.as_str().unwrap();
    let fine = json!({ "finding": "not-a-face", "faces": [hash] }).to_string();
    d.ask("POST /api/v0/findings/fine", &[], "", fine.as_bytes()).has(200);
    let nobody = json!({ "face": hash }).to_string();
    d.ask("POST /api/v0/nobody", &[], "", nobody.as_bytes()).has(200);
    d.ask("GET /api/v0/people/{person}/faces", &["Nobody"], "", b"").has(404);
    let new = json!({ "person": "Yan" }).to_string();
    d.ask("POST /api/v0/people/{person}/faces", &["Zoe"], "", &ada).has(201);
    d.ask("POST /api/v0/people/{person}/faces", &["Ada"], "", &ada).has(409);
    d.ask("PUT /api/v0/people/{person}", &["Zoe"], "", new.as_bytes()).has(200);
    d.ask("PUT /api/v0/people/{person}", &["Ada"], "", new.as_bytes()).has(409);
    d.ask("GET /api/v0/undo", &[], "", b"").has(200);
    d.ask("POST /api/v0/undo", &[], "", b"").has(200);
    let into = json!({ "into": "Ada" }).to_string();
    d.ask("POST /api/v0/people/{person}/merge", &["Zoe"], "", into.as_bytes()).has(200);
    d.ask("PUT /api/v0/faces/{hash}", &[hash], "", new.as_bytes()).has(200);
    d.ask("GET /api/v0/faces/{hash}/picture.png", &[hash], "", b"").has(200);
    d.ask("DELETE /api/v0/faces/{hash}", &[hash], "", b"").has(200);
    d.ask("DELETE /api/v0/people/{person}", &["Boris"], "", b"").has(200);
    for call in ["GET /api/v0/faces/{hash}/picture.png", "DELETE /api/v0/faces/{hash}"] {
        d.ask(call, &["none"], "", b"").has(404);
    }
    for picture in ["mean.png", "space", "basis.f32", "weights"] {
        d.ask(&format!("GET /api/v0/{picture}"), &[], "", b"").has(200);
    }
    d.ask("GET /api/v0/basis/{number}/picture.png", &["1"], "", b"").has(200);
    d.ask("POST /api/v0/project", &[], "", &ada).has(200);
    d.job(&json!({ "kind": "check" }));
    d.job(&json!({ "kind": "enroll", "folder": folder.join("album") }));
}

/// Review of a folder, from its groups to what is made of them.
fn calls_of_a_folder(d: &mut Described, folder: &std::path::Path) {
    let album = folder.join("album");
    d.ask("GET /api/v0/folder", &[], "", b"").has(409);
    let found = d.job(&json!({ "kind": "group", "folder": album }));
    let groups = ["groups", "proposed"].map(|kind| found[kind].as_array().unwrap());
    let groups = groups.into_iter().flatten();
    let ids = groups.flat_map(|group| group["faces"].as_array().unwrap());
    let ids: Vec<&Value> = ids.map(|face| &face["id"]).collect();
    let [first, second, ..] = ids.as_slice() else { panic!("too few faces: {found}") };
    let said = [json!({ "person": "Zoe", "faces": [first] }), json!({ "person": null, "faces": [second] })];
    d.job(&json!({ "kind": "name", "groups": said }));
    d.job(&json!({ "kind": "bring-back", "faces": [second] }));
    d.ask("GET /api/v0/folder", &[], "", b"").has(200);
    let id = first.as_str().unwrap();
    for picture in ["photo.jpg", "portrait.jpg"] {
        let call = format!("GET /api/v0/folder/faces/{{id}}/{picture}");
        d.ask(&call, &[id], "", b"").has(200);
        d.ask(&call, &["none"], "", b"").has(404);
    }
    let both = json!({ "faces": [first, second] }).to_string();
    d.ask("POST /api/v0/folder/split", &[], "", both.as_bytes()).has(200);
    d.ask("GET /api/v0/folder/photos.zip", &[], "?person=Zoe", b"").has(200);
    d.ask("GET /api/v0/folder/photos.zip", &[], "?person=Nobody", b"").has(404);
    d.job(&json!({ "kind": "sort", "into": folder.join("sorted"), "by": "copy" }));
    d.job(&json!({ "kind": "write-xmp" }));
}

fn calls_of_compreface(d: &mut Described) {
    let (ada, boris) = (probe("ada.png"), probe("chiara.png"));
    let calls = "/api/v1/recognition";
    d.form(&format!("POST {calls}/recognize"), "", &[("file", &ada)]);
    let both = [("source_image", &ada[..]), ("target_image", &boris[..])];
    d.form("POST /api/v1/verification/verify", "", &both);
    d.form("POST /api/v1/detection/detect", "", &[("file", &ada)]);
    let faces = format!("{calls}/faces");
    d.ask(&format!("GET {faces}"), &[], "", b"").has(200);
    let added = [1, 2].map(|number| {
        let photo = another(&ada, number);
        let added = d.form(&format!("POST {faces}"), "?subject=Ada", &[("file", &photo)]);
        added["image_id"].as_str().unwrap().to_owned()
    });
    let one = &[added[0].as_str()];
    d.ask(&format!("GET {faces}/{{image_id}}/img"), one, "", b"").has(200);
    let in_address = [KEY, added[0].as_str()];
    let shown = "GET /api/v1/static/{key}/images/{image_id}";
    d.ask(shown, &in_address, "", b"").has(200);
    d.ask(shown, &[KEY, "none"], "", b"").has(404);
    d.ask(&format!("POST {faces}/{{image_id}}/verify"), one, "", &ada).has(200);
    d.ask(&format!("DELETE {faces}/{{image_id}}"), one, "", b"").has(200);
    d.ask(&format!("DELETE {faces}/{{image_id}}"), one, "", b"").has(404);
    let more = json!([added[1]]).to_string();
    d.ask(&format!("POST {faces}/delete"), &[], "", more.as_bytes()).has(200);
    let subjects = format!("{calls}/subjects");
    d.ask(&format!("GET {subjects}"), &[], "", b"").has(200);
    let new = json!({ "subject": "Bo" }).to_string();
    d.ask(&format!("POST {subjects}"), &[], "", new.as_bytes()).has(201);
    let named = format!("{subjects}/{{subject}}");
    d.ask(&format!("PUT {named}"), &["Chiara"], "", new.as_bytes()).has(200);
    d.ask(&format!("PUT {named}"), &["Nobody"], "", new.as_bytes()).has(404);
    d.ask(&format!("DELETE {named}"), &["Bo"], "", b"").has(200);
    d.ask(&format!("DELETE {faces}"), &[], "?subject=Dmitri", b"").has(200);
    d.ask(&format!("DELETE {subjects}"), &[], "", b"").has(200);
}

#[test]
fn what_is_described_is_what_is_answered() {
    let folder = enrolled();
    let folder = folder.path();
    let album = folder.join("album/Event");
    fs::create_dir_all(&album).unwrap();
    for (number, photo) in photos_of("Esther").iter().chain(&photos_of("Farid")).enumerate() {
        fs::write(album.join(format!("{number}.png")), another(photo, number)).unwrap();
    }
    fs::write(album.join("bad.jpg"), "no photo").unwrap();
    let mut d = described(folder);
    calls_of_a_folder(&mut d, folder);
    own_calls(&mut d, folder);
    calls_of_compreface(&mut d);
    let paths = d.description["paths"].as_object().unwrap();
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let call = (method.clone(), path.clone());
            assert!(d.asked.contains(&call), "nobody asks {method} {path}");
        }
    }
}
