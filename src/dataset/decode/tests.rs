use std::io::Cursor;

use image::{Luma, Rgb, RgbImage};
use proptest::prelude::*;

use super::super::luma;
use super::*;

fn limits() -> Limits {
    Limits::default()
}

/// A small colour picture with gradients and an edge.
fn picture() -> DynamicImage {
    RgbImage::from_fn(24, 17, |x, y| match x + y {
        0..20 => Rgb([x as u8 * 10, y as u8 * 15, 90]),
        _ => Rgb([250 - x as u8 * 4, 40, y as u8 * 9]),
    })
    .into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

const FORMATS: [ImageFormat; 7] = [
    ImageFormat::Png,
    ImageFormat::Jpeg,
    ImageFormat::Gif,
    ImageFormat::Pnm,
    ImageFormat::WebP,
    ImageFormat::Bmp,
    ImageFormat::Tiff,
];

/// A gray JPEG with an EXIF segment that says only `orientation`.
fn jpeg_turned(orientation: u8) -> (Vec<u8>, GrayImage) {
    let gray = GrayImage::from_fn(16, 8, |x, y| Luma([(x / 8 * 120 + y / 4 * 60) as u8]));
    let plain = encoded(&gray.clone().into(), ImageFormat::Jpeg);
    let exif =
        [b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[orientation, 0, 0, 0, 0, 0, 0, 0]]
            .concat();
    let length = (exif.len() as u16 + 2).to_be_bytes();
    let bytes = [&plain[..2], &[0xff, 0xe1], &length, &exif, &plain[2..]].concat();
    (bytes, gray)
}

#[test]
fn every_format_is_read_by_its_content() {
    let expected = luma::to_gray(picture()).unwrap();
    for format in FORMATS {
        let bytes = encoded(&picture(), format);
        assert_eq!(sniff(&bytes[..32]), Some(Content::Image(format)));
        let gray = decode(&bytes, &limits()).unwrap();
        let worst = match format {
            ImageFormat::Jpeg => 60, // lossy, and a hard edge
            ImageFormat::Gif => 60,  // few colours
            _ => 0,
        };
        assert_eq!(gray.dimensions(), (24, 17));
        for (a, b) in gray.as_raw().iter().zip(expected.as_raw()) {
            assert!(a.abs_diff(*b) <= worst, "{format:?}: {a} {b}");
        }
    }
}

#[test]
fn the_gray_of_a_jpeg_is_that_of_its_colours() {
    let smooth = RgbImage::from_fn(64, 48, |x, y| Rgb([x as u8 * 3, y as u8 * 4, 128]));
    let bytes = encoded(&smooth.into(), ImageFormat::Jpeg);
    let gray = decode(&bytes, &limits()).unwrap();
    let colours = image::load_from_memory(&bytes).unwrap();
    let detour = luma::to_gray(colours).unwrap();
    for (a, b) in gray.as_raw().iter().zip(detour.as_raw()) {
        assert!(a.abs_diff(*b) <= 2, "{a} {b}");
    }
}

#[test]
fn colours_are_those_of_the_photo_in_every_format() {
    let expected = luma::on_paper(picture());
    for format in FORMATS {
        let color = decode_color(&encoded(&picture(), format), &limits()).unwrap();
        let worst = match format {
            ImageFormat::Jpeg => 110, // lossy, colours at half the size, and a hard edge
            ImageFormat::Gif => 60,   // few colours
            _ => 0,
        };
        assert_eq!(color.dimensions(), (24, 17));
        for (a, b) in color.as_raw().iter().zip(expected.as_raw()) {
            assert!(a.abs_diff(*b) <= worst, "{format:?}: {a} {b}");
        }
    }
    let clear = image::RgbaImage::from_pixel(2, 2, image::Rgba([0, 0, 0, 0]));
    let color = decode_color(&encoded(&clear.into(), ImageFormat::Png), &limits()).unwrap();
    assert_eq!(color.into_raw(), [255; 12]);
}

#[test]
fn photos_are_turned_upright() {
    for exif in 0..=9 {
        let (bytes, lying) = jpeg_turned(exif);
        let plain = decode(&encoded(&lying.into(), ImageFormat::Jpeg), &limits()).unwrap();
        let orientation = Orientation::from_exif(exif).unwrap_or(Orientation::NoTransforms);
        let mut expected = DynamicImage::ImageLuma8(plain);
        expected.apply_orientation(orientation);
        let gray = decode(&bytes, &limits()).unwrap();
        assert_eq!(gray, expected.into_luma8(), "EXIF {exif}");
        let color = decode_color(&bytes, &limits()).unwrap();
        assert_eq!(DynamicImage::from(color).into_luma8(), gray, "EXIF {exif}");
        let (from_header, _) = header(Cursor::new(&bytes), &bytes).unwrap();
        assert_eq!(from_header, gray.dimensions(), "EXIF {exif}");
    }
    let (bytes, _) = jpeg_turned(6);
    let gray = decode(&bytes, &limits()).unwrap();
    assert_eq!(gray.dimensions(), (8, 16));
    assert!(gray[(7, 0)][0] < 10 && gray[(0, 15)][0] > 170, "a quarter turn clockwise");
}

#[test]
fn headers_tell_the_size_in_every_format() {
    for format in FORMATS {
        let bytes = encoded(&picture(), format);
        assert_eq!(header(Cursor::new(&bytes), &bytes[..32]).unwrap().0, (24, 17));
    }
}

#[test]
fn graymaps_of_every_depth_span_the_whole_range() {
    let cases: [(&[u8], [u8; 3]); 6] = [
        (b"P2\n3 1\n255\n0 128 255\n", [0, 128, 255]),
        (b"P2 # comment\n3 1 15\n0 5 15\n", [0, 85, 255]),
        (b"P5\n3 1\n255\n\0\x80\xff", [0, 128, 255]),
        (b"P5\n3 1\n100\n\0\x32\x64", [0, 128, 255]),
        (b"P5\n3 1\n65535\n\0\0\x80\x80\xff\xff", [0, 128, 255]),
        (b"P5\n3 1\n1023\n\0\0\x02\x00\x03\xff", [0, 128, 255]),
    ];
    for (bytes, expected) in cases {
        let gray = decode(bytes, &limits()).unwrap();
        assert_eq!(gray.as_raw(), &expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn sixteen_bits_are_rounded_to_eight() {
    let deep = image::ImageBuffer::<Luma<u16>, _>::from_fn(256, 3, |x, y| {
        Luma([(x as i32 * 257 + [-128, 0, 128][y as usize]).clamp(0, 65535) as u16])
    });
    for format in [ImageFormat::Png, ImageFormat::Tiff, ImageFormat::Pnm] {
        let gray = decode(&encoded(&deep.clone().into(), format), &limits()).unwrap();
        assert!(gray.enumerate_pixels().all(|(x, _, p)| u32::from(p[0]) == x), "{format:?}");
    }
}

#[test]
fn bombs_are_refused_by_their_header() {
    let bombs: [Vec<u8>; 4] = [
        b"P5\n20000 20000\n255\n".to_vec(),
        [b"GIF89a".as_slice(), &[0xff; 4], &[0, 0, 0], b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x08"].concat(),
        {
            let mut png = encoded(&picture(), ImageFormat::Png);
            png[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
            let crc = crc32(&png[12..29]).to_be_bytes();
            png[29..33].copy_from_slice(&crc);
            png
        },
        {
            let mut jpeg = encoded(&picture(), ImageFormat::Jpeg);
            let sof = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
            jpeg[sof + 5..sof + 9].copy_from_slice(&[0x4e, 0x20, 0x4e, 0x20]);
            jpeg
        },
    ];
    for bomb in bombs {
        let error = decode(&bomb, &limits()).unwrap_err();
        let said = error.to_string();
        assert!(matches!(error, PhotoProblem::TooManyPixels { .. }), "{said}");
        assert!(said.contains("250000000") && !said.contains('\n'), "{said}");
    }
    let small = Limits { max_pixels: 24 * 17, max_file_bytes: 1 << 20, ..limits() };
    for format in FORMATS {
        let bytes = encoded(&picture(), format);
        assert!(decode(&bytes, &small).is_ok(), "{format:?}");
        assert!(decode(&bytes, &Limits { max_pixels: 24 * 17 - 1, ..small }).is_err());
        assert!(decode(&bytes, &Limits { max_file_bytes: 60, ..small }).is_err());
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

#[test]
fn what_is_no_image_is_told_apart() {
    let cases: [(&[u8], &str); 7] = [
        (b"", "empty"),
        (b"Dear Ada, please find attached", "not an image"),
        (b"BMW makes cars. They are made in Munich", "not an image"),
        (b"P5 is a format", "PNM"),
        (b"P53", "not an image"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "HEIC"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
    ];
    for (bytes, word) in cases {
        let said = decode(bytes, &limits()).unwrap_err().to_string();
        assert!(said.contains(word), "{}: {said}", bytes.escape_ascii());
    }
}

#[test]
fn one_pixel_is_an_image() {
    let tiny = GrayImage::from_pixel(1, 1, Luma([7]));
    let gray = decode(&encoded(&tiny.clone().into(), ImageFormat::Png), &limits()).unwrap();
    assert_eq!(gray, tiny);
}

/// The law of cut files: refused, or the very same picture (only padding was cut).
fn a_cut_file_is_refused_or_whole(bytes: &[u8], what: &str) {
    let whole = decode(bytes, &limits()).unwrap();
    let mut truncated = 0;
    for length in 0..bytes.len() {
        match decode(&bytes[..length], &limits()) {
            Ok(gray) => assert!(gray == whole, "{what}: {length} of {} bytes", bytes.len()),
            Err(PhotoProblem::Truncated { .. }) => truncated += 1,
            Err(_) => {}
        }
    }
    assert!(truncated * 2 > bytes.len(), "{what}: only {truncated} cuts called so");
}

#[test]
fn cut_files_never_pass_as_gray_rubble() {
    let large = picture().resize_exact(64, 48, image::imageops::FilterType::Triangle);
    for format in FORMATS {
        a_cut_file_is_refused_or_whole(&encoded(&large, format), &format!("{format:?}"));
    }
}

#[test]
fn a_jpeg_that_ends_early_but_properly_is_refused() {
    let large = picture().resize_exact(96, 80, image::imageops::FilterType::Triangle);
    let bytes = encoded(&large, ImageFormat::Jpeg);
    let whole = decode(&bytes, &limits()).unwrap();
    let scan = bytes.windows(2).position(|w| w == [0xff, 0xda]).unwrap() + 14;
    for length in scan..bytes.len() - 2 {
        let ended = [&bytes[..length], &[0xff, 0xd9]].concat();
        if let Ok(gray) = decode(&ended, &limits()) {
            assert!(gray == whole, "{length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn messages_are_one_short_line() {
    let long = one_line(&"line\nbreak ".repeat(50));
    assert!(!long.contains('\n') && long.chars().count() <= 120);
}

#[test]
fn a_jpeg_that_stores_rgb_is_read() {
    let plain = encoded(&picture(), ImageFormat::Jpeg);
    let adobe_without_transform = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0";
    let bytes = [&plain[..2], adobe_without_transform, &plain[2..]].concat();
    let gray = decode(&bytes, &limits()).unwrap();
    let expected = luma::to_gray(image::load_from_memory(&bytes).unwrap()).unwrap();
    assert_eq!(gray, expected);
    assert_ne!(gray, decode(&plain, &limits()).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), format in 0..7usize) {
        let _ = decode(&bytes, &limits());
        let magic = encoded(&picture(), FORMATS[format]);
        let _ = decode(&[&magic[..16], &bytes].concat(), &limits());
        let _ = header(Cursor::new([&magic[..16], &bytes].concat()), &magic[..16]);
    }

    #[test]
    fn flipped_bits_never_panic(flips in proptest::collection::vec((any::<prop::sample::Index>(), 0..8u8), 1..6), format in 0..7usize) {
        let small = Limits { max_pixels: 1_000_000, ..limits() };
        let mut bytes = encoded(&picture(), FORMATS[format]);
        for (index, bit) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Ok(gray) = decode(&bytes, &small) {
            prop_assert!(gray.as_raw().len() as u64 <= small.max_pixels);
        }
        let _ = header(Cursor::new(&bytes), &bytes[..32]);
    }
}

/// Found by fuzzing: it became a photo of no pixels.
#[test]
fn a_picture_without_rows_is_refused() {
    let found = decode(b"P1\n3 0\n 1 0\n", &Limits::default());
    assert_eq!(found, Err(PhotoProblem::TooSmall { width: 3, height: 0, min: 1 }));
}

/// A JPEG of a smooth picture in this sampling, by scans that are interleaved, one for each component, or progressive.
fn jpeg(rgb: &RgbImage, sampling: jpeg_encoder::SamplingFactor, scans: Scans) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
    encoder.set_sampling_factor(sampling);
    match scans {
        Scans::Interleaved => encoder.set_optimized_huffman_tables(false),
        Scans::Separate => encoder.set_optimized_huffman_tables(true),
        Scans::Progressive => encoder.set_progressive(true),
    }
    if scans == Scans::Interleaved {
        encoder.set_restart_interval(3);
    }
    let (width, height) = (rgb.width() as u16, rgb.height() as u16);
    encoder.encode(rgb.as_raw(), width, height, jpeg_encoder::ColorType::Rgb).unwrap();
    bytes
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Scans {
    Interleaved,
    Separate,
    Progressive,
}

fn smooth(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let wave = |at: u32, phase: f32| libm::sinf(at as f32 / 9.0 + phase) * 60.0 + 128.0;
        Rgb([wave(x, 0.0) as u8, wave(y, 1.0) as u8, wave(x + y, 2.0) as u8])
    })
}

fn worst(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// The picture as the decoder reads it that takes any layout.
fn by_second_decoder(bytes: &[u8]) -> RgbImage {
    let mut decoder = jpeg_decoder::Decoder::new(bytes);
    let samples = decoder.decode().unwrap();
    let info = decoder.info().unwrap();
    RgbImage::from_raw(info.width.into(), info.height.into(), samples).unwrap()
}

#[test]
fn every_sampling_and_scan_gives_the_picture_in_gray_and_in_colours() {
    use jpeg_encoder::SamplingFactor as S;
    let samplings = [S::F_1_1, S::F_2_1, S::F_1_2, S::F_2_2, S::F_4_1, S::F_4_2, S::F_1_4, S::F_2_4];
    for (width, height) in [(64, 48), (67, 53), (17, 9)] {
        let original = smooth(width, height);
        let gray = luma::to_gray(original.clone().into()).unwrap();
        for sampling in samplings {
            for scans in [Scans::Interleaved, Scans::Separate, Scans::Progressive] {
                let told = format!("{sampling:?} {scans:?} {width} x {height}");
                let bytes = jpeg(&original, sampling, scans);
                let decoded = decode(&bytes, &limits()).expect(&told);
                assert!(worst(decoded.as_raw(), gray.as_raw()) <= 12, "{told}");
                let colors = decode_color(&bytes, &limits()).expect(&told);
                let second = by_second_decoder(&bytes);
                assert!(worst(colors.as_raw(), second.as_raw()) <= 24, "{told}");
                let (size, _) = header(Cursor::new(&bytes), &bytes).expect(&told);
                assert_eq!(size, (width, height), "{told}");
                let cut = decode(&bytes[..bytes.len() * 2 / 3], &limits());
                let cut = cut.map(|_| "decoded");
                assert_eq!(cut, Err(PhotoProblem::Truncated { format: "JPEG" }), "{told}");
            }
        }
    }
}

#[test]
fn a_jpeg_without_end_marker_is_whole_if_its_data_are() {
    use jpeg_encoder::SamplingFactor as S;
    for sampling in [S::F_2_2, S::F_1_2] {
        let bytes = jpeg(&smooth(64, 48), sampling, Scans::Interleaved);
        let whole = decode(&bytes, &limits()).unwrap();
        let open = &bytes[..bytes.len() - 2];
        assert!(decode(open, &limits()) == Ok(whole), "{sampling:?}");
        for cut in [40, 9] {
            let cut = decode(&open[..open.len() - cut], &limits());
            assert!(cut.is_err(), "{sampling:?}");
        }
    }
    let scans = jpeg(&smooth(64, 48), S::F_2_2, Scans::Progressive);
    let open = decode(&scans[..scans.len() - 2], &limits());
    assert!(open.is_err(), "scans may be missing");
}

#[test]
fn the_number_of_lines_may_follow_the_scan() {
    let plain = jpeg(&smooth(64, 48), jpeg_encoder::SamplingFactor::F_1_1, Scans::Interleaved);
    let frame = plain.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    let mut late = plain.clone();
    late[frame + 5..frame + 7].copy_from_slice(&[0, 0]);
    let end = late.len() - 2;
    late.splice(end..end, [0xff, 0xdc, 0, 4, 0, 48]);
    let expected = decode(&plain, &limits()).unwrap();
    assert!(worst(decode(&late, &limits()).unwrap().as_raw(), expected.as_raw()) <= 2);
    assert_eq!(header(Cursor::new(&late), &late).unwrap().0, (64, 48));
    late.truncate(end);
    assert!(decode(&late, &limits()).is_err(), "no number of lines at all");
}

#[test]
fn kinds_of_jpeg_that_are_not_read_are_named() {
    let plain = encoded(&picture(), ImageFormat::Jpeg);
    let frame = plain.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    for (marker, precision, word) in [
        (0xc1, 12, "12 bits"),
        (0xc3, 8, "lossless"),
        (0xc5, 8, "hierarchical"),
        (0xc9, 8, "arithmetic"),
        (0xca, 8, "arithmetic"),
    ] {
        let mut other = plain.clone();
        (other[frame + 1], other[frame + 4]) = (marker, precision);
        let problem = decode(&other, &limits()).unwrap_err();
        let said = problem.to_string();
        assert!(matches!(problem, PhotoProblem::UnsupportedVariant { .. }), "{said}");
        assert!(said.contains(word) && said.contains("convert it"), "{said}");
    }
}

/// As [`Limits::default`], but that photos of more pixels than this take too much memory.
fn narrow(max_memory: u64) -> Limits {
    Limits { max_memory, ..limits() }
}

fn tiff_of_strips(image: &DynamicImage) -> Vec<u8> {
    use ::tiff::encoder::{TiffEncoder, colortype as c};
    fn strips<C: c::ColorType>(image: &DynamicImage, samples: &[C::Inner]) -> Vec<u8>
    where
        [C::Inner]: ::tiff::encoder::TiffValue,
    {
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
        let mut tiff = encoder.new_image::<C>(image.width(), image.height()).unwrap();
        tiff.rows_per_strip(16).unwrap();
        tiff.write_data(samples).unwrap();
        bytes.into_inner()
    }
    match image {
        DynamicImage::ImageLuma8(i) => strips::<c::Gray8>(image, i),
        DynamicImage::ImageLuma16(i) => strips::<c::Gray16>(image, i),
        DynamicImage::ImageRgb8(i) => strips::<c::RGB8>(image, i),
        DynamicImage::ImageRgba8(i) => strips::<c::RGBA8>(image, i),
        DynamicImage::ImageRgba16(i) => strips::<c::RGBA16>(image, i),
        other => panic!("{:?}", other.color()),
    }
}

#[test]
fn what_does_not_fit_whole_is_decoded_by_strips_to_the_same_pixels() {
    let rgba =
        image::RgbaImage::from_fn(300, 200, |x, y| image::Rgba([x as u8, y as u8, (x * y) as u8, 255 - (x % 9) as u8]));
    let image = DynamicImage::from(rgba);
    for image in [
        image.clone(),
        image.to_luma8().into(),
        image.to_rgb8().into(),
        image.to_rgba16().into(),
        image.to_luma16().into(),
    ] {
        for bytes in [encoded(&image, ImageFormat::Png), tiff_of_strips(&image)] {
            let tight = narrow(bytes.len() as u64 + 150_000);
            let kind = (sniff(&bytes), image.color());
            let same = decode(&bytes, &tight) == decode(&bytes, &limits());
            assert!(same, "{kind:?}: {:?}", decode(&bytes, &tight).err());
            let same = decode_color(&bytes, &tight) == decode_color(&bytes, &limits());
            assert!(same, "{kind:?}");
        }
    }
    let bytes = encoded(&image, ImageFormat::Bmp);
    let refused = decode(&bytes, &narrow(100_000)).unwrap_err();
    assert!(matches!(refused, PhotoProblem::TooMuchMemory { .. }), "{refused}");
}

#[test]
fn large_photos_are_decoded_at_a_reduced_size() {
    // 50.4 million pixels, a step of gray in the middle.
    let rows = [[60; 4200], [180; 4200]].concat().repeat(6000);
    let large = DynamicImage::from(GrayImage::from_raw(8400, 6000, rows).unwrap());
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Pnm] {
        let bytes = encoded(&large, format);
        let gray = decode(&bytes, &limits()).unwrap();
        assert_eq!(gray.dimensions(), (4200, 3000), "{format:?}");
        for (x, level) in [(10, 60), (2000, 60), (2200, 180), (4199, 180)] {
            assert!(gray.get_pixel(x, 1500)[0].abs_diff(level) <= 2, "{format:?}, {x}");
        }
        assert_eq!(header(Cursor::new(&bytes), &bytes).unwrap().0, (8400, 6000));
    }
}

#[test]
fn files_that_are_no_photos_are_called_what_they_are() {
    for (head, word) in [
        (b"FUJIFILMCCD-RAW 0201FF393101X-T5".as_slice(), "camera raw"),
        (b"IIU\0\x18\0\0\0\x88\xe7\x74\xd8", "camera raw"),
        (b"IIRO\x08\0\0\0", "camera raw"),
        (b"II*\0\x10\0\0\0CR\x02\0", "camera raw"),
        (b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", "camera raw"),
        (b"\0\0\0\x18ftypqt  \0\0\0\0qt  ", "video"),
        (b"II+\0\x08\0\0\0", "BigTIFF"),
        (b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0", "icon"),
        (b"\0\0\x02\0\0\0\0\0\0\0\0\0\x48\0\x54\0\x18\x20", "Targa"),
        (b"%PDF-1.7\n", "PDF"),
    ] {
        let said = decode(head, &limits()).unwrap_err().to_string();
        assert!(said.contains(word), "{said}");
        assert!(!said.contains("remove") && !said.contains("copy it again"), "{said}");
    }
    let text = decode(b"Dear Ada,", &limits()).unwrap_err().to_string();
    assert!(text.contains("not an image") && !text.contains("remove"), "{text}");
}

#[test]
fn a_part_of_a_stream_is_read_behind_its_head() {
    let jpeg = b"\xff\xd8\xff\xe0";
    for head in [
        "--frame\r\nContent-Type: image/jpeg\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "Content-Type: image/jpeg\n\n",
        "\u{feff}",
        "\r\n\n",
    ] {
        let part = [head.as_bytes(), jpeg].concat();
        assert_eq!(picture_start(&part), head.len());
    }
    assert_eq!(picture_start(jpeg), 0);
    assert_eq!(picture_start(b"notes\n\xff\xd8\xff"), 0);
    assert_eq!(picture_start(b"\n"), 0);
}

#[test]
fn alpha_that_is_zero_everywhere_is_not_used() {
    let shown = DynamicImage::ImageLuma8(GrayImage::from_fn(2, 1, |x, _| [[9], [200]][x as usize].into()));
    let mut shown = shown.to_rgba16();
    shown.pixels_mut().for_each(|pixel| pixel.0[3] = 0);
    let shown = DynamicImage::ImageRgba16(shown);
    for unseen in [
        DynamicImage::ImageRgba8(shown.to_rgba8()),
        DynamicImage::ImageLumaA8(shown.to_luma_alpha8()),
        DynamicImage::ImageLumaA16(shown.to_luma_alpha16()),
        shown,
    ] {
        let mut png = Cursor::new(Vec::new());
        unseen.write_to(&mut png, ImageFormat::Png).unwrap();
        assert_eq!(decode(png.get_ref(), &limits()).unwrap().as_raw(), &[9, 200]);
    }
}

#[test]
fn a_png_that_was_sent_as_text_or_has_a_wrong_checksum_is_damaged() {
    let mut png = Cursor::new(Vec::new());
    DynamicImage::new_luma8(9, 9).write_to(&mut png, ImageFormat::Png).unwrap();
    let png = png.into_inner();
    let mut wrong = png.clone();
    wrong[29] ^= 1;
    for bytes in [[b"\x89PNG\n", &png[6..]].concat(), [b"\x89PNG\r\r\n", &png[6..]].concat(), wrong] {
        let said = decode(&bytes, &limits()).unwrap_err().to_string();
        assert!(said.contains("PNG data is damaged") && !said.contains('{'), "{said}");
    }
}
