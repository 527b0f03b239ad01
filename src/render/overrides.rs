//! The templates that a project replaced: files in its `.okstra/prompts/`.

use crate::domain::digest::sha256;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::Place;
use super::{Error, engine, templates};
use crate::domain::run::Override;
use crate::fs;

/// A file that may lie among the templates without being one.
const README: &str = "README.md";

/// The project's own templates, each checked to be one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    files: BTreeMap<String, File>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    path: PathBuf,
    text: String,
}

impl Overrides {
    /// No template is replaced.
    pub fn none() -> Self {
        Self::default()
    }

    /// The templates in `folder`, the project's `.okstra/prompts/`; none where there is no such folder.
    ///
    /// # Errors
    /// [`Error::Fs`] for what cannot be read, [`Error::Unknown`] for a file that has no template's name, and
    /// [`Error::Template`] for one that is no template.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let listing = fs::list_files(folder)?;
        let mut overrides = Self::default();
        for below in listing.files.into_iter().chain(listing.others) {
            let name = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            let path = folder.join(&below);
            if templates::find(&name).is_some() {
                overrides.files.insert(name, File { text: read_file(&path)?, path });
            } else if name.ends_with(".md") && name != README {
                return Err(Error::Unknown { path, name });
            }
        }
        engine::check(&overrides)?;
        Ok(overrides)
    }

    /// What was replaced, in order of the names.
    pub fn list(&self) -> Vec<Override> {
        let entry = |(name, file): (&String, &File)| Override { template: name.clone(), sha256: sha256(&file.text) };
        self.files.iter().map(entry).collect()
    }

    /// The name and the text of each template that was replaced.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file.text.as_str()))
    }

    /// Where a template stands.
    pub(super) fn place(&self, template: &str) -> Place {
        let replaced_by = self.files.get(template).map(|file| file.path.clone());
        Place { template: template.to_owned(), replaced_by }
    }
}

/// The text of a file that is one itself: a link may lead anywhere.
fn read_file(path: &Path) -> Result<String, Error> {
    if path.is_symlink() {
        return Err(fs::Error::NotAFile { path: path.to_owned(), doing: fs::Doing::Read }.into());
    }
    Ok(fs::read_text(path)?)
}
