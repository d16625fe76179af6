//! The person in a photo's file name, and names by cameras, phones, messengers and file managers, which are nobody's.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The kind of a word of a file name. Words are the parts between separators, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Digits, or a time as `10h11`.
    Number,
    /// A word with which devices, messengers and programs begin names.
    Device,
    /// A word that stands between such words and numbers, or after them.
    Filler,
    /// A random key, as of UUIDs.
    Key,
    /// Anything else.
    Name,
}

/// Words of file names by section (file_name.txt).
static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let sections = include_str!("file_name.txt").split("\n[").skip(1);
    let words = sections.filter_map(|section| section.split_once("]\n")).map(|(name, text)| {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let words = match name {
            "copies of" | "nobodys" => lines.collect(),
            _ => lines.flat_map(str::split_whitespace).collect(),
        };
        (name, words)
    });
    words.collect()
});

fn is_in(section: &str, word: &str) -> bool {
    WORDS.get(section).is_some_and(|words| words.contains(&word))
}

struct Word {
    place: Range<usize>,
    /// In lower case.
    text: String,
    kind: Kind,
}

/// The person in a file's name without extension; `None` if it tells nobody ([`LabelRule::Stem`](super::LabelRule::Stem)).
pub(super) fn person_in(stem: &str) -> Option<String> {
    let (bare, was_numbered) = without_copy(stem);
    if is_in("nobodys", &unnumbered(bare, false).trim().to_lowercase()) {
        return None;
    }
    let name = named_part(bare, &words(bare), was_numbered)?.trim_matches(is_separator).replace('_', " ");
    name.chars().any(char::is_alphanumeric).then_some(name)
}

/// Whether a folder is called as cameras, phones and messengers call theirs or their files.
pub(super) fn is_of_a_device(name: &str) -> bool {
    let words = words(name);
    words.first().is_some_and(|word| word.kind == Kind::Device) && is_nobodys(&words)
}

/// Whether a folder among people's is none of theirs: called so, but not by initials (`MG`) or with a number (`face 1`).
pub(super) fn is_folder_of_a_device(name: &str) -> bool {
    let (bare, _) = without_copy(name);
    let is_plain = bare.len() > 3 && !has_digits(bare);
    is_plain && (is_of_a_device(bare) || is_in("nobodys", &bare.trim().to_lowercase()))
}

/// The part of a name that is neither its number nor a date.
fn named_part<'a>(name: &'a str, words: &[Word], was_numbered: bool) -> Option<&'a str> {
    if is_nobodys(words) {
        return None;
    }
    let is_of_date = |word: &&Word| is_of_date(word);
    let before = words.iter().take_while(is_of_date).count();
    let after = words.iter().rev().take_while(is_of_date).count();
    let start = match before < words.len() && is_date(&words[..before]) {
        true if is_nobodys(&words[before..]) => return None,
        true => words[before].place.start,
        false => 0,
    };
    let dated = &words[words.len() - after..];
    match after < words.len() && is_date(dated) {
        true => Some(&name[start..dated[0].place.start]),
        false => Some(unnumbered(&name[start..], was_numbered)),
    }
}

/// Names of which no word is a person's.
fn is_nobodys(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return true };
    let any = |is: fn(&Word) -> bool| words.iter().any(is);
    let is_none_a_name = !any(|word| word.kind == Kind::Name);
    let ids = || is_uuid(words) || any(|word| word.kind == Kind::Key) && is_none_a_name;
    is_of_a_device_first(words)
        || is_stamped(words)
        || ids()
        || is_only_a_date(words)
        || is_kodak(words)
        || first.kind == Kind::Number
            && is_none_a_name
            && any(|word| word.text.len() >= 10 || word.kind == Kind::Filler)
}

/// `IMG_0001 anything`, `Screenshot_20210501-101112_Instagram`: what follows the number is no name either.
fn is_of_a_device_first(words: &[Word]) -> bool {
    let leads = |word: &Word| matches!(word.kind, Kind::Device | Kind::Filler);
    let next = words.iter().find(|word| !leads(word));
    let is_numbered = |word: &Word| matches!(word.kind, Kind::Number | Kind::Key);
    words.first().is_some_and(|first| {
        first.kind == Kind::Device && (has_digits(&first.text) || next.is_none_or(is_numbered) || is_date(words))
    })
}

