//! `enroll --check`: what is wrong with the photos of a folder. Nothing is written.

use std::collections::HashMap;
use std::path::Path;

use eigenfaces::Model;
use eigenfaces::background::DAMAGED;
use eigenfaces::dataset::{ContentHash, Person, alike};
use eigenfaces::enrollment::{self, FolderFaces};
use eigenfaces::evaluate::quality::{BLURRED, CUT_OFF, Flaw, TINY};
use eigenfaces::evaluate::{self, Suspects};
use eigenfaces::gallery::{Gallery, LabeledFace, SamePhotos};
use eigenfaces::grouping::ONE_PERSON;
use eigenfaces::recognizer::{Recognizer, Settings};
use serde_json::json;

use super::Enroll;
use crate::cli::{ExitStatus, Output, Record, Result, counted, faces_of_people, one_line, percent, shown};

/// Photos with one finding that are named without --verbose.
const NAMED: usize = 5;

pub fn before_enrolling(args: &Enroll, model: &Path, output: &Output) -> Result<ExitStatus> {
    let before = Model::at(model)?;
    if let Some(before) = &before {
        args.learn.agree_with(before.recognizer().preparation(), model)?;
        output.say(&format!(
            "checked together with {} enrolled in {}; name another with --model, even one that is not there",
            counted(before.gallery().len(), "face", "faces"),
            shown(model)
        ));
    }
    let known = before.as_ref().map(Model::recognizer);
    let settings = args.learn.settings(known.map_or_else(Settings::default, Recognizer::settings))?;
    let base = Model::base(before.as_ref(), args.learn.preparation_options()?);
    let mut read = enrollment::read_folders(&args.faces, &args.labels.rule, base, output)?;
    if let Some(before) = &before {
        enrollment::resolve(&mut read.folder, before.history(), output);
    }
    let mut faces = before.as_ref().map_or_else(Vec::new, |model| model.gallery().clone().into_labeled());
    // What is enrolled is not decoded again, but its label here is looked at.
    let enrolled: HashMap<ContentHash, LabeledFace> = faces.iter().map(|face| (face.hash, face.clone())).collect();
    faces.extend(read.folder.known.iter().filter_map(|photo| {
        Some(LabeledFace {
            person: photo.person.clone(),
            source: photo.source.clone(),
            ..enrolled.get(&photo.hash)?.clone()
        })
    }));
    check(read, faces, settings, output)
}

fn check(read: FolderFaces, mut faces: Vec<LabeledFace>, settings: Settings, output: &Output) -> Result<ExitStatus> {
    let outcome = ExitStatus::of_inputs(read.folder.known.len() + read.folder.new.len(), read.skipped.len());
    faces.extend(read.folder.new);
    let (faces, same) = take_same_photos(faces);
    let (gallery, _) = Gallery::assemble(read.preparation.size(), faces)?;
    let (preparation, gallery) = enrollment::frame(gallery, &read.preparation, output);
    let suspects = evaluate::check(preparation, gallery.clone(), settings)?;
    print(&gallery, findings(&gallery, &same, &suspects), &suspects, output)?;
    Ok(outcome)
}

/// One photo under two people: each of them taken out but the first, with the first. Of a photo that a person has twice, one stays.
fn take_same_photos(faces: Vec<LabeledFace>) -> (Vec<LabeledFace>, Vec<(LabeledFace, LabeledFace)>) {
    let mut photos = SamePhotos::default();
    let mut kept: Vec<LabeledFace> = Vec::with_capacity(faces.len());
    let mut same = Vec::new();
    for face in faces {
        match photos.position(&face, kept.len()) {
            None => kept.push(face),
            Some(at) if kept[at].person == face.person => {}
            Some(at) => same.push((kept[at].clone(), face)),
        }
    }
    (kept, same)
}

