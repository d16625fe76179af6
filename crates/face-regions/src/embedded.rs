//! The XMP packets inside image files (Adobe XMP Specification Part 3).

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::encoding::MOST_BYTES;
use super::problem::XmpProblem;

/// The packets inside an image file: JPEG with extended XMP, PNG, TIFF, WebP, GIF, HEIF (scanned). None in other files.
///
/// The walk ends where the file contradicts its format, for its decoder says so.
///
/// # Errors
/// A packet that is there, but not whole.
pub fn embedded(file: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, XmpProblem> {
    if let Some(segments) = file.strip_prefix(b"\xFF\xD8") {
        jpeg(segments)
    } else if let Some(chunks) = file.strip_prefix(b"\x89PNG\r\n\x1A\n") {
        png(chunks)
    } else if file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP") {
        Ok(webp(&file[12..]))
    } else if file.starts_with(b"II*\0") {
        tiff(file, ByteOrder::Little)
    } else if file.starts_with(b"MM\0*") {
        tiff(file, ByteOrder::Big)
    } else if file.starts_with(b"GIF8") {
        gif(file)
    } else if file.get(4..8) == Some(b"ftyp") {
        Ok(scanned(file))
    } else {
        Ok(Vec::new())
    }
}

const INCOMPLETE: XmpProblem = XmpProblem::Incomplete;

pub(super) const XMP_IN_JPEG: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// The keyword of a PNG's chunk of a packet, with its end.
pub(super) const XMP_IN_PNG: &[u8] = b"XML:com.adobe.xmp\0";

/// The segments before the image data: a packet, and what did not fit into it (Part 3, 1.1.3).
fn jpeg(mut rest: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, XmpProblem> {
    let mut packets: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut extended = Vec::new();
    while let Some((marker, content, next)) = segment(rest) {
        if marker == 0xE1 {
            if let Some(packet) = content.strip_prefix(XMP_IN_JPEG) {
                packets.push(packet.into());
            } else if let Some(part) = content.strip_prefix(b"http://ns.adobe.com/xmp/extension/\0") {
                extended.push(ExtendedPart::of(part).ok_or(INCOMPLETE)?);
            }
        }
        rest = next;
    }
    // Parts that the packet does not name belong to one that was replaced.
    extended.retain(|part| packets.iter().any(|packet| contains(packet, part.digest)));
    extended.sort_by_key(|part| (part.digest, part.offset));
    for parts in extended.chunk_by(|one, other| one.digest == other.digest) {
        let whole = parts.iter().map(|part| part.content).collect::<Vec<_>>().concat();
        let end = parts.iter().try_fold(0, |end, part| (part.offset == end).then(|| end + part.content.len()));
        if parts.iter().any(|part| Some(part.length) != end) {
            return Err(INCOMPLETE);
        }
        // Depth maps and the like make it large, and are of no interest.
        if whole.len() <= MOST_BYTES || mentions_regions(&whole) {
            packets.push(whole.into());
        }
    }
    Ok(packets)
}

/// The next segment of a JPEG file, and what follows it; none where the image data begins.
pub(super) fn segment(mut rest: &[u8]) -> Option<(u8, &[u8], &[u8])> {
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
                return Some((marker, segment.get(2..)?, next));
            }
        }
    }
}

/// A part of extended XMP: the MD5 of the whole, its length, the place of this part in it, and the part.
struct ExtendedPart<'a> {
    digest: &'a [u8; 32],
    length: usize,
    offset: usize,
    content: &'a [u8],
}

impl<'a> ExtendedPart<'a> {
    fn of(segment: &'a [u8]) -> Option<Self> {
        let (digest, rest) = segment.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (offset, content) = rest.split_first_chunk()?;
        Some(Self {
            digest,
            length: u32::from_be_bytes(*length) as usize,
            offset: u32::from_be_bytes(*offset) as usize,
            content,
        })
    }
}

