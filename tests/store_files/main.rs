//! Files are whole or not there, and one process at a time changes a model: also when processes are killed.
//!
//! Some tests start this test program again as a child process, which does one job (see [`child`]).

mod locking;
mod replacing;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use eigenfaces::error::{Error, WriteProblem};
use eigenfaces::store::{Archive, ArchiveWriter, ModelLock, Privacy, Wait, replace_file};

const JOB: &str = "EIGENFACES_TEST_JOB";

const MODEL: &str = "EIGENFACES_TEST_MODEL";

#[test]
#[ignore = "the job of the child processes, not a test"]
fn child() {
    let (Ok(job), Some(model)) = (std::env::var(JOB), std::env::var_os(MODEL).map(PathBuf::from)) else { return };
    match job.as_str() {
        "write for ever" => {
            for writer in (1..=200).cycle() {
                write_model(&model, writer, 400).unwrap();
            }
        }
        "write too much" => match write_model(&model, 9, 4000) {
            Err(Error::Write { problem: WriteProblem::TooLarge | WriteProblem::DiskFull, .. }) => {}
            other => panic!("{other:?}"),
        },
        "hold the lock" => {
            let _lock = ModelLock::acquire(&model, Wait::AtMost(Duration::from_secs(60))).unwrap();
            fs::write(model.with_extension("held"), "").unwrap();
            thread::sleep(Duration::from_secs(60));
        }
        "count to 20" => {
            for _ in 0..20 {
                let _lock = ModelLock::acquire(&model, Wait::AtMost(Duration::from_secs(60))).unwrap();
                count_up(&model);
            }
        }
        other => panic!("no such job: {other}"),
    }
}

/// A model that says who wrote it: every face of it is `writer`, so that a mixture would show.
fn write_model(path: &Path, writer: u8, faces: usize) -> eigenfaces::error::Result<()> {
    replace_file(path, Privacy::Owner, |file| {
        let mut archive = ArchiveWriter::new(file, &serde_json::json!({ "writer": writer }))?;
        archive.add_array("faces", &[faces, 1000], &vec![writer; faces * 1000])?;
        archive.finish()?;
        Ok(())
    })
}

/// Who wrote the model; panics unless it is whole.
fn writer_of(path: &Path) -> u8 {
    let archive = Archive::read(path).unwrap();
    let shape = archive.shape("faces").unwrap();
    let faces = archive.bytes("faces", &shape).unwrap();
    assert!(faces.iter().all(|&pixel| pixel == faces[0]), "a mixture");
    faces[0]
}

/// Reads a number, dawdles, writes it plus one: two at once would lose a count.
fn count_up(model: &Path) {
    let number: u32 = fs::read_to_string(model).map_or(0, |text| text.parse().unwrap());
    thread::sleep(Duration::from_micros(300));
    replace_file(model, Privacy::Owner, |file| write!(file, "{}", number + 1)).unwrap();
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn start_child(job: &str, model: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(JOB, job)
        .env(MODEL, model)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
