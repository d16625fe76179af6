//! Writing of faces into sidecars, new and existing.

use face_regions::{
    Area, Content, Dimensions, NamedFace, Naming, Outcome, OwnNames, PhotoLayout, Written, XmpProblem, read,
};

const DIGIKAM: &str = include_str!("samples/digikam.xmp");
const LIGHTROOM: &str = include_str!("samples/lightroom.xmp");
const PLAIN: &str = include_str!("samples/plain.xmp");
const PHOTO: Dimensions = Dimensions { width: 4000, height: 3000 };

fn write(existing: Option<&[u8]>, photo: Dimensions, faces: &[NamedFace<'_>]) -> Result<Written, XmpProblem> {
    let photo = PhotoLayout::new((photo.width, photo.height), 1, &[]);
    face_regions::write(existing, &photo, faces, OwnNames::Keep)
}

fn area(x: f64, y: f64) -> Area {
    Area::new(x, y, 0.1, 0.15).expect("an area")
}

fn face(x: f64, y: f64, name: &str) -> NamedFace<'_> {
    NamedFace { area: area(x, y), name, confidence: Some(0.973) }
}

fn changed(written: &Written) -> String {
    match &written.content {
        Content::Changed(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        Content::Unchanged => panic!("nothing was written: {:?}", written.outcomes),
    }
}

/// The text after writing, having checked that writing again changes nothing.
fn merge(existing: Option<&str>, faces: &[NamedFace<'_>]) -> (String, Vec<Outcome>) {
    let written = write(existing.map(str::as_bytes), PHOTO, faces).expect("written");
    let text = changed(&written);
    let again = write(Some(text.as_bytes()), PHOTO, faces).expect("written again");
    assert_eq!(again.content, Content::Unchanged, "{text}");
    (text, written.outcomes)
}

/// The text without the parts that were added, which lie between these.
fn without(text: &str, parts: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (start, end) in parts {
        let from = text.find(start).expect("a start");
        let to = from + text[from..].find(end).expect("an end") + end.len();
        text.replace_range(from..to, "");
    }
    text
}

fn named(text: &str) -> Vec<String> {
    let regions = read(text.as_bytes()).expect("regions").list;
    regions.into_iter().filter_map(|region| region.name).collect()
}

#[test]
fn a_new_sidecar_is_read_back() {
    let name = "O'Brien & Söhne <x> \"]]>\"";
    let faces = [face(0.123_456_7, 0.5, name), face(0.8, 0.4, " Anna ")];
    let (text, outcomes) = merge(None, &faces);
    assert_eq!(outcomes, [Outcome::Added, Outcome::Added]);
    let regions = read(text.as_bytes()).expect("regions");
    assert_eq!(regions.dimensions, Some(PHOTO));
    assert_eq!(regions.list[0].naming(), Naming::Program(name));
    assert_eq!(regions.list[0].area, area(0.123_457, 0.5));
    assert_eq!(regions.list[1].naming(), Naming::Program("Anna"));
    let mark = regions.list[1].mark.as_ref().expect("a mark");
    assert_eq!(mark.confidence.as_deref(), Some("0.973"));
    assert!(text.contains("<rdf:li>People|Anna</rdf:li>"));
}

#[test]
fn without_faces_nothing_is_written() {
    for existing in [None, Some(DIGIKAM.as_bytes())] {
        let written = write(existing, PHOTO, &[]).expect("written");
        assert_eq!(written.content, Content::Unchanged);
    }
}

#[test]
fn a_name_given_by_a_person_stays() {
    for sample in [DIGIKAM, LIGHTROOM] {
        let faces = [face(0.26, 0.5, "Somebody")];
        let written = write(Some(sample.as_bytes()), PHOTO, &faces).expect("written");
        assert_eq!(written.content, Content::Unchanged);
        assert!(matches!(&written.outcomes[..], [Outcome::NamedAlready { name }] if !name.is_empty()));
    }
    let only_microsoft = without(DIGIKAM, &[("   <mwg-rs:Regions", "</mwg-rs:Regions>\n")]);
    let faces = [face(0.26, 0.5, "Somebody")];
    let written = write(Some(only_microsoft.as_bytes()), PHOTO, &faces).expect("written");
    let name = "Grandma Inge".to_owned();
    assert_eq!(written.outcomes, [Outcome::NamedAlready { name }]);
}

#[test]
fn a_region_without_a_name_is_named_and_the_rest_of_digikams_sidecar_stays() {
    let faces = [face(0.69, 0.4, "Anna"), face(0.25, 0.5, "Somebody"), face(0.5, 0.8, "Jo & Co")];
    let (text, outcomes) = merge(Some(DIGIKAM), &faces);
    let already = Outcome::NamedAlready { name: "Grandma Inge".to_owned() };
    assert_eq!(outcomes, [Outcome::Named, already, Outcome::Added]);
    assert_eq!(named(&text), ["Grandma Inge", "Anna", "Jo & Co", "Grandma Inge"]);
    let extensions = ("\n       <mwg-rs:Extensions", "<mwg-rs:Name>Anna</mwg-rs:Name>");
    let region = ("\n      <rdf:li rdf:parseType", "</rdf:li>");
    let plain = ("\n     <rdf:li>Anna", "<rdf:li>Jo &amp; Co</rdf:li>");
    let levels = ("\n     <rdf:li>People|Anna", "<rdf:li>People|Jo &amp; Co</rdf:li>");
    let list_of_ours = ("\n  <rdf:Description rdf:about=\"\"\n      xmlns:eigenfaces", "</rdf:Description>");
    assert_eq!(without(&text, &[extensions, region, plain, levels, list_of_ours]), DIGIKAM);
}

#[test]
fn the_rest_of_lightrooms_sidecar_stays() {
    let lines = LIGHTROOM.replace('\n', "\r\n");
    let (text, outcomes) = merge(Some(&lines), &[face(0.7, 0.4, "Wedding")]);
    assert_eq!(outcomes, [Outcome::Added]);
    assert!(!text.replace("\r\n", "").contains('\n'));
    let region = ("\r\n      <rdf:li rdf:parseType", "</rdf:li>");
    let levels = ("\r\n     <rdf:li>People|Wedding", "</rdf:li>");
    let list_of_ours = ("\r\n  <rdf:Description rdf:about=\"\"\r\n      xmlns:eigenfaces", "</rdf:Description>");
    assert_eq!(without(&text, &[region, levels, list_of_ours]), lines);
}

#[test]
fn properties_that_are_missing_get_a_description_of_their_own() {
    let (text, _) = merge(Some(PLAIN), &[face(0.7, 0.4, "Anna")]);
    let description = ("\n\t<rdf:Description", "</rdf:Description>");
    let end_of_bag = ("</r:Bag></d:subject>", "</d:subject>");
    assert!(text.contains("rdf:about=\"uuid:faf5bdd5-ba3d-11da-ad31-d33d75182f1b\""));
    assert!(text.contains("<r:Bag><rdf:li xmlns:rdf="));
    assert_eq!(named(&text), ["Anna"]);
    let rest = without(&text, &[description, ("><rdf:li", "</rdf:li>"), end_of_bag]);
    assert_eq!(rest, PLAIN.replace("/></d:subject>", ""));
}

#[test]
fn an_empty_rdf_is_filled() {
    for sidecar in [
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
        "<q:RDF xmlns:q='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:rdf='u' ></q:RDF>",
    ] {
        assert_eq!(named(&merge(Some(sidecar), &[face(0.7, 0.4, "Anna")]).0), ["Anna"]);
    }
    let empty = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
    let refused = write(Some(empty.as_bytes()), PHOTO, &[face(0.7, 0.4, "Anna")]);
    assert_eq!(refused, Err(XmpProblem::NotXmp { found: 0 }));
}

#[test]
fn a_newer_run_replaces_what_this_program_wrote() {
    let (first, _) = merge(None, &[face(0.3, 0.4, "Anna"), face(0.6, 0.4, "Ben")]);
    let newer = [NamedFace { confidence: Some(0.5), ..face(0.31, 0.4, "Carla") }, face(0.6, 0.4, "Ben")];
    let (second, outcomes) = merge(Some(&first), &newer);
    let previous = "Anna".to_owned();
    assert_eq!(outcomes, [Outcome::Updated { previous }, Outcome::Unchanged]);
    assert_eq!(named(&second), ["Carla", "Ben"]);
    assert!(!second.contains("Anna") && second.contains("<rdf:li>People|Carla</rdf:li>"));
    let regions = read(second.as_bytes()).expect("regions").list;
    assert_eq!(regions[0].area, area(0.3, 0.4));
    assert_eq!(regions[0].naming(), Naming::Program("Carla"));
}

#[test]
fn a_correction_by_a_person_stays() {
    let (text, _) = merge(None, &[face(0.3, 0.4, "Anna")]);
    let corrected = text.replace("<mwg-rs:Name>Anna", "<mwg-rs:Name>Berta");
    let written = write(Some(corrected.as_bytes()), PHOTO, &[face(0.3, 0.4, "Carla")]).expect("written");
    let name = "Berta".to_owned();
    assert_eq!(written.outcomes, [Outcome::NamedAlready { name }]);
    assert!(!changed(&written).contains("<rdf:li>"), "the keyword");
    let removed = text.replace("<mwg-rs:Name>Anna</mwg-rs:Name>", "<mwg-rs:Name/>");
    let written = write(Some(removed.as_bytes()), PHOTO, &[face(0.3, 0.4, "Carla")]).expect("written");
    let name = "Anna".to_owned();
    assert_eq!(written.outcomes, [Outcome::NameRemoved { name }]);
    assert!(!changed(&written).contains("<rdf:li>Anna"), "the keyword");
}

#[test]
fn a_guess_that_a_person_removed_stays_away() {
    let guess = |name| NamedFace { confidence: Some(0.9), ..face(0.3, 0.4, name) };
    let (text, _) = merge(None, &[guess("Anna"), face(0.6, 0.4, "Ben")]);
    // As photo managers do it: the region goes, and mostly the keywords.
    let start = text.find("\n     <rdf:li rdf:parseType=\"Resource\">").expect("a region");
    let end = start + text[start..].find("\n     </rdf:li>").expect("its end") + "\n     </rdf:li>".len();
    let region = &text[start..end];
    assert!(region.contains("Anna") && !region.contains("Ben"), "{region}");
    let without = text.replace(region, "");
    let keywords = without.find("<dc:subject>").expect("keywords")..without.find("</dc:subject>").expect("their end");
    let mut bare = without.clone();
    bare.replace_range(keywords.clone(), &without[keywords].replace("<rdf:li>Anna</rdf:li>", ""));
    for removed in [without, bare] {
        let mut now = removed;
        for _ in 0..2 {
            let written = write(Some(now.as_bytes()), PHOTO, &[guess("Anna")]).expect("written");
            assert_eq!(written.outcomes, [Outcome::NameRemoved { name: "Anna".to_owned() }]);
            if let Content::Changed(bytes) = written.content {
                now = String::from_utf8(bytes).expect("text");
            }
            assert_eq!(named(&now), ["Ben"]);
            assert!(!now[..now.find("<eigenfaces:Subject>").expect("own")].contains("<rdf:li>Anna"), "{now}");
        }
        // Another guess, or the name from a person, is written.
        assert_eq!(named(&merge(Some(&now), &[guess("Carla")]).0), ["Ben", "Carla"]);
        let given = NamedFace { confidence: None, ..guess("Anna") };
        assert_eq!(named(&merge(Some(&now), &[given]).0), ["Ben", "Anna"]);
    }
}

#[test]
fn every_form_of_our_own_region_is_updated() {
    let (text, _) = merge(None, &[face(0.3, 0.4, "Anna")]);
    let start = text.find("      <mwg-rs:Extensions").expect("extensions");
    let end = text.find("      <mwg-rs:Type").expect("a type");
    for fields in [
        "<mwg-rs:Extensions eigenfaces:Name='Anna'/><mwg-rs:Name>Anna</mwg-rs:Name>",
        "<mwg-rs:Extensions><rdf:Description eigenfaces:Name='Anna' eigenfaces:Confidence=''/></mwg-rs:Extensions><mwg-rs:Name><![CDATA[Anna]]></mwg-rs:Name>",
        "<mwg-rs:Extensions rdf:parseType='Resource'><eigenfaces:Name> Anna </eigenfaces:Name></mwg-rs:Extensions><mwg-rs:Name rdf:parseType='Resource'><rdf:value>Anna</rdf:value><dc:type>kept</dc:type></mwg-rs:Name>",
    ] {
        let mut other = text.clone();
        other.replace_range(start..end, fields);
        let (updated, _) = merge(Some(&other), &[face(0.3, 0.4, "Zoë's \"&\"")]);
        assert_eq!(named(&updated), ["Zoë's \"&\""], "{updated}");
        assert_eq!(fields.contains("kept"), updated.contains("kept"));
    }
}

#[test]
fn forms_that_cannot_be_added_to_are_refused() {
    for (from, to) in [
        (
            "<dc:subject>\n    <rdf:Bag>\n     <rdf:li>Wedding</rdf:li>\n    </rdf:Bag>\n   </dc:subject>",
            "<dc:subject>Wedding, Party</dc:subject>",
        ),
        ("xmp:Rating=\"3\"", "dc:subject=\"Wedding\""),
        ("<mwg-rs:RegionList>", "<mwg-rs:RegionList rdf:resource='u'/><mwg-rs:Else>"),
        (
            "<mwg-rs:Regions rdf:parseType=\"Resource\">",
            "<mwg-rs:Regions stDim:w='1'/><mwg-rs:Else rdf:parseType='Resource'>",
        ),
    ] {
        let sidecar = LIGHTROOM.replace(from, to);
        let sidecar = match to.ends_with("Else>") {
            true => sidecar.replace("</mwg-rs:RegionList>", "</mwg-rs:Else>"),
            false if to.contains("Else") => sidecar.replace("</mwg-rs:Regions>", "</mwg-rs:Else>"),
            false => sidecar.replacen("<dc:subject>\n", "<dc:other>\n", 1).replacen(
                "Bag>\n   </dc:subject>",
                "Bag>\n   </dc:other>",
                1,
            ),
        };
        let refused = write(Some(sidecar.as_bytes()), PHOTO, &[face(0.7, 0.4, "Anna")]);
        assert!(matches!(refused, Err(XmpProblem::Unsupported { .. })), "{refused:?} {to}");
    }
}

#[test]
fn extensions_that_are_no_structure_are_refused() {
    for extensions in [
        "<mwg-rs:Extensions><rdf:Bag><rdf:li>x</rdf:li></rdf:Bag></mwg-rs:Extensions>",
        "<mwg-rs:Extensions>x</mwg-rs:Extensions>",
        "<mwg-rs:Extensions rdf:resource='u'/>",
        "<mwg-rs:Extensions eigenfaces:x='' xmlns:eigenfaces='u'/>",
    ] {
        let end = "</rdf:Description>\n      </rdf:li>\n     </rdf:Bag>\n    </mwg-rs:RegionList>";
        let sidecar = DIGIKAM.replace(end, &[extensions, end].concat());
        let refused = write(Some(sidecar.as_bytes()), PHOTO, &[face(0.7, 0.4, "Anna")]);
        let property = "mwg-rs:Extensions";
        assert_eq!(refused, Err(XmpProblem::Unsupported { property }), "{extensions}");
    }
}

#[test]
fn lists_that_are_missing_or_empty_are_made() {
    let list = "<mwg-rs:RegionList>";
    let cut = LIGHTROOM.find(list).expect("a list")..LIGHTROOM.find("</mwg-rs:Regions>").expect("an end");
    for replacement in [
        "",
        "<mwg-rs:RegionList/>",
        "<mwg-rs:RegionList></mwg-rs:RegionList>",
        "<mwg-rs:RegionList><rdf:Bag/></mwg-rs:RegionList>",
    ] {
        let mut sidecar = LIGHTROOM.to_owned();
        sidecar.replace_range(cut.clone(), replacement);
        let (text, _) = merge(Some(&sidecar), &[face(0.7, 0.4, "Anna"), face(0.2, 0.4, "Ben")]);
        assert_eq!(named(&text), ["Anna", "Ben"]);
    }
    let bare = LIGHTROOM.replace("mwg-rs:AppliedToDimensions", "mwg-rs:Else");
    let (text, _) = merge(Some(&bare), &[face(0.7, 0.4, "Anna")]);
    assert_eq!(read(text.as_bytes()).expect("regions").dimensions, Some(PHOTO));
}

#[test]
fn utf_16_stays_utf_16() {
    let units = || std::iter::once(0xFEFF_u16).chain(LIGHTROOM.encode_utf16());
    let bytes: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    let written = write(Some(&bytes), PHOTO, &[face(0.7, 0.4, "Änne")]).expect("written");
    let Content::Changed(new) = written.content else {
        panic!("nothing was written");
    };
    assert_eq!(new[..2], [0xFE, 0xFF]);
    let regions = read(&new).expect("regions").list;
    assert_eq!(regions[2].naming(), Naming::Program("Änne"));
}

#[test]
fn a_sidecar_of_another_photo_is_refused() {
    let turned = Dimensions { width: 3000, height: 4000 };
    let refused = write(Some(DIGIKAM.as_bytes()), turned, &[face(0.7, 0.4, "Anna")]);
    let problem = XmpProblem::OtherPhoto { named_in: PHOTO, photo: turned };
    assert_eq!(refused, Err(problem));
}

#[test]
fn what_only_this_program_wrote_is_renewed_for_a_cropped_photo() {
    let cropped = Dimensions { width: 3000, height: 3000 };
    let layout = PhotoLayout::new((cropped.width, cropped.height), 1, &[]);
    let renew = |text: &str, faces: &[NamedFace<'_>]| {
        face_regions::write(Some(text.as_bytes()), &layout, faces, OwnNames::Withdraw)
    };
    for start in [None, Some(PLAIN)] {
        let (own, _) = merge(start, &[face(0.3, 0.4, "Anna"), face(0.7, 0.4, "Bert")]);
        let written = renew(&own, &[face(0.6, 0.4, "Anna")]).expect("written");
        let text = changed(&written);
        assert_eq!(named(&text), ["Anna"]);
        let dimensions = read(text.as_bytes()).expect("regions").dimensions;
        assert_eq!(dimensions, Some(cropped));
        assert!(!text.contains("Bert"), "{text}");
        let again = renew(&text, &[face(0.6, 0.4, "Anna")]).expect("written again");
        assert_eq!(again.content, Content::Unchanged, "{text}");
        // All withdrawn, and the size left: what is named later is of the photo as it is then.
        let text = changed(&renew(&own, &[]).expect("withdrawn"));
        assert!(named(&text).is_empty() && !text.contains("Anna"), "{text}");
        let text = changed(&renew(&text, &[face(0.6, 0.4, "Anna")]).expect("written"));
        assert_eq!(named(&text), ["Anna"]);
    }
    // As soon as anything there is somebody else's, nothing is touched.
    let (shared, _) = merge(Some(DIGIKAM), &[face(0.7, 0.4, "Anna")]);
    let refused = renew(&shared, &[face(0.6, 0.4, "Anna")]);
    assert!(matches!(refused, Err(XmpProblem::OtherPhoto { .. })), "{refused:?}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    for name in ["", " \n", "a\u{1}b", "a\nb", "\u{FFFE}"] {
        let refused = write(None, PHOTO, &[face(0.7, 0.4, name)]);
        assert_eq!(refused, Err(XmpProblem::Name { name: name.to_owned() }));
    }
    for confidence in [f64::NAN, -0.1, 1.1] {
        let face = NamedFace { confidence: Some(confidence), ..face(0.7, 0.4, "Anna") };
        assert!(matches!(write(None, PHOTO, &[face]), Err(XmpProblem::Confidence { .. })));
    }
    let nothing = Dimensions { width: 0, height: 3 };
    assert!(matches!(write(None, nothing, &[]), Err(XmpProblem::NoPixels { .. })));
    for broken in ["", "<a", "<!DOCTYPE a><a/>"] {
        assert!(write(Some(broken.as_bytes()), PHOTO, &[]).is_err());
    }
}

#[test]
fn a_name_with_a_bar_gets_no_place_in_the_hierarchy() {
    let (text, _) = merge(None, &[face(0.7, 0.4, "A|B")]);
    assert!(text.contains("<rdf:li>A|B</rdf:li>") && !text.contains("People"));
}

#[test]
fn faces_in_one_place_are_written_once_each() {
    let twice = [face(0.7, 0.4, "Anna"), face(0.7, 0.4, "Ben"), face(0.700_000_1, 0.4, "Carla")];
    let (text, _) = merge(None, &twice);
    assert_eq!(named(&text), ["Anna", "Ben", "Carla"]);
    merge(Some(DIGIKAM), &twice);
}

/// The sidecar after all names that this program gave were withdrawn, and those names.
fn withdrawn(sidecar: &str) -> (String, Vec<String>) {
    let photo = PhotoLayout::new((PHOTO.width, PHOTO.height), 1, &[]);
    let write = |text: &str| face_regions::write(Some(text.as_bytes()), &photo, &[], OwnNames::Withdraw);
    let written = write(sidecar).expect("written");
    let text = match &written.content {
        Content::Changed(_) => changed(&written),
        Content::Unchanged => sidecar.to_owned(),
    };
    let again = write(&text).expect("written again");
    assert_eq!(again.content, Content::Unchanged, "{text}");
    (text, written.withdrawn)
}

#[test]
fn what_was_written_is_withdrawn_and_nothing_else() {
    let faces = [face(0.69, 0.4, "Anna"), face(0.5, 0.8, "Jo & Co")];
    for (sample, kept) in [(DIGIKAM, "<rdf:li>Grandma Inge</rdf:li>"), (LIGHTROOM, "<rdf:li>Wedding</rdf:li>")] {
        let (text, _) = merge(Some(sample), &faces);
        let (text, names) = withdrawn(&text);
        assert_eq!(names, ["Anna", "Jo & Co"]);
        assert!(!text.contains("Anna") && !text.contains("Jo &amp; Co"), "{text}");
        assert!(text.contains(kept), "{text}");
        let regions = |text: &str| read(text.as_bytes()).expect("regions").list;
        // A region that was there before stays, without a name, as it was.
        let (before, after) = (regions(sample), regions(&text));
        assert_eq!(before, after);
        let (_, outcomes) = merge(Some(&text), &faces);
        let first = if sample == DIGIKAM { Outcome::Named } else { Outcome::Added };
        assert_eq!(outcomes, [first, Outcome::Added]);
    }
}

#[test]
fn what_a_person_wrote_is_never_withdrawn() {
    let own = merge(None, &[face(0.3, 0.4, "Anna")]).0;
    // The region was moved; it was described; the name was corrected.
    let (text, _) = withdrawn(&own.replace("<stArea:x>0.300000", "<stArea:x>0.310000"));
    let regions = read(text.as_bytes()).expect("regions").list;
    assert_eq!((regions.len(), regions[0].naming()), (1, Naming::Nameless));
    let described = own.replace("<mwg-rs:Type>", "<mwg-rs:Description>at sea</mwg-rs:Description><mwg-rs:Type>");
    assert!(withdrawn(&described).0.contains("at sea"));
    let (text, names) = withdrawn(&own.replace("<mwg-rs:Name>Anna", "<mwg-rs:Name>Berta"));
    assert!(text.contains("<mwg-rs:Name>Berta<") && names.is_empty());
    // The keyword was there before.
    let tagged = LIGHTROOM.replace("<rdf:li>Wedding<", "<rdf:li>Anna<");
    let (text, _) = merge(Some(&tagged), &[face(0.3, 0.8, "Anna")]);
    assert!(text.contains("<rdf:li>People|Anna</rdf:li>"));
    let (text, _) = withdrawn(&text);
    assert!(text.contains("<rdf:li>Anna</rdf:li>") && !text.contains("People|Anna"));
    // A keyword of this program's stands inside an item of somebody else's.
    let (text, _) = merge(Some(LIGHTROOM), &[face(0.3, 0.8, "Anna")]);
    let item = "<rdf:li>Events|Wedding</rdf:li>";
    let nested = "<rdf:li>Events|Wedding<rdf:Bag><rdf:li>People|Anna</rdf:li></rdf:Bag></rdf:li>";
    assert!(text.contains(item));
    let (text, _) = withdrawn(&text.replace(item, nested));
    assert!(text.contains("Events|Wedding"), "{text}");
    // A person gave the name (in a table of groups).
    let given = NamedFace { confidence: None, ..face(0.3, 0.4, "Anna") };
    let (text, _) = merge(None, &[given]);
    assert_eq!(withdrawn(&text), (text.clone(), Vec::new()));
    let (text, _) = merge(Some(&own), &[NamedFace { name: "Zoë", ..given }]);
    assert!(!text.contains("Anna") && withdrawn(&text).0.contains("Zoë"));
}

/// A sidecar for a photo of 400 x 300 pixels, with a face at the place given.
fn sidecar_of(size: Option<(u32, u32)>, place: &str, more: &str) -> String {
    let dimensions = size.map_or_else(String::new, |(w, h)| {
        format!("<mwg-rs:AppliedToDimensions stDim:w='{w}' stDim:h='{h}' stDim:unit='pixel'/>")
    });
    format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
         xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' \
         xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' \
         xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'><rdf:Description rdf:about=''>\
         <mwg-rs:Regions rdf:parseType='Resource'>{dimensions}<mwg-rs:RegionList><rdf:Bag>\
         <rdf:li rdf:parseType='Resource'><mwg-rs:Area {place}/><mwg-rs:Name>Rose</mwg-rs:Name></rdf:li>{more}\
         </rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions></rdf:Description></rdf:RDF>"
    )
}

/// A photo that is stored upright or turned in each of the ways of EXIF, displayed as 400 x 300 pixels or square, with a face in the
/// top left corner; and regions written for it as stored or as displayed, with and without its size.
#[test]
fn regions_are_placed_whichever_way_round_they_were_written() {
    let place = "stArea:x='0.2' stArea:y='0.3' stArea:w='0.1' stArea:h='0.2'";
    for exif in 1..=8_u8 {
        for (width, height) in [(400, 300), (300, 300)] {
            let (w, h) = (width as f32, height as f32);
            let face = [0.15 * w, 0.2 * h, 0.1 * w, 0.2 * h];
            let photo = PhotoLayout::new((width, height), exif, &[face]);
            let stored_size = if exif < 5 { (width, height) } else { (height, width) };
            let area = photo.faces()[0];
            let stored = format!(
                "stArea:x='{}' stArea:y='{}' stArea:w='{}' stArea:h='{}'",
                area.x(),
                area.y(),
                area.w(),
                area.h()
            );
            for (size, place) in
                [(Some((width, height)), place), (None, place), (Some(stored_size), &stored), (None, &stored)]
            {
                let text = sidecar_of(size, place, "");
                let regions = read(text.as_bytes()).expect("regions");
                let named = regions.named_faces(&photo).expect("placed");
                let overlap = named[0].area.same_face(&area);
                assert!(overlap.is_some_and(|it| it > 0.99), "{exif} {size:?} {place}: {named:?}");
                // What is added lies the same way round.
                let ben = [0.7 * w, 0.5 * h, 0.1 * w, 0.2 * h];
                let faces = [area, photo.area(&ben).expect("an area")].map(|area| NamedFace {
                    area,
                    name: "Ben",
                    confidence: Some(0.9),
                });
                let written =
                    face_regions::write(Some(text.as_bytes()), &photo, &faces, OwnNames::Keep).expect("written");
                let name = "Rose".to_owned();
                assert_eq!(written.outcomes, [Outcome::NamedAlready { name }, Outcome::Added]);
                let region = read(changed(&written).as_bytes()).expect("regions").list[1].area;
                let expected =
                    if place == stored { faces[1].area } else { Area::new(0.75, 0.6, 0.1, 0.2).expect("an area") };
                assert!(region.same_face(&expected).is_some_and(|it| it > 0.99), "{exif} {size:?} {place}: {region:?}");
            }
        }
    }
}

#[test]
fn names_that_cannot_be_placed_let_nothing_be_written() {
    let photo = PhotoLayout::new((400, 300), 6, &[[100.0, 60.0, 40.0, 60.0]]);
    let upright = PhotoLayout::new((400, 300), 1, &[[100.0, 60.0, 40.0, 60.0]]);
    let beyond = "stArea:x='0.9' stArea:y='0.9' stArea:w='0.1' stArea:h='0.1'";
    let somewhere = "stArea:x='0.3' stArea:y='0.3' stArea:w='0.1' stArea:h='0.2'";
    let in_pixels = "stArea:x='120' stArea:y='90' stArea:w='40' stArea:h='60' stArea:unit='pixel'";
    let faces = [NamedFace { area: photo.faces()[0], name: "Ben", confidence: Some(0.9) }];
    for (size, place, photo) in [
        (None, beyond, &photo),
        (Some((400, 400)), somewhere, &photo),
        (Some((300, 400)), somewhere, &upright),
        (None, "", &upright),
        (None, in_pixels, &upright),
    ] {
        let text = sidecar_of(size, place, "");
        let regions = read(text.as_bytes()).expect("regions");
        assert!(regions.name_faces() && regions.named_faces(photo).is_err(), "{text}");
        let refused = face_regions::write(Some(text.as_bytes()), photo, &faces, OwnNames::Keep);
        assert!(refused.is_err(), "{text}");
    }
    // The same name in a second form has its place.
    let second =
        format!("<rdf:li rdf:parseType='Resource'><mwg-rs:Area {somewhere}/><mwg-rs:Name>Rose</mwg-rs:Name></rdf:li>");
    let regions = read(sidecar_of(None, "", &second).as_bytes()).expect("regions");
    assert_eq!(regions.named_faces(&upright).map(|named| named.len()), Ok(1));
}
