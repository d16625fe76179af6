//! The elements of new MWG regions (MWG Guidelines 2.0, "Image Regions"), in exiftool's order: by name.

use super::area::{Area, Dimensions};
use super::face::Face;
use super::fragment::Fragment;
use super::names;

pub(super) fn applied_to_dimensions(photo: Dimensions) -> Fragment {
    let fields = vec![
        Fragment::text(names::DIMENSIONS_H, photo.height.to_string()),
        Fragment::text(names::DIMENSIONS_UNIT, "pixel"),
        Fragment::text(names::DIMENSIONS_W, photo.width.to_string()),
    ];
    Fragment::structure(names::APPLIED_TO_DIMENSIONS, fields)
}

pub(super) fn new_region(face: &Face<'_>) -> Fragment {
    let mut fields = vec![area(&face.area)];
    fields.extend(extensions(face, Region::New));
    fields.push(Fragment::text(names::NAME, face.name));
    fields.push(Fragment::text(names::TYPE, "Face"));
    Fragment::structure(names::ITEM, fields)
}

fn area(area: &Area) -> Fragment {
    let number = |name, number: f64| Fragment::text(name, format!("{number:.6}"));
    let fields = vec![
        number(names::AREA_H, area.h()),
        Fragment::text(names::AREA_UNIT, "normalized"),
        number(names::AREA_W, area.w()),
        number(names::AREA_X, area.x()),
        number(names::AREA_Y, area.y()),
    ];
    Fragment::structure(names::AREA, fields)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    New,
    Present,
}

/// The mark of this program; none on names that a person gave.
pub(super) fn extensions(face: &Face<'_>, region: Region) -> Option<Fragment> {
    let confidence = face.confidence.as_deref()?;
    let mut fields =
        vec![Fragment::text(names::OUR_CONFIDENCE, confidence), Fragment::text(names::OUR_NAME, face.name)];
    if region == Region::New {
        let area = &face.area;
        let sides = [area.x(), area.y(), area.w(), area.h()].map(|side| format!("{side:.6}"));
        fields.insert(0, Fragment::text(names::OUR_AREA, sides.join(", ")));
    }
    Some(Fragment::structure(names::EXTENSIONS, fields))
}
