//! `identify`: photos, and what is made of them.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::albums::{Others, SortBy, Sorter};
use eigenfaces::preparation::FaceBox;
use eigenfaces::store::NamesIn;

use super::{AcceptanceOptions, DatabaseOptions, Force, ModelSource, WebhookUrl, ending_in};

#[derive(Debug, Args)]
pub struct Identify {
    /// Photos, or folders of photos; - reads one from standard input
    #[arg(required = true, value_name = "PHOTO|FOLDER")]
    pub photos: Vec<PathBuf>,
    /// Wait for new photos in these folders, and identify each as it comes
    ///
    /// With --format json a line each, until it is ended (Ctrl-C). Photos that are there at the start are left alone. A file is looked at when it has not changed for a second, and again when it is written anew. Frames of one moment that come together are one photo, judged by all of them.
    #[arg(long, conflicts_with_all = ["annotate", "explain", "sort_into", "write_xmp"])]
    pub watch: bool,
    /// With --watch: post each line of JSON to this address, such as <http://homeassistant:8123/api/webhook/ID>
    ///
    /// Tried again until it is taken. Others on this machine can read a command line: in the environment's EIGENFACES_WEBHOOK they cannot. http alone: what is beyond this network is reached through a proxy.
    #[arg(long, value_name = "URL", requires = "watch", value_parser = WebhookUrl::given)]
    pub webhook: Option<WebhookUrl>,
    /// Write copies with frames and names to this folder
    ///
    /// A copy of each photo that shows a face, with frame and number at each, and the names of those known or probable; beside photos of several, PHOTO.names.svg, a page to print. Readable by you only. The folder is made where it is missing.
    #[arg(long, value_name = "DIR")]
    pub annotate: Option<PathBuf>,
    #[command(flatten)]
    pub sorting: Sorting,
    #[command(flatten)]
    pub xmp: Xmp,
    /// Look at the face in this box too, which need not be found: pixels of the upright photo
    #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", conflicts_with = "watch")]
    pub at: Option<FaceBox>,
    /// Show this many candidates a photo
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    /// Write one picture that shows why
    ///
    /// What the model saw, whom it is nearest to, and where it differs; readable by you only.
    #[arg(long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub explain: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub elsewhere: DatabaseOptions,
    #[command(flatten)]
    pub origin: ModelSource,
}

impl Identify {
    /// Whether it writes anything besides its answers.
    pub fn writes_files(&self) -> bool {
        let (sorting, xmp) = (&self.sorting, self.xmp);
        self.annotate.is_some()
            || sorting.link
            || sorting.copy
            || xmp.write_xmp.is_some() && !xmp.dry_run
            || self.explain.is_some()
    }
}

/// Photos that `identify` sorts by person.
#[derive(Debug, Clone, Args)]
pub struct Sorting {
    /// Sort photos into a folder per person below this one
    ///
    /// Alone, it says what would be done. A photo of several people stands in each one's folder.
    #[arg(long, value_name = "DIR")]
    pub sort_into: Option<PathBuf>,
    /// Sort by hard links, which take no space
    #[arg(long, requires = "sort_into", conflicts_with = "copy")]
    pub link: bool,
    /// Sort by copies
    #[arg(long, requires = "sort_into")]
    pub copy: bool,
    /// Sort the others too, into `unknown` and `no-face`
    #[arg(long, requires = "sort_into")]
    pub sort_all: bool,
}

/// Names that are written beside photos.
#[derive(Debug, Clone, Copy, Args)]
pub struct Xmp {
    /// Write names into XMP files beside the photos, or into the photos
    ///
    /// Names and places of faces: `beside`, as photo.jpg.xmp, where digiKam, darktable, immich and PhotoPrism read them; `inside`, in JPEG, PNG, WebP and TIFF files, where Lightroom reads them; `lightroom`, as photo.xmp, which Lightroom reads beside raw files. What a person named there or elsewhere stays, and names written there earlier that no longer hold are withdrawn.
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "beside")]
    pub write_xmp: Option<NamesIn>,
    /// With --write-xmp: say what would be written
    #[arg(long, requires = "write_xmp", conflicts_with_all = ["sort_into", "annotate", "explain"])]
    pub dry_run: bool,
}

impl Sorting {
    /// As the user wants it; `None` where nothing is to be sorted.
    pub fn sorter(&self) -> Option<Sorter<'_>> {
        let by = match (self.link, self.copy) {
            (true, _) => Some(SortBy::Link),
            (_, true) => Some(SortBy::Copy),
            _ => None,
        };
        let others = match self.sort_all {
            true => Others::Sorted,
            false => Others::Stay,
        };
        let folder = self.sort_into.as_deref()?;
        Some(Sorter::new(folder, by, others))
    }
}
