//! The changes that bring faces and keywords into a packet.

use super::area::Dimensions;
use super::decide::{Decision, Outcome};
use super::edit::Edits;
use super::face::Face;
use super::fragment::Fragment;
use super::names::{self, Property};
use super::new_region::{applied_to_dimensions, extensions, new_region};
use super::problem::XmpProblem;
use super::rdf::{Form, Packet, Structure, Value};
use super::region::Found;

pub(super) struct Writer<'d> {
    packet: &'d Packet<'d>,
    photo: Dimensions,
    edits: Edits,
    /// The properties that the packet does not have yet.
    properties: Vec<Fragment>,
}

impl<'d> Writer<'d> {
    pub(super) fn new(packet: &'d Packet<'d>, photo: Dimensions) -> Self {
        Self {
            packet,
            photo,
            edits: Edits::default(),
            properties: Vec::new(),
        }
    }

    pub(super) fn change_regions(
        &mut self,
        found: &[Found<'_>],
        faces: &[Face<'_>],
        decisions: &[Decision],
    ) -> Result<(), XmpProblem> {
        for (face, decision) in faces.iter().zip(decisions) {
            let region = decision.region.and_then(|region| found.get(region));
            if let (Outcome::Named | Outcome::Updated { .. }, Some(found)) =
                (&decision.outcome, region)
            {
                self.change_region(found.structure, face)?;
            }
        }
        Ok(())
    }

    fn change_region(&mut self, region: Structure<'_>, face: &Face<'_>) -> Result<(), XmpProblem> {
        // Emptied, the mark says no more that this program gave the name.
        let marks = match &face.confidence {
            Some(confidence) => [
                (names::OUR_NAME, face.name),
                (names::OUR_CONFIDENCE, confidence.as_str()),
            ],
            None => [(names::OUR_NAME, ""), (names::OUR_CONFIDENCE, "")],
        };
        let mut added = Vec::new();
        match region.field(names::EXTENSIONS) {
            None => added.extend(extensions(face)),
            Some(value) => {
                let extensions = value.structure().ok_or(unsupported(names::EXTENSIONS))?;
                let missing = self.set_fields(extensions, &marks)?;
                if !missing.is_empty() {
                    self.edits
                        .add_fields(extensions, &missing, names::EXTENSIONS)?;
                }
            }
        }
        let name = self.set_fields(region, &[(names::NAME, face.name)])?;
        added.extend(name.iter().map(|&(name, text)| Fragment::text(name, text)));
        if added.is_empty() {
            return Ok(());
        }
        if region.form == Form::Attributes {
            return Err(unsupported(names::REGION_LIST));
        }
        self.edits.add_elements(region.host, &added);
        Ok(())
    }

    fn set_fields<'t>(
        &mut self,
        structure: Structure<'_>,
        fields: &[(Property, &'t str)],
    ) -> Result<Vec<(Property, &'t str)>, XmpProblem> {
        let mut missing = Vec::new();
        for &(property, text) in fields {
            match structure.field(property) {
                Some(value) if value.text() == Some(text) => {}
                Some(value) => self.edits.set_text(value, text, property)?,
                None => missing.push((property, text)),
            }
        }
        Ok(missing)
    }

    pub(super) fn add_regions(
        &mut self,
        faces: &[Face<'_>],
        decisions: &[Decision],
    ) -> Result<(), XmpProblem> {
        let added = |decision: &Decision| decision.outcome == Outcome::Added;
        let items: Vec<Fragment> = faces
            .iter()
            .zip(decisions)
            .filter(|(_, decision)| added(decision))
            .map(|(face, _)| new_region(face))
            .collect();
        if items.is_empty() {
            return Ok(());
        }
        match self.packet.values(names::REGIONS).next() {
            Some(regions) => self.add_to_regions(regions, items),
            None => {
                let list = Fragment::elements(names::REGION_LIST, vec![Fragment::bag(items)]);
                let fields = vec![applied_to_dimensions(self.photo), list];
                self.properties
                    .push(Fragment::structure(names::REGIONS, fields));
                Ok(())
            }
        }
    }

    fn add_to_regions(
        &mut self,
        regions: Value<'_>,
        items: Vec<Fragment>,
    ) -> Result<(), XmpProblem> {
        let regions = regions
            .structure()
            .filter(|regions| regions.form == Form::Elements)
            .ok_or(unsupported(names::REGIONS))?;
        let mut fields = Vec::new();
        if regions.field(names::APPLIED_TO_DIMENSIONS).is_none() {
            fields.push(applied_to_dimensions(self.photo));
        }
        fields.extend(self.add_items(
            names::REGION_LIST,
            regions.field(names::REGION_LIST),
            items,
        )?);
        if !fields.is_empty() {
            self.edits.add_elements(regions.host, &fields);
        }
        Ok(())
    }

    /// Adds the names that were written as keywords.
    pub(super) fn add_keywords(
        &mut self,
        faces: &[Face<'_>],
        decisions: &[Decision],
    ) -> Result<(), XmpProblem> {
        let mut plain: Vec<String> = Vec::new();
        for (face, decision) in faces.iter().zip(decisions) {
            let new = match &decision.outcome {
                Outcome::Added | Outcome::Named => true,
                Outcome::Updated { previous } => previous != face.name,
                _ => false,
            };
            if new && !plain.iter().any(|name| name == face.name) {
                plain.push(face.name.to_owned());
            }
        }
        let hierarchical = plain
            .iter()
            .filter(|name| !name.contains('|'))
            .map(|name| format!("People|{name}"))
            .collect();
        self.add_to_list(names::SUBJECT, plain)?;
        self.add_to_list(names::HIERARCHICAL_SUBJECT, hierarchical)
    }

    /// Adds texts that a list of the photo does not have yet.
    fn add_to_list(
        &mut self,
        property: Property,
        mut texts: Vec<String>,
    ) -> Result<(), XmpProblem> {
        for item in self
            .packet
            .values(property)
            .filter_map(Value::list)
            .flat_map(|list| list.items)
        {
            let present = Value::Element(item).text();
            texts.retain(|text| present != Some(text));
        }
        if texts.is_empty() {
            return Ok(());
        }
        let items = texts.iter().map(|text| Fragment::text(names::ITEM, text));
        let present = self.packet.values(property).next();
        let new = self.add_items(property, present, items.collect())?;
        self.properties.extend(new);
        Ok(())
    }

    /// Adds items to the list that a property holds; gives the property with them where it is missing.
    fn add_items(
        &mut self,
        property: Property,
        present: Option<Value<'_>>,
        items: Vec<Fragment>,
    ) -> Result<Option<Fragment>, XmpProblem> {
        let Some(present) = present else {
            let bag = Fragment::bag(items);
            return Ok(Some(Fragment::elements(property, vec![bag])));
        };
        if let Some(list) = present.list() {
            self.edits.add_elements(list.container, &items);
        } else {
            let node = present.empty().ok_or(unsupported(property))?;
            self.edits.add_elements(node, &[Fragment::bag(items)]);
        }
        Ok(None)
    }

    /// The text with all changes; none where there are none.
    pub(super) fn finish(mut self, text: &str) -> Option<String> {
        if !self.properties.is_empty() {
            let description = Fragment::elements(names::DESCRIPTION, self.properties)
                .with(names::ABOUT, self.packet.about());
            self.edits.add_elements(self.packet.rdf, &[description]);
        }
        (!self.edits.is_empty()).then(|| self.edits.apply(text))
    }
}

fn unsupported(property: Property) -> XmpProblem {
    XmpProblem::Unsupported {
        property: property.usual,
    }
}
