//! The calls that clients of CompreFace make, as its interface has them.

use serde_json::json;

use super::client::Server;
use super::{photos_of, probe};
use crate::support::scratch;

#[test]
fn clients_of_compreface_are_answered() {
    let folder = scratch();
    let server = Server::start(folder.path());
    let recognize =
        |query: &str, photo: &[u8]| server.form(&format!("/api/v1/recognition/recognize{query}"), &[("file", photo)]);
    // Nobody is enrolled: faces are found, and nobody is named.
    let empty = recognize("", &photos_of("Ada")[0]).has(200).json();
    assert_eq!(empty["result"][0]["subjects"], json!([]));
    let named = server.ask("POST", "/api/v1/recognition/subjects", br#"{"subject":"Ada"}"#).has(201);
    assert_eq!(named.json(), json!({ "subject": "Ada" }));
    let mut ids = Vec::new();
    for name in ["Ada", "Boris"] {
        for photo in photos_of(name).iter().take(3) {
            let path = format!("/api/v1/recognition/faces?subject={name}&det_prob_threshold=0.8");
            let added = server.form(&path, &[("file", photo)]).has(201).json();
            assert_eq!(added["subject"], name);
            ids.push(added["image_id"].as_str().unwrap().to_owned());
        }
    }
    let found = recognize("?limit=0&prediction_count=2&status=true", &probe("ada.png")).has(200).json();
    let face = &found["result"][0];
    assert_eq!(face["subjects"][0]["subject"], "Ada");
    let similarity = face["subjects"][0]["similarity"].as_f64().unwrap();
    assert!(!(0.4..0.6).contains(&similarity), "{similarity}");
    assert!(face["subjects"][1]["similarity"].as_f64().unwrap() < 0.4);
    for edge in ["probability", "x_min", "y_min", "x_max", "y_max"] {
        assert!(face["box"][edge].is_number(), "{edge}");
    }
    // As base64 in JSON.
    use base64::Engine;
    let encoded = base64::engine::general_purpose::STANDARD.encode(probe("ada.png"));
    let body = json!({ "file": encoded }).to_string();
    let again = server.ask("POST", "/api/v1/recognition/recognize?prediction_count=2", body.as_bytes()).has(200);
    assert_eq!(again.json(), found);

    let faces = server.ask("GET", "/api/v1/recognition/faces?page=1&size=4", b"").has(200).json();
    assert_eq!(faces["total_elements"], 6);
    assert_eq!((&faces["total_pages"], &faces["page_number"], &faces["page_size"]), (&json!(2), &json!(1), &json!(4)));
    assert_eq!(faces["faces"].as_array().unwrap().len(), 2);
    let of_one = server.ask("GET", "/api/v1/recognition/faces?subject=Boris", b"").has(200).json();
    assert_eq!(of_one["total_elements"], 3);
    let picture = server.ask("GET", &format!("/api/v1/recognition/faces/{}/img", ids[0]), b"").has(200);
    assert!(image::load_from_memory(&picture.body).is_ok());
    let path = format!("/api/v1/recognition/faces/{}/verify", ids[0]);
    let verified = server.form(&path, &[("file", &photos_of("Ada")[0])]).has(200).json();
    assert_eq!(verified["result"][0]["subject"], "Ada");
    assert!(verified["result"][0]["similarity"].as_f64().unwrap() >= 0.6);

    let detected = server.form("/api/v1/detection/detect", &[("file", &probe("ada.png"))]);
    if detected.status != 200 {
        assert_eq!(detected.has(400).json()["code"], 28);
    }
    let both = [("source_image", photos_of("Ada")[0].clone()), ("target_image", photos_of("Ada")[0].clone())];
    let both: Vec<(&str, &[u8])> = both.iter().map(|(name, photo)| (*name, photo.as_slice())).collect();
    let same = server.form("/api/v1/verification/verify", &both).has(200).json();
    assert!(same["result"][0]["face_matches"][0]["similarity"].as_f64().unwrap() >= 0.6);
    assert!(same["result"][0]["source_image_face"]["box"]["x_max"].is_number());

    let names = || server.ask("GET", "/api/v1/recognition/subjects", b"").has(200).json()["subjects"].clone();
    assert_eq!(names(), json!(["Ada", "Boris"]));
    let renamed = server.ask("PUT", "/api/v1/recognition/subjects/Boris", br#"{"subject":"Bo"}"#).has(200);
    assert_eq!(renamed.json(), json!({ "updated": true }));
    assert_eq!(names(), json!(["Ada", "Bo"]));
    server.ask("PUT", "/api/v1/recognition/subjects/Bo", br#"{"subject":"Ada"}"#).has(200);
    assert_eq!(names(), json!(["Ada"]));

    let gone = server.ask("DELETE", &format!("/api/v1/recognition/faces/{}", ids[0]), b"").has(200).json();
    assert_eq!(gone, json!({ "image_id": ids[0], "subject": "Ada" }));
    let list = json!([ids[1], ids[2], "nothing"]).to_string();
    let gone = server.ask("POST", "/api/v1/recognition/faces/delete", list.as_bytes()).has(200).json();
    assert_eq!(gone.as_array().unwrap().len(), 2);
    // Blanks around it are no other name, and a misspelt parameter is not everybody's.
    let listed =
        |name: &str| server.ask("GET", &format!("/api/v1/recognition/faces?subject={name}"), b"").has(200).json();
    assert_eq!(listed("Ada%20")["total_elements"], listed("Ada")["total_elements"]);
    server.ask("DELETE", "/api/v1/recognition/faces?subjet=Ada", b"").has(400);
    let gone = server.ask("DELETE", "/api/v1/recognition/faces?subject=Ada", b"").has(200).json();
    assert_eq!(gone, json!({ "deleted": 3 }));
    assert_eq!(names(), json!([]));
    server.ask("DELETE", "/api/v1/recognition/subjects", b"").has(200);
}

#[test]
fn refusals_have_the_numbers_that_clients_know() {
    let folder = crate::enrolled();
    let server = Server::start(folder.path());
    let code = |answer: super::client::Answer| {
        let told = answer.json();
        assert!(told["message"].is_string());
        told["code"].as_u64()
    };
    let missing = server.raw("GET", "/api/v1/recognition/subjects", &[("host", &server.address)], b"").has(400);
    assert_eq!(code(missing), Some(20));
    let nobody = server.ask("DELETE", "/api/v1/recognition/subjects/Nobody", b"").has(404);
    assert_eq!(code(nobody), Some(42));
    let nobody = server.ask("PUT", "/api/v1/recognition/subjects/Nobody", br#"{"subject":"x"}"#).has(404);
    assert_eq!(code(nobody), Some(42));
    for (method, path) in [("DELETE", ""), ("GET", "/img")] {
        let path = format!("/api/v1/recognition/faces/00000000-0000-0000-0000-000000000000{path}");
        assert_eq!(code(server.ask(method, &path, b"").has(404)), Some(44));
    }
    let mut blank = std::io::Cursor::new(Vec::new());
    let gray = image::GrayImage::from_pixel(300, 200, image::Luma([128]));
    gray.write_to(&mut blank, image::ImageFormat::Png).unwrap();
    let blank = blank.into_inner();
    for path in ["/api/v1/recognition/recognize", "/api/v1/detection/detect"] {
        assert_eq!(code(server.form(path, &[("file", &blank)]).has(400)), Some(28), "{path}");
    }
}
