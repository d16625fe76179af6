//! A packet put into an image file: every other byte stays.

use std::ops::Range;

use super::embedded::{ByteOrder, XMP_IN_JPEG, XMP_IN_PNG, chunk, directory, number, segment};

/// A reason why no packet is put into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedProblem {
    /// Another format.
    #[error("XMP is written into JPEG, PNG, WebP and TIFF only; have it written beside the photo")]
    Format,
    /// The file contradicts its format.
    #[error("the file is damaged; copy it again from where it came")]
    Damaged,
    /// The file has several packets, and which one others read is not known.
    #[error("the file has several XMP packets; have it written beside the photo")]
    Several,
    /// The packet or the file would be larger than the format allows.
    #[error("the XMP is too large to stand in this file; have it written beside the photo")]
    TooLarge,
}

type Result<T> = std::result::Result<T, EmbedProblem>;

use EmbedProblem::{Damaged, Format, Several, TooLarge};

/// The file with this packet instead of the one in it, or beside what is in it.
///
/// # Errors
/// A file of another format, or one into which the packet cannot be put.
pub fn embed(file: &[u8], packet: &[u8]) -> Result<Vec<u8>> {
    if file.starts_with(b"\xFF\xD8") {
        jpeg(file, packet)
    } else if file.starts_with(b"\x89PNG\r\n\x1A\n") {
        png(file, packet)
    } else if file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP") {
        webp(file, packet)
    } else if file.starts_with(b"II*\0") {
        tiff(file, packet, ByteOrder::Little)
    } else if file.starts_with(b"MM\0*") {
        tiff(file, packet, ByteOrder::Big)
    } else {
        Err(Format)
    }
}

fn with(file: &[u8], range: Range<usize>, bytes: &[u8]) -> Result<Vec<u8>> {
    let (before, after) = (file.get(..range.start), file.get(range.end..));
    Ok([before.ok_or(Damaged)?, bytes, after.ok_or(Damaged)?].concat())
}

/// The only item; `None` where there is none. Errors: several.
fn only<T>(mut found: Vec<T>) -> Result<Option<T>> {
    if found.len() > 1 { Err(Several) } else { Ok(found.pop()) }
}

/// In a segment of its own behind those of the file's kind and of EXIF.
fn jpeg(file: &[u8], packet: &[u8]) -> Result<Vec<u8>> {
    let content = [XMP_IN_JPEG, packet].concat();
    let length = u16::try_from(content.len() + 2).map_err(|_| TooLarge)?;
    let new = [b"\xFF\xE1", &length.to_be_bytes()[..], &content].concat();
    let (mut found, mut place, mut is_front) = (Vec::new(), 2, true);
    let mut rest = &file[2..];
    while let Some((marker, content, next)) = segment(rest) {
        let end = file.len() - next.len();
        is_front &= marker == 0xE0 || marker == 0xE1 && content.starts_with(b"Exif\0");
        if is_front {
            place = end;
        }
        if marker == 0xE1 && content.starts_with(XMP_IN_JPEG) {
            found.push(end - content.len() - 4..end);
        }
        rest = next;
    }
    with(file, only(found)?.unwrap_or(place..place), &new)
}

/// In a chunk of its own behind the first one.
fn png(file: &[u8], packet: &[u8]) -> Result<Vec<u8>> {
    // Not compressed, without a language.
    let checked = [b"iTXt", XMP_IN_PNG, &[0; 4], packet].concat();
    let length = u32::try_from(checked.len() - 4).map_err(|_| TooLarge)?;
    let new = [&length.to_be_bytes()[..], &checked, &crc32fast::hash(&checked).to_be_bytes()].concat();
    let (mut found, mut rest, mut place) = (Vec::new(), &file[8..], None);
    while let Some((checked, _, next)) = chunk(rest) {
        let end = file.len() - next.len();
        place = place.or(checked.starts_with(b"IHDR").then_some(end));
        if checked.strip_prefix(b"iTXt").is_some_and(|text| text.starts_with(XMP_IN_PNG)) {
            found.push(file.len() - rest.len()..end);
        }
        rest = next;
    }
    if rest.len() >= 8 {
        return Err(Damaged);
    }
    let place = place.ok_or(Damaged)?;
    with(file, only(found)?.unwrap_or(place..place), &new)
}

