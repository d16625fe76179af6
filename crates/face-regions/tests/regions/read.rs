//! Reading of regions in every form.

use face_regions::{Dimensions, Kind, Naming, Region, Source, XmpProblem, read};

const DIGIKAM: &str = include_str!("samples/digikam.xmp");
const LIGHTROOM: &str = include_str!("samples/lightroom.xmp");

fn close(region: &Region, wanted: [f64; 4]) -> bool {
    let area = region.area;
    [area.x(), area.y(), area.w(), area.h()].iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9)
}

/// A packet with these properties, whose prefixes are all unusual.
fn packet(properties: &str) -> String {
    format!(
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
         xmlns:m='http://www.metadataworkinggroup.com/schemas/regions/' \
         xmlns:a='http://ns.adobe.com/xmp/sType/Area#' \
         xmlns:d='http://ns.adobe.com/xap/1.0/sType/Dimensions#' \
         xmlns:p='http://ns.microsoft.com/photo/1.2/' \
         xmlns:i='http://ns.microsoft.com/photo/1.2/t/RegionInfo#' \
         xmlns:g='http://ns.microsoft.com/photo/1.2/t/Region#' \
         xmlns:mwg-rs='http://example.org/else'>\
         <r:Description r:about=''>{properties}</r:Description></r:RDF>"
    )
}

#[test]
fn digikam_and_lightroom_are_read() {
    let regions = read(DIGIKAM.as_bytes()).expect("regions");
    let photo = Dimensions { width: 4000, height: 3000 };
    assert_eq!(regions.dimensions, Some(photo));
    let names: Vec<_> = regions.list.iter().map(|region| region.name.as_deref()).collect();
    assert_eq!(names, [Some("Grandma Inge"), None, Some("Grandma Inge")]);
    assert!(close(&regions.list[0], [0.25, 0.5, 0.1, 0.15]));
    assert!(close(&regions.list[2], [0.25, 0.5, 0.1, 0.15]));
    assert_eq!(regions.list[2].source, Source::Microsoft);
    assert_eq!(regions.list[1].naming(), Naming::Nameless);

    let regions = read(LIGHTROOM.as_bytes()).expect("regions");
    assert_eq!(regions.list[0].naming(), Naming::Person("Jürgen O'Neill"));
    assert_eq!(regions.list[1].kind, Kind::Other);
    assert_eq!(regions.list.len(), 2);
}

#[test]
fn every_form_of_a_region_is_read() {
    let area = "a:x='0.25' a:y='0.5' a:w='0.1' a:h='0.15'";
    let fields = "<a:x> 0.25 </a:x><a:y>5e-1</a:y><a:w>0,1</a:w><a:h>+.15</a:h><a:unit>normalized</a:unit>";
    let forms = [
        format!("<r:li r:parseType='Resource'><m:Area {area}/><m:Name>A &amp; B</m:Name></r:li>"),
        format!(
            "<r:li r:parseType='Resource'><m:Name><![CDATA[A & B]]></m:Name><m:Area r:parseType='Resource'>{fields}</m:Area></r:li>"
        ),
        format!(
            "<r:li><r:Description m:Name='A &#38; B' m:Type='Face'><m:Area><r:Description {area}/></m:Area></r:Description></r:li>"
        ),
        format!(
            "<r:li><m:RegionStruct m:Name='A &amp; B'><m:Area><r:Description>{fields}</r:Description></m:Area></m:RegionStruct></r:li>"
        ),
        format!(
            "<r:li r:parseType='Resource'><m:Area {area}/><m:Name r:parseType='Resource'><r:value>A &amp; B</r:value></m:Name></r:li>"
        ),
        format!(
            "<r:li r:parseType='Resource'><m:Area {area}/><m:Name><r:Alt><r:li xml:lang='x-default'>A &amp; B</r:li></r:Alt></m:Name></r:li>"
        ),
        format!("<r:li r:parseType='Resource'><m:Area {area}/><m:Name> A &amp;\tB\n</m:Name></r:li>")
            .replace('\t', " "),
    ];
    for form in forms {
        for (start, end) in [
            ("<m:Regions r:parseType='Resource'>", "</m:Regions>"),
            ("<m:Regions><r:Description>", "</r:Description></m:Regions>"),
        ] {
            for list in ["Bag", "Seq"] {
                let text = packet(&format!("{start}<m:RegionList><r:{list}>{form}</r:{list}></m:RegionList>{end}"));
                let regions = read(text.as_bytes()).expect("regions");
                assert_eq!(regions.list.len(), 1, "{text}");
                assert_eq!(regions.list[0].name.as_deref(), Some("A & B"), "{text}");
                assert!(close(&regions.list[0], [0.25, 0.5, 0.1, 0.15]), "{text}");
            }
        }
    }
}

