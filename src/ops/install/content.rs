//! The files of this version: where each goes, and what is in it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{InstallError, VERSION};
use crate::agents::{home, shipped};
use crate::context::Context;
use crate::domain::digest::sha256;
use crate::domain::install::{Kind, Target, Wanted, render};
use crate::fs;
use crate::ops::Error;
use crate::process::Command;
use crate::store::Home;
use crate::{process, render as prompts};

/// The content of a file.
pub(super) type Content = Cow<'static, [u8]>;

/// The files of an installation, with their contents by path.
#[derive(Debug, Default)]
pub(in crate::ops) struct Contents {
    pub(in crate::ops) wanted: Vec<Wanted>,
    pub(super) bytes: BTreeMap<String, Content>,
}

impl Contents {
    /// Everything that is installed for `targets`.
    pub(super) fn read(context: &Context, home: &Home, targets: &[Target]) -> Result<Self, Error> {
        let mut contents = Self::default();
        contents.add(&home.executable(), Kind::Executable, executable(context)?.into())?;
        let runtime = home.runtime(VERSION);
        for (folder, files) in shipped_files() {
            for (name, text) in files {
                contents.add(&runtime.join(folder).join(name), Kind::Runtime, text.as_bytes().into())?;
            }
        }
        contents.add_for_agents(context, home, targets)?;
        Ok(contents)
    }

    /// What lies in the folders of the agents `targets`.
    pub(in crate::ops) fn for_agents(context: &Context, home: &Home, targets: &[Target]) -> Result<Self, Error> {
        let mut contents = Self::default();
        contents.add_for_agents(context, home, targets)?;
        Ok(contents)
    }

    fn add_for_agents(&mut self, context: &Context, home: &Home, targets: &[Target]) -> Result<(), Error> {
        let program = text_of(&home.executable())?;
        for target in targets {
            let folders = home::folders(context, *target).ok_or(InstallError::NoAgentFolder { target: *target })?;
            for (name, text) in shipped::skills() {
                self.add(&folders.skills.join(name), Kind::Skill, rendered(text, &program))?;
            }
            for (name, text) in shipped::agents().filter(|_| folders.agents.is_some()) {
                let folder = folders.agents.clone().unwrap_or_default();
                self.add(&folder.join(name), Kind::Agent, rendered(text, &program))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, kind: Kind, content: Content) -> Result<(), Error> {
        let path = text_of(path)?;
        // Two agents may read one folder.
        if !self.bytes.contains_key(&path) {
            let (sha256, executable) = (sha256(&content), kind == Kind::Executable);
            self.wanted.push(Wanted { path: path.clone(), kind, sha256, executable });
            self.bytes.insert(path, content);
        }
        Ok(())
    }
}

/// What is shipped, by folder.
fn shipped_files() -> [(&'static str, Vec<(&'static str, &'static str)>); 3] {
    [
        ("agents", shipped::agents().collect()),
        ("prompts", prompts::all().collect()),
        ("skills", shipped::skills().collect()),
    ]
}

fn rendered(text: &str, program: &str) -> Content {
    render(text, program).into_bytes().into()
}

/// The executable of this very build.
fn executable(context: &Context) -> Result<Vec<u8>, Error> {
    let path = context.executable();
    let missing = || InstallError::NoExecutable { path: path.map(Path::to_owned) };
    let path = path.filter(|path| path.is_file()).ok_or_else(missing)?;
    // The one that runs is what it is; one that lies beside the addon may have come from elsewhere.
    if context.node().is_some() {
        check_version(context, path)?;
    }
    Ok(fs::read(path)?)
}

fn check_version(context: &Context, path: &Path) -> Result<(), Error> {
    let other = |said: String| InstallError::OtherExecutable { path: path.to_owned(), wanted: VERSION, said };
    match Command::new(path).arg("--version").check(context) {
        Ok(said) if said.trim_ascii() == format!("okstra {VERSION}").as_bytes() => Ok(()),
        Ok(said) => Err(other(format!("it says `{}`", String::from_utf8_lossy(said.trim_ascii()))).into()),
        Err(process::Error::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(error) => Err(other(error.to_string()).into()),
    }
}

/// A path as it is recorded.
pub(super) fn text_of(path: &Path) -> Result<String, Error> {
    let text = path.to_str().map(str::to_owned);
    Ok(text.ok_or_else(|| InstallError::PathNotUtf8 { path: PathBuf::from(path) })?)
}