/// In a chunk at the end. Files without the header that says what is in them get one.
fn webp(file: &[u8], packet: &[u8]) -> Result<Vec<u8>> {
    const XMP: u8 = 4;
    let length = number(ByteOrder::Little, file, 4).ok_or(Damaged)?;
    let end = length.checked_add(8).filter(|&end| end <= file.len()).ok_or(Damaged)?;
    let (mut found, mut at) = (Vec::new(), 12);
    while let Some(head) = file.get(at..at + 8).filter(|_| at + 8 <= end) {
        let length = number(ByteOrder::Little, head, 4).ok_or(Damaged)?;
        let next = (at + 8).checked_add(length).ok_or(Damaged)?;
        let next = next.checked_add(length % 2).filter(|&next| next <= end).ok_or(Damaged)?;
        if head.starts_with(b"XMP ") {
            found.push(at..next);
        }
        at = next;
    }
    let size = u32::try_from(packet.len()).map_err(|_| TooLarge)?;
    let padding = &[0][..packet.len() % 2];
    let new = [b"XMP ", &size.to_le_bytes()[..], packet, padding].concat();
    let mut made = with(file, only(found)?.unwrap_or(end..end), &new)?;
    if &made[12..16] == b"VP8X" {
        *made.get_mut(20).ok_or(Damaged)? |= XMP;
    } else {
        let (flags, width, height) = webp_header(file).ok_or(Damaged)?;
        let mut header = b"VP8X\x0A\0\0\0".to_vec();
        header.extend([flags | XMP, 0, 0, 0]);
        header.extend(&(width - 1).to_le_bytes()[..3]);
        header.extend(&(height - 1).to_le_bytes()[..3]);
        made = with(&made, 12..12, &header)?;
    }
    // What stands behind the end stays there.
    let length = made.len() - (file.len() - end) - 8;
    let length = u32::try_from(length).map_err(|_| TooLarge)?;
    made[4..8].copy_from_slice(&length.to_le_bytes());
    Ok(made)
}

