//! The shape of a head: bones and flesh, in centimetres.
//!
//! Means and spreads are near those of Farkas, "Anthropometry of the Head and Face" (1994); the spreads are
//! somewhat wider, so that a few people differ as much as a crowd does.

use super::person::Build;
use super::random::Random;

/// Bones and flesh. Heights (`*_y`) are relative to the pupils.
#[derive(Clone, Debug)]
pub struct Shape {
    pub crown_y: f32,
    pub head_half_width: f32,
    pub temple_half_width: f32,
    pub cheek_half_width: f32,
    pub jaw_half_width: f32,
    /// How far the jaw's corner lies above the chin.
    pub jaw_rise: f32,
    /// Below 1 a pointed jaw line, above 1 a square one.
    pub jaw_square: f32,
    pub menton_y: f32,
    pub forehead_slope: f32,
    /// Exponent of the cross-section's front: low is flat, 1 is round.
    pub flatness: f32,
    pub chin_out: f32,
    pub chin_width: f32,
    pub chin_cleft: f32,
    pub cheekbone: f32,
    pub cheek_fullness: f32,
    pub brow_ridge: f32,
    pub brow_y: f32,
    pub brow_arch: f32,
    pub brow_slant: f32,
    pub eye_x: f32,
    pub eye_half_length: f32,
    pub eye_opening: f32,
    /// Rise of the outer corner over the inner one.
    pub eye_tilt: f32,
    pub eye_depth: f32,
    pub lid_crease: f32,
    pub nose_bottom_y: f32,
    pub nose_out: f32,
    pub nose_bridge: f32,
    pub nose_bridge_width: f32,
    pub nose_hump: f32,
    pub nose_half_width: f32,
    pub nose_tip: f32,
    pub nose_tip_up: f32,
    pub nose_lean: f32,
    pub mouth_y: f32,
    pub mouth_half_width: f32,
    pub upper_lip: f32,
    pub lower_lip: f32,
    pub lips_out: f32,
    pub mouth_curve: f32,
    pub cupid_bow: f32,
    pub ear_size: f32,
    pub ear_out: f32,
    pub neck_half_width: f32,
}

impl Shape {
    pub fn draw(r: &mut Random, build: Build) -> Self {
        // 0 is the middle between the builds; people of one build still overlap the other.
        let m = r.about(if build == Build::Masculine { 0.5 } else { -0.5 }, 0.35);
        let size = r.about(1.0, 0.025);
        let long = r.about(0.0, 1.0);
        let wide = r.about(0.0, 1.0);
        let nose_bottom_y = (r.about(-4.95, 0.42) - 0.2 * m - 0.12 * long).min(-4.35);
        let mouth_y = nose_bottom_y - r.about(2.15, 0.26) - 0.15 * m;
        Shape {
            crown_y: r.about(11.3, 0.5) * size + 0.2 * long,
            head_half_width: r.about(7.5, 0.28) * size + 0.2 * wide,
            temple_half_width: r.about(6.75, 0.28) * size + 0.2 * wide,
            cheek_half_width: r.about(6.75, 0.3) * size + 0.3 * wide,
            jaw_half_width: r.about(5.05, 0.4) * size + 0.45 * m + 0.3 * wide,
            jaw_rise: r.about(4.6, 0.6),
            jaw_square: (r.about(0.84, 0.12) + 0.14 * m).clamp(0.6, 1.2),
            menton_y: (mouth_y - r.about(4.3, 0.4) - 0.5 * m - 0.25 * long).min(-10.2),
            forehead_slope: (r.about(0.62, 0.1) + 0.1 * m).max(0.4),
            flatness: r.about(0.85, 0.08).min(1.0),
            chin_out: r.about(0.25, 0.3) + 0.2 * m,
            chin_width: (r.about(2.0, 0.3) + 0.4 * m).max(1.3),
            chin_cleft: if r.chance(0.25) {
                r.between(0.1, 0.35)
            } else {
                0.0
            },
            cheekbone: r.about(0.45, 0.25),
            cheek_fullness: r.about(0.25, 0.35),
            brow_ridge: (r.about(0.28, 0.16) + 0.25 * m).max(0.0),
            brow_y: r.about(1.95, 0.28) - 0.2 * m,
            brow_arch: r.about(0.35, 0.2) - 0.15 * m,
            brow_slant: r.about(0.15, 0.22),
            eye_x: r.about(3.15, 0.2) * size,
            eye_half_length: r.about(1.5, 0.12),
            eye_opening: r.about(1.0, 0.14) - 0.08 * m,
            eye_tilt: r.about(0.12, 0.16),
            eye_depth: r.about(0.25, 0.18) + 0.1 * m,
            lid_crease: r.about(0.3, 0.13).max(0.05),
            nose_bottom_y,
            nose_out: r.about(1.8, 0.26) + 0.15 * m,
            nose_bridge: r.about(0.6, 0.24) + 0.1 * m,
            nose_bridge_width: r.about(1.0, 0.14) + 0.1 * m,
            nose_hump: r.about(0.06, 0.15),
            nose_half_width: r.about(1.72, 0.23) + 0.14 * m,
            nose_tip: r.about(0.5, 0.16),
            nose_tip_up: r.about(0.0, 0.28) - 0.1 * m,
            nose_lean: r.about(0.0, 0.08),
            mouth_y,
            mouth_half_width: r.about(2.4, 0.22) + 0.1 * m,
            upper_lip: (r.about(0.72, 0.2) - 0.12 * m).max(0.3),
            lower_lip: (r.about(0.92, 0.22) - 0.08 * m).max(0.4),
            lips_out: r.about(0.33, 0.12).max(0.1),
            mouth_curve: r.about(-0.04, 0.13),
            cupid_bow: r.between(0.1, 0.45),
            ear_size: r.about(0.95, 0.08) + 0.06 * m,
            ear_out: r.about(0.4, 0.14),
            neck_half_width: r.about(5.0, 0.25) + 0.6 * m,
        }
    }
}
