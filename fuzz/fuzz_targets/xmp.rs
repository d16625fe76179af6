//! Whatever bytes lie beside a photo: regions are read or refused, and what is written can be read again.

#![no_main]

use eigenfaces::xmp::{Area, Content, NamedFace, OwnNames, PhotoLayout, read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    // Turned, so that regions may be meant for it in two ways.
    let photo = PhotoLayout::new((4000, 3000), 6, &[[1600.0, 1200.0, 400.0, 600.0]]);
    let Some(area) = Area::new(0.4, 0.5, 0.1, 0.2) else {
        return;
    };
    let face = NamedFace {
        area,
        name: "Ada <&> Söhne",
        confidence: Some(0.9),
    };
    if let Ok(written) = write(Some(bytes), &photo, &[face], OwnNames::Withdraw)
        && let Content::Changed(after) = written.content
    {
        assert!(read(&after).is_ok());
        let again = write(Some(&after), &photo, &[face], OwnNames::Withdraw).expect("what was written can be written to");
        assert_eq!(again.content, Content::Unchanged);
    }
});
