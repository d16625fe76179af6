//! Names of faces that Picasa keeps in a file of each folder, `.picasa.ini`.

use std::collections::HashMap;

use crate::xmp::{Area, Kind, Region, Regions, Source};

/// The file's names, in lower case; the second is of Picasa 1 and 2.
pub(super) const FILES: [&str; 2] = [".picasa.ini", "picasa.ini"];

/// The named faces of a photo: `faces=rect64(3f845bcb59418507),8e62398ebda8c1a5;...` in its section, the people in that of
/// contacts. Faces of people whose name stands nowhere in the file are nameless.
pub(super) fn regions(ini: &str, photo: &str) -> Regions {
    let mut people: HashMap<String, &str> = HashMap::new();
    let mut faces = "";
    let mut section = "";
    for line in ini.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
        } else if let Some((key, value)) = line.split_once('=') {
            if section.to_lowercase().starts_with("contacts") {
                let name = value.split([';', ',']).next().unwrap_or_default().trim();
                people.insert(key.trim().to_lowercase(), name);
            } else if section.to_lowercase() == photo.to_lowercase() && key.trim() == "faces" {
                faces = value;
            }
        }
    }
    let region = |face: &str| {
        let (rectangle, person) = face.trim().split_once(',')?;
        let digits = rectangle.strip_prefix("rect64(")?.strip_suffix(')')?;
        let name = people.get(&person.trim().to_lowercase());
        let name = name.filter(|name| !name.is_empty()).map(|name| (*name).to_owned());
        Some(Region { area: area(digits)?, name, kind: Kind::Face, source: Source::Picasa, mark: None })
    };
    Regions { list: faces.split(';').filter_map(region).collect(), ..Regions::default() }
}

/// Left, top, right and bottom in 65,536ths, four hexadecimal digits each; zeros in front are left out.
fn area(digits: &str) -> Option<Area> {
    let number = u64::from_str_radix(digits, 16).ok()?;
    let [left, top, right, bottom] = [48, 32, 16, 0].map(|shift| f64::from((number >> shift) as u16) / 65_536.0);
    Area::from_edges(left, top, right, bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INI: &str = "[Picasa]\r\nname=Trip\r\n[Contacts2]\r\n8e62398ebda8c1a5=Grandma Rose;;\r\n[IMG_1.JPG]\r\nfaces=rect64(40004000c000c000),8E62398EBDA8C1A5;rect64(80000000ffff),ffffffffffffffff\r\nrotate=rotate(0)\r\n";

    #[test]
    fn faces_and_their_people_are_read() {
        let found = regions(INI, "img_1.jpg").list;
        assert_eq!(found[0].name.as_deref(), Some("Grandma Rose"));
        assert_eq!((found[0].area.x(), found[0].area.w()), (0.5, 0.5));
        assert_eq!(found.get(1).and_then(|face| face.name.as_deref()), None);
        assert!(regions(INI, "IMG_2.JPG").list.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read(lines in prop::collection::vec("(\\[a\\]|\\[Contacts\\]|faces=\\PC{0,40}|\\PC{0,20})", 0..8)) {
            let _ = regions(&lines.join("\n"), "a");
        }
    }
}