/// `20210501_101112`, with whatever a phone adds.
fn is_stamped(words: &[Word]) -> bool {
    matches!(words, [day, time, ..] if is_day(&day.text) && time.kind == Kind::Number && time.text.len() >= 6)
}

/// `2021-05-01`, `April 2021`, `1_2_3`; but `1_2` may be a person's number and the photo's.
fn is_only_a_date(words: &[Word]) -> bool {
    let numbers = words.iter().filter(|word| word.kind == Kind::Number);
    let is_month = |word: &Word| is_in("months", &word.text);
    let is_dated = words.iter().any(|word| is_year(&word.text)) && words.iter().any(is_month);
    let is_part = |word: &Word| is_of_date(word) || is_dated && is_month(word);
    words.iter().all(is_part) && (is_date(words) || is_dated || numbers.count() > 2)
}

/// `5005B0A4-1B2C-4D3E-8F90-A1B2C3D4E5F6`
fn is_uuid(words: &[Word]) -> bool {
    let is_hex = |word: &Word| word.text.bytes().all(|c| c.is_ascii_hexdigit());
    let lengths = |part: &[Word]| part.iter().map(|word| word.text.len()).eq([8, 4, 4, 4, 12]);
    words.windows(5).any(|part| lengths(part) && part.iter().all(is_hex))
}

/// Kodak's `100_0001`: folder and counter.
fn is_kodak(words: &[Word]) -> bool {
    matches!(words, [folder, counter] if folder.text.len() == 3 && folder.text.starts_with('1') && counter.text.len() == 4)
}

fn is_of_date(word: &Word) -> bool {
    word.kind == Kind::Number || matches!(word.text.as_str(), "at" | "um" | "am" | "pm" | "on" | "à")
}

/// Whether numbers tell a date: a day in one number, or a year among several.
fn is_date(words: &[Word]) -> bool {
    let numbers = words.iter().filter(|word| word.kind == Kind::Number);
    let several = numbers.clone().count() > 2;
    numbers.clone().any(|word| is_day(&word.text))
        || several && numbers.clone().any(|word| is_year(&word.text))
        || several && words.iter().all(|word| word.text.len() <= 2) && words.len() >= 5
}

/// `2021`
fn is_year(text: &str) -> bool {
    text.len() == 4 && matches!(text.parse(), Ok(1900..2100))
}

/// `20210501`, also with the time.
fn is_day(text: &str) -> bool {
    let Some((year, rest)) = text.split_at_checked(4) else { return false };
    let number = |range: Range<usize>| rest.get(range).and_then(|two| two.parse::<u32>().ok());
    is_year(year) && rest.len() >= 4 && matches!(number(0..2), Some(1..=12)) && matches!(number(2..4), Some(1..=31))
}

fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || "_-.#~".contains(letter)
}

fn words(name: &str) -> Vec<Word> {
    let ends_word = |letter: char| is_separator(letter) || ",:()[]{}+@".contains(letter);
    let is_numbered = name.bytes().filter(u8::is_ascii_digit).count() > 2;
    let mut start = 0;
    let placed = name.split_inclusive(ends_word).map(|part| {
        start += part.len();
        (start - part.len(), part.trim_end_matches(ends_word))
    });
    placed
        .filter(|(_, part)| !part.is_empty())
        .map(|(start, part)| {
            let text = part.to_lowercase();
            let kind = if is_numbered && is_in_capitals(part) { Kind::Device } else { kind(&text) };
            Word { place: start..start + part.len(), text, kind }
        })
        .collect()
}

/// `SAM_0001`: the number is a word of its own, which must follow; see [`is_of_a_device_first`].
fn is_in_capitals(word: &str) -> bool {
    is_in("capitals", word.trim_end_matches(|c: char| c.is_ascii_digit()))
}

fn kind(word: &str) -> Kind {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let base = word.trim_end_matches(is_digit);
    let digits = word.len() - base.len();
    // `101112123z`, `10h11`, `10am`, `5p`: a number with the letters of times.
    let is_number = word.starts_with(is_digit)
        && word
            .split(is_digit)
            .all(|part| matches!(part, "" | "h" | "m" | "s" | "t" | "z" | "am" | "pm" | "min" | "d"));
    if is_number {
        Kind::Number
    } else if [word, base, word.trim_matches(is_digit)].iter().any(|word| is_in("devices", word))
        || is_counter(word, base, digits)
    {
        Kind::Device
    } else if is_in("fillers", base) && (digits == 0 || digits >= 3 || base.len() == 1) || is_in("copies", word) {
        Kind::Filler
    } else if is_key(word) {
        Kind::Key
    } else {
        Kind::Name
    }
}

