//! The render room and the prompts: goldens, errors, hostile texts, and what prompts have in common.

mod bundle;
mod goldens;
mod hostile;
mod overrides;
mod words;

use std::path::{Path, PathBuf};

use okstra::domain::run::RunManifest;
use okstra::render::{BundleInput, Overrides};
use serde::Deserialize;

/// What a bundle is made from, as a file of `tests/fixtures/contexts/` has it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Context {
    project_root: PathBuf,
    pub(crate) manifest: RunManifest,
    brief: String,
    directive: Option<String>,
    plan_excerpt: Option<String>,
    carry_in: Option<String>,
}

impl Context {
    pub(crate) fn read(name: &str) -> Self {
        let path = fixtures().join("contexts").join(name).with_extension("json");
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn input(&self) -> BundleInput<'_> {
        BundleInput {
            manifest: &self.manifest,
            project_root: &self.project_root,
            brief: &self.brief,
            directive: self.directive.as_deref(),
            plan_excerpt: self.plan_excerpt.as_deref(),
            carry_in: self.carry_in.as_deref(),
        }
    }

    /// The bundle, without overrides, each file as text.
    fn files(&self) -> Vec<(String, String)> {
        let bundle = okstra::render::bundle(&self.input(), &Overrides::none()).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        bundle.files.into_iter().map(|file| (file.path, text(file.bytes))).collect()
    }

    /// The text of the file that ends with `name`.
    fn file(&self, name: &str) -> String {
        self.files().into_iter().find(|(path, _)| path.ends_with(name)).unwrap_or_else(|| panic!("no {name}")).1
    }
}

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
}
