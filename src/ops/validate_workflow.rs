//! Whether the texts for agents agree with the program: those that okstra ships, or those in a folder.

use std::path::PathBuf;

use serde::Serialize;

use super::Error;
use crate::agents::shipped;
use crate::context::Context;
use crate::domain::workflow::{self, Command, Document, Finding};
use crate::fs;
use crate::render;

/// The folders that hold texts for agents.
const FOLDERS: [&str; 3] = ["agents", "prompts", "skills"];

/// Which texts to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A folder that holds `skills/`, `agents/` and `prompts/`; by default what this okstra ships.
    pub folder: Option<PathBuf>,
}

/// What was looked at, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Validated {
    /// The folder; null for what this okstra ships.
    pub folder: Option<PathBuf>,
    /// How many texts there are.
    pub texts: usize,
    /// What is wrong, by path and line.
    pub findings: Vec<Finding>,
}

/// Looks at the texts; nothing is changed. `refusal` says why a command cannot be typed.
///
/// # Errors
/// When the folder is none of such texts, or one of them cannot be read.
pub fn run(
    context: &Context,
    options: &Options,
    refusal: &dyn Fn(&Command) -> Option<String>,
) -> Result<Validated, Error> {
    let folder = options.folder.as_deref().map(|folder| context.absolute(folder));
    let documents = match &folder {
        Some(folder) => read(folder)?,
        None => shipped_here(),
    };
    let findings = workflow::check(&documents, refusal);
    Ok(Validated { folder, texts: documents.len(), findings })
}

fn document(folder: &str, (name, text): (&str, &str)) -> Document {
    Document { path: format!("{folder}/{name}"), text: text.to_owned() }
}

fn shipped_here() -> Vec<Document> {
    let agents = shipped::agents().map(|agent| document("agents", agent));
    let prompts = render::all().map(|prompt| document("prompts", prompt));
    let skills = shipped::skills().map(|skill| document("skills", skill));
    agents.chain(prompts).chain(skills).collect()
}

fn read(folder: &std::path::Path) -> Result<Vec<Document>, Error> {
    let mut documents = Vec::new();
    for name in FOLDERS {
        let below = folder.join(name);
        if !below.is_dir() {
            continue;
        }
        for file in fs::list_files(&below)?.files {
            let parts: Vec<_> = file.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            if file.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_text(&below.join(&file))?;
                documents.push(Document { path: format!("{name}/{}", parts.join("/")), text });
            }
        }
    }
    if documents.is_empty() {
        let message = format!("there is no text for agents in `{}`", folder.display());
        let hint = "name a folder that holds skills/, agents/ or prompts/".to_owned();
        return Err(Error::Request { message, hint });
    }
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(documents)
}
