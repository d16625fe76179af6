use super::super::decode::{decode, decode_color};
use super::super::limits::Limits;
use crate::error::PhotoProblem;

/// A TIFF of one strip with these tags, all of one value, beside size and place.
fn tiff(size: (u32, u32), tags: &[(u16, Vec<u32>)], strip: &[u8]) -> Vec<u8> {
    let mut all: Vec<(u16, Vec<u32>)> = vec![
        (256, vec![size.0]),
        (257, vec![size.1]),
        (259, vec![1]),
        (277, vec![1]),
        (278, vec![size.1]),
        (279, vec![strip.len() as u32]),
    ];
    all.retain(|(tag, _)| tags.iter().all(|(other, _)| tag != other));
    all.extend_from_slice(tags);
    let mut bytes = b"II*\0\0\0\0\0".to_vec();
    all.push((273, vec![bytes.len() as u32]));
    bytes.extend_from_slice(strip);
    all.sort();
    let mut directory = (all.len() as u16).to_le_bytes().to_vec();
    for (tag, values) in all {
        // Numbers of 32 bits but for tables of 16.
        let kind: u16 = if values.len() > 1 { 3 } else { 4 };
        directory.extend(tag.to_le_bytes());
        directory.extend(kind.to_le_bytes());
        directory.extend((values.len() as u32).to_le_bytes());
        if let [value] = values.as_slice() {
            directory.extend(value.to_le_bytes());
        } else {
            directory.extend((bytes.len() as u32).to_le_bytes());
            bytes.extend(values.iter().flat_map(|&it| (it as u16).to_le_bytes()));
        }
    }
    directory.extend([0; 4]);
    let place = (bytes.len() as u32).to_le_bytes();
    bytes[4..8].copy_from_slice(&place);
    bytes.extend(directory);
    bytes
}

fn gray(size: (u32, u32), tags: &[(u16, Vec<u32>)], strip: &[u8]) -> Vec<u8> {
    let tags: Vec<_> = [(262, vec![1])]
        .into_iter()
        .filter(|(tag, _)| tags.iter().all(|(other, _)| other != tag))
        .chain(tags.iter().cloned())
        .collect();
    let decoded = decode(&tiff(size, &tags, strip), &Limits::default());
    decoded.unwrap().into_raw()
}

#[test]
fn gray_of_few_bits_fills_the_range() {
    // Three pixels a row: each row begins with a byte.
    let four = gray((3, 2), &[(258, vec![4])], &[0x0f, 0x80, 0x17, 0xf0]);
    assert_eq!(four, [0, 255, 136, 17, 119, 255]);
    let two = gray((3, 1), &[(258, vec![2])], &[0b00_01_11_00]);
    assert_eq!(two, [0, 85, 255]);
    let one = gray((3, 1), &[(258, vec![1])], &[0b0101_1111]);
    assert_eq!(one, [0, 255, 0]);
    let white_is_0 = [(258, vec![4]), (262, vec![0])];
    assert_eq!(gray((2, 1), &white_is_0, &[0x0f]), [255, 0]);
}

#[test]
fn numbers_are_levels_by_their_range() {
    let floats = |values: &[f32]| -> Vec<u8> {
        let strip: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let tags = [(258, vec![32]), (339, vec![3])];
        gray((values.len() as u32, 1), &tags, &strip)
    };
    assert_eq!(floats(&[0.0, 0.5, 1.0]), [0, 128, 255]);
    assert_eq!(floats(&[0.0, 100.0, 255.0]), [0, 100, 255]);
    assert_eq!(floats(&[-1.0, 0.0, 1.0]), [0, 128, 255]);
    assert_eq!(floats(&[f32::NAN, 0.2, 1.0]), [0, 51, 255]);
    let numbers = |values: &[u16], format: u32| -> Vec<u8> {
        let strip: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let tags = [(258, vec![16]), (339, vec![format])];
        gray((values.len() as u32, 1), &tags, &strip)
    };
    assert_eq!(numbers(&[0, 257, 65535], 1), [0, 1, 255], "16 bits");
    assert_eq!(numbers(&[0, 512, 1023], 1), [0, 128, 255], "10 in 16");
    assert_eq!(numbers(&[0, 0x8000, 0x7fff], 2), [128, 0, 255], "signed");
}

#[test]
fn places_in_a_table_become_colours() {
    let mut table = vec![0u32; 3 << 8];
    for place in 0..256 {
        table[place] = (place as u32) << 8;
        table[256 + place] = 0x8000;
        table[512 + place] = 0xffff;
    }
    let tags = [(258, vec![8]), (262, vec![3]), (320, table)];
    let bytes = tiff((3, 1), &tags, &[0, 7, 255]);
    let colors = decode_color(&bytes, &Limits::default()).unwrap();
    assert_eq!(colors.into_raw(), [0, 128, 255, 7, 128, 255, 255, 128, 255]);
    // A table of levels of 8 bits, and places of 4.
    let table: Vec<u32> = (0..48).map(|at| at % 16 * 17).collect();
    let tags = [(258, vec![4]), (262, vec![3]), (320, table)];
    assert_eq!(gray((3, 1), &tags, &[0x0f, 0x10]), [0, 255, 17]);
}

#[test]
fn what_is_not_read_is_said_in_words() {
    for (tags, why) in [
        (vec![(258, vec![8]), (262, vec![1]), (259, vec![3])], "Group 3 fax compression"),
        (vec![(258, vec![8]), (262, vec![1]), (259, vec![6])], "JPEG compression as old scanners write it"),
        (vec![(258, vec![8]), (262, vec![1]), (259, vec![40])], "compression number 40"),
        (vec![(258, vec![8, 8, 8]), (262, vec![8]), (277, vec![3])], "colours in CIE Lab"),
        (vec![(258, vec![8]), (262, vec![4])], "a mask, no picture"),
        (vec![(258, vec![12]), (262, vec![1])], "samples of 12 bits"),
        (vec![(258, vec![8, 8, 8, 8, 8]), (262, vec![1]), (277, vec![5])], "5 channels"),
        (vec![(258, vec![64]), (262, vec![1]), (339, vec![6])], "numbers that are not real"),
    ] {
        let problem = decode(&tiff((2, 1), &tags, &[0; 16]), &Limits::default()).unwrap_err();
        let PhotoProblem::UnsupportedVariant { reason, .. } = &problem else {
            panic!("{problem:?} instead of {why}");
        };
        assert_eq!(reason, why);
    }
}

#[test]
fn no_tiff_makes_it_panic() {
    let mut table = vec![0u32; 48];
    table[0] = 0xffff;
    for tags in [
        vec![(258, vec![4]), (262, vec![3]), (320, table)],
        vec![(258, vec![8]), (262, vec![3]), (320, vec![1, 2])],
        vec![(258, vec![8]), (262, vec![3])],
        vec![(258, vec![32]), (262, vec![1]), (339, vec![3])],
    ] {
        let bytes = tiff((4, 2), &tags, &[0x5a; 32]);
        let _ = decode(&bytes, &Limits::default());
        for at in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                let _ = decode(&bytes, &Limits::default());
            }
            let _ = decode(&bytes[..at], &Limits::default());
        }
    }
}