fn mentions_regions(packet: &[u8]) -> bool {
    ["http://www.metadataworkinggroup.com/schemas/regions/", "http://ns.microsoft.com/photo/1.2/"]
        .iter()
        .any(|uri| contains(packet, uri.as_bytes()))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    find(text, part).is_some()
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// The chunks `iTXt` of a PNG file, wherever they stand (Part 3, 1.1.5).
fn png(mut rest: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, XmpProblem> {
    let mut packets = Vec::new();
    while let Some((checked, checksum, next)) = chunk(rest) {
        if let Some(text) = checked.strip_prefix(b"iTXtXML:com.adobe.xmp\0") {
            if crc32fast::hash(checked) != checksum {
                return Err(INCOMPLETE);
            }
            packets.push(international_text(text).ok_or(INCOMPLETE)?);
        }
        rest = next;
    }
    Ok(packets)
}

/// The next chunk of a PNG file: kind and content, their checksum, and what follows it; none where it is not whole.
pub(super) fn chunk(rest: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let (length, after) = rest.split_first_chunk()?;
    let length = (u32::from_be_bytes(*length) as usize).saturating_add(4);
    let (checked, after) = after.split_at_checked(length)?;
    let (checksum, next) = after.split_first_chunk()?;
    Some((checked, u32::from_be_bytes(*checksum), next))
}

/// The text of a chunk behind its keyword: two bytes of compression, a language and a translated keyword stand before it.
fn international_text(chunk: &[u8]) -> Option<Cow<'_, [u8]>> {
    let [compression, _, rest @ ..] = chunk else { return None };
    let text = rest.splitn(3, |&byte| byte == 0).nth(2)?;
    match compression {
        0 => Some(text.into()),
        // One byte too many is refused by whoever reads the packet.
        _ => decompress_to_vec_zlib_with_limit(text, MOST_BYTES + 1).ok().map(Cow::Owned),
    }
}

/// The chunks `XMP ` behind the header of a WebP file (Part 3, 1.1.9).
fn webp(mut rest: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut packets = Vec::new();
    while let Some((kind, after)) = rest.split_first_chunk::<4>()
        && let Some((length, after)) = after.split_first_chunk()
    {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((content, next)) = after.split_at_checked(length) else { break };
        if kind.starts_with(b"XMP") {
            packets.push(content.into());
        }
        // Chunks begin at even places.
        rest = next.get(length % 2..).unwrap_or_default();
    }
    packets
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// A number's bytes in little-endian order as they stand in the file, and back.
    pub(super) fn ordered<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Self::Big {
            bytes.reverse();
        }
        bytes
    }

    pub(super) fn short(self, bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(self.ordered(bytes))
    }
}

pub(super) fn number(order: ByteOrder, bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(order.ordered(*bytes.get(at..)?.first_chunk()?)) as usize)
}

/// Where the entries of a TIFF's first directory begin, and how many there are to be.
pub(super) fn directory(order: ByteOrder, file: &[u8]) -> Option<(usize, u16)> {
    let at = number(order, file, 4)?;
    Some((at + 2, order.short(*file.get(at..)?.first_chunk()?)))
}

/// Tag 700 of a TIFF file's first directory (Part 3, 1.1.8).
fn tiff(file: &[u8], order: ByteOrder) -> Result<Vec<Cow<'_, [u8]>>, XmpProblem> {
    let Some((start, count)) = directory(order, file) else { return Ok(Vec::new()) };
    let entries = file[start..].as_chunks::<12>().0.iter();
    let mut packets = Vec::new();
    for entry in entries.take(count.into()) {
        if order.short([entry[0], entry[1]]) != 700 {
            continue;
        }
        // Bytes, characters, or undefined: all are one byte long.
        let is_bytes = matches!(order.short([entry[2], entry[3]]), 1 | 2 | 6 | 7);
        let length = number(order, entry, 4).filter(|_| is_bytes);
        let content = match (length, number(order, entry, 8)) {
            (Some(length @ 0..=4), _) => entry[8..].get(..length),
            (Some(length), Some(at)) => file.get(at..).and_then(|content| content.get(..length)),
            _ => None,
        };
        packets.push(content.ok_or(INCOMPLETE)?.into());
    }
    Ok(packets)
}