#[test]
fn every_form_of_microsofts_regions_is_read() {
    let forms = [
        "<r:li g:PersonDisplayName='C' g:Rectangle='0.2, 0.4, 0.1, 0.2'/>",
        "<r:li r:parseType='Resource'><g:Rectangle>0.2,0.4,0.1,0.2</g:Rectangle><g:PersonDisplayName>C</g:PersonDisplayName></r:li>",
        "<r:li><r:Description g:Rectangle='0.2,0.4,0.1,0.2'><g:PersonDisplayName>C</g:PersonDisplayName></r:Description></r:li>",
    ];
    for form in forms {
        let text = packet(&format!(
            "<p:RegionInfo><r:Description><i:Regions><r:Bag>{form}</r:Bag></i:Regions></r:Description></p:RegionInfo>"
        ));
        let regions = read(text.as_bytes()).expect("regions");
        assert_eq!(regions.list.len(), 1, "{text}");
        assert_eq!(regions.list[0].name.as_deref(), Some("C"));
        assert!(close(&regions.list[0], [0.25, 0.5, 0.1, 0.2]));
    }
}

#[test]
fn regions_out_of_range_are_passed_over() {
    for (x, w, unit) in [
        ("NaN", "0.1", "normalized"),
        ("inf", "0.1", "normalized"),
        ("1.5", "0.1", "normalized"),
        ("-0.1", "0.1", "normalized"),
        ("0.5", "0", "normalized"),
        ("0.5", "-0.1", "normalized"),
        ("0.5", "2", "normalized"),
        ("0.5", "", "normalized"),
        ("one half", "0.1", "normalized"),
        ("0.5", "0.1", "pixel"),
    ] {
        let text = packet(&format!(
            "<m:Regions r:parseType='Resource'><m:RegionList><r:Bag><r:li r:parseType='Resource'>\
             <m:Area a:x='{x}' a:y='0.5' a:w='{w}' a:h='0.1' a:unit='{unit}'/></r:li></r:Bag></m:RegionList></m:Regions>\
             <p:RegionInfo r:parseType='Resource'><i:Regions><r:Bag><r:li g:Rectangle='{x}, 0.5, {w}, x'/></r:Bag></i:Regions></p:RegionInfo>"
        ));
        assert_eq!(read(text.as_bytes()).expect("regions").list, [], "{text}");
    }
}

#[test]
fn names_are_those_of_the_right_namespace() {
    let text = packet("<mwg-rs:Regions><mwg-rs:RegionList/></mwg-rs:Regions>");
    assert_eq!(read(text.as_bytes()).expect("regions").list, []);
}

#[test]
fn regions_of_a_cropped_photo_are_told() {
    let regions = read(DIGIKAM.as_bytes()).expect("regions");
    let fits = |width, height| regions.fits(Dimensions { width, height });
    assert!(fits(4000, 3000) && fits(1000, 751));
    assert!(!fits(3000, 4000) && !fits(3000, 3000));
    let none = read(packet("").as_bytes()).expect("regions");
    assert!(none.fits(Dimensions { width: 1, height: 2 }));
}

