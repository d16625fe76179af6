//! Everything that can go wrong, in the words the user will read.
//!
//! Each message names the thing concerned and, where there is one, the remedy. Messages are one line.

// The fields say what the message says of them.
#![allow(missing_docs)]

mod database;
mod distributed;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

pub use database::DatabaseProblem;
pub use distributed::{MergeProblem, PlanProblem};

/// The result of anything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure that ends the work at hand (a bad photo among many does not: see [`PhotoProblem`]).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One photo cannot be used and there was no other to go on with.
    #[error("{}: {problem}", .path.display())]
    Photo {
        /// The file or folder concerned.
        path: PathBuf,
        /// What is wrong with it.
        problem: PhotoProblem,
    },

    /// A path given by the user leads nowhere.
    #[error("{}: no such file or folder; check the spelling", .path.display())]
    NoSuchPath {
        /// The file or folder concerned.
        path: PathBuf,
    },

    /// A path given by the user is there but cannot be read.
    #[error("{}: cannot be read ({reason}); check its permissions", .path.display())]
    UnreadablePath {
        /// The file or folder concerned.
        path: PathBuf,
        /// The cause, in a few words.
        reason: String,
    },

    /// A folder holds nothing that could be a photo.
    #[error(
        "{}: holds no photo; give a folder with one sub-folder of photos per person, or photos named like 'Ada Lovelace 1.jpg'",
        .path.display()
    )]
    NoPhotos {
        /// The file or folder concerned.
        path: PathBuf,
    },

    /// The table of labels (`--labels FILE.csv`) cannot be used.
    #[error("{}: {problem}; each row must be 'path,person'", .path.display())]
    Labels {
        /// The file or folder concerned.
        path: PathBuf,
        /// What is wrong, and in which line.
        problem: String,
    },

    /// `--labels` was given something else than its three forms.
    #[error("'{given}' is no way to label photos; use folder, stem or the path of a .csv file")]
    LabelRule {
        /// What was given.
        given: String,
    },

    /// A text that cannot be a person's name.
    #[error("'{given}' cannot be a person's name: {reason}", given = .given.escape_debug())]
    PersonName {
        /// What was given.
        given: String,
        /// The cause, in a few words.
        reason: &'static str,
    },

    /// A face size that is not `WIDTHxHEIGHT` or is out of bounds.
    #[error(
        "'{given}' is not a face size; write WIDTHxHEIGHT such as 92x112, each side from 8 to 1000 pixels"
    )]
    FaceSize {
        /// What was given.
        given: String,
    },

    /// Pixels that do not make up whole faces of the size at hand.
    #[error(
        "{given} pixels do not make {expected} of {size} pixels; bring every face to one size first"
    )]
    FaceShape {
        /// What was given.
        given: String,
        /// What it should have been.
        expected: String,
        /// The size of a face.
        size: String,
    },

    /// A face that is not in the matrix was asked for.
    #[error("there is no face number {index} among {count}; count from 0")]
    NoSuchFace {
        /// The number asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },

    /// A model file cannot be used. Whatever is there is left as it is.
    #[error("{}: {problem}", .path.display())]
    Model {
        path: PathBuf,
        problem: ModelProblem,
    },

    /// The operating system would not let a file be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },

    /// A file cannot be written. What stood there before still stands there.
    #[error("{}: {problem}", .path.display())]
    Write {
        path: PathBuf,
        problem: WriteProblem,
    },

    /// Another process is changing the model.
    #[error(
        "{}: is being changed by {}: wait until that is done, or stop it",
        .path.display(),
        .holder.map_or_else(|| "another process".to_owned(), |holder| holder.to_string())
    )]
    Locked {
        path: PathBuf,
        /// `None` when the holder has not yet put its name into the lock file.
        holder: Option<LockHolder>,
    },

    /// A name was given that nobody enrolled has.
    #[error(
        "nobody enrolled is called '{name}'{}",
        .nearest.as_ref().map_or_else(
            || "; `eigenfaces people` lists everybody".to_owned(),
            |nearest| format!("; did you mean '{nearest}'?")
        )
    )]
    NoSuchPerson {
        name: String,
        /// The nearest spelling of somebody enrolled.
        nearest: Option<String>,
    },

    /// A photo was named that is not enrolled.
    #[error(
        "no photo '{photo}' is enrolled; name its source or 8 or more digits of its hash, as `eigenfaces people list --photos` shows them"
    )]
    NoSuchPhoto { photo: String },

    /// The digits given fit the hashes of several photos.
    #[error("the hashes of {count} photos begin with '{photo}'; give more digits")]
    ManyPhotos { photo: String, count: usize },

    /// A person was to get a name that another has.
    #[error("'{name}' is enrolled already; to make both one person, use `eigenfaces people merge`")]
    NameTaken { name: String },

    /// A person was to be merged into themselves.
    #[error("'{name}' cannot be merged into itself; name another person after --into")]
    MergedIntoItself { name: String },

    /// What would be left cannot be learned from.
    #[error("{}: {left} of its faces would be left, too few for a face space; to erase them all, delete the file", .path.display())]
    TooFewLeft { path: PathBuf, left: usize },

    /// A folder that is followed has nothing in it, while faces would be erased.
    #[error("{}: holds no photo now, so what is gone from it may only be out of reach; mount it, or leave it out to erase what came from it", .path.display())]
    Deserted { path: PathBuf },

    /// Faces are to be erased, and nobody said yes.
    #[error("{}: {what} would be erased; add --yes to do it, or --dry-run to look first", .path.display())]
    NotConfirmed { path: PathBuf, what: String },

    /// The user said no.
    #[error("{}: nothing was changed", .path.display())]
    Declined { path: PathBuf },

    /// A face space cannot be learned from the faces given.
    #[error(transparent)]
    Pca(#[from] PcaError),

    /// There are photos, but not one can be used.
    #[error("{}: none of its {count} photos can be used; each is named above with its reason", .path.display())]
    NoneUsable { path: PathBuf, count: usize },

    /// A size was asked for, but the model has another.
    #[error("{}: holds faces of {has} pixels, so {asked} cannot be added; leave --size out, or enrol into a new model with --model", .path.display())]
    OtherSize {
        path: PathBuf,
        has: String,
        asked: String,
    },

    /// A framing was asked for, but the model has another.
    #[error("{}: its photos were framed '{has}', so '{asked}' cannot be mixed in; leave --framing out, or enrol into a new model with --model", .path.display())]
    OtherFraming {
        path: PathBuf,
        has: &'static str,
        asked: &'static str,
    },

    /// A light recipe was asked for, but the model has another.
    #[error("{}: its faces were normalized with '{has}', so '{asked}' cannot be mixed in; leave --normalize out, or enrol into a new model with --model", .path.display())]
    OtherLight {
        path: PathBuf,
        has: &'static str,
        asked: &'static str,
    },

    /// Nobody can be mistaken for anybody else.
    #[error(
        "{people} person is there, and evaluating needs 2 or more: give a folder with a sub-folder for each"
    )]
    TooFewToEvaluate { people: usize },

    /// The protocol leaves no photo to try.
    #[error(
        "protocol {protocol} leaves no photo to try: it tries people on photos that were not learned from, so add photos a person or learn from fewer"
    )]
    NothingToTry { protocol: String },

    /// A basis was to be kept that belongs to the very faces it was learned from.
    #[error(
        "the components of a --kernel are mixtures of the enrolled faces and change with them; leave --keep-basis out"
    )]
    KernelNotKept,

    /// A plan for learning that is shared out cannot be used.
    #[error("{}: {problem}", .path.display())]
    Plan { path: PathBuf, problem: PlanProblem },

    /// Two parts cannot be merged.
    #[error("{} and {} {problem}", .first.display(), .second.display())]
    Merge {
        first: PathBuf,
        second: PathBuf,
        problem: MergeProblem,
    },

    /// A list of photos, or a stream of them, cannot be read to its end.
    #[error("{}: {problem}", .path.display())]
    PhotoStream {
        /// The list, or `-` for standard input.
        path: PathBuf,
        /// What is wrong and what is expected.
        problem: String,
    },

    /// A gallery was to be placed in a basis, and there is one with a basis of its own.
    #[error("{}: is there already, with a basis of its own; name another with --model, or add to it with --keep-basis", .path.display())]
    HasBasis { path: PathBuf },

    /// Scaling of pixels was asked for where it has no meaning.
    #[error(
        "--scale-pixels is for comparing pixels: {reason}; give --features pixels (or fused) and --kernel linear"
    )]
    PixelsNotScaled {
        /// What is compared instead.
        reason: &'static str,
    },

    /// Parts of a recogniser that do not belong together.
    #[error("the parts of the model do not fit together; enrol again")]
    Inconsistent,

    /// A file of weights cannot be used.
    #[error("{}: {problem}; give a file that `eigenfaces project` wrote", .path.display())]
    Weights { path: PathBuf, problem: String },

    /// Whether photos show one person cannot be told.
    #[error(
        "with {people} enrolled there are too few people to tell the same from another; enrol {enough} or more"
    )]
    TooFewToVerify { people: usize, enough: usize },

    /// A folder for results cannot be made.
    #[error("{}: this folder cannot be made ({source}); choose another place", .path.display())]
    MakeFolder { path: PathBuf, source: io::Error },

    /// A copy with marks would stand where one of the photos does.
    #[error("{}: is one of the photos, and would be replaced by its copy; choose another folder", .path.display())]
    CopyOverPhoto { path: PathBuf },

    /// A picture cannot be turned into a file.
    #[error("{}: the picture cannot be written ({reason})", .path.display())]
    Encode { path: PathBuf, reason: String },

    /// Not even one thread can be set up.
    #[error(
        "no thread can be started ({reason}); close other programs or raise the limit (ulimit -u)"
    )]
    Threads { reason: String },

    /// The gallery in a database cannot be used.
    #[error("{address}: {problem}")]
    Database {
        /// Where it is, without the password.
        address: String,
        problem: DatabaseProblem,
    },

    /// Results cannot be printed.
    #[error("the results cannot be printed: {0}")]
    Print(#[source] io::Error),
}

