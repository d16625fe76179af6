//! The XMP packet of a JPEG file.

/// The signature of an APP1 segment with XMP (Adobe XMP Specification Part 3, 1.1.3).
const SIGNATURE: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// The XMP packet in the bytes of a JPEG file: the first APP1 segment with XMP before the image data. The segments of
/// extended XMP, which holds what did not fit into that one, are passed over.
pub fn packet_of_jpeg(jpeg: &[u8]) -> Option<&[u8]> {
    let mut rest = jpeg.strip_prefix(&[0xFF, 0xD8])?;
    loop {
        // Any number of 0xFF may stand before the marker.
        let fill = rest.iter().take_while(|&&byte| byte == 0xFF).count();
        let (&marker, after) = rest.get(fill..)?.split_first()?;
        match (fill, marker) {
            // No marker, the image data, or the end.
            (0, _) | (_, 0x00 | 0xD9 | 0xDA) => return None,
            // Markers without a segment.
            (_, 0x01 | 0xD0..=0xD8) => rest = after,
            _ => {
                let length = usize::from(u16::from_be_bytes(*after.first_chunk()?));
                let (segment, next) = after.split_at_checked(length)?;
                let content = segment.get(2..)?;
                if marker == 0xE1
                    && let Some(packet) = content.strip_prefix(SIGNATURE)
                {
                    return Some(packet);
                }
                rest = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 2).expect("a short segment");
        [&[0xFF, marker], length.to_be_bytes().as_slice(), content].concat()
    }

    #[test]
    fn the_packet_is_found_behind_other_segments() {
        let xmp = [SIGNATURE, b"<x/>"].concat();
        let extended = b"http://ns.adobe.com/xmp/extension/\0 and more";
        let jpeg = [
            vec![0xFF, 0xD8],
            segment(0xE0, b"JFIF\0"),
            segment(0xE1, b"Exif\0\0"),
            segment(0xE1, extended),
            vec![0xFF, 0xFF],
            segment(0xE1, &xmp),
            segment(0xDA, b""),
        ]
        .concat();
        assert_eq!(packet_of_jpeg(&jpeg), Some(b"<x/>".as_slice()));
        for end in 0..jpeg.len() {
            let _ = packet_of_jpeg(&jpeg[..end]);
        }
    }

    #[test]
    fn what_comes_after_the_image_data_is_not_searched() {
        let xmp = [SIGNATURE, b"<x/>"].concat();
        let jpeg = [vec![0xFF, 0xD8], segment(0xDA, b""), segment(0xE1, &xmp)].concat();
        assert_eq!(packet_of_jpeg(&jpeg), None);
        assert_eq!(packet_of_jpeg(b"\x89PNG"), None);
        assert_eq!(packet_of_jpeg(&[0xFF, 0xD8, 0xFF, 0xE1, 0, 0]), None);
        assert_eq!(packet_of_jpeg(b""), None);
    }
}
