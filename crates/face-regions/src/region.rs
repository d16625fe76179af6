//! The regions of a photo, as read from a packet.

use super::area::{Area, Dimensions};
use super::document::Node;
use super::names::{self, Property};
use super::rdf::{FieldSyntax, Packet, Structure, Value, number};

/// A part of a photo that a packet describes.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The place in the photo as stored.
    pub area: Area,
    /// The name, without white space around it; none where it is empty.
    pub name: Option<String>,
    /// The thing the region shows.
    pub kind: Kind,
    /// The properties that the region is described by.
    pub source: Source,
    /// The mark of this program, where it wrote the region or its name.
    pub mark: Option<Mark>,
}

/// The type of a region (MWG Guidelines 2.0, "Image Regions", property `mwg-rs:Type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `Face`; so are regions without a type and all regions of Microsoft's.
    Face,
    /// `Pet`.
    Pet,
    /// `Focus`, `BarCode` or an unknown type.
    Other,
}

/// The properties that describe a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `mwg-rs:Regions`, of the MWG Guidelines 2.0.
    Mwg,
    /// `MP:RegionInfo`, of Microsoft Photo 1.2.
    Microsoft,
    /// `Iptc4xmpExt:ImageRegion`, of the IPTC Photo Metadata Standard 2019.1.
    Iptc,
    /// `acdsee-rs:Regions`, of ACDSee.
    Acdsee,
    /// `.picasa.ini`, of Picasa; no packet has it.
    Picasa,
}

/// The fields that this program puts into the `mwg-rs:Extensions` of the regions that it names.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The name that this program wrote.
    pub name: String,
    /// The confidence that it wrote, as text.
    pub confidence: Option<String>,
}

/// The origin of a region's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming<'a> {
    /// The region has no name.
    Nameless,
    /// A person, or another program, gave this name.
    Person(&'a str),
    /// This program gave this name, and nobody has changed it.
    Program(&'a str),
    /// This program gave this name, and somebody has taken it away.
    Removed(&'a str),
}

impl Region {
    /// The origin of the name.
    pub fn naming(&self) -> Naming<'_> {
        match (self.name.as_deref(), &self.mark) {
            (None, None) => Naming::Nameless,
            (None, Some(mark)) => Naming::Removed(&mark.name),
            (Some(name), Some(mark)) if mark.name == name => Naming::Program(name),
            (Some(name), _) => Naming::Person(name),
        }
    }

    /// Whether it is a face that a person, or another program, has named.
    pub fn is_named_face(&self) -> bool {
        self.kind == Kind::Face && matches!(self.naming(), Naming::Person(_))
    }
}

/// All regions of a packet, in its order, those of the MWG first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Regions {
    /// The size of the photo, as stored, that the regions of the MWG or of ACDSee were made for (`AppliedToDimensions`).
    pub dimensions: Option<Dimensions>,
    /// The regions whose numbers are valid.
    pub list: Vec<Region>,
    /// The names of the other faces, whose numbers are missing or out of range.
    pub unplaced: Vec<String>,
    /// The extension of the photo that a sidecar belongs to (`photoshop:SidecarForExtension`).
    pub extension: Option<String>,
}

/// The largest difference between the proportions of a photo and of its smaller copy.
const ROUNDED_PROPORTIONS: f64 = 0.01;

impl Regions {
    /// Whether the MWG regions apply to a photo of this size as stored: it has the proportions that they were made for, or the
    /// packet does not tell. After cropping they do not (MWG Guidelines 2.0).
    pub fn fits(&self, photo: Dimensions) -> bool {
        let Some(made_for) = self.dimensions else { return true };
        let ((width, height), (photo_width, photo_height)) = (made_for.sides(), photo.sides());
        let (a, b) = (width * photo_height, height * photo_width);
        (a - b).abs() <= ROUNDED_PROPORTIONS * a.max(b)
    }
}

#[derive(Debug)]
pub(super) struct FoundRegion<'d> {
    pub region: Region,
    pub structure: Structure<'d>,
    /// The item of the list.
    pub item: Node<'d>,
}

const OUR_FIELDS: [Property; 4] = [names::AREA, names::EXTENSIONS, names::NAME, names::TYPE];

