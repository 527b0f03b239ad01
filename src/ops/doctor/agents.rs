//! The agent CLIs, and the settings that say how they are called.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::machine;
use super::restore::told;
use crate::agents::{Program, install};
use crate::context::{Cancel, Context};
use crate::domain::doctor::{AgentState, Fact};
use crate::domain::run::Vendor;
use crate::ops::Error;
use crate::ops::agents::Agents;
use crate::process::{self, Command};
use crate::store::Home;

/// How long a CLI may take to say its version: so many looks, each so long after the other.
const LOOKS: (u32, Duration) = (500, Duration::from_millis(20));

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
    let all = Vendor::ALL.map(|vendor| agents.program(vendor));
    // They are slow to start, and nothing of one depends on another.
    let found = thread::scope(|scope| {
        let asked = all.each_ref().map(|program| scope.spawn(|| agent(context, program, &path)));
        asked.map(|asked| asked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    context.cancel().check()?;
    facts.extend(found);
    Ok(facts)
}

fn agent(context: &Context, program: &Program, config: &str) -> Fact {
    let state = match program.command(context) {
        None => AgentState::Missing { install: install(program.vendor).map(str::to_owned).to_vec() },
        Some(command) => version(context, &command.arg("--version")),
    };
    Fact::Agent {
        vendor: program.vendor,
        called: program.to_string(),
        config: program.is_replaced.then(|| config.to_owned()),
        state,
    }
}

/// What it says of its version, if it says it in time.
fn version(context: &Context, command: &Command) -> AgentState {
    let cancel = Cancel::default();
    let limited = context.clone().with_cancel(cancel.clone());
    let answer = thread::scope(|scope| {
        let (answered, waiting) = channel::<()>();
        scope.spawn(move || limit(context, &cancel, &waiting));
        let answer = command.check(&limited);
        drop(answered);
        answer
    });
    match answer {
        Ok(said) => {
            AgentState::Works(String::from_utf8_lossy(&said).lines().next().unwrap_or_default().trim().to_owned())
        }
        Err(process::Error::Cancelled(_)) => AgentState::Fails("it does not say its version in time".to_owned()),
        Err(error) => AgentState::Fails(told(&error)),
    }
}

/// Cancels what takes too long, and what was itself cancelled; ends once there is an answer.
fn limit(context: &Context, cancel: &Cancel, waiting: &Receiver<()>) {
    let in_vain = |_| waiting.recv_timeout(LOOKS.1) == Err(RecvTimeoutError::Timeout);
    if (0..LOOKS.0).take_while(|_| !context.cancel().is_cancelled()).all(in_vain) {
        cancel.cancel();
    }
}
