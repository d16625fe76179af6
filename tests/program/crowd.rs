//! Many people, or what looks like it.

use crate::support::scratch;
use crate::{picture, run};

#[test]
fn numbered_photos_in_one_folder_may_be_as_many_people() {
    let folder = scratch();
    for number in 1..=12 {
        let file = format!("flat/Person{number:06}.png");
        picture(&folder.path().join(file), 40, 50, number);
        let file = format!("foldered/Person/Person_{number:06}.png");
        picture(&folder.path().join(file), 40, 50, number);
    }
    let told = run(folder.path(), ["enroll", "flat", "-m", "flat.npz"]).done();
    let words = ["all 12 photos are named Person and a number", "--labels FILE.csv"];
    for word in words {
        assert!(told.stderr.contains(word), "{}", told.stderr);
    }
    let meant = run(folder.path(), ["enroll", "foldered", "-m", "foldered.npz"]).done();
    assert!(!meant.stderr.contains("--labels"), "{}", meant.stderr);
    let table: String = (1..=12).map(|number| format!("Person{number:06}.png,Somebody {}\n", number % 6)).collect();
    std::fs::write(folder.path().join("flat/who.csv"), format!("path,person\n{table}")).unwrap();
    let labelled = ["enroll", "flat", "--labels", "flat/who.csv", "-m", "six.npz"];
    let done = run(folder.path(), labelled).done();
    assert!(done.stderr.contains("of 6 people"), "{}", done.stderr);
    assert!(!done.stderr.contains("and a number"), "{}", done.stderr);
}