/// Why no principal components can be found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PcaError {
    /// One face has no variance.
    #[error("{0} face cannot span a face space; enrol at least 2 different faces")]
    TooFewFaces(usize),

    /// All faces are the same image.
    #[error(
        "all {0} faces are the same image, so there is nothing to tell them apart by; add different photos"
    )]
    NoVariance(usize),

    /// Faces of different sizes cannot be learned from together.
    #[error(
        "faces of {found} pixels cannot be added to faces of {expected}; bring every face to one size first"
    )]
    OtherPixels { expected: usize, found: usize },

    /// The d x d covariance would not fit into memory.
    #[error(
        "the covariance of faces of {pixels} pixels is too large (the limit is {most} pixels); take a smaller --size, or --solver gram"
    )]
    TooManyPixels { pixels: usize, most: usize },

    /// A mirror must put everything back in its place when used twice.
    #[error(
        "this is no mirror: place {place} is not put back by mirroring twice; give a permutation that undoes itself"
    )]
    NotAMirror { place: usize },

    /// Minimisation needs to know for how many components.
    #[error(
        "minimising needs a fixed number of components; give a count such as --components 20, or take another --solver"
    )]
    CountNeeded,

    /// Minimisation did not settle.
    #[error(
        "the minimisation still moved after {rounds} rounds, because the next component has nearly the same variance; take another number of --components, or another --solver"
    )]
    NotConverged { rounds: usize },

    /// Minka's rule is for more faces than pixels.
    #[error(
        "--components minka needs more faces ({faces}) than pixels ({pixels}); take a smaller --size, or --components parallel"
    )]
    MinkaNeedsMoreFaces { faces: usize, pixels: usize },

    /// Parallel analysis shuffles pixels, and there are none to shuffle.
    #[error(
        "--components parallel needs all faces in memory; take fewer photos or a larger --size, or --components profile"
    )]
    ParallelNeedsFaces,

    /// A rule about pixels, asked of a kernel.
    #[error(
        "--components {0} is for pixels, not for a --kernel; use auto, profile, a count or a share of variance"
    )]
    NotForKernels(&'static str),

    /// The eigenproblem failed: a fault of this program.
    #[error("the eigenproblem could not be solved: {0}")]
    Eigen(String),
}

