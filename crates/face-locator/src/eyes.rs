//! The exact position of the eyes: a cascade of regressions that walks from the detector's box to both eyes.

use image::GrayImage;

use super::align::{EyePlacement, Point};
use super::bilinear::BilinearTable;
use super::crop::crop;
use super::descent::{Eyes, FEATURES, OUTPUTS, Row, Step};
use crate::LocateError;
use crate::reader::Reader;

/// The weights that come with the program; docs/MODEL-CARD.md says what they were learned from.
pub(super) static BUNDLED: &[u8] = include_bytes!("../models/eyes.bin");

/// The neighbourhood of a detected face, brought to a fixed size: what the eye model looks at.
pub struct Portrait {
    picture: BilinearTable,
    /// Left and top edge in the photo, and photo pixels for each pixel of the picture.
    left: f32,
    top: f32,
    step: f32,
}

/// Width and height of a portrait, in pixels.
const PORTRAIT: u32 = 216;
/// Width of a portrait, measured in boxes: room for eyes that the box just misses and for turned heads.
const BOXES: f32 = 1.8;

impl Portrait {
    /// Cuts the portrait of the face in a box `[x, y, width, height]` out of a photo.
    pub fn new(photo: &GrayImage, [x, y, width, height]: [f32; 4]) -> Self {
        let side = width.max(height).max(1.0) * BOXES;
        let (left, top) = (x + (width - side) / 2.0, y + (height - side) / 2.0);
        let picture = crop(photo, [left, top, side, side], (PORTRAIT, PORTRAIT));
        Self { picture: BilinearTable::new(&picture), left, top, step: side / PORTRAIT as f32 }
    }

    /// The picture itself.
    pub fn picture(&self) -> &BilinearTable {
        &self.picture
    }

    /// From photo pixels to portrait pixels.
    pub fn from_photo(&self, [x, y]: Point) -> Point {
        [(x + 0.5 - self.left) / self.step - 0.5, (y + 0.5 - self.top) / self.step - 0.5]
    }

    /// From portrait pixels to photo pixels.
    pub fn to_photo(&self, [x, y]: Point) -> Point {
        [(x + 0.5) * self.step - 0.5 + self.left, (y + 0.5) * self.step - 0.5 + self.top]
    }

    /// Portrait pixels of a point given in boxes from the box's middle.
    pub fn from_box([x, y]: Point) -> Point {
        [x, y].map(|at| (0.5 + at / BOXES) * PORTRAIT as f32 - 0.5)
    }
}

/// Both eyes of a face, and how far they can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EyeFit {
    /// In photo pixels, image-left eye first.
    pub eyes: Eyes,
    /// Distance between the ends of walks from different starts, in eye distances: below 0.05 for most faces.
    pub spread: f32,
}

/// The trained cascade.
#[derive(Debug, Clone, PartialEq)]
pub struct EyeModel {
    /// Mean position of the eyes, in boxes from the box's middle.
    start: Eyes,
    steps: Vec<Step>,
}

/// Starts of the walk: shift to the right and down (in distances between the eyes), turn (tangent), and scale.
const STARTS: [[f32; 4]; 5] = [
    [0.0, 0.0, 0.0, 1.0],
    [0.15, 0.1, 0.1, 0.9],
    [-0.15, 0.1, -0.1, 1.1],
    [0.15, -0.1, -0.1, 1.1],
    [-0.15, -0.1, 0.1, 0.9],
];

impl EyeModel {
    /// The model that comes with the program.
    pub fn bundled() -> Result<Self, LocateError> {
        Self::from_bytes(BUNDLED)
    }

    /// A model from its parts: where to start, in boxes from the box's middle, and the steps to take.
    pub fn new(start: Eyes, steps: Vec<Step>) -> Self {
        Self { start, steps }
    }

    /// Finds the eyes of the face in a box `[x, y, width, height]` of a photo.
    pub fn find(&self, photo: &GrayImage, bounds: [f32; 4]) -> EyeFit {
        let portrait = Portrait::new(photo, bounds);
        let ends = STARTS.map(|start| self.walk(&portrait, disturbed(self.start, start)));
        let mean = [0, 1]
            .map(|eye| [0, 1].map(|axis| ends.iter().map(|end| end[eye][axis]).sum::<f32>() / STARTS.len() as f32));
        let apart = distance(mean[0], mean[1]).max(f32::MIN_POSITIVE);
        let off = |end: &Eyes| distance(end[0], mean[0]).max(distance(end[1], mean[1]));
        let spread = ends.iter().map(off).sum::<f32>() / (STARTS.len() as f32 * apart);
        EyeFit { eyes: mean.map(|eye| portrait.to_photo(eye)), spread }
    }

    /// The mean eye positions of faces in such a box.
    pub fn usual(&self, [x, y, width, height]: [f32; 4]) -> Eyes {
        let side = width.max(height);
        let middle = [x + width / 2.0, y + height / 2.0];
        self.start.map(|eye| [0, 1].map(|axis| middle[axis] + eye[axis] * side))
    }

    /// The box in which most faces have their eyes there.
    pub fn bounds(&self, eyes: Eyes) -> [f32; 4] {
        let side = distance(eyes[0], eyes[1]) / distance(self.start[0], self.start[1]);
        let middle = [0, 1].map(|axis| {
            let sum = |two: Eyes| two[0][axis] + two[1][axis];
            (sum(eyes) - sum(self.start) * side) / 2.0
        });
        [middle[0] - side / 2.0, middle[1] - side / 2.0, side, side]
    }

    /// Walks from a start (in boxes from the box's middle) to the eyes (in portrait pixels).
    pub fn walk(&self, portrait: &Portrait, start: Eyes) -> Eyes {
        let start = start.map(Portrait::from_box);
        self.steps.iter().fold(start, |eyes, step| step.take(portrait.picture(), eyes))
    }
}

