//! Who is drawn: everything that stays the same from one photo of a person to the next.

use super::random::Random;
use super::shape::Shape;

/// The bundled people, in order, with the build that suits the name.
const NAMES: [(&str, Build); 14] = [
    ("Ada", Build::Feminine),
    ("Boris", Build::Masculine),
    ("Chiara", Build::Feminine),
    ("Dmitri", Build::Masculine),
    ("Esther", Build::Feminine),
    ("Farid", Build::Masculine),
    ("Greta", Build::Feminine),
    ("Hugo", Build::Masculine),
    ("Imani", Build::Feminine),
    ("Jonas", Build::Masculine),
    ("Keiko", Build::Feminine),
    ("Luis", Build::Masculine),
    ("Mina", Build::Feminine),
    ("Noah", Build::Masculine),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Build {
    Feminine,
    Masculine,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HairStyle {
    Bald,
    Cropped,
    Short,
    SideParted,
    SweptBack,
    Fringe,
    Bob,
    Long,
    TiedBack,
    Curly,
}

#[derive(Clone, Debug)]
pub struct Person {
    pub build: Build,
    pub shape: Shape,
    pub look: Look,
    pub hair: Hair,
    pub beard: Beard,
    pub glasses: Option<Glasses>,
    pub clothes: Clothes,
    /// Seeds the person's own skin and hair texture.
    pub salt: u32,
}

/// How light or dark things are: albedo, 0 to 1 in linear light.
#[derive(Clone, Debug)]
pub struct Look {
    pub skin: f32,
    pub lips: f32,
    pub iris: f32,
    pub brow_darkness: f32,
    pub brow_thickness: f32,
    pub lashes: f32,
    pub mottling: f32,
    pub freckles: f32,
    pub eye_bags: f32,
    pub folds: f32,
    /// Where a mole is, if any: x, y on the face.
    pub mole: Option<(f32, f32)>,
}

#[derive(Clone, Debug)]
pub struct Hair {
    pub style: HairStyle,
    pub albedo: f32,
    pub volume: f32,
    /// Height of the hairline above the pupils.
    pub line_y: f32,
    /// How far the temples have receded.
    pub recession: f32,
    /// -1 parted on the picture's left, 1 on its right.
    pub part: f32,
    /// Lowest point of long hair.
    pub bottom_y: f32,
    pub wave: f32,
}

#[derive(Clone, Debug)]
pub struct Beard {
    /// 0 clean, 0.3 shadow, 1 full.
    pub chin: f32,
    pub cheeks: f32,
    pub moustache: f32,
    pub length: f32,
}

#[derive(Clone, Debug)]
pub struct Glasses {
    pub half_width: f32,
    pub half_height: f32,
    /// 2 is an ellipse, larger is squarer.
    pub squareness: f32,
    pub thickness: f32,
    pub albedo: f32,
}

#[derive(Clone, Debug)]
pub struct Clothes {
    pub albedo: f32,
    /// Depth of the neck opening at the front.
    pub neckline: f32,
    pub shoulder: f32,
}

/// The name of person `number` (from 1).
pub fn name(number: u64) -> String {
    match usize::try_from(number)
        .ok()
        .and_then(|n| NAMES.get(n.wrapping_sub(1)))
    {
        Some((name, _)) => (*name).to_owned(),
        None => format!("person-{number:04}"),
    }
}

impl Person {
    /// Draws person `number` (from 1) of this seed.
    pub fn draw(seed: u64, number: u64) -> Self {
        let r = &mut Random::named(&[seed, number]);
        let known = usize::try_from(number)
            .ok()
            .and_then(|n| NAMES.get(n.wrapping_sub(1)));
        let drawn = if r.chance(0.5) {
            Build::Feminine
        } else {
            Build::Masculine
        };
        let build = known.map_or(drawn, |k| k.1);
        let age = r.between(19.0, 68.0);
        let shape = Shape::draw(r, build);
        let look = Look::draw(r, build, age);
        let hair = Hair::draw(r, build, age, look.skin);
        let beard = Beard::draw(r, build);
        let glasses = r.chance(0.2).then(|| Glasses::draw(r));
        let clothes = Clothes {
            albedo: r.between(0.04, 0.6),
            neckline: r.between(0.0, 4.0),
            shoulder: r.about(20.0, 1.5),
        };
        Person {
            build,
            shape,
            look,
            hair,
            beard,
            glasses,
            clothes,
            salt: r.bits() as u32,
        }
    }
}

impl Look {
    fn draw(r: &mut Random, build: Build, age: f32) -> Self {
        let skin = r.pick(&[
            (0.55, 3.0),
            (0.48, 3.0),
            (0.38, 2.0),
            (0.26, 1.3),
            (0.17, 1.2),
        ]) * r.about(1.0, 0.08);
        let old = ((age - 30.0) / 35.0).clamp(0.0, 1.0);
        let feminine = build == Build::Feminine;
        Look {
            skin,
            lips: r.about(if feminine { 0.52 } else { 0.68 }, 0.1),
            iris: r.pick(&[(0.025, 3.0), (0.045, 2.0), (0.09, 1.5), (0.15, 1.0)]),
            brow_darkness: (r.about(if feminine { 0.75 } else { 0.85 }, 0.12)
                - if skin > 0.5 {
                    r.between(0.0, 0.25)
                } else {
                    0.0
                })
            .clamp(0.35, 0.95),
            brow_thickness: r.about(if feminine { 0.34 } else { 0.48 }, 0.09).max(0.18),
            lashes: if feminine {
                r.between(0.75, 1.0)
            } else {
                r.between(0.5, 0.8)
            },
            mottling: r.between(0.04, 0.09) + 0.04 * old,
            freckles: if r.chance(0.2) {
                r.between(0.05, 0.2)
            } else {
                0.0
            },
            eye_bags: r.between(0.0, 0.25) + 0.4 * old * r.unit(),
            folds: r.between(0.05, 0.25) + 0.6 * old,
            mole: r
                .chance(0.3)
                .then(|| (r.between(-4.5, 4.5), r.between(-9.0, -2.0))),
        }
    }
}

impl Hair {
    fn draw(r: &mut Random, build: Build, age: f32, skin: f32) -> Self {
        use HairStyle::*;
        let style = match build {
            Build::Feminine => r.pick(&[
                (Long, 3.0),
                (Bob, 2.5),
                (TiedBack, 2.0),
                (Fringe, 2.0),
                (Curly, 1.2),
                (SideParted, 1.0),
            ]),
            Build::Masculine => r.pick(&[
                (Short, 2.6),
                (SideParted, 2.4),
                (SweptBack, 1.6),
                (Cropped, 1.8),
                (Curly, 1.0),
                (Bald, if age > 35.0 { 1.8 } else { 0.4 }),
                (Fringe, 0.7),
            ]),
        };
        let fair = if skin > 0.45 { 1.0 } else { 0.0 };
        let natural = r.pick(&[
            (0.022, 3.0),
            (0.05, 2.0),
            (0.1, 1.8 * fair),
            (0.22, 1.6 * fair),
            (0.36, 1.0 * fair),
        ]);
        let gray = if age > 48.0 {
            r.between(0.0, (age - 44.0) / 24.0).min(1.0)
        } else {
            0.0
        };
        let masculine = build == Build::Masculine;
        Hair {
            style,
            albedo: natural + (0.5 - natural) * gray,
            volume: r.about(1.0, 0.28),
            line_y: r.about(6.2, 0.55)
                + if masculine {
                    (age - 30.0).max(0.0) * 0.02
                } else {
                    0.0
                },
            recession: if masculine {
                r.between(0.0, 0.4 + (age - 25.0).max(0.0) * 0.015)
            } else {
                r.between(0.0, 0.25)
            },
            part: if r.chance(0.5) { 1.0 } else { -1.0 } * r.between(0.3, 0.75),
            bottom_y: match style {
                Bob => r.between(-11.5, -6.5),
                _ => r.between(-24.0, -14.0),
            },
            wave: r.between(0.0, 1.0),
        }
    }
}

impl Beard {
    fn draw(r: &mut Random, build: Build) -> Self {
        let none = Beard {
            chin: 0.0,
            cheeks: 0.0,
            moustache: 0.0,
            length: 0.0,
        };
        if build == Build::Feminine {
            return none;
        }
        match r.pick(&[(0, 4.0), (1, 2.5), (2, 1.6), (3, 0.9), (4, 0.8)]) {
            0 => Beard {
                chin: 0.08,
                cheeks: 0.08,
                moustache: 0.08,
                length: 0.0,
            },
            1 => Beard {
                chin: 0.32,
                cheeks: 0.28,
                moustache: 0.3,
                length: 0.02,
            },
            2 => Beard {
                chin: 0.95,
                cheeks: 0.9,
                moustache: 0.85,
                length: r.between(0.2, 0.7),
            },
            3 => Beard {
                moustache: 0.95,
                length: 0.3,
                chin: 0.1,
                cheeks: 0.1,
            },
            _ => Beard {
                chin: 0.9,
                moustache: 0.8,
                length: 0.35,
                ..none
            },
        }
    }
}

impl Glasses {
    fn draw(r: &mut Random) -> Self {
        Glasses {
            half_width: r.between(2.3, 2.75),
            half_height: r.between(1.6, 2.2),
            squareness: r.between(2.0, 4.5),
            thickness: r.between(0.1, 0.26),
            albedo: r.between(0.02, 0.2),
        }
    }
}
