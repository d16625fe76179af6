//! Kernels of faces: inner products in another space, from exact integer inner products of pixels.

use std::fmt;
use std::str::FromStr;

/// The highest degree of a polynomial kernel; beyond, one pair of faces outweighs all others.
const HIGHEST_DEGREE: u32 = 10;
/// The square of white, the gray level 255.
const WHITE_SQUARED: f64 = 255.0 * 255.0;

/// The similarity of two faces x and y, as an inner product φ(x)·φ(y) in some other space.
///
/// Gray levels count from 0 (black) to 1 (white), but for the linear kernel from 0 to 255: its weights are linear PCA's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Kernel {
    /// x·y: linear PCA.
    #[default]
    Linear,
    /// exp(-γ ‖x - y‖²).
    Rbf(Gamma),
    /// (x·y / d + c)ᵖ with the degree p from 1 to 10 and the constant c, not negative; d is the number of pixels.
    Polynomial {
        /// p
        degree: u32,
        /// c
        constant: f64,
    },
    /// x·y / (‖x‖ ‖y‖); 0 where one of them is black all over.
    Cosine,
}

/// γ of the radial basis function exp(-γ ‖x - y‖²).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gamma {
    /// One over the mean squared distance of two different faces learned from: a typical pair has the kernel 1/e.
    #[default]
    Auto,
    /// This, above 0.
    Given(f64),
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "expected linear, rbf:auto, rbf:GAMMA (such as rbf:0.01), poly:DEGREE[,C] (degree 1 to {HIGHEST_DEGREE}, C from 0, such as poly:2,1) or cosine"
            )
        };
        let (name, parameters) =
            text.split_once(':').map_or((text, None), |(name, parameters)| (name, Some(parameters)));
        let number = |text: &str, accept: fn(f64) -> bool| {
            let value = text.parse().ok().filter(|&value: &f64| value.is_finite());
            value.filter(|&value| accept(value)).ok_or_else(wrong)
        };
        match (name, parameters) {
            ("linear", None) => Ok(Self::Linear),
            ("cosine", None) => Ok(Self::Cosine),
            ("rbf", None | Some("auto")) => Ok(Self::Rbf(Gamma::Auto)),
            ("rbf", Some(gamma)) => Ok(Self::Rbf(Gamma::Given(number(gamma, |gamma| gamma > 0.0)?))),
            ("poly", Some(parameters)) => {
                let (degree, constant) = parameters.split_once(',').unwrap_or((parameters, "1"));
                let degree =
                    degree.parse().ok().filter(|degree| (1..=HIGHEST_DEGREE).contains(degree)).ok_or_else(wrong)?;
                let constant = number(constant, |constant| (0.0..=1e6).contains(&constant))?;
                Ok(Self::Polynomial { degree, constant })
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => write!(f, "linear"),
            Self::Rbf(Gamma::Auto) => write!(f, "rbf:auto"),
            Self::Rbf(Gamma::Given(gamma)) => write!(f, "rbf:{gamma}"),
            Self::Polynomial { degree, constant } => write!(f, "poly:{degree},{constant}"),
            Self::Cosine => write!(f, "cosine"),
        }
    }
}

/// The inner products of two faces with each other and with themselves: exact integers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Products {
    pub xy: i64,
    pub xx: i64,
    pub yy: i64,
}

/// A kernel with nothing left to be chosen, for faces of a fixed number of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Function {
    Linear,
    /// γ over the square of white.
    Rbf(f64),
    Polynomial {
        degree: i32,
        constant: f64,
        /// One over d and the square of white.
        scale: f64,
    },
    Cosine,
}

impl Function {
    /// `typical` is the mean squared distance of two different faces, in squared gray levels.
    pub fn new(kernel: Kernel, pixels: usize, typical: f64) -> Self {
        match kernel {
            Kernel::Linear => Self::Linear,
            Kernel::Cosine => Self::Cosine,
            Kernel::Rbf(Gamma::Given(gamma)) => Self::Rbf(gamma / WHITE_SQUARED),
            Kernel::Rbf(Gamma::Auto) => Self::Rbf(if typical > 0.0 { 1.0 / typical } else { 1.0 }),
            Kernel::Polynomial { degree, constant } => Self::Polynomial {
                // At most 10.
                degree: degree as i32,
                constant,
                scale: 1.0 / (pixels as f64 * WHITE_SQUARED),
            },
        }
    }

    /// γ for gray levels from 0 to 1, if this is a radial basis function.
    pub fn gamma(self) -> Option<f64> {
        if let Self::Rbf(gamma) = self { Some(gamma * WHITE_SQUARED) } else { None }
    }

    /// The kernel of two faces, up to a constant that centring takes away again: a radial basis function comes
    /// less 1, since exp(-t) - 1 is accurate for faces that are nearly alike, and exp(-t) would lose it all.
    pub fn of(self, products: Products) -> f64 {
        let Products { xy, xx, yy } = products;
        match self {
            Self::Linear => xy as f64,
            // An exact integer until here, so equal faces have distance 0 and none has less.
            Self::Rbf(gamma) => libm::expm1(-gamma * (xx + yy - 2 * xy) as f64),
            Self::Polynomial { degree, constant, scale } => (xy as f64 * scale + constant).powi(degree),
            Self::Cosine if xx == 0 || yy == 0 => 0.0,
            Self::Cosine => xy as f64 / (xx as f64 * yy as f64).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_print_as_they_parse() {
        for text in ["linear", "rbf:auto", "rbf:0.01", "poly:3,1", "poly:2,0.5", "cosine"] {
            assert_eq!(text.parse::<Kernel>().unwrap().to_string(), text);
        }
        assert_eq!("rbf".parse(), Ok(Kernel::Rbf(Gamma::Auto)));
        assert_eq!("poly:4".parse::<Kernel>().unwrap().to_string(), "poly:4,1");
        for wrong in [
            "",
            "rbf:",
            "rbf:0",
            "rbf:-1",
            "rbf:nan",
            "rbf:inf",
            "poly",
            "poly:0",
            "poly:11",
            "poly:2,-1",
            "poly:2,1,1",
            "poly:x",
            "cosine:1",
            "linear:2",
            "sigmoid",
        ] {
            assert!(wrong.parse::<Kernel>().is_err(), "{wrong} was accepted");
        }
    }

    #[test]
    fn a_black_face_is_like_nothing() {
        let products = Products { xy: 0, xx: 0, yy: 65_025 };
        assert_eq!(Function::Cosine.of(products), 0.0);
        assert_eq!(Function::Rbf(0.0).of(products), 0.0);
    }
}
