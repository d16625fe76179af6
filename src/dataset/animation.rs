//! Whether a photo is an animation: then its first frame is the photo, which is said.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::extension::has_extension;

/// Whether a file is a GIF of several frames or an animated WebP, by its extension and its content.
pub(super) fn is_animation(path: &Path) -> bool {
    let opened = || File::open(path).map(BufReader::new);
    if has_extension(path, &["gif"]) {
        return opened().is_ok_and(|file| has_second_frame(file).unwrap_or(false));
    }
    has_extension(path, &["webp"]) && opened().and_then(is_animated_webp).unwrap_or(false)
}

/// The chunk of extended files says so in a bit.
fn is_animated_webp(mut file: impl Read) -> io::Result<bool> {
    let mut head = [0; 21];
    file.read_exact(&mut head)?;
    Ok(head.starts_with(b"RIFF") && head[8..].starts_with(b"WEBPVP8X") && head[20] & 2 != 0)
}

/// Passes over the first frame without decoding it.
fn has_second_frame(file: impl Read) -> Result<bool, gif::DecodingError> {
    let mut options = gif::DecodeOptions::new();
    options.skip_frame_decoding(true);
    let mut frames = options.read_info(file)?;
    Ok(frames.next_frame_info()?.is_some() && frames.next_frame_info()?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::gif::GifEncoder;
    use image::{Frame, RgbaImage};

    fn gif(frames: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let frame = || Frame::new(RgbaImage::from_pixel(40, 30, image::Rgba([9, 200, 40, 255])));
        GifEncoder::new(&mut bytes).encode_frames((0..frames).map(|_| frame())).unwrap();
        bytes
    }

    #[test]
    fn frames_are_told_from_one_picture() {
        let folder = tempfile::tempdir().unwrap();
        let webp = |flags: u8| [b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0", &[flags, 0, 0, 0][..]].concat();
        for (name, bytes, animated) in [
            ("one.gif", gif(1), false),
            ("two.GIF", gif(2), true),
            ("cut.gif", gif(2)[..40].to_vec(), false),
            ("none.gif", Vec::new(), false),
            ("text.gif", b"GIF as text".to_vec(), false),
            ("moving.webp", webp(2), true),
            ("still.webp", webp(0x10), false),
            ("two.png", gif(2), false),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(is_animation(&path), animated, "{name}");
        }
        assert!(!is_animation(&folder.path().join("gone.gif")));
    }
}
