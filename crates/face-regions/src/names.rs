//! The namespaces and properties that are read and written here.

macro_rules! namespaces {
    ($($(#[$doc:meta])* $name:ident $uri:literal $prefix:literal;)*) => {
        /// A namespace of XMP, by its URI and not by its prefix, which any document may choose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Namespace {
            $($(#[$doc])* $name,)*
            Absent,
            Other,
        }

        /// Each known namespace with its URI and its usual prefix.
        const KNOWN: &[(Namespace, &str, &str)] = &[$((Namespace::$name, $uri, $prefix)),*];
    };
}

namespaces! {
    /// RDF (Adobe XMP Specification Part 1, 7).
    Rdf "http://www.w3.org/1999/02/22-rdf-syntax-ns#" "rdf";
    /// The `xml` prefix, which is always bound.
    Xml "http://www.w3.org/XML/1998/namespace" "xml";
    /// Dublin Core (Adobe XMP Specification Part 1, 8.3).
    Dc "http://purl.org/dc/elements/1.1/" "dc";
    /// Lightroom's own properties.
    Lightroom "http://ns.adobe.com/lightroom/1.0/" "lr";
    /// MWG regions (MWG Guidelines 2.0).
    Regions "http://www.metadataworkinggroup.com/schemas/regions/" "mwg-rs";
    Area "http://ns.adobe.com/xmp/sType/Area#" "stArea";
    Dimensions "http://ns.adobe.com/xap/1.0/sType/Dimensions#" "stDim";
    /// Microsoft Photo 1.2.
    Microsoft "http://ns.microsoft.com/photo/1.2/" "MP";
    /// The fields of Microsoft's structure of regions.
    MicrosoftInfo "http://ns.microsoft.com/photo/1.2/t/RegionInfo#" "MPRI";
    /// The fields of Microsoft's regions.
    MicrosoftRegion "http://ns.microsoft.com/photo/1.2/t/Region#" "MPReg";
    /// IPTC's image regions (IPTC Photo Metadata Standard 2019.1).
    Iptc "http://iptc.org/std/Iptc4xmpExt/2008-02-29/" "Iptc4xmpExt";
    /// ACDSee's regions.
    Acdsee "http://ns.acdsee.com/regions/" "acdsee-rs";
    AcdseeArea "http://ns.acdsee.com/sType/Area#" "acdsee-stArea";
    /// Photoshop's and Lightroom's properties of a sidecar.
    Photoshop "http://ns.adobe.com/photoshop/1.0/" "photoshop";
    /// XMP's own properties, of which IPTC's entities have the identifier.
    XmpIdentifier "http://ns.adobe.com/xap/1.0/" "xmp";
    Tiff "http://ns.adobe.com/tiff/1.0/" "tiff";
    /// This program's own fields.
    Eigenfaces "http://ns.eigenfaces.org/1.0/" "eigenfaces";
}

impl Namespace {
    pub(super) fn of_uri(uri: &str) -> Self {
        match uri {
            "" => Self::Absent,
            _ => KNOWN
                .iter()
                .find(|known| known.1 == uri)
                .map_or(Self::Other, |known| known.0),
        }
    }

    /// The URI; empty for those unknown.
    pub(super) fn uri(self) -> &'static str {
        self.known().0
    }

    fn known(self) -> (&'static str, &'static str) {
        let known = KNOWN.iter().find(|known| known.0 == self);
        known.map_or(("", ""), |&(_, uri, prefix)| (uri, prefix))
    }

    /// The usual prefix; empty for those unknown.
    pub(super) fn prefix(self) -> &'static str {
        self.known().1
    }
}

/// The name of an element or attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Property {
    pub namespace: Namespace,
    /// The name within the namespace.
    pub local: &'static str,
    /// The name with the usual prefix.
    pub usual: &'static str,
}

macro_rules! properties {
    ($($name:ident = $namespace:ident $local:literal $usual:literal;)*) => {
        $(pub(super) const $name: Property = Property {
            namespace: Namespace::$namespace,
            local: $local,
            usual: $usual,
        };)*
    };
}