impl FoundRegion<'_> {
    pub(super) fn can_be_named(&self) -> bool {
        self.region.source == Source::Mwg && self.structure.form == FieldSyntax::Elements
    }

    /// Whether this program added the region, and nobody has changed its place or described it further since.
    pub(super) fn is_ours(&self) -> bool {
        let extensions = self.structure.field(names::EXTENSIONS);
        let Some(extensions) = extensions.and_then(Value::structure) else { return false };
        let written = extensions.text(names::OUR_AREA).and_then(numbers);
        let area = &self.region.area;
        let is_there = written.is_some_and(|written| {
            let now = [area.x(), area.y(), area.w(), area.h()];
            now.iter().zip(written).all(|(a, b)| (a - b).abs() < 1e-6)
        });
        is_there
            && self.structure.has_only(&OUR_FIELDS)
            && extensions.has_only(&[names::OUR_AREA, names::OUR_CONFIDENCE, names::OUR_NAME])
    }
}

/// The regions of a packet: those of the MWG, then those of others.
pub(super) fn of<'d>(packet: &Packet<'d>) -> (Regions, Vec<FoundRegion<'d>>) {
    let mut found: Vec<FoundRegion<'d>> = Vec::new();
    let mut unplaced = Vec::new();
    for (item, structure, source, (area, name, kind)) in descriptions(packet) {
        let mark = if source == Source::Mwg { mark(structure) } else { None };
        let Some(area) = area else {
            let is_ours = |name: &String| mark.as_ref().is_some_and(|it| it.name == *name);
            unplaced.extend(name.filter(|name| !is_ours(name) && kind == Kind::Face));
            continue;
        };
        let region = Region { area, name, kind, source, mark };
        // A name of the MWG's goes before another that a program left behind for the same face.
        let goes_before = |mwg: &Region| {
            let is_mwg = mwg.source == Source::Mwg && region.source != Source::Mwg;
            is_mwg && mwg.is_named_face() && mwg.name != region.name && mwg.area.same_face(&area).is_some()
        };
        if !found.iter().any(|other| goes_before(&other.region)) {
            found.push(FoundRegion { region, structure, item });
        }
    }
    let regions = Regions {
        dimensions: dimensions(packet),
        list: found.iter().map(|found| found.region.clone()).collect(),
        unplaced,
        extension: filled(packet.values(names::SIDECAR_FOR).find_map(Value::text)),
    };
    (regions, found)
}

/// Area (none where its numbers are missing or out of range), name and kind of the region that a structure describes.
type Description = (Option<Area>, Option<String>, Kind);

/// The items of all lists of regions, and what each says.
fn descriptions<'d>(packet: &Packet<'d>) -> impl Iterator<Item = (Node<'d>, Structure<'d>, Source, Description)> {
    let described = |lists: Vec<Value<'d>>, source, describe: fn(Structure<'_>) -> Description| {
        let items = lists.into_iter().filter_map(Value::list);
        items.flat_map(|list| list.items).filter_map(move |item| {
            let structure = Structure::of(item)?;
            Some((item, structure, source, describe(structure)))
        })
    };
    let fields = |property, list| {
        packet.values(property).filter_map(Value::structure).flat_map(move |it| it.fields(list)).collect()
    };
    described(fields(names::REGIONS, names::REGION_LIST), Source::Mwg, mwg)
        .chain(described(fields(names::MICROSOFT_INFO, names::MICROSOFT_REGIONS), Source::Microsoft, microsoft))
        .chain(described(packet.values(names::IPTC_REGIONS).collect(), Source::Iptc, iptc))
        .chain(described(fields(names::ACDSEE_REGIONS, names::ACDSEE_LIST), Source::Acdsee, acdsee))
}

fn mwg(structure: Structure<'_>) -> Description {
    let area = structure.field(names::AREA).and_then(Value::structure);
    let is_relative = |area: &Structure<'_>| matches!(area.text(names::AREA_UNIT), None | Some("" | "normalized"));
    let numbers = [names::AREA_X, names::AREA_Y, names::AREA_W, names::AREA_H];
    let kind = match structure.text(names::TYPE) {
        None | Some("" | "Face") => Kind::Face,
        Some("Pet") => Kind::Pet,
        Some(_) => Kind::Other,
    };
    let area = area.filter(is_relative).and_then(|it| area_of(it, numbers));
    (area, filled(structure.text(names::NAME)), kind)
}

/// The area of these fields: the centre, width and height.
fn area_of(structure: Structure<'_>, fields: [Property; 4]) -> Option<Area> {
    let [x, y, w, h] = fields.map(|field| structure.number(field));
    Area::new(x?, y?, w?, h?)
}

fn mark(region: Structure<'_>) -> Option<Mark> {
    let extensions = region.field(names::EXTENSIONS)?.structure()?;
    Some(Mark {
        name: filled(extensions.text(names::OUR_NAME))?,
        confidence: filled(extensions.text(names::OUR_CONFIDENCE)),
    })
}

