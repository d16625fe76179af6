//! How much faster leaving one out is from inner products than by learning from the pixels again.
//!
//!     cargo run --release --example leave_one_out -- FOLDER [COUNT]
//!
//! Both ways take turns over COUNT faces (20) of the folder, with the default settings; the least time of each counts.

use std::path::PathBuf;
use std::time::Instant;

use eigenfaces::dataset::LabelRule;
use eigenfaces::enrollment::{self, PreparationOptions};
use eigenfaces::locate::framing::{Crops, Framing, FramingRule};
use eigenfaces::matcher::{Matcher, Resampling};
use eigenfaces::recognizer::Settings;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("usage: leave_one_out FOLDER [COUNT]")?);
    let count: usize = args.next().map_or(Ok(20), |count| count.parse())?;

    let options = PreparationOptions {
        framing: FramingRule::Given(Framing::AsIs),
        crops: Crops::Keep,
        ..PreparationOptions::default()
    };
    let read = enrollment::read_gallery(&[folder], &LabelRule::Folder, options, &())?;
    let gallery = read.gallery;
    let (persons, people) = (gallery.persons(), gallery.people().len());
    let settings = Settings::default();
    let comparison = settings.comparison;
    let features = comparison.feature_matrices(gallery.faces());

    let started = Instant::now();
    let trials = Resampling::new(&features, comparison, settings.pca)?.leaving_one_out();
    let products = started.elapsed().as_secs_f64();
    let (mut again, mut from_products) = (f64::INFINITY, f64::INFINITY);
    for face in 0..count.min(gallery.len()) {
        let learned: Vec<usize> = (0..gallery.len()).filter(|&other| other != face).collect();
        let others: Vec<usize> = learned.iter().map(|&other| persons[other]).collect();

        let started = Instant::now();
        let found = trials.run(&learned, &others, people, &[face])?;
        let by_trial = found.rank(0, 1);
        from_products = from_products.min(started.elapsed().as_secs_f64());

        let started = Instant::now();
        let matcher = Matcher::learn(
            &features,
            &learned,
            &others,
            people,
            comparison,
            settings.pca,
        )?;
        let probe = matcher.coordinates(&gallery.faces().select(&[face])?);
        let by_matcher = matcher.rank(probe.column(0).as_slice(), 1);
        again = again.min(started.elapsed().as_secs_f64());
        assert_eq!(by_trial[0].person, by_matcher[0].person);
    }
    println!(
        "{} faces: inner products once {:.1} ms; then {:.1} ms a face left out, {:.1} ms learning again: {:.1} times as fast",
        gallery.len(),
        products * 1e3,
        from_products * 1e3,
        again * 1e3,
        again / from_products
    );
    Ok(())
}