/// Why one photo cannot be used. Carries no path: whoever lists it knows which file it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PhotoProblem {
    /// The file holds no bytes.
    #[error("the file is empty; copy it again from where it came")]
    Empty,

    /// The file cannot be opened or read.
    #[error("cannot be read ({reason}); check that it is there and its permissions")]
    Unreadable {
        /// The cause, in a few words.
        reason: String,
    },

    /// By content the file is no image, whatever its name says.
    #[error("is not an image, whatever its name says; remove it or save the photo again")]
    NotAnImage,

    /// An image, but of a kind that this program does not read.
    #[error("{format} images are not supported; convert it to PNG or JPEG")]
    Unsupported {
        /// The format's name.
        format: &'static str,
    },

    /// An image of a known format in a variant that the decoder does not read.
    #[error("this variant of {format} is not supported ({reason}); convert it to PNG or JPEG")]
    UnsupportedVariant {
        /// The format's name.
        format: &'static str,
        /// The cause, in a few words.
        reason: String,
    },

    /// The file ends before the picture does.
    #[error("the {format} data is cut short; copy it again from where it came")]
    Truncated {
        /// The format's name.
        format: &'static str,
    },

    /// The file contradicts its own format.
    #[error("the {format} data is damaged ({reason}); copy it again from where it came")]
    Damaged {
        /// The format's name.
        format: &'static str,
        /// The cause, in a few words.
        reason: String,
    },

    /// More pixels than the limit: a photo of absurd size, or a decompression bomb.
    #[error("{width}x{height} pixels are more than the limit of {max_pixels}; scale it down first")]
    TooManyPixels {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
        /// The limit, in pixels.
        max_pixels: u64,
    },

    /// The file is longer than the limit.
    #[error("the file has more than {max_bytes} bytes, the limit; scale the photo down first")]
    TooManyBytes {
        /// The limit, in bytes.
        max_bytes: u64,
    },

    /// Too few pixels to show a face.
    #[error("{width}x{height} pixels are too few for a face; at least {min}x{min} are needed")]
    TooSmall {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
        /// The least side, in pixels.
        min: u32,
    },

    /// Neither the file's name nor its folder says who it shows.
    #[error(
        "its name tells no person; put it into a folder named after the person, or use --labels FILE.csv"
    )]
    NoPerson,

    /// The folder's or file's name cannot be a person's name.
    #[error("its name cannot be a person's name ({reason}); rename it")]
    BadPersonName {
        /// The cause, in a few words.
        reason: &'static str,
    },

    /// The table of labels has no row for the file.
    #[error("has no row in {}; add 'path,person' for it", .labels.display())]
    NotLabeled {
        /// The table of labels.
        labels: PathBuf,
    },

    /// The same file was already listed under another person's name.
    #[error("is the same file as {}, which is labelled '{person}'; keep one of them", .first.display())]
    TwoPersons {
        /// The path under which it was listed.
        first: PathBuf,
        /// Whose face it is there.
        person: String,
    },

    /// The same photo is enrolled, or to be enrolled, under another person's name.
    #[error(
        "is the same photo as {other}, labelled '{person}'; remove it where the label is wrong"
    )]
    SamePhoto {
        /// Where the other came from; may be unknown.
        other: String,
        /// Whom it is said to show there.
        person: String,
    },

    /// No face was found where one is to be enrolled.
    #[error(
        "no face was found in it; use a photo that shows the face from the front, or take cropped faces whole with --framing as-is"
    )]
    NoFace,

    /// What was given as a face does not look like one.
    #[error("does not look like a face; use a photo that shows the face from the front")]
    NotAFace,

    /// Faces could not be looked for.
    #[error(transparent)]
    Locate(#[from] LocateError),

    /// The photo cannot be brought to the model's size.
    #[error("cannot be made into a face: {reason}")]
    Unfit { reason: String },
}

