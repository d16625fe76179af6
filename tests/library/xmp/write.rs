//! Writing of faces into sidecars, new and existing.

use eigenfaces::xmp::{
    Area, Content, Dimensions, NamedFace, Naming, Outcome, Written, XmpProblem, read, write,
};

const DIGIKAM: &str = include_str!("samples/digikam.xmp");
const LIGHTROOM: &str = include_str!("samples/lightroom.xmp");
const PLAIN: &str = include_str!("samples/plain.xmp");
const PHOTO: Dimensions = Dimensions {
    width: 4000,
    height: 3000,
};

fn area(x: f64, y: f64) -> Area {
    Area::new(x, y, 0.1, 0.15).expect("an area")
}

fn face(x: f64, y: f64, name: &str) -> NamedFace<'_> {
    NamedFace {
        area: area(x, y),
        name,
        confidence: Some(0.973),
    }
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
    regions
        .into_iter()
        .filter_map(|region| region.name)
        .collect()
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
        assert!(
            matches!(&written.outcomes[..], [Outcome::NamedAlready { name }] if !name.is_empty())
        );
    }
    let only_microsoft = without(DIGIKAM, &[("   <mwg-rs:Regions", "</mwg-rs:Regions>\n")]);
    let faces = [face(0.26, 0.5, "Somebody")];
    let written = write(Some(only_microsoft.as_bytes()), PHOTO, &faces).expect("written");
    let name = "Grandma Inge".to_owned();
    assert_eq!(written.outcomes, [Outcome::NamedAlready { name }]);
}

#[test]
fn a_region_without_a_name_is_named_and_the_rest_of_digikams_sidecar_stays() {
    let faces = [
        face(0.69, 0.4, "Anna"),
        face(0.25, 0.5, "Somebody"),
        face(0.5, 0.8, "Jo & Co"),
    ];
    let (text, outcomes) = merge(Some(DIGIKAM), &faces);
    let already = Outcome::NamedAlready {
        name: "Grandma Inge".to_owned(),
    };
    assert_eq!(outcomes, [Outcome::Named, already, Outcome::Added]);
    assert_eq!(
        named(&text),
        ["Grandma Inge", "Anna", "Jo & Co", "Grandma Inge"]
    );
    let extensions = (
        "\n       <mwg-rs:Extensions",
        "<mwg-rs:Name>Anna</mwg-rs:Name>",
    );
    let region = ("\n      <rdf:li rdf:parseType", "</rdf:li>");
    let plain = ("\n     <rdf:li>Anna", "<rdf:li>Jo &amp; Co</rdf:li>");
    let levels = (
        "\n     <rdf:li>People|Anna",
        "<rdf:li>People|Jo &amp; Co</rdf:li>",
    );
    assert_eq!(
        without(&text, &[extensions, region, plain, levels]),
        DIGIKAM
    );
}

#[test]
fn the_rest_of_lightrooms_sidecar_stays() {
    let lines = LIGHTROOM.replace('\n', "\r\n");
    let (text, outcomes) = merge(Some(&lines), &[face(0.7, 0.4, "Wedding")]);
    assert_eq!(outcomes, [Outcome::Added]);
    assert!(!text.replace("\r\n", "").contains('\n'));
    let region = ("\r\n      <rdf:li rdf:parseType", "</rdf:li>");
    let levels = ("\r\n     <rdf:li>People|Wedding", "</rdf:li>");
    assert_eq!(without(&text, &[region, levels]), lines);
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
        assert_eq!(
            named(&merge(Some(sidecar), &[face(0.7, 0.4, "Anna")]).0),
            ["Anna"]
        );
    }
    let empty = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
    let refused = write(Some(empty.as_bytes()), PHOTO, &[face(0.7, 0.4, "Anna")]);
    assert_eq!(refused, Err(XmpProblem::NotXmp { found: 0 }));
}

#[test]
fn a_newer_run_replaces_what_this_program_wrote() {
    let (first, _) = merge(None, &[face(0.3, 0.4, "Anna"), face(0.6, 0.4, "Ben")]);
    let newer = [
        NamedFace {
            confidence: Some(0.5),
            ..face(0.31, 0.4, "Carla")
        },
        face(0.6, 0.4, "Ben"),
    ];
    let (second, outcomes) = merge(Some(&first), &newer);
    let previous = "Anna".to_owned();
    assert_eq!(
        outcomes,
        [Outcome::Updated { previous }, Outcome::Unchanged]
    );
    assert_eq!(named(&second), ["Carla", "Ben"]);
    assert!(second.contains("<rdf:li>Anna</rdf:li>") && second.contains("<rdf:li>Carla</rdf:li>"));
    let regions = read(second.as_bytes()).expect("regions").list;
    assert_eq!(regions[0].area, area(0.3, 0.4));
    assert_eq!(regions[0].naming(), Naming::Program("Carla"));
}

