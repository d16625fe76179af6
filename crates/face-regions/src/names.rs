//! The namespaces and properties that are read and written here.

/// A namespace of XMP: its URI, and the prefix that usually stands for it; any document may choose another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Namespace {
    pub uri: &'static str,
    pub prefix: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Property {
    pub namespace: Namespace,
    /// The name with the usual prefix.
    pub usual: &'static str,
}

impl Property {
    /// The namespace's URI, and the name within it.
    pub(super) fn name(self) -> (&'static str, &'static str) {
        let local = self.usual.split_once(':').map_or(self.usual, |it| it.1);
        (self.namespace.uri, local)
    }
}

macro_rules! properties {
    ($($prefix:literal = $uri:literal { $($name:ident $usual:literal)* })*) => {
        $($(pub(super) const $name: Property = Property {
            namespace: Namespace { uri: $uri, prefix: $prefix },
            usual: $usual,
        };)*)*
    };
}

properties! {
    // RDF (Adobe XMP Specification Part 1, 7).
    "rdf" = "http://www.w3.org/1999/02/22-rdf-syntax-ns#" {
        RDF "rdf:RDF"
        DESCRIPTION "rdf:Description"
        ABOUT "rdf:about"
        PARSE_TYPE "rdf:parseType"
        RESOURCE "rdf:resource"
        VALUE "rdf:value"
        BAG "rdf:Bag"
        SEQ "rdf:Seq"
        ALT "rdf:Alt"
        ITEM "rdf:li"
    }
    // Dublin Core (Adobe XMP Specification Part 1, 8.3).
    "dc" = "http://purl.org/dc/elements/1.1/" {
        SUBJECT "dc:subject"
    }
    "lr" = "http://ns.adobe.com/lightroom/1.0/" {
        HIERARCHICAL_SUBJECT "lr:hierarchicalSubject"
    }
    // MWG regions (MWG Guidelines 2.0).
    "mwg-rs" = "http://www.metadataworkinggroup.com/schemas/regions/" {
        REGIONS "mwg-rs:Regions"
        REGION_LIST "mwg-rs:RegionList"
        APPLIED_TO_DIMENSIONS "mwg-rs:AppliedToDimensions"
        AREA "mwg-rs:Area"
        NAME "mwg-rs:Name"
        TYPE "mwg-rs:Type"
        EXTENSIONS "mwg-rs:Extensions"
    }
    "stArea" = "http://ns.adobe.com/xmp/sType/Area#" {
        AREA_X "stArea:x"
        AREA_Y "stArea:y"
        AREA_W "stArea:w"
        AREA_H "stArea:h"
        AREA_UNIT "stArea:unit"
    }
    "stDim" = "http://ns.adobe.com/xap/1.0/sType/Dimensions#" {
        DIMENSIONS_W "stDim:w"
        DIMENSIONS_H "stDim:h"
        DIMENSIONS_UNIT "stDim:unit"
    }
    // Microsoft Photo 1.2.
    "MP" = "http://ns.microsoft.com/photo/1.2/" {
        MICROSOFT_INFO "MP:RegionInfo"
    }
    "MPRI" = "http://ns.microsoft.com/photo/1.2/t/RegionInfo#" {
        MICROSOFT_REGIONS "MPRI:Regions"
    }
    "MPReg" = "http://ns.microsoft.com/photo/1.2/t/Region#" {
        MICROSOFT_RECTANGLE "MPReg:Rectangle"
        MICROSOFT_NAME "MPReg:PersonDisplayName"
    }
    // IPTC's image regions (IPTC Photo Metadata Standard 2019.1).
    "Iptc4xmpExt" = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/" {
        IPTC_REGIONS "Iptc4xmpExt:ImageRegion"
        IPTC_NAME "Iptc4xmpExt:Name"
        IPTC_PERSON "Iptc4xmpExt:PersonInImage"
        IPTC_TYPE "Iptc4xmpExt:RCtype"
        IPTC_BOUNDARY "Iptc4xmpExt:RegionBoundary"
        IPTC_SHAPE "Iptc4xmpExt:rbShape"
        IPTC_UNIT "Iptc4xmpExt:rbUnit"
        IPTC_X "Iptc4xmpExt:rbX"
        IPTC_Y "Iptc4xmpExt:rbY"
        IPTC_W "Iptc4xmpExt:rbW"
        IPTC_H "Iptc4xmpExt:rbH"
        IPTC_VERTICES "Iptc4xmpExt:rbVertices"
    }
    "xmp" = "http://ns.adobe.com/xap/1.0/" {
        IPTC_IDENTIFIER "xmp:Identifier"
    }
    "acdsee-rs" = "http://ns.acdsee.com/regions/" {
        ACDSEE_REGIONS "acdsee-rs:Regions"
        ACDSEE_LIST "acdsee-rs:RegionList"
        ACDSEE_DIMENSIONS "acdsee-rs:AppliedToDimensions"
        ACDSEE_NAME "acdsee-rs:Name"
        ACDSEE_TYPE "acdsee-rs:Type"
        ACDSEE_DRAWN "acdsee-rs:DLYArea"
        ACDSEE_FOUND "acdsee-rs:ALGArea"
    }
    "acdsee-stArea" = "http://ns.acdsee.com/sType/Area#" {
        ACDSEE_X "acdsee-stArea:x"
        ACDSEE_Y "acdsee-stArea:y"
        ACDSEE_W "acdsee-stArea:w"
        ACDSEE_H "acdsee-stArea:h"
    }
    // Photoshop's and Lightroom's properties of a sidecar.
    "photoshop" = "http://ns.adobe.com/photoshop/1.0/" {
        SIDECAR_FOR "photoshop:SidecarForExtension"
    }
    "tiff" = "http://ns.adobe.com/tiff/1.0/" {
        ORIENTATION "tiff:Orientation"
    }
    // This program's own fields.
    "eigenfaces" = "http://ns.eigenfaces.org/1.0/" {
        OUR_NAME "eigenfaces:Name"
        OUR_CONFIDENCE "eigenfaces:Confidence"
        OUR_AREA "eigenfaces:Area"
        OUR_SUBJECT "eigenfaces:Subject"
        OUR_HIERARCHICAL_SUBJECT "eigenfaces:HierarchicalSubject"
    }
}
