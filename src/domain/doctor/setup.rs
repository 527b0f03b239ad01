//! What doctor makes of how okstra is set up: what is installed, Node, the agent CLIs, tmux.

use super::judge::{ok, warning, words};
use super::{Check, Status};
use crate::domain::install::{Target, is_older};
use crate::domain::run::Vendor;

/// The oldest Node that okstra runs in.
const OLDEST_NODE: (u32, u32) = (20, 17);

/// What is installed on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The version that was installed last.
    pub version: String,
    /// The version that runs.
    pub running: String,
    /// Whether an installation was interrupted.
    pub is_interrupted: bool,
    /// The agents that it is installed for.
    pub targets: Vec<Target>,
    /// Where the installed executable is.
    pub program: String,
    /// What the installed executable says of its version, or why it says nothing.
    pub executable: Result<String, String>,
    /// How many files are as they were written.
    pub unchanged: usize,
    /// Files that are gone.
    pub missing: Vec<String>,
    /// Files that somebody changed.
    pub changed: Vec<String>,
    /// Files that were there before, in the place of which agents should find okstra's.
    pub foreign: Vec<String>,
    /// Whether what stands in the place of the executable was there before.
    pub is_program_foreign: bool,
}

/// The version of Node that okstra is a part of.
pub(super) fn node(version: &str) -> Check {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    let found = numbers.next().flatten().zip(numbers.next().flatten());
    let (major, minor) = OLDEST_NODE;
    match found {
        Some(found) if found >= OLDEST_NODE => ok("node", format!("Node {version}")),
        _ => warning("node", format!("Node {version} is older than {major}.{minor}"))
            .advise(&format!("install Node {major}.{minor} or newer"), Vec::new()),
    }
}

/// What is installed, and whether it agrees with what runs. Of several faults all are said; the way out is that of the
/// first.
pub(super) fn setup(setup: Option<&Setup>) -> Check {
    let name = "installation";
    let Some(setup) = setup else {
        return ok(name, "okstra is not installed for any agent; `okstra install` does it".to_owned());
    };
    let mut faults = faults(setup).into_iter();
    let Some(first) = faults.next() else {
        let names: Vec<_> = setup.targets.iter().map(|target| target.as_str()).collect();
        let files = format!("its {} files are as they were written", setup.unchanged);
        return ok(name, format!("okstra {} is installed for {}, and {files}", setup.version, names.join(", ")));
    };
    let (is_changed, (status, message)) = (setup.is_only_changed(), first);
    let check = faults.fold(Check { status, ..ok(name, message) }, |check, (status, clause)| Check {
        status: check.status.max(status),
        message: format!("{}; {clause}", check.message),
        ..check
    });
    if is_changed {
        return check
            .advise("nothing has to be done: what is yours stays when okstra is brought up to date", Vec::new());
    }
    if let (Some(foreign), true) = (setup.foreign.first(), setup.is_sound() && setup.missing.is_empty()) {
        return check.advise(
            "put yours aside, or give it another name, then install again: okstra install",
            words(&["mv", foreign, &format!("{foreign}.mine")]),
        );
    }
    if is_older(&setup.running, &setup.version) && setup.is_sound() && setup.missing.is_empty() {
        return check.advise("go by the one that is installed", words(&[&setup.program, "doctor"]));
    }
    // Where the executable is at fault it is not what installs.
    let (again, program) = (words(&["npx", "-y", "okstra@latest", "install"]), setup.program.as_str());
    let is_theirs = setup.is_program_foreign || setup.changed.iter().any(|path| path == program);
    match (setup.is_sound(), is_theirs) {
        (true, _) => check.advise("install it again", words(&["okstra", "install"])),
        // What somebody changed is never written over.
        (false, true) => check.advise(
            &format!("put it aside, then install again: {}", again.join(" ")),
            words(&["mv", program, &format!("{program}.old")]),
        ),
        (false, false) => check.advise("install it again", again),
    }
}

impl Setup {
    /// Whether all that can be said is that somebody changed files.
    fn is_only_changed(&self) -> bool {
        self.is_sound()
            && !self.is_interrupted
            && self.version == self.running
            && self.missing.is_empty()
            && self.foreign.is_empty()
    }

    /// Whether the executable is the one that was installed.
    fn is_sound(&self) -> bool {
        self.executable.as_ref().is_ok_and(|said| *said == self.said())
    }

    /// What the executable should say.
    fn said(&self) -> String {
        format!("okstra {}", self.version)
    }
}

/// What is wrong with what is installed, a clause each.
fn faults(setup: &Setup) -> Vec<(Status, String)> {
    let Setup { version, running, .. } = setup;
    let mut faults = Vec::new();
    if setup.is_interrupted {
        faults.push((Status::Warning, "an installation was interrupted".to_owned()));
    } else if version != running {
        faults.push((Status::Warning, format!("okstra {version} is installed, and this is okstra {running}")));
    }
    match &setup.executable {
        Ok(_) if setup.is_sound() => {}
        // An installation that was interrupted may have come as far as the executable.
        Ok(said) => {
            let status = if setup.is_interrupted { Status::Warning } else { Status::Problem };
            faults.push((status, format!("the installed executable says `{said}`")));
        }
        Err(why) => faults.push((Status::Problem, format!("the installed executable cannot be started: {why}"))),
    }
    faults.extend(some(&setup.missing).map(|which| (Status::Problem, format!("{which} not there"))));
    faults.extend(
        some(&setup.foreign).map(|which| {
            (Status::Warning, format!("{which} yours and was there before, so agents do not find okstra's"))
        }),
    );
    let them = if setup.changed.len() > 1 { "them" } else { "it" };
    let changed = some(&setup.changed);
    faults.extend(changed.map(|which| (Status::Warning, format!("{which} changed since okstra wrote {them}"))));
    faults
}

/// The first of some files, how many more there are, and the verb.
fn some(files: &[String]) -> Option<String> {
    let (first, others) = files.split_first()?;
    Some(match others.len() {
        0 => format!("`{first}` is"),
        1 => format!("`{first}` and 1 other file are"),
        more => format!("`{first}` and {more} other files are"),
    })
}

/// What else is known of an agent CLI that works: whether it is logged in, and whether it lists okstra's skills.
pub(super) fn known(check: Check, vendor: Vendor, login: Option<&str>, unseen: Option<&[String]>) -> Check {
    let login = match login {
        Some(login) => format!("logged in by {login}"),
        None => "whether it is logged in cannot be told without a call".to_owned(),
    };
    let message = format!("{}; {login}", check.message);
    match unseen {
        None => Check { message, ..check },
        Some([]) => Check { message: format!("{message}; it lists okstra's skills"), ..check },
        Some(unseen) => warning(check.name, format!("{message}; it does not list {}", unseen.join(", ")))
            .advise("install them again", words(&["okstra", "install", "--target", vendor.as_str()])),
    }
}

/// tmux, which nothing needs.
pub(super) fn tmux(version: Option<&str>) -> Check {
    match version {
        Some(version) => ok("tmux", version.to_owned()),
        None => ok("tmux", "tmux is not there, and is not needed".to_owned()),
    }
}