fn microsoft(structure: Structure<'_>) -> Description {
    let rectangle = structure.text(names::MICROSOFT_RECTANGLE).and_then(numbers);
    let area = rectangle
        .and_then(|[left, top, width, height]| Area::new(left + width / 2.0, top + height / 2.0, width, height));
    (area, filled(structure.text(names::MICROSOFT_NAME)), Kind::Face)
}

/// The name is that of the person shown, or else the region's own.
fn iptc(structure: Structure<'_>) -> Description {
    let boundary = structure.field(names::IPTC_BOUNDARY).and_then(Value::structure);
    let name = |property| filled(structure.text(property));
    let name = name(names::IPTC_PERSON).or_else(|| name(names::IPTC_NAME));
    (boundary.and_then(iptc_area), name, iptc_kind(structure))
}

/// A rectangle or polygon with relative numbers. Pixels and circles need the photo's size, which the packet does not tell.
fn iptc_area(boundary: Structure<'_>) -> Option<Area> {
    if boundary.text(names::IPTC_UNIT)? != "relative" {
        return None;
    }
    let point = |it: Structure<'_>| Some([it.number(names::IPTC_X)?, it.number(names::IPTC_Y)?]);
    match boundary.text(names::IPTC_SHAPE)? {
        "rectangle" => {
            let ([x, y], w) = (point(boundary)?, boundary.number(names::IPTC_W)?);
            Area::from_edges(x, y, x + w, y + boundary.number(names::IPTC_H)?)
        }
        "polygon" => {
            let vertices = boundary.field(names::IPTC_VERTICES)?.list()?.items;
            let points = vertices.into_iter().map(|it| point(Structure::of(it)?));
            let points = points.collect::<Option<Vec<[f64; 2]>>>()?;
            let edge = |axis: usize, side: fn(f64, f64) -> f64| points.iter().map(|point| point[axis]).reduce(side);
            Area::from_edges(edge(0, f64::min)?, edge(1, f64::min)?, edge(0, f64::max)?, edge(1, f64::max)?)
        }
        _ => None,
    }
}

/// A region whose types are given, none of them a human's, shows something else, unless a person in it is named.
fn iptc_kind(structure: Structure<'_>) -> Kind {
    let types = structure.field(names::IPTC_TYPE).and_then(Value::list).map(|list| list.items).unwrap_or_default();
    let is_human = |item: &Node<'_>| {
        let texts = Structure::of(*item)
            .map(|entity| [names::IPTC_IDENTIFIER, names::IPTC_NAME].map(|property| entity.text(property)));
        texts.into_iter().flatten().flatten().any(|text| {
            let last = text.rsplit('/').next().unwrap_or_default();
            let mut kinds = ["human", "face", "person"].iter();
            kinds.any(|kind| last.eq_ignore_ascii_case(kind))
        })
    };
    let is_person = filled(structure.text(names::IPTC_PERSON)).is_some();
    if types.is_empty() || is_person || types.iter().any(is_human) { Kind::Face } else { Kind::Other }
}

/// The place is where a person drew the region, or else where it was found.
fn acdsee(structure: Structure<'_>) -> Description {
    let area = structure.field(names::ACDSEE_DRAWN).or(structure.field(names::ACDSEE_FOUND));
    let numbers = [names::ACDSEE_X, names::ACDSEE_Y, names::ACDSEE_W, names::ACDSEE_H];
    let is_face = matches!(structure.text(names::ACDSEE_TYPE), None | Some("" | "Face"));
    let kind = if is_face { Kind::Face } else { Kind::Other };
    let area = area.and_then(Value::structure).and_then(|it| area_of(it, numbers));
    (area, filled(structure.text(names::ACDSEE_NAME)), kind)
}

fn numbers(text: &str) -> Option<[f64; 4]> {
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    numbers?.try_into().ok()
}

/// The size that the regions of a packet were made for; none where it is missing or has no pixels.
fn dimensions(packet: &Packet<'_>) -> Option<Dimensions> {
    let side = |number: f64| (1.0..=f64::from(u32::MAX)).contains(&number).then_some(number as u32);
    let of = |regions, dimensions| {
        let regions = packet.values(regions).filter_map(Value::structure);
        regions.flat_map(move |regions| regions.fields(dimensions))
    };
    let acdsee = of(names::ACDSEE_REGIONS, names::ACDSEE_DIMENSIONS);
    let mut sizes = of(names::REGIONS, names::APPLIED_TO_DIMENSIONS).chain(acdsee).filter_map(Value::structure);
    sizes.find_map(|size| {
        let (width, height) = (side(size.number(names::DIMENSIONS_W)?)?, side(size.number(names::DIMENSIONS_H)?)?);
        Some(Dimensions { width, height })
    })
}

fn filled(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}
