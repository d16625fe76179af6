//! Frame of a JPEG: what its markers say of the picture before anything is decoded (ITU-T T.81, annex B).

use crate::error::PhotoProblem;

/// The samples wanted of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colors {
    /// To be compared.
    Gray,
    /// To be shown.
    Rgb,
}

impl Colors {
    pub(super) fn channels(self) -> usize {
        if self == Self::Gray { 1 } else { 3 }
    }
}

/// What a JPEG's frame header, and the markers after it, say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// Width and height as stored.
    pub size: (u32, u32),
    pub coding: Coding,
    /// Horizontal and vertical sampling factor of each component.
    pub sampling: Vec<[u8; 2]>,
    /// Components of the first scan: fewer than all where scans are not interleaved.
    pub first_scan: usize,
    /// Where the lines' number follows the first scan (DNL): places of the frame's height and of the segment that gives it.
    pub late_lines: Option<(usize, std::ops::Range<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Sequential,
    Progressive,
}

impl Frame {
    /// Reads the markers up to the first scan, and looks for a late number of lines after it.
    /// Errors: a kind of JPEG that no decoder here reads, by its name; no frame.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, PhotoProblem> {
        let mut frame = None;
        let (mut cut, mut height_at) = (true, 0);
        for marker in markers(bytes) {
            match marker.code {
                // Tables, not frames: Huffman codes (DHT), JPEG's extensions, arithmetic conditioning (DAC).
                0xc4 | 0xc8 | 0xcc => {}
                0xc0..=0xcf if frame.is_none() => {
                    frame = Some(Self::of(&marker)?);
                    height_at = marker.at + 5;
                }
                0xda => {
                    cut = false;
                    if let Some(frame) = &mut frame {
                        frame.first_scan = marker.segment.first().map_or(0, |&n| usize::from(n));
                    }
                    break;
                }
                _ => {}
            }
        }
        let mut frame = match frame {
            Some(frame) => frame,
            None if cut => return Err(TRUNCATED),
            None => return Err(damaged("no frame before the first scan")),
        };
        if frame.size.1 == 0
            && let Some(late) = markers(bytes).find(|marker| marker.code == 0xdc)
            && let Some(&lines) = late.segment.first_chunk()
        {
            frame.size.1 = u32::from(u16::from_be_bytes(lines));
            frame.late_lines = Some((height_at, late.at..late.at + 4 + late.segment.len()));
        }
        if frame.size.0 == 0 || frame.size.1 == 0 { Err(damaged("a side of 0 pixels")) } else { Ok(frame) }
    }

    fn of(marker: &Marker<'_>) -> Result<Self, PhotoProblem> {
        let coding = match marker.code {
            0xc0 | 0xc1 => Coding::Sequential,
            0xc2 => Coding::Progressive,
            0xc3 => return Err(unsupported("lossless coding")),
            0xc9..=0xcb => return Err(unsupported("arithmetic coding")),
            _ => return Err(unsupported("hierarchical coding")),
        };
        let &[precision, h1, h0, w1, w0, components, ref rest @ ..] = marker.segment else { return Err(TRUNCATED) };
        if precision != 8 {
            return Err(unsupported(&format!("{precision} bits a sample")));
        }
        let factors = |of: &[u8; 3]| [of[1] >> 4, of[1] & 15];
        let sampling: Vec<[u8; 2]> = rest.as_chunks().0.iter().map(factors).collect();
        let sound = |&[h, v]: &[u8; 2]| (1..=4).contains(&h) && (1..=4).contains(&v);
        if sampling.len() != usize::from(components) || !sampling.iter().all(sound) {
            return Err(damaged("its components contradict each other"));
        }
        if !matches!(components, 1 | 3 | 4) {
            return Err(unsupported(&format!("{components} components")));
        }
        let size = (u32::from(u16::from_be_bytes([w1, w0])), u32::from(u16::from_be_bytes([h1, h0])));
        Ok(Self { size, coding, sampling, first_scan: 0, late_lines: None })
    }

    pub(super) fn is_one_scan(&self) -> bool {
        self.coding == Coding::Sequential && self.first_scan == self.sampling.len()
    }

    /// Whether this is one of the layouts that cameras and programs write by default: all components in the first scan or
    /// progressive, colours sampled as often as luma, or half as often across or both ways.
    ///
    /// `zune-jpeg` 0.5 decodes others to garbage without an error (4:4:0 when progressive, 4:2:0 not interleaved).
    pub(super) fn is_usual(&self) -> bool {
        let colors = self.sampling.get(1..).unwrap_or_default();
        let plain = |factors: &[[u8; 2]]| factors.iter().all(|&factors| factors == [1, 1]);
        let interleaved = self.coding == Coding::Progressive || self.is_one_scan();
        let usual = match self.sampling.as_slice() {
            // With one component the factors mean nothing.
            [_] => true,
            [[1, 1] | [2, 1] | [2, 2], ..] if colors.len() == 2 => plain(colors),
            all => plain(all),
        };
        usual && interleaved && self.late_lines.is_none()
    }

    /// Bytes that decoding takes at most: the picture, its planes, and a progressive one's coefficients (16 bits each).
    pub(super) fn decoded_bytes(&self, reduction: u32, colors: Colors) -> u64 {
        let reduced = |length: u32| u64::from(length.div_ceil(reduction));
        let pixels = reduced(self.size.0) * reduced(self.size.1);
        let samples = match self.is_usual() && reduction == 1 {
            true if colors == Colors::Gray && self.sampling.len() < 4 => 1,
            true => self.sampling.len() as u64,
            // Planes, then the picture.
            false => 2 * self.sampling.len() as u64,
        };
        pixels * samples + self.coefficient_bytes()
    }

    fn coefficient_bytes(&self) -> u64 {
        if self.coding == Coding::Sequential {
            return 0;
        }
        let most = |axis: usize| self.sampling.iter().map(|factors| u64::from(factors[axis])).max();
        let (across, down) = (most(0).unwrap_or(1), most(1).unwrap_or(1));
        let units = |length: u32, most: u64| u64::from(length).div_ceil(8 * most);
        let units = units(self.size.0, across) * units(self.size.1, down);
        let blocks = self.sampling.iter().map(|&[h, v]| u64::from(h) * u64::from(v)).sum::<u64>();
        units * blocks * 128
    }
}

