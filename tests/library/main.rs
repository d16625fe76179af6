//! The library: its laws, references from elsewhere, real faces, files, and the rules that its sources follow. One
//! program, because each program links the whole library again.

#[path = "../support/mod.rs"]
mod support;

mod background;
mod dataset_real;
mod evaluate;
mod face_map_laws;
mod face_space_laws;
mod golden;
mod inner_products;
mod layers;
mod links;
mod model;
#[cfg(feature = "cli")]
mod numpy;
mod output_paths;
mod reference;
mod scripts;
mod small_galleries;
mod store_archive;
mod theory_att;
mod theory_laws;
mod verify_real;