properties! {
    RDF = Rdf "RDF" "rdf:RDF";
    DESCRIPTION = Rdf "Description" "rdf:Description";
    ABOUT = Rdf "about" "rdf:about";
    PARSE_TYPE = Rdf "parseType" "rdf:parseType";
    RESOURCE = Rdf "resource" "rdf:resource";
    VALUE = Rdf "value" "rdf:value";
    BAG = Rdf "Bag" "rdf:Bag";
    ITEM = Rdf "li" "rdf:li";
    SUBJECT = Dc "subject" "dc:subject";
    HIERARCHICAL_SUBJECT = Lightroom "hierarchicalSubject" "lr:hierarchicalSubject";
    REGIONS = Regions "Regions" "mwg-rs:Regions";
    REGION_LIST = Regions "RegionList" "mwg-rs:RegionList";
    APPLIED_TO_DIMENSIONS = Regions "AppliedToDimensions" "mwg-rs:AppliedToDimensions";
    AREA = Regions "Area" "mwg-rs:Area";
    NAME = Regions "Name" "mwg-rs:Name";
    TYPE = Regions "Type" "mwg-rs:Type";
    EXTENSIONS = Regions "Extensions" "mwg-rs:Extensions";
    AREA_X = Area "x" "stArea:x";
    AREA_Y = Area "y" "stArea:y";
    AREA_W = Area "w" "stArea:w";
    AREA_H = Area "h" "stArea:h";
    AREA_UNIT = Area "unit" "stArea:unit";
    DIMENSIONS_W = Dimensions "w" "stDim:w";
    DIMENSIONS_H = Dimensions "h" "stDim:h";
    DIMENSIONS_UNIT = Dimensions "unit" "stDim:unit";
    MICROSOFT_INFO = Microsoft "RegionInfo" "MP:RegionInfo";
    MICROSOFT_REGIONS = MicrosoftInfo "Regions" "MPRI:Regions";
    MICROSOFT_RECTANGLE = MicrosoftRegion "Rectangle" "MPReg:Rectangle";
    MICROSOFT_NAME = MicrosoftRegion "PersonDisplayName" "MPReg:PersonDisplayName";
    IPTC_REGIONS = Iptc "ImageRegion" "Iptc4xmpExt:ImageRegion";
    IPTC_NAME = Iptc "Name" "Iptc4xmpExt:Name";
    IPTC_PERSON = Iptc "PersonInImage" "Iptc4xmpExt:PersonInImage";
    IPTC_TYPE = Iptc "RCtype" "Iptc4xmpExt:RCtype";
    IPTC_BOUNDARY = Iptc "RegionBoundary" "Iptc4xmpExt:RegionBoundary";
    IPTC_SHAPE = Iptc "rbShape" "Iptc4xmpExt:rbShape";
    IPTC_UNIT = Iptc "rbUnit" "Iptc4xmpExt:rbUnit";
    IPTC_X = Iptc "rbX" "Iptc4xmpExt:rbX";
    IPTC_Y = Iptc "rbY" "Iptc4xmpExt:rbY";
    IPTC_W = Iptc "rbW" "Iptc4xmpExt:rbW";
    IPTC_H = Iptc "rbH" "Iptc4xmpExt:rbH";
    IPTC_VERTICES = Iptc "rbVertices" "Iptc4xmpExt:rbVertices";
    IPTC_IDENTIFIER = XmpIdentifier "Identifier" "xmp:Identifier";
    ACDSEE_REGIONS = Acdsee "Regions" "acdsee-rs:Regions";
    ACDSEE_LIST = Acdsee "RegionList" "acdsee-rs:RegionList";
    ACDSEE_DIMENSIONS = Acdsee "AppliedToDimensions" "acdsee-rs:AppliedToDimensions";
    ACDSEE_NAME = Acdsee "Name" "acdsee-rs:Name";
    ACDSEE_TYPE = Acdsee "Type" "acdsee-rs:Type";
    ACDSEE_DRAWN = Acdsee "DLYArea" "acdsee-rs:DLYArea";
    ACDSEE_FOUND = Acdsee "ALGArea" "acdsee-rs:ALGArea";
    ACDSEE_X = AcdseeArea "x" "acdsee-stArea:x";
    ACDSEE_Y = AcdseeArea "y" "acdsee-stArea:y";
    ACDSEE_W = AcdseeArea "w" "acdsee-stArea:w";
    ACDSEE_H = AcdseeArea "h" "acdsee-stArea:h";
    SIDECAR_FOR = Photoshop "SidecarForExtension" "photoshop:SidecarForExtension";
    ORIENTATION = Tiff "Orientation" "tiff:Orientation";
    OUR_NAME = Eigenfaces "Name" "eigenfaces:Name";
    OUR_CONFIDENCE = Eigenfaces "Confidence" "eigenfaces:Confidence";
    OUR_AREA = Eigenfaces "Area" "eigenfaces:Area";
    OUR_SUBJECT = Eigenfaces "Subject" "eigenfaces:Subject";
    OUR_HIERARCHICAL_SUBJECT = Eigenfaces "HierarchicalSubject" "eigenfaces:HierarchicalSubject";
}