/// Panasonic's, Leica's and Ricoh's `P1000001`, GoPro's `G0010001`, and what Canon lets its owners choose: `3L1A0001`.
fn is_counter(word: &str, base: &str, digits: usize) -> bool {
    let is_letter = base.len() == 1 && base.is_ascii() && digits == 7;
    let chosen = word.get(..4).filter(|_| word.len() == 8 && word.is_ascii() && digits == 4);
    is_letter || chosen.is_some_and(is_mixed)
}

/// Hexadecimal digits as keys have them: letters and digits mixed, at least eight.
fn is_key(word: &str) -> bool {
    word.bytes().all(|c| c.is_ascii_hexdigit()) && is_mixed(word) && word.len() >= 8
}

fn has_digits(text: &str) -> bool {
    text.bytes().any(|letter| letter.is_ascii_digit())
}

fn is_mixed(text: &str) -> bool {
    has_digits(text) && text.bytes().any(|letter| letter.is_ascii_alphabetic())
}

/// A name without what says that it is a copy, or edited; and whether a number in parentheses was taken off.
fn without_copy(stem: &str) -> (&str, bool) {
    let mut name = without_start(stem);
    let mut was_numbered = false;
    loop {
        name = name.trim_end_matches(is_separator);
        if let Some((before, number)) = name.strip_suffix(')').and_then(|name| name.rsplit_once('('))
            && is_digits(number)
        {
            (name, was_numbered) = (before, true);
            continue;
        }
        // `Ada copy 2`, `Ada - Copy`, `Ada (edited)`.
        let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(is_separator);
        let closed = unnumbered.strip_suffix(')').unwrap_or(unnumbered);
        let start = closed
            .rfind(|c: char| is_separator(c) || c == '(')
            .map(|at| at + closed[at..].chars().next().map_or(1, char::len_utf8));
        match start {
            Some(start) if is_in("copies", &closed[start..].to_lowercase()) => {
                name = closed[..start].trim_end_matches('(');
                was_numbered = false;
            }
            _ => return (name, was_numbered),
        }
    }
}