/// One marker and its segment, without the length.
struct Marker<'a> {
    code: u8,
    /// Position of the marker's first byte.
    at: usize,
    segment: &'a [u8],
}

/// The markers of a JPEG in their order. Segments are skipped whole, so those of a thumbnail inside one do not count.
fn markers(bytes: &[u8]) -> impl Iterator<Item = Marker<'_>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        loop {
            let at = next + bytes.get(next..)?.iter().position(|&b| b == 0xff)?;
            let code = *bytes.get(at + 1)?;
            match code {
                // A fill byte: the marker may begin with the next.
                0xff => next = at + 1,
                // The escaped 0xff of the data, and markers without a segment.
                0x00 | 0x01 | 0xd0..=0xd8 => next = at + 2,
                0xd9 => {
                    next = at + 2;
                    return Some(Marker { code, at, segment: &[] });
                }
                _ => {
                    let length = bytes.get(at + 2..)?.first_chunk()?;
                    next = at + 2 + usize::from(u16::from_be_bytes(*length)).max(2);
                    return Some(Marker { code, at, segment: bytes.get(at + 4..next.min(bytes.len()))? });
                }
            }
        }
    })
}

pub(super) fn first_markers(bytes: &[u8]) -> impl Iterator<Item = u8> {
    markers(bytes).map(|marker| marker.code).take_while(|code| *code != 0xda)
}

pub(super) fn end_of_image(bytes: &[u8]) -> Option<usize> {
    let mut markers = markers(bytes);
    markers.find(|marker| marker.code == 0xd9).map(|end| end.at)
}

const TRUNCATED: PhotoProblem = PhotoProblem::Truncated { format: "JPEG" };

fn damaged(reason: &str) -> PhotoProblem {
    super::damaged::damaged(image::ImageFormat::Jpeg, reason)
}

fn unsupported(reason: &str) -> PhotoProblem {
    PhotoProblem::UnsupportedVariant { format: "JPEG", reason: reason.to_owned() }
}
