//! Faces of d pixels drawn from a seed, one after the other.

/// n faces by integer arithmetic alone, as tests/reference/kernel_pca.py draws them: five patterns mixed, and a little noise.
pub fn mixed(d: usize, n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed % (1 << 31);
    let mut draw = |below: u64| {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        ((state >> 16) % below) as i64
    };
    let mut pattern = || (0..d).map(|_| draw(65) - 32).collect::<Vec<i64>>();
    let patterns: Vec<_> = (0..5).map(|_| pattern()).collect();
    let mut pixels = Vec::with_capacity(n * d);
    for _ in 0..n {
        let mix: Vec<i64> = (0..5).map(|_| draw(41) - 20).collect();
        for at in 0..d {
            let sum: i64 = mix.iter().zip(&patterns).map(|(m, p)| m * p[at]).sum();
            pixels.push((128 + sum.div_euclid(32) + draw(13) - 6).clamp(0, 255) as u8);
        }
    }
    pixels
}

/// n faces of waves, light and noise from a seed, so that their spectra decay and no eigenvalues are equal.
pub fn waves(d: usize, n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut pixels = Vec::with_capacity(n * d);
    for _ in 0..n {
        let (phase, tilt, level) = (draw() * 6.0, draw() * 3.0, draw() * 60.0);
        for at in 0..d {
            let wave = libm::sin(at as f64 / 5.0 + phase) * 50.0 + libm::cos(at as f64 * tilt / 40.0) * 30.0;
            pixels.push((90.0 + level + wave + draw() * 20.0).clamp(0.0, 255.0) as u8);
        }
    }
    pixels
}