fn without_start(stem: &str) -> &str {
    let rest = WORDS.get("copies of").map_or(&[][..], Vec::as_slice).iter().find_map(|start| {
        // As many letters, for other cases may have other bytes.
        let end = stem.char_indices().nth(start.chars().count())?.0;
        let is_start = stem[..end].to_lowercase() == **start;
        is_start.then(|| stem[end..].strip_prefix(' '))?
    });
    rest.filter(|rest| !rest.is_empty()).unwrap_or(stem)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// A name without the number at its end; after one in parentheses another must be set off: of `s1 (3)` `s1` stays.
fn unnumbered(name: &str, was_numbered: bool) -> &str {
    let whole = name.trim_end_matches(is_separator);
    let bare = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    if was_numbered && !bare.is_empty() && !bare.ends_with(is_separator) { whole } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Names that devices and programs give, as people reported them.
    const NOBODYS: &[&str] = &[
        "20210501_101112",
        "20210501_101112(0)",
        "20210501_101112_HDR",
        "20210501_101112-edited",
        "2021-05-01 10.11.12",
        "2021-05-01-10-11-12-123",
        "2021_05_01_10_11_IMG_0001",
        "WhatsApp Image 2021-05-01 at 10.11.12",
        "WhatsApp Image 2021-05-01 at 10.11",
        "WhatsApp Image 2021-05-01 at 10.11.12 AM (2)",
        "IMG-20170722-WA0005",
        "Screenshot_20210501-101112",
        "Screenshot_20210501-101112_Instagram",
        "Screenshot 2021-05-01 at 10.11.12",
        "Screen Shot 2021-05-01 at 10.11.12 AM",
        "Bildschirmfoto 2021-05-01 um 10.11.12",
        "Capture d’écran 2021-05-01 à 10.11.12",
        "Capture d'écran 2021-05-01 101112",
        "Captura de pantalla 2021-05-01 a las 10.11.12",
        "Captura de ecrã 2021-05-01",
        "Schermata 2021-05-01 alle 10.11.12",
        "Skärmavbild 2021-05-01 kl. 10.11.12",
        "Снимок экрана 2021-05-01 в 10.11.12",
        "スクリーンショット 2021-05-01 10.11.12",
        "屏幕截图 2021-05-01 101112",
        "P1000001",
        "L1000123",
        "DJI_0001",
        "DJI_20210501101112_0001_D",
        "signal-2021-05-01-101112",
        "signal-2021-05-01-10-11-12-123-1",
        "GOPR0001",
        "GX010001",
        "G0010001",
        "_MG_1234",
        "_DSC0123",
        "DSC_0001",
        "DSCN0001",
        "DSCF0001",
        "DSC01234",
        "CIMG0001",
        "IMGP0001",
        "SAM_0001",
        "100_0001",
        "3L1A0001",
        "IMG_E1234",
        "IMG_0001_HDR",
        "IMG_20210501_101112_BURST001_COVER",
        "PXL_20210501_101112123",
        "PXL_20210501_101112123.PORTRAIT",
        "PXL_20210501_101112123.MP",
        "MVIMG_20210501_101112",
        "00100lPORTRAIT_00100_BURST20210501101112123_COVER",
        "FB_IMG_1612345678901",
        "received_1234567890123",
        "Snapchat-1234567890",
        "photo_2021-05-01_10-11-12",
        "telegram-cloud-photo-size-4-5404-y",
        "viber_image_2021-05-01_10-11-12-123",
        "mmexport1612345678901",
        "wx_camera_1612345678901",
        "KakaoTalk_20210501_101112123",
        "KakaoTalk_Photo_2021-05-01-10-11-12",
        "1612345678901",
        "5005B0A4-1B2C-4D3E-8F90-A1B2C3D4E5F6",
        "61234567890__5005B0A4-1B2C-4D3E-8F90-A1B2C3D4E5F6",
        "d41d8cd98f00b204e9800998ecf8427e",
        "123456789_1234567890123456_1234567890123456789_n",
        "WIN_20210501_10_11_12_Pro",
        "Photo on 2021-05-01 at 10.11",
        "Photo on 01-05-21 at 10.11 #2",
        "Foto am 01.05.21 um 10.11",
        "Scan_20210501",
        "Scan0001",
        "Scan 3",
        "CamScanner 05-01-2021 10.11.12",
        "IMG_0001 - Copy",
        "IMG_0001 - Kopie (2)",
        "Copy of IMG_0001",
        "IMG_0001 (1)",
        "IMG_0001-edited",
        "IMG_0001~2",
        "IMG_20210501_101112-COLLAGE",
        "image0",
        "image (3)",
        "unnamed (1)",
        "Untitled-1",
        "vlcsnap-2021-05-01-10h11m12s123",
        "Foto 12",
        "Bild 3",
        "фото 5",
        "照片 7",
        "InShot_20210501_101112123",
        "RPReplay_Final1612345678",
        "FullSizeRender",
        "1",
        "0001",
        "(1)",
        "_",
        "April 2021",
        "1 May 2021",
        "New folder (2)",
        "Neues Bild",
        "Google Photos 1",
        "Unbekannt",
        "iPhone 12 001",
        "MOV_0001",
        "VID_20240101_120000",
        "VideoCapture_20240101-120000",
        "Resized_20240101_120000",
        "RDT_20240101_1200001234567890",
        "Messenger_creation_1234",
    ];

    #[test]
    fn names_of_devices_and_programs_are_nobodys() {
        for stem in NOBODYS {
            assert_eq!(person_in(stem), None, "{stem}");
        }
    }

    #[test]
    fn names_of_people_are_theirs() {
        for (stem, name) in [
            ("Ada", "Ada"),
            ("Ada 2021-05-01 10.11.12", "Ada"),
            ("Ada_20210501_101112", "Ada"),
            ("Ada 20210501", "Ada"),
            ("2021-05-01 Ada", "Ada"),
            ("20210501 Ada", "Ada"),
            ("2021-05-01 at 10.11 Ada Lovelace (2)", "Ada Lovelace"),
            ("Ada - Copy", "Ada"),
            ("Ada copy 2", "Ada"),
            ("Copy of Ada 3", "Ada"),
            ("Kopie von Ada", "Ada"),
            ("Ada-edited", "Ada"),
            ("Ada (edited)", "Ada"),
            ("Ada - Kopie (2)", "Ada"),
            ("Ada 2 (3)", "Ada"),
            ("s1 (3)", "s1"),
            ("Ada~2", "Ada"),
            ("1_1", "1"),
            ("0045_03", "0045"),
            ("s1_10", "s1"),
            ("obama2", "obama"),
            ("subject01_glasses", "subject01 glasses"),
            ("Image Maker 1", "Image Maker"),
            ("Imogen 1", "Imogen"),
            ("April 3", "April"),
            ("Scanlon 2", "Scanlon"),
            ("Sam Signal", "Sam Signal"),
            ("Sam 2", "Sam"),
            ("Sam_0001", "Sam"),
            ("SAM 2", "SAM"),
            ("Sam", "Sam"),
            ("Vid 2", "Vid"),
            ("SAM", "SAM"),
            ("LINE Friend", "LINE Friend"),
            ("Jean-Paul_1", "Jean-Paul"),
            ("Dee Dee 2", "Dee Dee"),
            ("007 Bond", "007 Bond"),
            ("Fadeaceb", "Fadeaceb"),
            ("İpek 3", "İpek"),
            ("Mona de la Cruz 4", "Mona de la Cruz"),
            ("Signe Wall", "Signe Wall"),
        ] {
            assert_eq!(person_in(stem).as_deref(), Some(name), "{stem}");
        }
    }

    #[test]
    fn tables_are_in_lower_case_and_hold_single_words() {
        for word in ["devices", "fillers", "copies", "months"].iter().flat_map(|section| &WORDS[section]) {
            assert_eq!(word.to_lowercase(), *word);
            assert!(!word.contains(is_separator), "{word}");
        }
        for device in &WORDS["devices"] {
            let name = format!("{device}_0001");
            assert_eq!(person_in(&name), None, "{name}");
        }
        for copy in &WORDS["copies"] {
            for name in [format!("Ada - {copy}"), format!("Ada_{copy} 2"), format!("Ada ({copy})")] {
                assert_eq!(person_in(&name).as_deref(), Some("Ada"), "{name}");
            }
        }
        for start in &WORDS["copies of"] {
            assert_eq!(person_in(&format!("{start} Ada")).as_deref(), Some("Ada"), "{start}");
        }
    }

    #[test]
    fn folders_of_devices() {
        for name in ["Camera", "WhatsApp Images", "Screenshots", "DCIM", "IMG_0001"] {
            assert!(is_of_a_device(name), "{name}");
        }
        for name in ["Ada", "1", "Camera Obscura", "s1"] {
            assert!(!is_of_a_device(name), "{name}");
        }
        for name in
            ["Camera", "Camera Roll", "WhatsApp Images", "DCIM", "New folder (2)", "Neuer Ordner", "unknown people"]
        {
            assert!(is_folder_of_a_device(name), "{name}");
        }
        for name in ["Ada", "MG", "s1", "face 1", "IMG_0001", "Camera Obscura", "2021"] {
            assert!(!is_folder_of_a_device(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_dealt_with(stem in "\\PC{0,24}") {
            if let Some(name) = person_in(&stem) {
                prop_assert!(name.chars().any(char::is_alphanumeric));
            }
        }

        #[test]
        fn a_date_beside_a_name_leaves_the_name(name in "[A-Z][a-z]{2,8} [B-D][a-z]{4,8}x", y in 1990..2090u32, m in 1..13u32, d in 1..32u32, s in 0..86_400u32) {
            // Cameras call their files Pic and Img.
            prop_assume!(person_in(&name).as_ref() == Some(&name));
            let (h, min, s) = (s / 3600, s / 60 % 60, s % 60);
            for file in [format!("{name} {y}-{m:02}-{d:02}"), format!("{name}_{y}{m:02}{d:02}_{h:02}{min:02}{s:02}"),
                format!("{name} {y}-{m:02}-{d:02} {h:02}.{min:02}.{s:02}"), format!("{y}-{m:02}-{d:02} {name}")] {
                let found = person_in(&file);
                prop_assert_eq!(found.as_ref(), Some(&name), "{}", file);
            }
            prop_assert_eq!(person_in(&format!("{y}{m:02}{d:02}_{h:02}{min:02}{s:02}")), None);
        }
    }
}
