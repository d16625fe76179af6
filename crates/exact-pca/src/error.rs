/// The reason why there are no principal components. The fields say what the message says of them.
#[allow(missing_docs)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PcaError {
    /// One face has no variance.
    #[error("a face space takes at least 2 different faces, and there {}", match .0 { 0 => "is none", _ => "is one" })]
    TooFewFaces(usize),

    /// All faces are the same image.
    #[error(
        "what is compared of the {0} faces is the same in all of them, so there is nothing to tell them apart by; add different photos"
    )]
    NoVariance(usize),

    /// Faces of different sizes cannot be learned from together.
    #[error("faces of {found} pixels cannot be added to faces of {expected}; bring every face to one size first")]
    OtherPixels { expected: usize, found: usize },

    /// The d x d covariance would not fit into memory.
    #[error(
        "the covariance of faces of {pixels} pixels is too large (the limit is {most} pixels); take smaller faces, or the solver that needs no covariance"
    )]
    TooManyPixels { pixels: usize, most: usize },

    /// Minimisation needs to know for how many components.
    #[error("minimising needs a fixed number of components; give a count, or take another solver")]
    CountNeeded,

    /// Minimisation did not settle.
    #[error(
        "the minimisation still moved after {rounds} rounds, because the next component has nearly the same variance; take another number of components, or another solver"
    )]
    NotConverged { rounds: usize },

    /// Parallel analysis shuffles pixels, and there are none to shuffle.
    #[error(
        "parallel analysis needs all faces in memory; take fewer photos or larger faces, or another way of choosing components"
    )]
    ParallelNeedsFaces,

    /// Parallel analysis shuffles bytes.
    #[error("parallel analysis is for samples of 8 bits; take a count, a share of variance, auto or profile")]
    ParallelNeedsBytes,

    /// A rule about pixels, asked of a kernel.
    #[error(
        "{0} is a way of choosing components of pixels, not of a kernel; take auto, profile, a count or a share of variance"
    )]
    NotForKernels(&'static str),

    /// The eigenproblem failed: a fault of this program.
    #[error("the eigenproblem could not be solved: {0}")]
    Eigen(String),
}

impl PcaError {
    /// Fails of fewer than two faces.
    pub(crate) fn refuse_too_few(faces: usize) -> Result<(), Self> {
        if faces < 2 { Err(Self::TooFewFaces(faces)) } else { Ok(()) }
    }
}

/// Matrices that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: expected {expected}, got {found}; were the faces made with another size?")]
pub struct ShapeError {
    /// The quantity measured.
    pub what: &'static str,
    /// The size it should have.
    pub expected: usize,
    /// The size it has.
    pub found: usize,
}

impl ShapeError {
    /// Fails unless the two sizes are equal.
    pub(crate) fn unless_equal(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self { what, expected, found }) }
    }
}
