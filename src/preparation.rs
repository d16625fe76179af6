//! Preparation: from a photo to a face of the model's size, alike for the gallery and for every probe.

mod drawn;
mod origin;
mod shadows;

use image::GrayImage;
use rayon::prelude::*;

pub use self::drawn::FaceBox;
pub use self::origin::{KeptEyes, Origin};
use crate::error::PhotoProblem;
use crate::face_matrix::FaceSize;
use crate::locate::align::{EyePlacement, Point, Similarity};
use crate::locate::crop::crop;
use crate::locate::framing::{Agreement, CropEyes, Framing, Look, RelativeEyes, absolute_eyes, relative_eyes};
use crate::locate::{Location, Locator, main_face};
use crate::normalize::resize::{self, Fit};

/// Position of the eyes in every aligned face: from the sides between the best in the wild (22-25 %) and the best in the
/// studio (30 %), and about as far from the top as in the studio (35 %).
#[doc(hidden)]
pub const EYES: EyePlacement = EyePlacement { inset: 0.26, level: 0.36 };

/// Settings of the preparation of photos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparation {
    size: FaceSize,
    framing: Framing,
    crop_eyes: Option<CropEyes>,
}

/// Which face of a photo is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FaceChoice {
    /// The largest and most central.
    #[default]
    Main,
    /// The only one; a photo that shows several is refused.
    Only,
    /// The one of this number, counted from 1, row by row.
    Number(usize),
    /// The one in this box, whether or not it is found there.
    In(FaceBox),
}

impl FaceChoice {
    /// The position of the chosen face among those of a photo, row by row, of which `main` is the main one.
    ///
    /// # Errors
    /// No face; a number that there is not; several faces where one was expected; none in the box.
    pub fn position(self, faces: &[PreparedFace], main: usize) -> Result<usize, PhotoProblem> {
        let count = faces.len();
        match self {
            _ if count == 0 => Err(PhotoProblem::NoFace),
            Self::In(drawn) => drawn.position(faces),
            Self::Main => Ok(main),
            Self::Only if count == 1 => Ok(0),
            Self::Number(number) if (1..=count).contains(&number) => Ok(number - 1),
            Self::Only | Self::Number(_) => Err(PhotoProblem::WhichFace { count }),
        }
    }

    /// The box that a person drew, if any.
    pub fn drawn(self) -> Option<FaceBox> {
        if let Self::In(bounds) = self { Some(bounds) } else { None }
    }
}

/// A face of the model's size.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedFace {
    /// d pixels, row by row.
    pub pixels: Vec<u8>,
    /// The region of the photo.
    pub region: PhotoRegion,
    /// What a gallery keeps of the photo.
    pub origin: Origin,
}

/// The longest side, in pixels, of a photo that is kept; a longer one is shrunk, or is not kept where its eyes are sure.
pub const KEPT_SIDE: u32 = 192;

/// Longest side in pixels, and width over height, of a picture that may be a crop of a face though none is found.
const CROP_SIDE: u32 = 256;
const CROP_SHAPES: std::ops::RangeInclusive<f32> = 0.6..=1.1;

/// Eyes whose places, found from several starts, lie farther apart than this share of the distance between them are in
/// doubt: none of 399 photos of AT&T, 1.3 % of LFW's, 25 % of those lit from the side (docs/notebook/recognition.md).
const DOUBTFUL_SPREAD: f32 = 0.02;

/// The farthest that eyes found lie from the frame's that take their place, in distances between the eyes. Where they are in
/// doubt, a face found elsewhere is another one, unless all crops were aligned by one frame; where they are sure, they give
/// way in such crops only, and a photo that shows them elsewhere has another frame.
fn frame_reach(agreement: Agreement, eyes: KeptEyes) -> f32 {
    match (agreement, eyes) {
        (_, KeptEyes::None) | (Agreement::Aligned, KeptEyes::Doubtful(_)) => f32::INFINITY,
        (Agreement::Near, KeptEyes::Doubtful(_)) => 0.6,
        (Agreement::Aligned, KeptEyes::Sure(_)) => 0.3,
        (Agreement::Near, KeptEyes::Sure(_)) => 0.0,
    }
}

/// The region of a photo that became a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PhotoRegion {
    /// The photo as it is, brought to the size.
    Whole(Fit),
    /// A face that was found and aligned by the eyes.
    Found {
        /// Its box and eyes.
        location: Location,
        /// Number of faces found in the photo, this one among them.
        of: usize,
    },
    /// A face that was not found, but shown by a person, and aligned by the eyes.
    Shown(Location),
    /// A small picture in which no face was found, aligned by where the eyes stand in the gallery's other photos, or whole.
    Assumed,
}

impl PhotoRegion {
    /// Box and eyes of the face, if it was looked for.
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Whole(_) | Self::Assumed => None,
            Self::Found { location, .. } | Self::Shown(location) => Some(*location),
        }
    }
}