/// Why faces could not be located.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The detector broke down on one photo.
    #[error("the face detector failed on it; crop it to the face and use --framing as-is")]
    Detector,
    /// The detector's model inside the program cannot be read.
    #[error("the face detector inside this program is damaged; install the program again")]
    DetectorModel,
    /// A file of eye weights cannot be read.
    #[error("this is not a model of the eyes: {0}; train one with examples/train_eyes")]
    EyeModel(&'static str),
}

/// Why a model file cannot be used. Carries no path: [`Error::Model`] does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelProblem {
    #[error(
        "there is no such model: make one with `eigenfaces enroll FOLDER`, or name another with --model"
    )]
    Missing,

    #[error(
        "no permission to read it: a model is its owner's alone; ask them, or name another with --model"
    )]
    NotPermitted,

    #[error("is a folder, not a model file: name the .npz file that `eigenfaces enroll` wrote")]
    Folder,

    #[error("is a device or pipe, not a model file: a model must be an ordinary file")]
    NotAFile,

    #[error("is empty: take it from a backup, or delete it and enrol again")]
    Empty,

    #[error(
        "is not a model file (not even a zip archive): name the .npz file that `eigenfaces enroll` wrote"
    )]
    NotAModel,

    #[error(
        "is a zip archive, but not an eigenfaces model: name the .npz file that `eigenfaces enroll` wrote"
    )]
    OtherArchive,

    #[error(
        "was cut short, or repacked by another program: take it from a backup, or enrol again into a new file"
    )]
    CutShort,

    #[error(
        "is damaged (its checksum is wrong): take it from a backup, or enrol again into a new file"
    )]
    Damaged,

    #[error(
        "was made by a newer eigenfaces (format {found}, this program reads up to {newest}): update the program"
    )]
    Newer { found: u64, newest: u64 },

    /// Another kind of file of this program.
    #[error("is {found}, not {wanted}: {remedy}")]
    OtherKind {
        found: &'static str,
        wanted: &'static str,
        remedy: &'static str,
    },

    /// The bytes are those that were written, but not as this program writes them.
    #[error("is not laid out as a model is ({reason}): do not use it unless you trust its maker")]
    Layout { reason: String },

    /// A member that is no array (`meta.json`) does not hold what it should.
    #[error("holds a {member} that makes no sense ({reason}): take the model from a backup")]
    Json { member: String, reason: String },

    #[error("array `{array}` {problem}: take the model from a backup")]
    Array {
        array: String,
        problem: ArrayProblem,
    },
}

