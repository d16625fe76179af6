//! Problems of one photo.

use std::path::PathBuf;

use face_locator::LocateError;

/// The reason why one photo cannot be used. Carries no path: whoever lists it knows which file it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhotoProblem {
    /// The file holds no bytes.
    #[error("the file is empty; copy it again from where it came")]
    Empty,

    /// Nothing of this name is there.
    #[error("no such file or folder; check the spelling")]
    NotThere,

    /// The file cannot be opened or read.
    #[error("cannot be read ({reason}); check that it is there and its permissions")]
    Unreadable { reason: String },

    /// One photo is wanted.
    #[error("is a folder; name one photo in it")]
    IsAFolder,

    /// A named pipe, a device or a socket, which may keep whoever reads it waiting for ever.
    #[error("is a pipe or device, not a file; save the photo as a file")]
    NotAFile,

    /// By content the file is no image, whatever its name says.
    #[error("is not an image that this program knows; export the photo as JPEG or PNG")]
    NotAnImage,

    /// An image, but of a kind that this program does not read.
    #[error("{}", unsupported(.format))]
    Unsupported { format: &'static str },

    /// An image of a known format in a variant that the decoder does not read.
    #[error("this variant of {format} is not supported ({reason}); convert it to PNG or JPEG")]
    UnsupportedVariant { format: &'static str, reason: String },

    /// The file ends before the picture does.
    #[error("the {format} data is cut short; copy it again from where it came")]
    Truncated { format: &'static str },

    /// The file contradicts its own format.
    #[error("the {format} data is damaged ({reason}); copy it again from where it came")]
    Damaged { format: &'static str, reason: String },

    /// More pixels than the limit: a photo of absurd size, or a decompression bomb.
    #[error(
        "{width}x{height} pixels are more than the limit of {max_pixels} ({max_side} a side); save a smaller copy of it"
    )]
    TooManyPixels { width: u32, height: u32, max_pixels: u64, max_side: u32 },

    /// Decoding would take more memory than the limit.
    #[error(
        "{width}x{height} pixels take {megabytes} MB to decode, more than the limit of {max_megabytes}; save a smaller copy of it, \
         or one as baseline JPEG"
    )]
    TooMuchMemory { width: u32, height: u32, megabytes: u64, max_megabytes: u64 },

    /// The file is longer than the limit.
    #[error("the file has more than {max_bytes} bytes, the limit; save a smaller copy of it")]
    TooManyBytes { max_bytes: u64 },

    /// A backup, an unfinished or broken file, a thumbnail.
    #[error("its name says that it is a backup, unfinished or a thumbnail; rename it to use it")]
    Leftover,

    /// A picture with this program's mark.
    #[error("is a picture that this program made; name it itself to use it")]
    Result,

    /// Too few pixels to show a face.
    #[error("{width}x{height} pixels are too few for a face; at least {min}x{min} are needed")]
    TooSmall { width: u32, height: u32, min: u32 },

    /// Neither the file's name nor its folder says who it shows.
    #[error("its name tells no person; put it into a folder named after the person, or give a table of labels")]
    NoPerson,

    /// The folder's or file's name cannot be a person's name.
    #[error("its name cannot be a person's name ({reason}); rename it")]
    BadPersonName { reason: &'static str },

    /// A face has a name in a photo manager that cannot be a person's name.
    #[error("the name of a face in it cannot be a person's name ({reason}); correct it in the photo manager")]
    BadNameOfFace { reason: &'static str },

    /// A folder whose name is this program's word for faces without one.
    #[error(
        "its name is what this program says of faces without a name; leave it out, or rename it if it shows one person"
    )]
    ReservedName,

    /// The table of labels has no row for the file, or names nobody in it.
    #[error("has no row with a name in {}; add 'path,person' for it", .labels.display())]
    NotLabeled { labels: PathBuf },

    /// This file was already listed under another person's name.
    #[error("is the same file as {}, which is labelled '{person}'; keep one of them", .first.display())]
    TwoPersons {
        /// The path under which it was listed.
        first: PathBuf,
        person: String,
    },

    /// This photo is enrolled, or to be enrolled, under another person's name.
    #[error("is the same photo as {other}, labelled '{person}'; remove it where the label is wrong")]
    SamePhoto {
        /// Source of the other; may be unknown.
        other: String,
        /// The person whose name it has there.
        person: String,
    },

    /// This photo is enrolled from the same place under another name.
    #[error(
        "is enrolled as '{enrolled}', and now labelled '{now}'; it stays so: `people rename` renames that person, `people remove PHOTO` makes \
         room to enrol this photo anew"
    )]
    LabelChanged { enrolled: String, now: String },

    /// A face that is to be enrolled is.
    #[error("is enrolled as '{person}' already; nothing is left to do")]
    EnrolledAlready { person: String },

    /// One face is wanted of several, or one that is not there.
    #[error("shows {}", if *.count == 1 { "1 face, which has the number 1".to_owned() } else { format!("{count} faces; say which by number, 1 to {count}, counted row by row") })]
    WhichFace { count: usize },

    /// No face was found where one is to be enrolled.
    #[error("no face was found in it; use a photo that shows the face from the front")]
    NoFace,

    /// The box of a face that is to be enrolled shows none.
    #[error(
        "{drawn} is no box of a face in this photo of {}x{} pixels: it must lie in the photo, and each side have 16 pixels or more",
        .photo.0, .photo.1
    )]
    NoFaceThere {
        /// The box.
        drawn: String,
        /// Width and height of the photo.
        photo: (u32, u32),
    },

    /// A face that was named in a photo manager was not found.
    #[error("{name} is named in it where no face was found")]
    NamedFaceNotFound { name: String },

    /// A face was named twice in photo managers.
    #[error("{name} is named on a face that is {other} too; leave one of the names")]
    FaceNamedTwice {
        /// The person who is passed over.
        name: String,
        /// The person that it was taken for.
        other: String,
    },

    /// A face is not where it was when it was named.
    #[error("it has changed since its faces were put into groups; group the folder again")]
    FaceMoved,

    /// The names of faces cannot be read.
    #[error("{reason}")]
    Regions { reason: String },

    /// Something given as a face does not look like one.
    #[error("does not look like a face; use a photo that shows the face from the front")]
    NotAFace,

    /// Faces could not be looked for.
    #[error(transparent)]
    Locate(#[from] LocateError),

    /// The photo cannot be brought to the model's size.
    #[error("cannot be made into a face: {reason}")]
    Unfit { reason: String },

    /// The photo has too few or too many pixels for a face map.
    #[error("cannot be mapped: {reason}")]
    Unmapped { reason: String },
}

const HEIF_CONVERT: &str = "convert it to PNG or JPEG (Debian's libheif-examples: heif-convert PHOTO.heic PHOTO.jpg)";

fn unsupported(format: &str) -> String {
    match format {
        "video" => "is a video, not a photo; save a frame of it as JPEG or PNG".to_owned(),
        "PDF" => "is a PDF document, not a photo; export its picture as JPEG or PNG".to_owned(),
        "camera raw" => "camera raw files are not supported; export it as JPEG or PNG and keep the original".to_owned(),
        "HEIC" => {
            format!("HEIC images are not supported; {HEIF_CONVERT}, or build this program with `--features heic`")
        }
        "AVIF" => format!("AVIF images are not supported; {HEIF_CONVERT}"),
        _ => format!("{format} images are not supported; convert it to PNG or JPEG"),
    }
}