/// Both eyes shifted, turned and scaled about their middle.
pub fn disturbed(eyes: Eyes, [right, down, turn, scale]: [f32; 4]) -> Eyes {
    let middle = [(eyes[0][0] + eyes[1][0]) / 2.0, (eyes[0][1] + eyes[1][1]) / 2.0];
    let half = [(eyes[1][0] - eyes[0][0]) / 2.0, (eyes[1][1] - eyes[0][1]) / 2.0];
    let apart = 2.0 * libm::hypotf(half[0], half[1]);
    let arm = [scale * (half[0] - turn * half[1]), scale * (half[1] + turn * half[0])];
    let middle = [middle[0] + right * apart, middle[1] + down * apart];
    [[middle[0] - arm[0], middle[1] - arm[1]], [middle[0] + arm[0], middle[1] + arm[1]]]
}

/// The distance of two points.
pub(super) fn distance(one: Point, other: Point) -> f32 {
    libm::hypotf(one[0] - other[0], one[1] - other[1])
}

/// The first bytes of a file of weights, with the version of the format.
const MAGIC: &[u8; 8] = b"EFEYES\0\x01";

/// More steps than this are not a model of ours.
const MAX_STEPS: usize = 16;

// The file: magic, number of steps (u32), start (4 x f32), then for each step inset and level (f32) and
// for each coordinate scale, bias (f32) and the weights (i8). Little endian throughout.
impl EyeModel {
    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.steps.len() as u32).to_le_bytes());
        bytes.extend(self.start.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        for step in &self.steps {
            bytes.extend([step.frame.inset, step.frame.level].iter().flat_map(|number| number.to_le_bytes()));
            for row in &step.rows {
                bytes.extend([row.scale, row.bias].iter().flat_map(|number| number.to_le_bytes()));
                bytes.extend(row.weights.iter().map(|weight| weight.to_le_bytes()[0]));
            }
        }
        bytes
    }

    /// Reads a model.
    ///
    /// # Errors
    /// When the bytes are not a model of this version, whole and with finite numbers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LocateError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(LocateError::EyeModel("it does not begin like one"))?;
        let mut reader = Reader(rest);
        let model =
            reader.eye_model().ok_or(LocateError::EyeModel("it ends too early, or holds what is no number of one"))?;
        if reader.0.is_empty() { Ok(model) } else { Err(LocateError::EyeModel("bytes are left over at its end")) }
    }
}

impl Reader<'_> {
    fn eye_model(&mut self) -> Option<EyeModel> {
        let count = self.count(MAX_STEPS)?;
        let start = [[self.float()?, self.float()?], [self.float()?, self.float()?]];
        Some(EyeModel { start, steps: (0..count).map(|_| self.step()).collect::<Option<_>>()? })
    }

    fn step(&mut self) -> Option<Step> {
        let frame = EyePlacement { inset: self.float()?, level: self.float()? };
        Some(Step { frame, rows: (0..OUTPUTS).map(|_| self.row()).collect::<Option<_>>()? })
    }

    fn row(&mut self) -> Option<Row> {
        Some(Row {
            scale: self.float()?,
            bias: self.float()?,
            weights: self.take(FEATURES)?.iter().map(|weight| weight.cast_signed()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_model_survives_its_file() {
        let model = EyeModel::from_bytes(BUNDLED).expect("the bundled weights are whole");
        assert!(!model.steps.is_empty());
        assert_eq!(model.to_bytes(), BUNDLED);
    }

    #[test]
    fn a_cut_or_lengthened_file_is_refused() {
        for end in 0..BUNDLED.len() {
            assert!(EyeModel::from_bytes(&BUNDLED[..end]).is_err(), "{end} bytes are not a model");
        }
        assert!(EyeModel::from_bytes(&[BUNDLED, b"x"].concat()).is_err());
    }

    #[test]
    fn a_number_that_is_not_finite_is_refused() {
        let mut bytes = BUNDLED.to_vec();
        bytes[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(EyeModel::from_bytes(&bytes).is_err());
    }

    #[test]
    fn a_huge_count_is_refused_before_anything_is_read() {
        let mut bytes = BUNDLED.to_vec();
        bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(EyeModel::from_bytes(&bytes).is_err());
    }

    /// The inverse of [`Portrait::from_box`].
    fn to_box([x, y]: Point) -> Point {
        [x, y].map(|at| ((at + 0.5) / PORTRAIT as f32 - 0.5) * BOXES)
    }

    #[test]
    fn portraits_know_their_way_back() {
        let portrait = Portrait::new(&GrayImage::new(90, 70), [10.5, -4.0, 40.0, 40.0]);
        let point = [33.25, 17.5];
        assert!(distance(portrait.to_photo(portrait.from_photo(point)), point) < 1e-3);
        assert!(distance(to_box(Portrait::from_box([0.2, -0.1])), [0.2, -0.1]) < 1e-5);
    }

    #[test]
    fn nothing_to_see_gives_finite_eyes() {
        let model = EyeModel::bundled().expect("the bundled weights are whole");
        for bounds in [[0.0; 4], [1e9, -1e9, 40.0, 40.0], [5.0, 5.0, 1e-9, 3.0]] {
            let fit = model.find(&GrayImage::new(20, 20), bounds);
            assert!(fit.eyes.as_flattened().iter().all(|number| number.is_finite()), "{bounds:?}: {fit:?}");
        }
    }

    proptest! {
        #[test]
        fn rubbish_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
            prop_assert!(EyeModel::from_bytes(&bytes).is_err());
        }
    }
}
