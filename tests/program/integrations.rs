//! What stands in integrations/ and compose.yaml works: each is read, and run against the program.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::serve::client::{KEY, Server};
use crate::support::{project, scratch};
use crate::watch::{LONG, receiver};
use crate::{enrolled, program};

/// A file of YAML as JSON, by PyYAML where it is there; a tag such as `!secret` is the name after it.
fn yaml(file: &str) -> Option<Value> {
    let script = "import json, sys, yaml\n\
         yaml.SafeLoader.add_multi_constructor('!', lambda loader, tag, node: loader.construct_scalar(node))\n\
         print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let python = Command::new("python3").args(["-c", script]).arg(project().join(file)).output();
    match python.ok().filter(|output| output.status.success()) {
        Some(output) => Some(serde_json::from_slice(&output.stdout).unwrap()),
        None => {
            eprintln!("skipped: no PyYAML here to read {file}");
            None
        }
    }
}

/// A file with the key of these tests.
fn key_file(folder: &Path) -> String {
    let file = folder.join("key");
    fs::write(&file, format!("{KEY}\n")).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A server by these words of a command, without a key in its environment.
fn served(folder: &Path, words: &[String]) -> Server {
    let mut command = program(folder);
    Server::start_without_key(command.env_remove("EIGENFACES_KEY").args(words).args(["--listen", "127.0.0.1:0"]))
}

#[test]
#[cfg(unix)]
fn the_unit_of_systemd_starts_a_server() {
    let folder = scratch();
    let unit = fs::read_to_string(project().join("integrations/systemd/eigenfaces.service")).unwrap();
    let begin = "ExecStart=/usr/local/bin/eigenfaces ";
    let line = unit.lines().find_map(|line| line.strip_prefix(begin)).unwrap();
    let state = folder.path().join("eigenfaces");
    fs::create_dir(&state).unwrap();
    let key = key_file(folder.path());
    let words = line.split(' ').map(|word| {
        let word = word.replace("%S", folder.path().to_str().unwrap());
        word.replace("%d/key", &key)
    });
    let server = served(folder.path(), &words.collect::<Vec<String>>());
    server.ask("GET", "/api/v0/model", b"").has(200);
    drop(server);
    // What systemd says of it, where it is there; the program is elsewhere here.
    let own = env!("CARGO_BIN_EXE_eigenfaces");
    let copy = folder.path().join("eigenfaces.service");
    fs::write(&copy, unit.replace("/usr/local/bin/eigenfaces", own)).unwrap();
    let verified = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy).output();
    let Ok(verified) = verified else { return eprintln!("skipped: no systemd-analyze here") };
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    let about: Vec<&str> = said.lines().filter(|line| line.contains("eigenfaces.service")).collect();
    assert!(verified.status.success() && about.is_empty(), "{said}");
}

/// The server of compose.yaml, by the command and the environment of the Dockerfile.
#[test]
fn what_compose_starts_is_a_server() {
    let Some(compose) = yaml("compose.yaml") else { return };
    let own = &compose["services"]["eigenfaces"];
    let folder = scratch();
    let root = folder.path().to_str().unwrap();
    assert_eq!(own["volumes"][0], "faces:/data");
    assert!(compose["volumes"].get("faces").is_some());
    let (secret, variable) = (own["secrets"][0].as_str().unwrap(), "EIGENFACES_KEY_FILE");
    assert!(compose["secrets"][secret]["file"].is_string());
    assert_eq!(own["environment"][variable], format!("/run/secrets/{secret}"));
    let docker = fs::read_to_string(project().join("Dockerfile")).unwrap();
    let after = |begin: &str| docker.lines().find_map(|line| line.strip_prefix(begin)).unwrap();
    assert_eq!(after("ENTRYPOINT "), r#"["/eigenfaces"]"#);
    let model = after("ENV EIGENFACES_MODEL=").replace("/data", root);
    let command: Vec<String> = serde_json::from_str(after("CMD ")).unwrap();
    // It listens to other machines, which it refuses without the key.
    assert_eq!(command[1..], ["--listen", "0.0.0.0:8384"]);
    let mut program = program(folder.path());
    let started =
        program.env_remove("EIGENFACES_KEY").env("EIGENFACES_MODEL", model).env(variable, key_file(folder.path()));
    let server = Server::start_without_key(started.args([&command[0], "--listen", "127.0.0.1:0"]));
    server.ask("GET", "/api/v0/model", b"").has(200);
}

/// Words after a mark, each up to what is no part of a name.
fn named<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark)
        .skip(1)
        .map(|rest| rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap())
}

#[test]
fn home_assistant_is_told_what_its_templates_take() {
    let Some(configured) = yaml("integrations/home-assistant/configuration.yaml") else { return };
    let folder = enrolled();
    let door = folder.path().join("door");
    fs::create_dir(&door).unwrap();
    let (address, posted) = receiver(&[200]);
    let mut command = program(folder.path());
    let hook = format!("http://{address}/api/webhook/id");
    command.args(["serve", "--listen", "127.0.0.1:0", "--watch", "door", "--webhook", &hook]);
    let server = Server::start_by(&mut command);
    let mut sensors = 0;
    for rest in configured["rest"].as_array().unwrap() {
        let path = rest["resource"].as_str().unwrap().strip_prefix("http://eigenfaces:8384").unwrap();
        assert_eq!(rest["headers"]["x-api-key"], "eigenfaces_key");
        // As Home Assistant asks, from another machine.
        let headers = [("host", "eigenfaces:8384"), ("x-api-key", KEY)];
        let answer = server.raw("GET", path, &headers, b"").has(200).json();
        for sensor in rest["sensor"].as_array().unwrap() {
            let template = sensor["value_template"].as_str().unwrap();
            let attributes = sensor["json_attributes"].as_array().unwrap().iter();
            let fields = named(template, "value_json.").chain(attributes.map(|name| name.as_str().unwrap()));
            for field in fields {
                assert!(!answer[field].is_null(), "{field}: {answer}");
                sensors += 1;
            }
        }
    }
    let photo = project().join("assets/probes/ada.png");
    fs::copy(photo, door.join("ada.png")).unwrap();
    let (_, told) = posted.recv_timeout(LONG).unwrap();
    let mut fields = 0;
    for automation in configured["automation"].as_array().unwrap() {
        assert_eq!(automation["triggers"][0]["trigger"], "webhook");
        let templates = automation.to_string();
        for field in named(&templates, "trigger.json.") {
            assert!(!told[field].is_null(), "{field}: {told}");
            fields += 1;
        }
        for mark in ["selectattr('", "rejectattr('", "attribute='"] {
            for field in named(&templates, mark) {
                assert!(!told["faces"][0][field].is_null(), "{field}: {told}");
                fields += 1;
            }
        }
    }
    assert!(sensors > 2 && fields > 8, "{sensors} {fields}");
}