#[test]
fn a_correction_by_a_person_stays() {
    let (text, _) = merge(None, &[face(0.3, 0.4, "Anna")]);
    let corrected = text.replace("<mwg-rs:Name>Anna", "<mwg-rs:Name>Berta");
    let written = write(
        Some(corrected.as_bytes()),
        PHOTO,
        &[face(0.3, 0.4, "Carla")],
    )
    .expect("written");
    let name = "Berta".to_owned();
    assert_eq!(written.outcomes, [Outcome::NamedAlready { name }]);
    let removed = text.replace("<mwg-rs:Name>Anna</mwg-rs:Name>", "<mwg-rs:Name/>");
    let written =
        write(Some(removed.as_bytes()), PHOTO, &[face(0.3, 0.4, "Carla")]).expect("written");
    let name = "Anna".to_owned();
    assert_eq!(written.outcomes, [Outcome::NameRemoved { name }]);
    assert_eq!(written.content, Content::Unchanged);
}

#[test]
fn every_form_of_our_own_region_is_updated() {
    let (text, _) = merge(None, &[face(0.3, 0.4, "Anna")]);
    let start = text.find("      <mwg-rs:Extensions").expect("extensions");
    let end = text.find("      <mwg-rs:Type").expect("a type");
    for fields in [
        "<mwg-rs:Extensions eigenfaces:Name='Anna'/><mwg-rs:Name>An<!-- kept -->na</mwg-rs:Name>",
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
        (
            "<mwg-rs:RegionList>",
            "<mwg-rs:RegionList rdf:resource='u'/><mwg-rs:Else>",
        ),
        (
            "<mwg-rs:Regions rdf:parseType=\"Resource\">",
            "<mwg-rs:Regions stDim:w='1'/><mwg-rs:Else rdf:parseType='Resource'>",
        ),
    ] {
        let sidecar = LIGHTROOM.replace(from, to);
        let sidecar = match to.ends_with("Else>") {
            true => sidecar.replace("</mwg-rs:RegionList>", "</mwg-rs:Else>"),
            false if to.contains("Else") => sidecar.replace("</mwg-rs:Regions>", "</mwg-rs:Else>"),
            false => sidecar
                .replacen("<dc:subject>\n", "<dc:other>\n", 1)
                .replacen("Bag>\n   </dc:subject>", "Bag>\n   </dc:other>", 1),
        };
        let refused = write(Some(sidecar.as_bytes()), PHOTO, &[face(0.7, 0.4, "Anna")]);
        assert!(
            matches!(refused, Err(XmpProblem::Unsupported { .. })),
            "{refused:?} {to}"
        );
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
        assert_eq!(
            refused,
            Err(XmpProblem::Unsupported { property }),
            "{extensions}"
        );
    }
}

#[test]
fn lists_that_are_missing_or_empty_are_made() {
    let list = "<mwg-rs:RegionList>";
    let cut =
        LIGHTROOM.find(list).expect("a list")..LIGHTROOM.find("</mwg-rs:Regions>").expect("an end");
    for replacement in [
        "",
        "<mwg-rs:RegionList/>",
        "<mwg-rs:RegionList></mwg-rs:RegionList>",
        "<mwg-rs:RegionList><rdf:Bag/></mwg-rs:RegionList>",
    ] {
        let mut sidecar = LIGHTROOM.to_owned();
        sidecar.replace_range(cut.clone(), replacement);
        let (text, _) = merge(
            Some(&sidecar),
            &[face(0.7, 0.4, "Anna"), face(0.2, 0.4, "Ben")],
        );
        assert_eq!(named(&text), ["Anna", "Ben"]);
    }
    let bare = LIGHTROOM.replace("mwg-rs:AppliedToDimensions", "mwg-rs:Else");
    let (text, _) = merge(Some(&bare), &[face(0.7, 0.4, "Anna")]);
    assert_eq!(
        read(text.as_bytes()).expect("regions").dimensions,
        Some(PHOTO)
    );
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
    let turned = Dimensions {
        width: 3000,
        height: 4000,
    };
    let refused = write(Some(DIGIKAM.as_bytes()), turned, &[face(0.7, 0.4, "Anna")]);
    let problem = XmpProblem::OtherPhoto {
        sidecar: PHOTO,
        photo: turned,
    };
    assert_eq!(refused, Err(problem));
}

#[test]
fn what_cannot_be_written_is_refused() {
    for name in ["", " \n", "a\u{1}b", "a\nb", "\u{FFFE}"] {
        let refused = write(None, PHOTO, &[face(0.7, 0.4, name)]);
        assert_eq!(
            refused,
            Err(XmpProblem::Name {
                name: name.to_owned()
            })
        );
    }
    for confidence in [f64::NAN, -0.1, 1.1] {
        let face = NamedFace {
            confidence: Some(confidence),
            ..face(0.7, 0.4, "Anna")
        };
        assert!(matches!(
            write(None, PHOTO, &[face]),
            Err(XmpProblem::Confidence { .. })
        ));
    }
    let nothing = Dimensions {
        width: 0,
        height: 3,
    };
    assert!(matches!(
        write(None, nothing, &[]),
        Err(XmpProblem::NoPixels { .. })
    ));
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
    let twice = [
        face(0.7, 0.4, "Anna"),
        face(0.7, 0.4, "Ben"),
        face(0.700_000_1, 0.4, "Carla"),
    ];
    let (text, _) = merge(None, &twice);
    assert_eq!(named(&text), ["Anna", "Ben", "Carla"]);
    merge(Some(DIGIKAM), &twice);
}
