//! The agent CLIs, and the settings that say how they are called.

use std::thread;

use super::{machine, setup};
use crate::agents::{Program, install};
use crate::context::Context;
use crate::domain::doctor::{AgentState, Fact};
use crate::domain::install::Target;
use crate::domain::run::Vendor;
use crate::ops::Error;
use crate::ops::agents::Agents;
use crate::store::Home;
use crate::store::installation::Installation;

/// What there is to say of `config.toml` and of each agent CLI.
pub(super) fn facts(context: &Context, home: &Home) -> Result<Vec<Fact>, Error> {
    let path = home.config().to_string_lossy().into_owned();
    let agents = match Agents::read(context, home) {
        Ok(agents) => agents,
        Err(Error::Store(error)) => return Ok(vec![Fact::BadConfig(machine::fault(&error))]),
        Err(Error::Fs(error)) => return Ok(vec![Fact::BadConfig(machine::fault(&error.into()))]),
        Err(error) => return Err(error),
    };
    let unknown = agents.config().unknown.iter();
    let unknown =
        unknown.map(|key| Fact::UnknownSetting { place: format!("{path}:{}", key.line), key: key.key.clone() });
    let mut facts: Vec<_> = unknown.collect();
    // What cannot be read of the installation is said elsewhere.
    let installed = Installation::read(&home.installation()).ok().flatten();
    let targets = installed.map(|installed| installed.targets).unwrap_or_default();
    let all = Vendor::ALL.map(|vendor| agents.program(vendor));
    // They are slow to start, and nothing of one depends on another.
    let found = thread::scope(|scope| {
        let asked = all.each_ref().map(|program| scope.spawn(|| agent(context, program, (&path, &targets))));
        asked.map(|asked| asked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    context.cancel().check()?;
    facts.extend(found);
    Ok(facts)
}

fn agent(context: &Context, program: &Program, (config, targets): (&str, &[Target])) -> Fact {
    let state = match program.command(context) {
        None => AgentState::Missing { install: install(program.vendor).map(str::to_owned).to_vec() },
        Some(command) => match setup::said(context, command.arg("--version")) {
            Ok(said) => AgentState::Works(said.lines().next().unwrap_or_default().trim().to_owned()),
            Err(why) => AgentState::Fails(why),
        },
    };
    let target = Target::ALL.into_iter().find(|target| target.as_str() == program.vendor.as_str());
    let works = matches!(state, AgentState::Works(_));
    let asked = target.filter(|target| works && targets.contains(target)).zip(program.command(context));
    Fact::Agent {
        vendor: program.vendor,
        called: program.to_string(),
        config: program.is_replaced.then(|| config.to_owned()),
        state,
        login: target.and_then(|target| setup::login(context, target)),
        unseen: asked.and_then(|(target, command)| setup::unseen(context, target, command)),
    }
}