fn findings(gallery: &Gallery, same: &[(LabeledFace, LabeledFace)], suspects: &Suspects) -> Vec<Record> {
    let photo = |face: usize| gallery.enrolled()[face].source.as_str();
    let name = |person: usize| gallery.people()[person].as_str();
    let person = |face: usize| name(gallery.enrolled()[face].person);
    let mut found: Vec<Record> = same
        .iter()
        .map(|(a, b)| duplicate([&a.source, &b.source], [a.person.as_str(), b.person.as_str()], 1.0))
        .collect();
    found.extend(suspects.duplicates.iter().map(|pair| {
        duplicate([photo(pair.first), photo(pair.second)], [person(pair.first), person(pair.second)], pair.correlation)
    }));
    found.extend(suspects.mislabelled.iter().map(|wrong| {
        let (photo, person, nearest) = (photo(wrong.face), person(wrong.face), name(wrong.nearest));
        let [shown, label, other] = [photo, person, nearest].map(one_line);
        Record::new(
            json!({
                "finding": "wrong-label",
                "photo": photo,
                "person": person,
                "looks_like": nearest,
                "confidence": wrong.confidence,
                "distance": wrong.nearest_distance,
                "own_distance": wrong.own_distance,
            }),
            [format!(
                "{shown}: labelled {label}, looks like {other} ({}; distance {:.3}, {:.3} to the label's other photos)",
                percent(wrong.confidence),
                wrong.nearest_distance,
                wrong.own_distance
            )],
        )
    }));
    found.extend(suspects.several_people.iter().map(|several| Record::new(json!({
            "finding": "several-people",
            "person": name(several.person),
            "likeness": several.score,
            "likeness_limit": ONE_PERSON,
        }), [format!(
            "{}: {} do not look like one person (score {:.1}, where one person's reach {ONE_PERSON:.1}); eigenfaces group tells people apart",
            one_line(name(several.person)),
            counted(several.faces, "photo", "photos"),
            several.score
        )])));
    found.extend(suspects.not_faces.iter().map(|odd| {
        let (photo, person) = (photo(odd.face), person(odd.face));
        Record::new(
            json!({
                "finding": "not-a-face",
                "photo": photo,
                "person": person,
                "likeness": odd.face_score,
                "likeness_limit": odd.limit,
            }),
            [format!(
                "{}: does not look like a face (face score {:.2}, where {:.2} is asked for)",
                one_line(photo),
                odd.face_score,
                odd.limit
            )],
        )
    }));
    found.extend(suspects.flaws.iter().map(|&(face, flaw)| {
        let (kind, text, measure, limit) = match flaw {
            Flaw::Tiny(apart) => (
                "tiny",
                format!("the eyes are {apart:.0} pixels apart; {TINY:.0} or more show who it is"),
                f64::from(apart),
                f64::from(TINY),
            ),
            Flaw::CutOff(outside) => (
                "cut-off",
                format!("{} of the face lies outside the photo", percent(f64::from(outside))),
                outside.into(),
                CUT_OFF.into(),
            ),
            Flaw::Blurred(sharpness) => (
                "blurred",
                format!("is blurred (sharpness {sharpness:.4}; {BLURRED} or more is sharp)"),
                sharpness.into(),
                BLURRED.into(),
            ),
            Flaw::Damaged(signal) => (
                "damaged",
                format!("noise, print or compression hides the face (signal {signal:.2}; {DAMAGED} or more is clear)"),
                signal,
                DAMAGED,
            ),
        };
        Record::new(
            json!({
                "finding": kind,
                "photo": photo(face),
                "person": person(face),
                "quality": measure,
                "quality_limit": limit,
            }),
            [format!("{}: {text}", one_line(photo(face)))],
        )
    }));
    found.extend(alike(gallery.people()).iter().map(|people| {
        let names: Vec<&str> = people.iter().map(Person::as_str).collect();
        Record::new(json!({ "finding": "alike-names", "people": names }), [format!(
                "{}: these names differ only in case, blanks or hyphens; if they are one person, give them one name, or join them with eigenfaces people merge",
                one_line(&names.join(", "))
            )])
    }));
    found
}

fn duplicate(photos: [&str; 2], people: [&str; 2], correlation: f64) -> Record {
    let [first, second] = photos.map(one_line);
    let [first_person, second_person] = people.map(one_line);
    Record::new(
        json!({
            "finding": "same-picture",
            "photo": photos[0],
            "person": people[0],
            "other_photo": photos[1],
            "other_person": people[1],
            "correlation": correlation,
        }),
        [format!(
            "{first} (labelled {first_person}) and {second} (labelled {second_person}): {} picture",
            if correlation >= 1.0 { "the same" } else { "nearly the same" }
        )],
    )
}

/// Columns of the table: whatever a finding may have.
const COLUMNS: &str = "finding,photo,person,other_photo,other_person,looks_like,confidence,distance,own_distance,correlation,likeness,likeness_limit,quality,quality_limit";

fn print(gallery: &Gallery, findings: Vec<Record>, suspects: &Suspects, output: &Output) -> Result<()> {
    let count = findings.len();
    output.records(COLUMNS, findings)?;
    let seen = faces_of_people(gallery.len(), gallery.people().len());
    output.say(&match count {
        0 => format!("{seen}: nothing to correct"),
        _ => format!("{seen}: {} to look at", counted(count, "thing", "things")),
    });
    let unclear = suspects.unclear.len();
    if unclear > 0 {
        let named = if output.names_all { unclear } else { NAMED };
        let faces = suspects.unclear.iter().take(named);
        let mut photos: Vec<&str> = faces.map(|&face| gallery.enrolled()[face].source.as_str()).collect();
        let more = format!("{} more (-v names them)", unclear.saturating_sub(named));
        if unclear > named {
            photos.push(&more);
        }
        let (count, photos) = (counted(unclear, "more photo is", "more photos are"), photos.join(", "));
        output.say(&format!("{count} nearer to another person than to their own, but not clearly: {photos}"));
    }
    Ok(())
}