/// Flags (alpha), width and height of a WebP file of one picture.
fn webp_header(file: &[u8]) -> Option<(u8, u32, u32)> {
    let content = file.get(20..30)?;
    let short = |at: usize| Some(u32::from(u16::from_le_bytes(*content.get(at..)?.first_chunk()?)));
    match file.get(12..16)? {
        b"VP8 " => Some((0, short(6)? & 0x3FFF, short(8)? & 0x3FFF)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(*content.get(1..)?.first_chunk()?);
            let alpha = if bits >> 28 & 1 == 1 { 0x10 } else { 0 };
            Some((alpha, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
    .filter(|(_, width, height)| *width > 0 && *height > 0)
}

/// In tag 700 of the first directory, behind the end of the file; what stood in the tag becomes zeros.
fn tiff(file: &[u8], packet: &[u8], order: ByteOrder) -> Result<Vec<u8>> {
    const ENTRY: usize = 12;
    const TAG: u16 = 700;
    let (start, count) = directory(order, file).ok_or(Damaged)?;
    let end = start + usize::from(count) * ENTRY;
    let entries = file.get(start..end).ok_or(Damaged)?;
    let next = file.get(end..end + 4).ok_or(Damaged)?;
    let tag = |entry: &[u8]| order.short([entry[0], entry[1]]);
    let mut made = file.to_vec();
    let place = appended(&mut made, packet)?;
    let length = u32::try_from(packet.len()).map_err(|_| TooLarge)?;
    let [length, place] = [length, place].map(|number| order.ordered(number.to_le_bytes()));
    let entry = [[TAG, 1].map(|number| order.ordered(number.to_le_bytes())).as_flattened(), &length, &place].concat();
    let found = entries.chunks_exact(ENTRY).enumerate().filter(|(_, entry)| tag(entry) == TAG);
    if let Some((at, old)) = only(found.collect())? {
        let bytes = number(order, old, 4).zip(number(order, old, 8));
        if let Some((length @ 5.., at)) = bytes
            && let Some(old) = at.checked_add(length).and_then(|end| made.get_mut(at..end))
            && at + length <= file.len()
        {
            old.fill(0);
        }
        made[start + at * ENTRY..][..ENTRY].copy_from_slice(&entry);
        return Ok(made);
    }
    let before = entries.chunks_exact(ENTRY).take_while(|entry| tag(entry) < TAG).count() * ENTRY;
    let count = order.ordered(count.checked_add(1).ok_or(TooLarge)?.to_le_bytes());
    let new = [&count, &entries[..before], &entry, &entries[before..], next].concat();
    let place = appended(&mut made, &new)?;
    made[4..8].copy_from_slice(&order.ordered(place.to_le_bytes()));
    Ok(made)
}

/// Puts bytes at the end of a TIFF, at an even place, which is returned.
fn appended(file: &mut Vec<u8>, bytes: &[u8]) -> Result<u32> {
    if file.len() % 2 == 1 {
        file.push(0);
    }
    let place = u32::try_from(file.len()).map_err(|_| TooLarge)?;
    file.extend_from_slice(bytes);
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;

    const PACKETS: [&[u8]; 3] = [b"<x:xmpmeta>Ada</x:xmpmeta>", b"<x:xmpmeta/>", &[b'x'; 9001]];

    fn segment_of(marker: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 2).unwrap();
        [&[0xFF, marker], &length.to_be_bytes()[..], content].concat()
    }

    fn chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
        let checked = [kind, content].concat();
        let checksum = crc32fast::hash(&checked).to_be_bytes();
        [&(content.len() as u32).to_be_bytes()[..], &checked, &checksum].concat()
    }

    fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut content = b"WEBP".to_vec();
        for (kind, bytes) in chunks {
            content.extend_from_slice(*kind);
            content.extend((bytes.len() as u32).to_le_bytes());
            content.extend_from_slice(bytes);
            content.resize(content.len().next_multiple_of(2), 0);
        }
        [b"RIFF", &(content.len() as u32).to_le_bytes()[..], &content].concat()
    }

    /// Files of every format, without a packet.
    fn files() -> Vec<Vec<u8>> {
        let jpeg = [
            b"\xFF\xD8".to_vec(),
            segment_of(0xE0, b"JFIF\0"),
            segment_of(0xE1, b"Exif\0\0MM"),
            segment_of(0xDB, b"tables"),
            segment_of(0xDA, b""),
            b"data\xFF\xD9".to_vec(),
        ];
        let png =
            [b"\x89PNG\r\n\x1A\n".to_vec(), chunk(b"IHDR", &[0; 13]), chunk(b"IDAT", b"data"), chunk(b"IEND", b"")];
        let lossy = [b"\0\0\0\x9d\x01\x2a", &[40, 0, 30, 0][..], b"data!"].concat();
        let lossless = [&[0x2f, 39, 0x40, 7, 0x10][..], b"data"].concat();
        let tiff = |order: ByteOrder, magic: &[u8]| {
            let (short, long) = (|it: u16| order.ordered(it.to_le_bytes()), |it: u32| order.ordered(it.to_le_bytes()));
            let mut file = [magic, &long(8), &short(2)].concat();
            for tag in [256u16, 800] {
                file.extend(short(tag));
                file.extend(short(3));
                file.extend(long(1));
                file.extend(long(7));
            }
            [&file, &[0; 4][..], b"pixel"].concat()
        };
        vec![
            jpeg.concat(),
            png.concat(),
            riff(&[(b"VP8 ", &lossy)]),
            riff(&[(b"VP8L", &[&lossless[..], b"more"].concat())]),
            riff(&[(b"VP8X", &[0; 10]), (b"VP8 ", b"odd")]),
            tiff(ByteOrder::Little, b"II*\0"),
            tiff(ByteOrder::Big, b"MM\0*"),
        ]
    }

    #[test]
    fn what_is_put_in_is_read_again_and_replaced() {
        for file in files() {
            let mut made = file.clone();
            for packet in PACKETS.iter().chain(&PACKETS[..1]) {
                made = embed(&made, packet).unwrap();
                let read = embedded(&made).unwrap();
                assert_eq!(read, [*packet], "{file:?}");
            }
            assert_eq!(embed(&made, PACKETS[0]).map(|it| embedded(&it).unwrap().len()), Ok(1));
        }
    }

    #[test]
    fn what_was_replaced_is_gone() {
        for file in files() {
            let first = embed(&file, b"<x:xmpmeta>Zoe</x:xmpmeta>").unwrap();
            let second = embed(&first, b"<x:xmpmeta/>").unwrap();
            assert!(!second.windows(3).any(|bytes| bytes == b"Zoe"));
            for kept in [&b"data"[..], b"pixel", b"odd", b"tables"] {
                let has = |file: &[u8]| file.windows(kept.len()).any(|bytes| bytes == kept);
                assert_eq!(has(&second), has(&file));
            }
        }
    }

    #[test]
    fn a_plain_webp_says_what_is_in_it() {
        let made = embed(&files()[2], b"<x/>").unwrap();
        assert_eq!(&made[12..30], b"VP8X\x0A\0\0\0\x04\0\0\0\x27\0\0\x1D\0\0");
        let made = embed(&files()[3], b"<x/>").unwrap();
        assert_eq!(&made[20..30], b"\x14\0\0\0\x27\0\0\x1D\0\0");
    }

    #[test]
    fn no_file_makes_it_panic() {
        for file in files() {
            for at in 0..file.len() {
                let _ = embed(&file[..at], PACKETS[0]);
                for wrong in [0, 1, 0x7F, 0xFF] {
                    let mut file = file.clone();
                    file[at] = wrong;
                    let _ = embed(&file, PACKETS[0]);
                }
            }
        }
        assert_eq!(embed(b"GIF89a", b""), Err(Format));
        assert_eq!(embed(b"\xFF\xD8", &[b' '; 70_000]), Err(TooLarge));
        let twice = [XMP_IN_JPEG, b"<x/>"].concat();
        let twice = [b"\xFF\xD8".to_vec(), segment_of(0xE1, &twice), segment_of(0xE1, &twice)];
        assert_eq!(embed(&twice.concat(), b""), Err(Several));
    }
}
