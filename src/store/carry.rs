//! The carry files of a task, `carry/stage-<N>-<first 8 digits of the stage hash>.json`: never written over. Where one is
//! there for another commit, `-a<attempt>` is added.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::json::{Document, SchemaVersion};
use crate::domain::stages::Carry;
use crate::fs;

/// The newest schema that is understood. 1.0: the fields of [`Carry`].
const SCHEMA: SchemaVersion = SchemaVersion { major: 1, minor: 0 };

/// The carries of a stage whose section in the plan has this hash, in the order in which they were written.
///
/// # Errors
/// As [`Document::read`].
pub fn read_of(folder: &Path, stage: u32, hash: &str) -> Result<Vec<(PathBuf, Carry)>, Error> {
    let base = base_name(stage, hash);
    let attempt = |name: &String| {
        let rest = name.strip_prefix(&base)?.strip_suffix(".json")?;
        if rest.is_empty() { Some(1) } else { rest.strip_prefix("-a")?.parse::<u32>().ok() }
    };
    let mut found: Vec<(u32, String)> =
        fs::names_in(folder)?.into_iter().filter_map(|name| Some((attempt(&name)?, name))).collect();
    found.sort();
    let mut carries = Vec::new();
    for (_, name) in found {
        let path = folder.join(name);
        if let Some(document) = Document::read(&path, SCHEMA)? {
            let carry: Carry = document.to(&path)?;
            if carry.stage_hash == hash {
                carries.push((path, carry));
            }
        }
    }
    Ok(carries)
}

/// The carry in the file `path`; `None` where there is none.
///
/// # Errors
/// As [`Document::read`].
pub fn read(path: &Path) -> Result<Option<Carry>, Error> {
    Document::read(path, SCHEMA)?.map(|document| document.to(path)).transpose()
}

/// The carry that is `text`; `path` is named in errors only.
///
/// # Errors
/// As [`Document::parse`].
pub fn parse(path: &Path, text: &str) -> Result<Carry, Error> {
    Document::parse(path, text, SCHEMA)?.to(path)
}

/// What a carry may hold besides what an agent claims: okstra finds that out itself, so it is passed over.
const FOUND_OUT: &[&str] = &[
    "schemaVersion",
    "implTaskKey",
    "run",
    "plan",
    "stageHash",
    "stage",
    "title",
    "completedAt",
    "content",
    "baseCommit",
    "headCommit",
    "files",
    "outside",
    "qaWaiver",
];
/// What an agent claims.
const CLAIMED: [&str; 3] = ["exitContract", "notes", "validation"];

/// What an agent hands in in the file `path`. A claim under another name would be lost, so that is none.
///
/// # Errors
/// As [`Document::read`]; also where there is no such file; [`Error::WrongShape`] for a field that no carry has.
pub fn read_claims(path: &Path) -> Result<crate::domain::stages::Claims, Error> {
    let document = Document::parse(path, &fs::read_text(path)?, SCHEMA)?;
    let is_known = |name: &String| FOUND_OUT.contains(&name.as_str()) || CLAIMED.contains(&name.as_str());
    if let Some(name) = document.fields().keys().find(|name| !is_known(name)) {
        let expected = format!("`{name}` is no field of it: there are {}", CLAIMED.join(", "));
        return Err(Error::WrongShape { path: path.to_owned(), expected });
    }
    document.to(path)
}

/// Stores a carry, in a file of its own; where one of the same commits is stored already, that one stays. Gives its path.
///
/// # Errors
/// [`Error::Fs`], and those of [`read_of`].
pub fn store(folder: &Path, carry: &Carry) -> Result<PathBuf, Error> {
    fs::create_folder(folder)?;
    let stored = read_of(folder, carry.stage, &carry.stage_hash)?;
    let ends = |carry: &Carry| (carry.base_commit.clone(), carry.head_commit.clone());
    if let Some((path, _)) = stored.into_iter().rev().find(|(_, other)| ends(other) == ends(carry)) {
        return Ok(path);
    }
    let mut document = Document::new(SCHEMA);
    if let Ok(Value::Object(fields)) = serde_json::to_value(carry) {
        fields.into_iter().for_each(|(name, value)| document.set(&name, value));
    }
    let base = base_name(carry.stage, &carry.stage_hash);
    let mut attempt = 1;
    loop {
        let suffix = if attempt == 1 { String::new() } else { format!("-a{attempt}") };
        let path = folder.join(format!("{base}{suffix}.json"));
        if fs::create_new(&path, document.to_text().as_bytes())? {
            return Ok(path);
        }
        attempt += 1;
    }
}

fn base_name(stage: u32, hash: &str) -> String {
    format!("stage-{stage}-{}", hash.chars().take(8).collect::<String>())
}