/// The application extension of a GIF file (Part 3, 1.1.2). The packet stands there as it is, and is followed by bytes such
/// that whoever takes it for blocks of data comes out at its end, wherever it began.
fn gif(file: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, XmpProblem> {
    let trailer: Vec<u8> = [1].into_iter().chain((0..=u8::MAX).rev()).chain([0]).collect();
    let colors = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut packets = Vec::new();
    let mut at = 13 + file.get(10).map_or(0, |&flags| colors(flags));
    loop {
        let blocks = match file.get(at) {
            Some(0x21) => at + 2,
            Some(0x2C) => at + 11 + file.get(at + 9).map_or(0, |&flags| colors(flags)),
            _ => return Ok(packets),
        };
        let mut end = blocks;
        while let Some(&length) = file.get(end) {
            end += 1 + usize::from(length);
            if length == 0 {
                break;
            }
        }
        let content = file.get(blocks..end).unwrap_or_default();
        if file.get(at + 1) == Some(&0xFF)
            && let Some(content) = content.strip_prefix(b"\x0BXMP DataXMP")
        {
            packets.push(content.strip_suffix(&trailer[..]).ok_or(INCOMPLETE)?.into());
        }
        at = end;
    }
}

/// The packets of a file whose format is not known here (Part 3, 2).
fn scanned(mut rest: &[u8]) -> Vec<Cow<'_, [u8]>> {
    const START: &[u8] = b"<x:xmpmeta";
    const END: &[u8] = b"</x:xmpmeta>";
    let mut packets = Vec::new();
    while let Some(start) = find(rest, START) {
        rest = &rest[start..];
        let end = find(rest, END).map_or(rest.len(), |end| end + END.len());
        packets.push(rest[..end].into());
        rest = &rest[end..];
    }
    packets
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PACKET: &[u8] = b"<x:xmpmeta>Zo\xC3\xAB</x:xmpmeta>";

    fn jpeg_segment(marker: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 2).expect("a short segment");
        [&[0xFF, marker], length.to_be_bytes().as_slice(), content].concat()
    }

    fn jpeg_of(segments: &[Vec<u8>]) -> Vec<u8> {
        [vec![0xFF, 0xD8], segments.concat(), jpeg_segment(0xDA, b"")].concat()
    }

    fn main_packet(text: &[u8]) -> Vec<u8> {
        jpeg_segment(0xE1, &[b"http://ns.adobe.com/xap/1.0/\0", text].concat())
    }

    fn part(digest: &str, length: u32, offset: u32, content: &[u8]) -> Vec<u8> {
        let content = [
            b"http://ns.adobe.com/xmp/extension/\0",
            digest.as_bytes(),
            &length.to_be_bytes(),
            &offset.to_be_bytes(),
            content,
        ];
        jpeg_segment(0xE1, &content.concat())
    }

    fn png_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
        let checked = [kind, content].concat();
        [(content.len() as u32).to_be_bytes().as_slice(), &checked, &crc32fast::hash(&checked).to_be_bytes()].concat()
    }

    fn png_of(chunks: &[Vec<u8>]) -> Vec<u8> {
        [b"\x89PNG\r\n\x1A\n".to_vec(), chunks.concat()].concat()
    }

    fn itxt(compressed: bool, text: &[u8]) -> Vec<u8> {
        let compressed_text = miniz_oxide::deflate::compress_to_vec_zlib(text, 6);
        let text = if compressed { &compressed_text } else { text };
        let head = [b"XML:com.adobe.xmp\0".as_slice(), &[compressed.into(), 0]].concat();
        png_chunk(b"iTXt", &[&head, b"en\0Metadata\0".as_slice(), text].concat())
    }

    fn webp_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WEBP".to_vec();
        for (kind, content) in chunks {
            file.extend_from_slice(*kind);
            file.extend((content.len() as u32).to_le_bytes());
            file.extend_from_slice(content);
            file.extend(vec![0; content.len() % 2]);
        }
        file
    }

    /// A TIFF file in either order of bytes, with its only directory at the end.
    fn tiff_of(is_little: bool, kind: u16, text: &[u8]) -> Vec<u8> {
        let short = |number: u16| if is_little { number.to_le_bytes() } else { number.to_be_bytes() };
        let long = |number: usize| {
            if is_little { (number as u32).to_le_bytes() } else { (number as u32).to_be_bytes() }
        };
        let mut file = if is_little { *b"II*\0" } else { *b"MM\0*" }.to_vec();
        file.extend(long(8 + text.len()));
        file.extend_from_slice(text);
        file.extend(short(2));
        for (tag, kind, length, at) in [(256, 3, 1, 0), (700, kind, text.len(), 8)] {
            file.extend(short(tag));
            file.extend(short(kind));
            file.extend(long(length));
            file.extend(long(at));
        }
        file
    }

    fn gif_of(packet: &[u8]) -> Vec<u8> {
        let mut file = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
        file.extend([0; 6]);
        file.extend(b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0");
        file.extend(b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0");
        file.extend(b"\x21\xFF\x0BXMP DataXMP");
        file.extend(packet);
        file.push(1);
        file.extend((0..=u8::MAX).rev());
        file.extend(b"\0;");
        file
    }

    fn files() -> Vec<Vec<u8>> {
        let digest = "0123456789ABCDEF0123456789ABCDEF";
        let note = [PACKET, digest.as_bytes()].concat();
        let (one, other) = PACKET.split_at(5);
        let length = PACKET.len() as u32;
        vec![
            jpeg_of(&[
                jpeg_segment(0xE0, b"JFIF\0"),
                part(digest, length, 5, other),
                vec![0xFF, 0xFF],
                main_packet(&note),
                part(digest, length, 0, one),
            ]),
            png_of(&[png_chunk(b"IHDR", b""), itxt(false, PACKET)]),
            png_of(&[png_chunk(b"IDAT", b"12"), itxt(true, PACKET)]),
            webp_of(&[(b"VP8X", b"odd"), (b"XMP ", PACKET)]),
            tiff_of(true, 1, PACKET),
            tiff_of(false, 7, PACKET),
            gif_of(PACKET),
            [b"\0\0\0\x18ftypheic", PACKET].concat(),
        ]
    }

    #[test]
    fn packets_are_found_in_every_format() {
        for (at, file) in files().iter().enumerate() {
            let found = embedded(file).expect("packets");
            let last = found.last().unwrap_or_else(|| panic!("none in file {at}"));
            assert_eq!(last.as_ref(), PACKET, "file {at}");
            assert_eq!(found.len(), if at == 0 { 2 } else { 1 }, "file {at}");
        }
        for other in [b"".as_slice(), b"BM", b"P5\n1 1\n255\n0"] {
            assert_eq!(embedded(other), Ok(Vec::new()));
        }
    }

    #[test]
    fn the_image_data_of_a_jpeg_is_not_searched() {
        let jpeg = [jpeg_of(&[]), main_packet(PACKET)].concat();
        assert_eq!(embedded(&jpeg), Ok(Vec::new()));
    }

    #[test]
    fn packets_that_are_not_whole_are_no_packets() {
        let digest = "0123456789ABCDEF0123456789ABCDEF";
        let note = main_packet(digest.as_bytes());
        let length = PACKET.len() as u32;
        let mut damaged = png_of(&[itxt(false, PACKET)]);
        let text = damaged.len() - 8;
        damaged[text] ^= 1;
        let mut tiff_beyond = tiff_of(true, 1, PACKET);
        tiff_beyond.drain(8..20);
        let gif = gif_of(b"");
        let data = find(&gif, b"DataXMP").expect("an extension") + 7;
        for file in [
            jpeg_of(&[note.clone(), part(digest, length, 5, &PACKET[5..])]),
            jpeg_of(&[note.clone(), part(digest, length, 0, &PACKET[5..])]),
            jpeg_of(&[note, jpeg_segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0")]),
            damaged,
            png_of(&[png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\x01\0\0\0no zlib")]),
            png_of(&[png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0")]),
            tiff_of(true, 3, PACKET),
            [&gif[..data], b"\x03abc\0;"].concat(),
        ] {
            assert_eq!(embedded(&file), Err(INCOMPLETE), "{file:?}");
        }
        // What an earlier packet said stays behind in parts that no packet names.
        let stale = jpeg_of(&[main_packet(PACKET), part(digest, 99, 5, b"old")]);
        assert_eq!(embedded(&stale).map(|found| found.len()), Ok(1));
    }

    proptest! {
        #[test]
        fn any_change_of_a_file_is_borne(at in 0..8_usize, changes in prop::collection::vec((0..400_usize, any::<u8>()), 1..6), end in 0..400_usize) {
            let mut file = files().swap_remove(at);
            for (place, byte) in changes {
                if let Some(changed) = file.get_mut(place) {
                    *changed = byte;
                }
            }
            file.truncate(end.max(1));
            for packet in embedded(&file).unwrap_or_default() {
                prop_assert!(packet.len() <= MOST_BYTES + 1);
            }
        }
    }
}
