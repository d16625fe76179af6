//! The plan that all workers must agree on before they learn apart.

use std::fmt;
use std::str::FromStr;

use crate::error::{PcaError, PlanProblem};
use crate::face_matrix::FaceSize;
use crate::locate::framing::Framing;
use crate::matcher::{Feature, Features};
use crate::normalize::Illumination;
use crate::pca::{ComponentCount, Rule, covariance};
use crate::preparation::Preparation;

/// Whether the space of what is compared is learned from mirror images too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mirrors {
    /// From each face and its mirror image, as `enroll` does.
    #[default]
    Learned,
    /// From the faces alone, as `basis --faces` does.
    None,
}

named!(Mirrors {
    Learned = "yes",
    None = "no",
});

/// Preparation of photos, sums over faces, and settings of learning from them: settled once, so that parts
/// learned anywhere fit together.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    program: String,
    preparation: Preparation,
    features: Features,
    mirrors: Mirrors,
    components: ComponentCount,
}

impl Plan {
    /// The keys of a plan, as they stand in its file.
    pub const KEYS: [&'static str; 7] = [
        "program",
        "size",
        "framing",
        "normalize",
        "features",
        "mirrors",
        "components",
    ];

    /// The version of this program.
    pub const THIS_PROGRAM: &'static str = env!("CARGO_PKG_VERSION");

    /// A plan of this program; `Features::Auto` becomes what it means for faces of this size.
    ///
    /// # Errors
    /// Faces whose sums would be too large; a number of components that needs all faces at once.
    pub fn new(
        preparation: Preparation,
        features: Features,
        mirrors: Mirrors,
        components: ComponentCount,
    ) -> Result<Self, PcaError> {
        let plan = Self {
            program: Self::THIS_PROGRAM.to_owned(),
            preparation,
            features: settled(features, preparation.size()),
            mirrors,
            components,
        };
        covariance::refuse_too_many(preparation.size().pixels())?;
        if components == ComponentCount::Rule(Rule::Parallel) {
            return Err(PcaError::ParallelNeedsFaces);
        }
        Ok(plan)
    }

    /// Preparation of the photos.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// Features compared: never `Auto`.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Whether what is compared is learned from mirror images too.
    pub fn mirrors(&self) -> Mirrors {
        self.mirrors
    }

    /// Number of eigenfaces wanted.
    pub fn components(&self) -> ComponentCount {
        self.components
    }

    /// Features that are summed: the pixels, whatever is compared, and the texture where it is.
    pub fn summed(&self) -> Vec<Feature> {
        let texture = self.compares(Feature::Texture).then_some(Feature::Texture);
        std::iter::once(Feature::Pixels).chain(texture).collect()
    }

    /// Whether this feature is compared.
    pub fn compares(&self, feature: Feature) -> bool {
        let features = self.features.shares(self.preparation.size());
        features.iter().any(|(compared, _)| *compared == feature)
    }

    /// The values of [`Plan::KEYS`], in their order.
    pub fn values(&self) -> [String; 7] {
        [
            self.program.clone(),
            self.preparation.size().to_string(),
            self.preparation.framing().name().to_owned(),
            self.preparation.light().name().to_owned(),
            self.features.name().to_owned(),
            self.mirrors.name().to_owned(),
            self.components.to_string(),
        ]
    }

    /// A plan from what stands under each of [`Plan::KEYS`], of whatever version of the program.
    ///
    /// # Errors
    /// A value that cannot be.
    pub fn from_values(values: &[String; 7]) -> Result<Self, PlanProblem> {
        let [program, size, framing, light, features, mirrors, components] = values;
        let plain = |c: char| c.is_ascii_graphic();
        if program.is_empty() || program.len() > 40 || !program.chars().all(plain) {
            return Err(wrong("program", program, "not a version"));
        }
        let size: FaceSize = read("size", size)?;
        let framing: Framing = read("framing", framing)?;
        let preparation =
            Preparation::new(size, framing).with_light(read::<Illumination>("normalize", light)?);
        let given: Features = read("features", features)?;
        if given == Features::Auto {
            let reason = "a plan leaves nothing open; expected texture, pixels or fused";
            return Err(wrong("features", features, reason));
        }
        let mirrors = read("mirrors", mirrors)?;
        let count = read("components", components)?;
        let plan = Self::new(preparation, given, mirrors, count).map_err(|error| match error {
            PcaError::ParallelNeedsFaces => wrong("components", components, &error.to_string()),
            error => wrong("size", &size.to_string(), &error.to_string()),
        })?;
        let program = program.clone();
        Ok(Self { program, ..plan })
    }