#[test]
fn every_encoding_is_read() {
    let mut packets = vec![[b"\xEF\xBB\xBF", DIGIKAM.as_bytes()].concat(), [DIGIKAM.as_bytes(), &[0; 9]].concat()];
    let mark = [0xFEFF_u16].into_iter();
    let units: Vec<u16> = mark.chain(DIGIKAM.encode_utf16()).collect();
    packets.push(units.iter().flat_map(|unit| unit.to_le_bytes()).collect());
    packets.push(units.iter().flat_map(|unit| unit.to_be_bytes()).collect());
    packets.push(units[1..].iter().flat_map(|unit| unit.to_le_bytes()).collect());
    for packet in packets {
        assert_eq!(read(&packet).expect("regions").list.len(), 3);
    }
}

#[test]
fn what_is_no_xmp_is_refused() {
    let huge = vec![b' '; (4 << 20) + 1];
    assert!(matches!(read(&huge), Err(XmpProblem::TooLarge { .. })));
    for text in ["<svg/>", "<a><b><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></b></a>"] {
        assert!(matches!(read(text.as_bytes()), Err(XmpProblem::NotXmp { .. })));
    }
    for bytes in [b"".as_slice(), b"\0\0", b"\xFF\xD8\xFF", b"<a", b"{}"] {
        assert!(read(bytes).is_err());
    }
}

#[test]
fn regions_of_iptc_and_acdsee_are_read() {
    let iptc = "<t:ImageRegion xmlns:t='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'><r:Bag>\
        <r:li r:parseType='Resource'><t:Name><r:Alt><r:li xml:lang='x-default'>Rose</r:li></r:Alt></t:Name>\
        <t:RegionBoundary r:parseType='Resource'><t:rbShape>rectangle</t:rbShape><t:rbUnit>relative</t:rbUnit>\
        <t:rbX>0.2</t:rbX><t:rbY>0.4</t:rbY><t:rbW>0.1</t:rbW><t:rbH>0.2</t:rbH></t:RegionBoundary></r:li>\
        <r:li r:parseType='Resource'><t:PersonInImage><r:Bag><r:li>Bo</r:li></r:Bag></t:PersonInImage>\
        <t:RegionBoundary r:parseType='Resource'><t:rbShape>circle</t:rbShape><t:rbUnit>pixel</t:rbUnit></t:RegionBoundary></r:li>\
        </r:Bag></t:ImageRegion>";
    let regions = read(packet(iptc).as_bytes()).expect("regions");
    assert_eq!(regions.list[0].source, Source::Iptc);
    assert_eq!(regions.list[0].naming(), Naming::Person("Rose"));
    assert!(close(&regions.list[0], [0.25, 0.5, 0.1, 0.2]));
    assert_eq!(regions.unplaced, ["Bo"], "its place is not known");

    let acdsee = "<c:Regions xmlns:c='http://ns.acdsee.com/regions/' xmlns:e='http://ns.acdsee.com/sType/Area#' r:parseType='Resource'>\
        <c:RegionList><r:Bag><r:li r:parseType='Resource'><c:Name>Rose</c:Name><c:Type>Face</c:Type>\
        <c:DLYArea e:x='0.25' e:y='0.5' e:w='0.1' e:h='0.2'/></r:li></r:Bag></c:RegionList></c:Regions>";
    let regions = read(packet(acdsee).as_bytes()).expect("regions");
    assert_eq!(regions.list[0].source, Source::Acdsee);
    assert!(close(&regions.list[0], [0.25, 0.5, 0.1, 0.2]) && regions.name_faces());
}

#[test]
fn the_name_of_the_mwg_goes_before_that_of_microsoft() {
    let both = "<m:Regions r:parseType='Resource'><m:RegionList><r:Bag><r:li r:parseType='Resource'><m:Name>New</m:Name>\
        <m:Area a:x='0.25' a:y='0.5' a:w='0.1' a:h='0.2'/></r:li></r:Bag></m:RegionList></m:Regions>\
        <p:RegionInfo r:parseType='Resource'><i:Regions><r:Bag><r:li g:PersonDisplayName='Old' g:Rectangle='0.2, 0.4, 0.1, 0.2'/>\
        </r:Bag></i:Regions></p:RegionInfo>";
    let regions = read(packet(both).as_bytes()).expect("regions");
    let names: Vec<_> = regions.list.iter().map(Region::naming).collect();
    assert_eq!(names, [Naming::Person("New")]);
}