impl Preparation {
    /// Photos become faces of this size: as they are, cropped to its shape, or detected and aligned by the eyes.
    pub fn new(size: FaceSize, framing: Framing) -> Self {
        Self { size, framing, crop_eyes: None }
    }

    /// This preparation, with the eyes' places in photos of the gallery's shape in which no face is found.
    #[must_use]
    pub fn with_crop_eyes(self, crop_eyes: Option<CropEyes>) -> Self {
        Self { crop_eyes, ..self }
    }

    /// Whether photos are prepared alike: the same but for the frame, which follows from each gallery.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.with_crop_eyes(None) == other.with_crop_eyes(None)
    }

    /// Width and height of the faces.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// The framing of photos.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Position of the eyes in photos in which no face is found, if all crops of the gallery have them in one place.
    pub fn crop_eyes(&self) -> Option<CropEyes> {
        self.crop_eyes
    }

    /// The face that a photo of one person is about: of several faces the largest and most central.
    ///
    /// # Errors
    /// A photo too small to show a face; no face where faces are looked for ([`PhotoProblem::NoFace`]).
    pub fn prepare(&self, photo: &GrayImage) -> Result<PreparedFace, PhotoProblem> {
        match self.framing {
            Framing::AsIs => self.whole(photo),
            Framing::Detect => {
                let found = Locator::shared()?.locate(photo)?;
                self.prepare_located(photo, &found).or_else(|| self.unlocated(photo)).ok_or(PhotoProblem::NoFace)
            }
        }
    }

    /// The face that a photo of one person is about, of those that were found in it; `None` where there is none.
    pub fn prepare_located(&self, photo: &GrayImage, found: &[Location]) -> Option<PreparedFace> {
        let face = found.get(main_face(found, photo.dimensions())?)?;
        Some(self.aligned(photo, *face, found.len()))
    }

    /// Every face of a photo, row by row; just one, the whole photo, where photos are taken as they are. No face is no error.
    ///
    /// # Errors
    /// A photo too small to show a face, where photos are taken as they are.
    pub fn prepare_all(&self, photo: &GrayImage) -> Result<Vec<PreparedFace>, PhotoProblem> {
        match self.framing {
            Framing::AsIs => Ok(vec![self.whole(photo)?]),
            Framing::Detect => {
                let found = Locator::shared()?.locate(photo)?;
                if found.is_empty() {
                    return Ok(self.unlocated(photo).into_iter().collect());
                }
                Ok(found.par_iter().map(|face| self.aligned(photo, *face, found.len())).collect())
            }
        }
    }

    /// Every face of a photo, row by row, then those that a person showed where none is found; none in one taken as it is.
    ///
    /// # Errors
    /// As [`prepare_all`](Self::prepare_all).
    pub fn prepare_shown(&self, photo: &GrayImage, shown: &[Location]) -> Result<Vec<PreparedFace>, PhotoProblem> {
        let mut faces = self.prepare_all(photo)?;
        if self.framing == Framing::AsIs {
            return Ok(faces);
        }
        let size = photo.dimensions();
        for location in shown {
            let mut places = faces.iter().filter_map(|face| face.region.location());
            if places.any(|place| drawn::are_one(place.bounds, location.bounds)) {
                continue;
            }
            // A small picture that was taken for a crop shows this face.
            faces.retain(|face| face.region != PhotoRegion::Assumed);
            faces.push(PreparedFace {
                pixels: self.face(photo, location.eyes),
                region: PhotoRegion::Shown(*location),
                origin: Origin::Found { photo: size, eyes: relative_eyes(size, location.eyes) },
            });
        }
        Ok(faces)
    }

    /// The chosen face of a photo.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); no face of that number.
    pub fn prepare_chosen(&self, photo: &GrayImage, choice: FaceChoice) -> Result<PreparedFace, PhotoProblem> {
        if choice == FaceChoice::Main {
            return self.prepare(photo);
        }
        let drawn = choice.drawn().map(|drawn| drawn.located(photo));
        let mut faces = self.prepare_shown(photo, drawn.transpose()?.as_slice())?;
        let at = choice.position(&faces, 0)?;
        Ok(faces.swap_remove(at))
    }

    /// The share of the face aligned by these eyes that lies outside a photo of this width and height.
    pub fn share_outside(&self, (width, height): (u32, u32), eyes: [Point; 2]) -> f32 {
        let to_photo = Similarity::between(EYES.points(self.size.width(), self.size.height()), eyes);
        let is_outside = |at: usize| {
            let (column, row) = (at as u32 % self.size.width(), at as u32 / self.size.width());
            let [x, y] = to_photo.apply([column as f32, row as f32]);
            !(-0.5..=width as f32 - 0.5).contains(&x) || !(-0.5..=height as f32 - 0.5).contains(&y)
        };
        let outside = (0..self.size.pixels()).filter(|&at| is_outside(at)).count();
        outside as f32 / self.size.pixels() as f32
    }

    fn whole(&self, photo: &GrayImage) -> Result<PreparedFace, PhotoProblem> {
        let (face, fit) = resize::fit(photo, self.size)?;
        Ok(PreparedFace { pixels: face.into_raw(), region: PhotoRegion::Whole(fit), origin: Origin::Whole })
    }

    fn aligned(&self, photo: &GrayImage, location: Location, of: usize) -> PreparedFace {
        let eyes = relative_eyes(photo.dimensions(), location.eyes);
        let Some(eyes) = kept_eyes(photo, &location, eyes).filter(|_| of == 1) else {
            return PreparedFace {
                pixels: self.face(photo, location.eyes),
                region: PhotoRegion::Found { location, of },
                origin: Origin::Found { photo: photo.dimensions(), eyes },
            };
        };
        let kept = kept(photo);
        let used = self.alignment_eyes(kept.dimensions(), eyes).unwrap_or(location.eyes);
        let eyes_used = absolute_eyes(photo.dimensions(), relative_eyes(kept.dimensions(), used));
        let region = PhotoRegion::Found { location: Location { eyes: eyes_used, ..location }, of };
        PreparedFace { pixels: self.face(&kept, used), region, origin: Origin::Kept { photo: kept, eyes } }
    }

    /// A photo in which no face was found; `None` unless size and aspect ratio are those of a face crop. This depends on nothing
    /// but the photo, so that no other photo decides whether it is enrolled.
    fn unlocated(&self, photo: &GrayImage) -> Option<PreparedFace> {
        let (width, height) = photo.dimensions();
        let is_crop = width.max(height) <= CROP_SIDE && CROP_SHAPES.contains(&(width as f32 / height.max(1) as f32));
        is_crop.then(|| self.assumed(kept(photo), KeptEyes::None))?
    }

    /// A kept photo, aligned by the gallery's frame or its eyes, else whole; `None` for one too small to show a face.
    pub fn assumed(&self, kept: GrayImage, eyes: KeptEyes) -> Option<PreparedFace> {
        let pixels = match self.alignment_eyes(kept.dimensions(), eyes) {
            Some(eyes) => self.face(&kept, eyes),
            None => resize::fit(&kept, self.size).ok()?.0.into_raw(),
        };
        Some(PreparedFace { pixels, region: PhotoRegion::Assumed, origin: Origin::Kept { photo: kept, eyes } })
    }

    /// Whether another preparation aligns a kept photo of this size by the same eyes, or by none either.
    pub fn aligns_alike(&self, other: &Self, size: (u32, u32), eyes: KeptEyes) -> bool {
        self.alignment_eyes(size, eyes) == other.alignment_eyes(size, eyes)
    }

    /// The eyes by which a kept photo of this size is aligned: those found, or the frame's ([`frame_reach`]).
    fn alignment_eyes(&self, size: (u32, u32), eyes: KeptEyes) -> Option<[Point; 2]> {
        let frame = self.crop_eyes.and_then(|crops| Some((crops.in_photo(size)?, frame_reach(crops.agreement, eyes))));
        let found = eyes.places().map(|eyes| absolute_eyes(size, eyes));
        let (Some(found), Some((frame, reach))) = (found, frame) else { return found.or(frame.map(|(eyes, _)| eyes)) };
        let distance = |[x, y]: Point, [u, v]: Point| libm::hypotf(x - u, y - v);
        let off = distance(found[0], frame[0]).max(distance(found[1], frame[1]));
        if off <= reach * distance(frame[0], frame[1]) { Some(frame) } else { Some(found) }
    }

    fn face(&self, photo: &GrayImage, eyes: [Point; 2]) -> Vec<u8> {
        shadows::aligned(photo, eyes, self.size, EYES).into_raw()
    }
}

/// The eyes of a photo that is kept for them: of a crop or small photo in which they are in doubt, and of any small crop.
fn kept_eyes(photo: &GrayImage, location: &Location, eyes: RelativeEyes) -> Option<KeptEyes> {
    let (width, height) = photo.dimensions();
    let is_small = width.max(height) <= KEPT_SIDE;
    let is_crop = !Look::of(&[*location], (width, height)).has_room();
    match location.eye_spread > DOUBTFUL_SPREAD {
        true => (is_small || is_crop).then_some(KeptEyes::Doubtful(eyes)),
        false => (is_small && is_crop).then_some(KeptEyes::Sure(eyes)),
    }
}

/// The photo as it is kept: shrunk to [`KEPT_SIDE`].
fn kept(photo: &GrayImage) -> GrayImage {
    let (width, height) = photo.dimensions();
    let longest = width.max(height);
    if longest <= KEPT_SIDE {
        return photo.clone();
    }
    let side = |length: u32| (u64::from(length) * u64::from(KEPT_SIDE) / u64::from(longest)).max(1);
    crop(photo, [0.0, 0.0, width as f32, height as f32], (side(width) as u32, side(height) as u32))
}