    /// The first key under which two plans differ, and what stands there.
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let both = self.values().into_iter().zip(other.values());
        let mut keyed = Self::KEYS.into_iter().zip(both);
        keyed.find_map(|(key, (ours, theirs))| (ours != theirs).then_some((key, ours, theirs)))
    }

    /// Refuses a plan of another version of the program, which may prepare photos otherwise.
    ///
    /// # Errors
    /// [`PlanProblem::OtherProgram`].
    pub fn refuse_other_program(&self) -> Result<(), PlanProblem> {
        if self.program == Self::THIS_PROGRAM {
            return Ok(());
        }
        Err(PlanProblem::OtherProgram {
            made: self.program.clone(),
            this: Self::THIS_PROGRAM,
        })
    }
}

/// The meaning of `Auto` for faces of this size.
fn settled(features: Features, size: FaceSize) -> Features {
    match (features, features.shares(size).as_slice()) {
        (Features::Auto, [(Feature::Texture, _)]) => Features::Texture,
        (Features::Auto, _) => Features::Pixels,
        (given, _) => given,
    }
}

fn read<T: FromStr>(key: &'static str, text: &str) -> Result<T, PlanProblem>
where
    T::Err: fmt::Display,
{
    text.parse()
        .map_err(|error: T::Err| wrong(key, text, &error.to_string()))
}

/// The problem of a wrong value. It may be a stranger's: it is cut short and escaped.
fn wrong(key: &'static str, given: &str, reason: &str) -> PlanProblem {
    let given: String = given.chars().take(40).collect();
    PlanProblem::Value {
        key,
        given: format!("{given:?}"),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(size: &str) -> Plan {
        let preparation = Preparation::new(size.parse().unwrap(), Framing::AsIs);
        let wanted = ComponentCount::Auto;
        Plan::new(preparation, Features::Auto, Mirrors::Learned, wanted).unwrap()
    }

    #[test]
    fn nothing_is_left_open() {
        assert_eq!(plan("64x64").features(), Features::Texture);
        assert_eq!(plan("64x64").summed(), [Feature::Pixels, Feature::Texture]);
        assert_eq!(plan("20x24").features(), Features::Pixels);
        assert_eq!(plan("20x24").summed(), [Feature::Pixels]);
    }

    #[test]
    fn values_are_read_back() {
        let plan = plan("54x65");
        assert_eq!(Plan::from_values(&plan.values()), Ok(plan.clone()));
        let mut other = plan.values();
        "clahe".clone_into(&mut other[3]);
        let other = Plan::from_values(&other).unwrap();
        let (key, ours, theirs) = plan.difference(&other).unwrap();
        assert_eq!(
            (key, ours.as_str(), theirs.as_str()),
            ("normalize", "none", "clahe")
        );
        assert_eq!(plan.difference(&plan), None);
        assert_eq!(plan.refuse_other_program(), Ok(()));
    }

    #[test]
    fn wrong_values_are_named_with_their_key() {
        let bad = [
            (0, ""),
            (0, "1\n2"),
            (1, "64"),
            (1, "1000x1000"),
            (2, "auto"),
            (3, "bright"),
            (4, "auto"),
            (5, "maybe"),
            (6, "-1"),
            (6, "parallel"),
        ];
        for (at, value) in bad {
            let mut values = plan("64x64").values();
            value.clone_into(&mut values[at]);
            let problem = Plan::from_values(&values).unwrap_err();
            let key = Plan::KEYS[at];
            assert!(
                matches!(problem, PlanProblem::Value { key: found, .. } if found == key),
                "{value}: {problem}"
            );
        }
    }
}
