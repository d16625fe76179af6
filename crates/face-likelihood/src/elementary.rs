//! Powers and hyperbolic tangents from additions and products alone: vector registers compute eight at once, and every
//! machine rounds them alike, which the system's mathematical library does not promise.

use std::f32::consts::{LN_2, LOG2_E, SQRT_2};

/// x >= 0 to the power of `exponent`, for powers from 2^-126 to below 2^127; to 1e-6 for exponents up to 1. Zero stays zero.
#[inline(always)]
pub fn power(x: f32, exponent: f32) -> f32 {
    let power = exp2(exponent * log2(x.max(f32::MIN_POSITIVE)));
    if x > 0.0 { power } else { 0.0 }
}

/// tanh x = (1 - e^-2x) / (1 + e^-2x), within 1e-6.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let fading = exp2(-2.0 * LOG2_E * x.abs());
    ((1.0 - fading) / (1.0 + fading)).copysign(x)
}

/// The logarithm to base 2 of a normal positive number: its exponent, and the series 2 (t + t³/3 + ...) of the logarithm
/// of its mantissa m, t = (m - 1) / (m + 1), with √½ <= m < √2.
#[inline(always)]
fn log2(x: f32) -> f32 {
    let above = x.to_bits() as i32 - (SQRT_2 / 2.0).to_bits() as i32;
    let exponent = above >> 23;
    let mantissa = f32::from_bits((x.to_bits() as i32 - (exponent << 23)) as u32);
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0)));
    exponent as f32 + 2.0 * LOG2_E * t * series
}

/// 2^x for x below 127, at least 2^-126: the nearest whole number as the exponent, and the exponential series of the rest.
#[inline(always)]
fn exp2(x: f32) -> f32 {
    // After adding 1.5 x 2^23 the last bits of a number are the nearest whole one.
    const SHIFT: f32 = 12_582_912.0;
    let x = x.max(-126.0);
    let nearest = x + SHIFT;
    let exponent = (nearest.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    let rest = (x - (nearest - SHIFT)) * LN_2;
    let mut series = 1.0;
    for divisor in [6.0, 5.0, 4.0, 3.0, 2.0, 1.0_f32] {
        series = 1.0 + rest * (1.0 / divisor) * series;
    }
    series * f32::from_bits(((exponent + 127) << 23) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_mathematical_library() {
        for step in 1..=100_000 {
            let x = step as f32 / 300.0;
            for exponent in [0.1_f32, 0.2, 10.0] {
                let expected = libm::pow(f64::from(x), f64::from(exponent));
                if (1e-37..1e37).contains(&expected) {
                    let error = f64::from(power(x, exponent)) / expected - 1.0;
                    assert!(error.abs() < 1e-6 * f64::from(exponent).max(1.0), "{x} ^ {exponent}: {error}");
                }
            }
        }
        assert_eq!((power(0.0, 0.1), power(1.0, 0.1)), (0.0, 1.0));
        assert!(power(1e-40, 0.1) > 0.0);
    }

    #[test]
    fn tangents_are_those_of_the_mathematical_library_and_odd() {
        for step in -100_000..=100_000_i32 {
            let x = step as f32 / 1_000.0;
            assert!((f64::from(tanh(x)) - libm::tanh(f64::from(x))).abs() < 1e-6, "{x}");
            assert_eq!(tanh(-x), -tanh(x));
        }
        assert_eq!((tanh(0.0), tanh(f32::INFINITY)), (0.0, 1.0));
    }
}
