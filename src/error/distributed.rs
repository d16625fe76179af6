//! Problems of distributed learning: of plans, and of parts that are to be merged.

/// The reason why a plan cannot be used. Carries no path: [`Error::Plan`](super::Error::Plan) does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanProblem {
    #[error("is not a plan ({reason}); name the file that `eigenfaces plan` wrote")]
    NotAPlan { reason: String },

    #[error("lacks the key \"{key}\"; make the plan anew with `eigenfaces plan`")]
    Missing { key: &'static str },

    #[error("has the key \"{key}\", which no plan has; take it out")]
    Unknown { key: String },

    #[error("has the key \"{key}\" twice; leave one")]
    Twice { key: String },

    #[error("\"{key}\" is {given}: {reason}")]
    Value {
        key: &'static str,
        given: String,
        reason: String,
    },

    #[error(
        "was made by eigenfaces {made}, and this is {this}: all workers must be of the version that made the plan, for another may prepare photos otherwise; make the plan anew, or use that version"
    )]
    OtherProgram { made: String, this: &'static str },
}

/// The reason why two parts cannot become one. Carries no path: [`Error::Merge`](super::Error::Merge) does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeProblem {
    #[error(
        "were made by different plans ({key}: {first} and {second}): merge parts of one plan only"
    )]
    OtherPlan {
        key: &'static str,
        first: String,
        second: String,
    },

    #[error("hold the very same photos (a part given twice, or merged already): leave one out")]
    Twice,

    #[error("hold more faces together than can be summed up exactly")]
    TooMany,
}
