//! Notices in words.

use std::fmt;
use std::path::PathBuf;

use super::Notice;
use crate::dataset::{ListingNote, Person, Spellings};
use crate::locate::framing::Framing;
use crate::text::{counted, one_line, shown};

fn named(people: &[Person]) -> String {
    people.iter().map(|person| format!("'{}'", one_line(person.as_str()))).collect::<Vec<_>>().join(" and ")
}

/// In a line, with the option that changes it.
impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Listing(ListingNote::Windows1252(table)) => write!(
                f,
                "{} is no Unicode and is read as Windows-1252; where names look wrong, save it as CSV UTF-8",
                shown(table)
            ),
            Notice::Listing(ListingNote::NobodysPhotos(folder, photos)) => write!(
                f,
                "{} passed over with {}: identify --sort-all put photos of nobody known there",
                shown(folder),
                counted(*photos, "photo", "photos")
            ),
            Notice::Listing(ListingNote::AlikeNames(people)) => write!(
                f,
                "{} differ only in case, blanks or hyphens; if they are one person, give them one name, or join them once enrolled: eigenfaces people merge",
                named(people)
            ),
            Notice::Listing(ListingNote::ManyPeople { photos, people, example }) => write!(
                f,
                "the names of {} beside folders make {} of them, such as {example}; where these are no people, put each person's photos into a folder, or give --labels TABLE.csv",
                counted(*photos, "photo", "photos"),
                counted(*people, "person", "people")
            ),
            Notice::Spellings(Spellings { person, folders }) => write!(
                f,
                "{} folders are all taken for {person}, for their names differ only in blanks or in how letters are encoded (NFC, NFD): give different people different names",
                folders.len()
            ),
            Notice::Leftovers(leftovers) => write!(
                f,
                "passed over {} whose names say backup, unfinished, broken or thumbnail ({})",
                counted(leftovers.len(), "file", "files"),
                an_example(leftovers),
            ),
            Notice::Results(results) => write!(
                f,
                "{} of this program left out ({}); to use one, name it itself",
                counted(results.len(), "picture", "pictures"),
                an_example(results),
            ),
            Notice::Animations(animations) => write!(
                f,
                "of {} only the first frame is looked at ({}); to use others, save them as photos",
                counted(animations.len(), "animation", "animations"),
                an_example(animations),
            ),
            Notice::OtherNames(names) => write!(
                f,
                "left out {} of photos that are looked at ({})",
                counted(names.len(), "other name", "other names"),
                an_example(names),
            ),
            Notice::Cropped { photos, size } => write!(
                f,
                "{} cropped in the middle to the shape {size} (choose another with --size)",
                counted(*photos, "photo was", "photos were")
            ),
            Notice::SeveralFaces(photos) => write!(
                f,
                "{} several faces; the largest and most central was taken",
                counted(*photos, "photo shows", "photos show")
            ),
            Notice::EyesAssumed(photos) => write!(
                f,
                "no face was found in {}: aligned as the other crops are, or taken whole",
                counted(*photos, "small picture", "small pictures")
            ),
            Notice::Edited(photos) => write!(
                f,
                "{} no longer what was enrolled ({}{}): the face from before stays beside the new one; --sync takes the change over",
                counted(photos.len(), "photo is", "photos are"),
                photos.first().map_or(String::new(), |first| one_line(first)),
                if photos.len() > 1 { ", ..." } else { "" },
            ),
            Notice::EarlierName(name, now) => write!(
                f,
                "photos of '{name}' count for '{now}', as that person is called now; rename the folder, or the person back"
            ),
            Notice::OneNumberedPerson { photos, name } => write!(
                f,
                "all {photos} photos are named {} and a number, so they count as photos of one person; where each shows somebody \
             else, say who in a table of path,person: --labels FILE.csv",
                one_line(name)
            ),
            Notice::Framing(survey) => match survey.framing {
                Framing::AsIs => f.write_str(
                    "photos are taken as they are, as faces already cropped (--framing detect looks for faces)",
                ),
                Framing::Detect => write!(
                    f,
                    "faces are found and aligned by the eyes: {} of {} looked at show one (--framing as-is takes photos whole)",
                    survey.with_face,
                    counted(survey.looked_at, "photo", "photos"),
                ),
            },
        }
    }
}

/// The first of some paths, and whether there are more.
fn an_example(paths: &[PathBuf]) -> String {
    let more = if paths.len() > 1 { ", ..." } else { "" };
    paths.first().map(|first| format!("{}{more}", shown(first))).unwrap_or_default()
}
