//! How okstra is set up on this machine: what is installed, Node, the agent CLIs, tmux.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::machine;
use crate::agents::home::Login;
use crate::agents::{home, shipped};
use crate::context::{Cancel, Context};
use crate::domain::doctor::{Fact, Setup};
use crate::domain::install::{Found, Target};
use crate::ops::Error;
use crate::ops::install::{Contents, found_of};
use crate::process::Command;
use crate::store::Home;
use crate::store::installation::Installation;

/// How long a program may take to say its version, or its skills.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long Ctrl-C may go unnoticed.
const TICK: Duration = Duration::from_millis(20);

/// What is found, in the order in which it is said.
pub(super) fn facts(context: &Context, home: Option<&Home>) -> Result<Vec<Fact>, Error> {
    let mut facts: Vec<Fact> = context.node().map(|version| Fact::Node(version.to_owned())).into_iter().collect();
    match home.map(|home| Installation::read(&home.installation())) {
        Some(Err(error)) => facts.push(Fact::BadSetup(machine::fault(&error))),
        Some(Ok(installed)) => facts
            .push(Fact::Setup(home.zip(installed.as_ref()).map(|(home, installed)| setup(context, home, installed)))),
        None => {}
    }
    Ok(facts)
}

/// tmux, which nothing needs.
pub(super) fn tmux(context: &Context) -> Fact {
    Fact::Tmux(said(context, Command::new("tmux").arg("-V")).ok())
}

/// How an agent is logged in, a clause; `None` where that cannot be told without a call.
pub(super) fn login(context: &Context, target: Target) -> Option<String> {
    match home::login(context, target) {
        Login::Key(name) => Some(format!("the key in {name}")),
        Login::File => Some("the login that it keeps".to_owned()),
        Login::Unknown => None,
    }
}

fn setup(context: &Context, home: &Home, installed: &Installation) -> Setup {
    let executable = said(context, Command::new(home.executable()).arg("--version"));
    let is_interrupted = installed.files.values().any(|file| file.journal.is_some());
    let mut setup = Setup {
        version: installed.version.clone(),
        running: env!("CARGO_PKG_VERSION").to_owned(),
        is_interrupted,
        program: home.executable().to_string_lossy().into_owned(),
        targets: installed.targets.clone(),
        executable,
        unchanged: 0,
        missing: Vec::new(),
        changed: Vec::new(),
        foreign: Vec::new(),
        is_program_foreign: !installed.files.contains_key(&*home.executable().to_string_lossy()),
    };
    for (path, recorded) in &installed.files {
        match found_of(Path::new(path)).unwrap_or(Found::Other) {
            // An offered file that somebody removed has been dealt with.
            Found::Missing if path.ends_with(crate::domain::install::OFFERED) => {}
            Found::Missing => setup.missing.push(path.clone()),
            found if recorded.is_of(&found) => setup.unchanged += 1,
            _ => setup.changed.push(path.clone()),
        }
    }
    if setup.version == setup.running {
        not_recorded(context, home, installed, &mut setup);
    }
    setup
}

/// What agents should find, and okstra has not written: the user had a file of that name, or the folder is another one now.
fn not_recorded(context: &Context, home: &Home, installed: &Installation, setup: &mut Setup) {
    let Ok(contents) = Contents::for_agents(context, home, &installed.targets) else { return };
    for wanted in contents.wanted.iter().filter(|wanted| !installed.files.contains_key(&wanted.path)) {
        match found_of(Path::new(&wanted.path)).unwrap_or(Found::Other) {
            Found::Missing => setup.missing.push(wanted.path.clone()),
            Found::File { sha256, .. } if sha256 == wanted.sha256 => {}
            _ => setup.foreign.push(wanted.path.clone()),
        }
    }
}

/// The skills that the client itself does not list; `None` where it has no such command, or that fails.
pub(super) fn unseen(context: &Context, target: Target, command: Command) -> Option<Vec<String>> {
    let listed = match target {
        Target::Gemini => said(context, command.args(["skills", "list"])).ok()?,
        // Claude Code says which skills it loaded in a session only, and Codex nowhere.
        Target::Claude | Target::Codex => return None,
    };
    let names = shipped::skills().filter_map(|(name, _)| name.strip_suffix("/SKILL.md"));
    Some(names.filter(|name| !listed.contains(name)).map(str::to_owned).collect())
}

/// What a program says on its standard output, trimmed; it is ended when it takes too long.
pub(super) fn said(context: &Context, command: Command) -> Result<String, String> {
    let cancel = Cancel::default();
    let own = context.clone().with_cancel(cancel.clone());
    let (sender, ended) = channel::<()>();
    let said = thread::scope(|scope| {
        scope.spawn(move || {
            let mut left = PATIENCE;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
                left = left.saturating_sub(TICK);
                if left.is_zero() || context.cancel().is_cancelled() {
                    return cancel.cancel();
                }
            }
        });
        let said = command.check(&own);
        drop(sender);
        said
    });
    match said {
        Ok(said) => Ok(String::from_utf8_lossy(said.trim_ascii()).into_owned()),
        Err(crate::process::Error::Cancelled(_)) => Err(format!("it took longer than {} s", PATIENCE.as_secs())),
        Err(error) => Err(error.to_string()),
    }
}
