//! The changes that bring faces and keywords into a packet, and take back those of this program.

use std::collections::HashSet;

use super::decide::{Decision, Outcome};
use super::document::Node;
use super::edit::Edits;
use super::face::Face;
use super::fragment::Fragment;
use super::names::{self, Property};
use super::new_region::{self, applied_to_dimensions, extensions, new_region};
use super::rdf::{FieldSyntax, Packet, Structure, Value};
use super::region::{FoundRegion, Region, Regions};
use super::{Dimensions, XmpProblem};

pub(super) struct Writer<'d> {
    packet: &'d Packet<'d>,
    photo: Dimensions,
    edits: Edits,
    /// The properties that the packet does not have yet.
    properties: Vec<Fragment>,
    /// The items to be removed from lists, and the lists that others were added to, by their place in the text.
    removed: Vec<Node<'d>>,
    extended: Vec<usize>,
}

impl<'d> Writer<'d> {
    pub(super) fn new(packet: &'d Packet<'d>, photo: Dimensions) -> Self {
        Self {
            packet,
            photo,
            edits: Edits::default(),
            properties: Vec::new(),
            removed: Vec::new(),
            extended: Vec::new(),
        }
    }

    pub(super) fn change_regions(
        &mut self,
        found: &[FoundRegion<'_>],
        faces: &[Face<'_>],
        decisions: &[Decision],
    ) -> Result<(), XmpProblem> {
        for (face, decision) in faces.iter().zip(decisions) {
            let region = decision.region.and_then(|region| found.get(region));
            if let (Outcome::Named | Outcome::Updated { .. }, Some(found)) = (&decision.outcome, region) {
                self.change_region(found.structure, face)?;
            }
        }
        Ok(())
    }

    fn change_region(&mut self, region: Structure<'_>, face: &Face<'_>) -> Result<(), XmpProblem> {
        // Emptied, the mark says no more that this program gave the name.
        let (name, confidence) = face.confidence.as_deref().map_or(("", ""), |confidence| (face.name, confidence));
        let marks = [(names::OUR_NAME, name), (names::OUR_CONFIDENCE, confidence)];
        let mut added = Vec::new();
        match region.field(names::EXTENSIONS) {
            None => added.extend(extensions(face, new_region::Region::Present)),
            Some(value) => {
                let extensions = value.structure().ok_or(unsupported(names::EXTENSIONS))?;
                let missing = self.set_fields(extensions, &marks)?;
                if !missing.is_empty() {
                    self.edits.add_fields(extensions, &missing, names::EXTENSIONS)?;
                }
            }
        }
        let name = self.set_fields(region, &[(names::NAME, face.name)])?;
        added.extend(name.iter().map(|&(name, text)| Fragment::text(name, text)));
        if added.is_empty() {
            return Ok(());
        }
        if region.form == FieldSyntax::Attributes {
            return Err(unsupported(names::REGION_LIST));
        }
        self.edits.add_elements(region.host, &added);
        Ok(())
    }

    /// Takes back the name of a region, which this program gave, and the region where it added that too. Gives the name.
    pub(super) fn withdraw_region(&mut self, found: &FoundRegion<'d>) -> Result<String, XmpProblem> {
        if found.is_ours() {
            self.removed.push(found.item);
        } else {
            self.set_fields(found.structure, &[(names::NAME, "")])?;
            let extensions = found.structure.field(names::EXTENSIONS);
            if let Some(extensions) = extensions.and_then(Value::structure) {
                self.set_fields(extensions, &[names::OUR_NAME, names::OUR_CONFIDENCE].map(|mark| (mark, "")))?;
            }
        }
        Ok(found.region.name.clone().unwrap_or_default())
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

    pub(super) fn add_regions(&mut self, faces: &[Face<'_>], decisions: &[Decision]) -> Result<(), XmpProblem> {
        let added = faces.iter().zip(decisions).filter(|(_, decision)| decision.outcome == Outcome::Added);
        let items: Vec<Fragment> = added.map(|(face, _)| new_region(face)).collect();
        if items.is_empty() {
            return Ok(());
        }
        match self.packet.values(names::REGIONS).next() {
            Some(regions) => self.add_to_regions(regions, items),
            None => {
                let list = Fragment::elements(names::REGION_LIST, vec![Fragment::bag(items)]);
                let fields = vec![applied_to_dimensions(self.photo), list];
                self.properties.push(Fragment::structure(names::REGIONS, fields));
                Ok(())
            }
        }
    }

    fn add_to_regions(&mut self, regions: Value<'_>, items: Vec<Fragment>) -> Result<(), XmpProblem> {
        let regions = regions.structure().filter(|regions| regions.form == FieldSyntax::Elements);
        let regions = regions.ok_or(unsupported(names::REGIONS))?;
        let mut fields = Vec::new();
        if regions.field(names::APPLIED_TO_DIMENSIONS).is_none() {
            fields.push(applied_to_dimensions(self.photo));
        }
        fields.extend(self.add_items(names::REGION_LIST, regions.field(names::REGION_LIST), items)?);
        if !fields.is_empty() {
            self.edits.add_elements(regions.host, &fields);
        }
        Ok(())
    }

    /// Has the regions be those of the photo as it is now.
    pub(super) fn renew_dimensions(&mut self) -> Result<(), XmpProblem> {
        let regions = self.packet.values(names::REGIONS).next().and_then(Value::structure);
        let Some(value) = regions.and_then(|it| it.field(names::APPLIED_TO_DIMENSIONS)) else { return Ok(()) };
        let unsupported = || unsupported(names::APPLIED_TO_DIMENSIONS);
        let dimensions = value.structure().ok_or_else(unsupported)?;
        let (height, width) = (self.photo.height.to_string(), self.photo.width.to_string());
        let fields = [
            (names::DIMENSIONS_H, height.as_str()),
            (names::DIMENSIONS_W, width.as_str()),
            (names::DIMENSIONS_UNIT, "pixel"),
        ];
        if self.set_fields(dimensions, &fields)?.is_empty() { Ok(()) } else { Err(unsupported()) }
    }

    /// The names that this program's keywords list and no region has or had: somebody has removed the regions that it gave them to.
    pub(super) fn removed_names(&self, regions: &Regions) -> Vec<&'d str> {
        let has = |name: &str| {
            let marked = |region: &Region| region.mark.as_ref().is_some_and(|mark| mark.name == name);
            let named = |region: &Region| region.name.as_deref() == Some(name) || marked(region);
            regions.list.iter().any(named) || regions.unplaced.iter().any(|unplaced| unplaced == name)
        };
        let listed = self.items(names::OUR_SUBJECT).filter_map(|item| Value::Element(item).text());
        listed.filter(|name| !has(name)).collect()
    }

    /// Adds the names written as keywords; withdraws this program's that are not in `names`. [Removed](Self::removed_names)
    /// ones stay listed.
    pub(super) fn write_keywords(
        &mut self,
        faces: &[Face<'_>],
        decisions: &[Decision],
        names: &[&str],
        removed: &[&str],
    ) -> Result<(), XmpProblem> {
        let mut new: Vec<&Face<'_>> = Vec::new();
        for (face, decision) in faces.iter().zip(decisions) {
            let is_new = match &decision.outcome {
                Outcome::Added | Outcome::Named => true,
                Outcome::Updated { previous } => previous != face.name,
                _ => false,
            };
            if is_new && !new.iter().any(|other| other.name == face.name) {
                new.push(face);
            }
        }
        let plain = |name: &str| Some(name.to_owned());
        self.write_list([names::SUBJECT, names::OUR_SUBJECT], &new, [names, removed], plain)?;
        let below_people = |name: &str| (!name.contains('|')).then(|| format!("People|{name}"));
        let lists = [names::HIERARCHICAL_SUBJECT, names::OUR_HIERARCHICAL_SUBJECT];
        self.write_list(lists, &new, [names, removed], below_people)
    }

    /// Writes one form of keywords; the second property lists those that are this program's, those of removed names too.
    fn write_list(
        &mut self,
        [keywords, ours]: [Property; 2],
        new: &[&Face<'_>],
        names: [&[&str]; 2],
        form: impl Fn(&str) -> Option<String>,
    ) -> Result<(), XmpProblem> {
        let [wanted, removed] = names.map(|names| names.iter().filter_map(|name| form(name)).collect::<Vec<String>>());
        let text_of = |item: &Node<'d>| Value::Element(*item).text();
        // Only what this program writes goes: text, and nothing inside it that somebody else has put there.
        let own_text = |item: &Node<'d>| text_of(item).filter(|_| item.children().next().is_none());
        let is_withdrawn = |item: &Node<'d>| {
            own_text(item).is_some_and(|text| !text.is_empty() && !wanted.iter().any(|wanted| wanted == text))
        };
        let records: Vec<Node<'d>> = self.items(ours).filter(is_withdrawn).collect();
        let texts: Vec<&str> = records.iter().filter_map(text_of).collect();
        let present: Vec<Node<'d>> = self.items(keywords).collect();
        let added: Vec<(String, bool)> = new
            .iter()
            .filter_map(|face| Some((form(face.name)?, face.confidence.is_some())))
            .filter(|(text, _)| !present.iter().any(|item| text_of(item) == Some(text)))
            .collect();
        let gone = present.into_iter().filter(|item| own_text(item).is_some_and(|text| texts.contains(&text)));
        let is_of_removed = |item: &Node<'d>| text_of(item).is_some_and(|text| removed.iter().any(|it| it == text));
        self.removed.extend(gone.chain(records.into_iter().filter(|item| !is_of_removed(item))));
        // What a person named stays, whatever becomes of the region.
        let marked = added.iter().filter(|(_, is_guess)| *is_guess);
        let marked: Vec<String> = marked.map(|(text, _)| text.clone()).collect();
        self.add_to_list(keywords, added.into_iter().map(|(text, _)| text).collect())?;
        self.add_to_list(ours, marked)
    }

    fn items(&self, property: Property) -> impl Iterator<Item = Node<'d>> + use<'d> {
        self.packet.values(property).filter_map(Value::list).flat_map(|list| list.items)
    }

    fn add_to_list(&mut self, property: Property, texts: Vec<String>) -> Result<(), XmpProblem> {
        if texts.is_empty() {
            return Ok(());
        }
        let items = texts.iter().map(|text| Fragment::text(names::ITEM, text));
        let new = self.add_items(property, self.packet.values(property).next(), items.collect())?;
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
            self.extended.push(list.container.start());
            self.edits.add_elements(list.container, &items);
        } else {
            self.edits.add_elements(present.empty().ok_or(unsupported(property))?, &[Fragment::bag(items)]);
        }
        Ok(None)
    }

    /// Removes items, and lists that nothing is left of.
    fn remove_items(&mut self) {
        let removed: HashSet<usize> = self.removed.iter().map(|it| it.start()).collect();
        let mut emptied = HashSet::new();
        for item in std::mem::take(&mut self.removed) {
            let list = item.parent().filter(|list| {
                !self.extended.contains(&list.start()) && list.children().all(|item| removed.contains(&item.start()))
            });
            // The property that holds the list, and nothing else.
            match list.and_then(Node::parent) {
                Some(property) if property.children().count() == 1 => {
                    if emptied.insert(property.start()) {
                        self.edits.remove(property);
                    }
                }
                _ => self.edits.remove(item),
            }
        }
    }

    /// The text with all changes; none where there are none.
    pub(super) fn finish(mut self, text: &str) -> Option<String> {
        self.remove_items();
        if !self.properties.is_empty() {
            let description =
                Fragment::elements(names::DESCRIPTION, self.properties).with(names::ABOUT, self.packet.about());
            self.edits.add_elements(self.packet.rdf, &[description]);
        }
        (!self.edits.is_empty()).then(|| self.edits.apply(text))
    }
}

fn unsupported(property: Property) -> XmpProblem {
    XmpProblem::Unsupported { property: property.usual }
}
