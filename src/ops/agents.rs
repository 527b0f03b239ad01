//! The agent CLIs of this machine, as its settings have them.

use std::path::PathBuf;

use super::Error;
use crate::agents::{Program, claude, install};
use crate::context::Context;
use crate::domain::run::Vendor;
use crate::domain::shell;
use crate::process::Command;
use crate::store::{Config, Home};

/// How each agent CLI is started here.
pub(super) struct Agents {
    config: Config,
    path: PathBuf,
}

impl Agents {
    /// Reads `$OKSTRA_HOME/config.toml`; where there is none, each is started by its own name.
    ///
    /// # Errors
    /// When it cannot be read as what it should be.
    pub(super) fn read(context: &Context, home: &Home) -> Result<Self, Error> {
        let path = home.config();
        Ok(Self { config: Config::read(&path, context)?, path })
    }

    /// The program of a vendor.
    pub(super) fn program(&self, vendor: Vendor) -> Program {
        Program::new(vendor, self.config.agent(vendor).command)
    }

    /// The command that starts the program of a vendor.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub(super) fn command(&self, context: &Context, vendor: Vendor) -> Result<Command, Error> {
        let program = self.program(vendor);
        program.command(context).ok_or_else(|| self.not_installed(vendor))
    }

    /// That the program of a vendor is not there.
    pub(super) fn not_installed(&self, vendor: Vendor) -> Error {
        let program = self.program(vendor);
        let config = program.is_replaced.then(|| self.path.clone());
        let (name, install) = (program.name().to_owned(), shell::command(install(vendor)));
        Error::NotInstalled { vendor: vendor.as_str(), program: name, config, install }
    }

    /// The vendors whose program is there.
    pub(super) fn found(&self, context: &Context) -> Vec<Vendor> {
        Vendor::ALL.into_iter().filter(|vendor| self.program(*vendor).find(context).is_some()).collect()
    }

    /// Where claude keeps the logs of its sessions.
    pub(super) fn claude_home(&self, context: &Context) -> Option<PathBuf> {
        claude::home(context, self.config.agent(Vendor::Claude).home)
    }

    /// The settings.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}
