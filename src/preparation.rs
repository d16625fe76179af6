//! How a photo becomes a face of the model's size: the same for the gallery and for every probe.

use image::GrayImage;

use crate::error::PhotoProblem;
use crate::face_matrix::FaceSize;
use crate::locate::align::{EyePlacement, align};
use crate::locate::framing::Framing;
use crate::locate::{Location, Locator, main_face};
use crate::normalize::Light;
use crate::normalize::resize::{self, Fit};

/// Where the eyes stand in every aligned face. Between what did best in the wild (22-25 % / 27 %) and in
/// the studio (30 % / 35 %).
const EYES: EyePlacement = EyePlacement {
    inset: 0.28,
    level: 0.33,
};

/// How photos are made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparation {
    size: FaceSize,
    framing: Framing,
    light: Light,
}

/// A face of the model's size.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedFace {
    /// d pixels, row by row.
    pub pixels: Vec<u8>,
    /// What part of the photo it is.
    pub part: Part,
}

/// What part of a photo became a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// The photo as it is, brought to the size.
    Whole(Fit),
    /// A face that was found and aligned by the eyes.
    Found {
        /// Where.
        location: Location,
        /// How many faces were found in the photo, this one among them.
        of: usize,
    },
}

impl Part {
    /// Where the face was found, if it was looked for.
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Whole(_) => None,
            Self::Found { location, .. } => Some(*location),
        }
    }
}

impl Preparation {
    /// Photos become faces of this size, in this way. As they are: their shape is kept and what is over is
    /// cropped. Detected: faces are turned, scaled and shifted so that all eyes stand in the same places.
    pub fn new(size: FaceSize, framing: Framing) -> Self {
        Self {
            size,
            framing,
            light: Light::None,
        }
    }

    /// The same, and differences of light evened out by this recipe.
    #[must_use]
    pub fn with_light(self, light: Light) -> Self {
        Self { light, ..self }
    }

    /// Width and height of the faces.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// How photos become faces.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// How differences of light are evened out.
    pub fn light(&self) -> Light {
        self.light
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
                main_face(&found, photo.dimensions())
                    .and_then(|main| found.get(main))
                    .map(|face| self.aligned(photo, *face, found.len()))
                    .ok_or(PhotoProblem::NoFace)
            }
        }
    }

    /// Every face of a photo, from left to right; just one, the whole photo, where photos are taken as they
    /// are. No face is no error.
    ///
    /// # Errors
    /// A photo too small to show a face, where photos are taken as they are.
    pub fn prepare_all(&self, photo: &GrayImage) -> Result<Vec<PreparedFace>, PhotoProblem> {
        match self.framing {
            Framing::AsIs => Ok(vec![self.whole(photo)?]),
            Framing::Detect => {
                let found = Locator::shared()?.locate(photo)?;
                let faces = found
                    .iter()
                    .map(|face| self.aligned(photo, *face, found.len()));
                Ok(faces.collect())
            }
        }
    }

    fn whole(&self, photo: &GrayImage) -> Result<PreparedFace, PhotoProblem> {
        let (face, fit) = resize::fit(photo, self.size)?;
        Ok(PreparedFace {
            pixels: self.lit(face),
            part: Part::Whole(fit),
        })
    }

    fn aligned(&self, photo: &GrayImage, location: Location, of: usize) -> PreparedFace {
        let size = (self.size.width(), self.size.height());
        PreparedFace {
            pixels: self.lit(align(photo, location.eyes, size, EYES)),
            part: Part::Found { location, of },
        }
    }

    fn lit(&self, face: GrayImage) -> Vec<u8> {
        let mut pixels = face.into_raw();
        self.light.apply(&mut pixels, self.size);
        pixels
    }
}