/// What is wrong with one array of a model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayProblem {
    #[error("is missing")]
    Missing,

    #[error("is not in NumPy's format")]
    NotNumPy,

    #[error("is in version {major}.{minor} of NumPy's format, where models have 1.0")]
    Version { major: u8, minor: u8 },

    #[error("has a header that cannot be understood")]
    Header,

    #[error("is in Fortran order, where models are in C order")]
    FortranOrder,

    #[error("has numbers of type `{found}` instead of `{expected}`")]
    Type { found: String, expected: String },

    #[error("has the shape {} instead of {}", shape_in_words(.found), shape_in_words(.expected))]
    Shape {
        found: Vec<usize>,
        expected: Vec<usize>,
    },

    #[error("claims the shape {}, but holds {bytes} bytes", shape_in_words(.shape))]
    Length { shape: Vec<usize>, bytes: usize },

    #[error("has text with an impossible character at row {row}")]
    Text { row: usize },
}

/// `[]` is "a single value", `[3]` is "3", `[3, 4]` is "3 x 4".
fn shape_in_words(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "of a single value".to_owned();
    }
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    sides.join(" x ")
}

/// Why a file cannot be written. Carries no path: [`Error::Write`] does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteProblem {
    #[error("the folder {} does not exist: make it first, or choose another place", .0.display())]
    NoFolder(PathBuf),

    #[error("cannot be written, for {} is not a folder: choose another place", .0.display())]
    NotInFolder(PathBuf),

    #[error("is a folder: name a file")]
    Folder,

    #[error("is a device, a pipe or a broken link, not an ordinary file: name another file")]
    NotAFile,

    #[error("no permission to write into the folder {}: choose another place", .0.display())]
    NotPermitted(PathBuf),

    #[error("the disk is full: free some space and try again; the old file, if any, is untouched")]
    DiskFull,

    #[error(
        "is larger than files may be here (file system, quota or `ulimit -f`): choose another place; the old file, if any, is untouched"
    )]
    TooLarge,

    #[error("cannot be written: {0}")]
    Other(#[source] io::Error),
}

/// The process that holds the lock of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id.
    pub pid: u32,
    /// When it took the lock, to the second, by its own clock.
    pub since: SystemTime,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A clock that was set back must not turn into an error here.
        let held = self.since.elapsed().unwrap_or(Duration::ZERO);
        write!(f, "process {} for {} s now", self.pid, held.as_secs())
    }
}
