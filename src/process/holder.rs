//! Which process holds something, so that another one can tell later whether it still lives.

use super::Command;
use crate::context::Context;

/// A process, told from a later one of the same id by when it was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The machine.
    pub host: String,
    /// Its id there.
    pub pid: u32,
    /// When it was started, in the words of that machine; `None` where that cannot be told.
    pub start: Option<String>,
}

impl Identity {
    /// This process.
    pub fn of_this(context: &Context) -> Self {
        let pid = std::process::id();
        Self { host: host(context), pid, start: start_of(context, pid) }
    }

    /// Whether that process still lives; `None` where that cannot be told, as for another machine.
    pub fn is_alive(&self, context: &Context) -> Option<bool> {
        if self.host != host(context) {
            return None;
        }
        match (start_of(context, self.pid), &self.start) {
            (Some(found), Some(start)) => Some(found == *start),
            (None, Some(_)) => Some(false),
            (_, None) => None,
        }
    }
}

/// The name of this machine.
fn host(context: &Context) -> String {
    #[cfg(unix)]
    let name = {
        let _ = context;
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    };
    #[cfg(not(unix))]
    let name = context.environment().get("COMPUTERNAME").unwrap_or_default().to_string_lossy().into_owned();
    name
}

/// When the process with this id was started; `None` where there is none, or where that cannot be told.
fn start_of(context: &Context, pid: u32) -> Option<String> {
    if cfg!(target_os = "linux") {
        // The name of the program stands in parentheses and may hold anything; the start is the 22nd field.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        // A zombie has ended.
        let state = fields.next().filter(|state| !matches!(*state, "Z" | "X"))?;
        let ticks = fields.nth(18).filter(|_| !state.is_empty())?;
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        return Some(format!("{}:{ticks}", boot.trim()));
    }
    let asked = Command::new("ps").args(["-o", "lstart=", "-p", &pid.to_string()]).env("LC_ALL", "C").check(context);
    let said = String::from_utf8_lossy(&asked.ok()?).trim().to_owned();
    Some(said).filter(|said| !said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_a_later_one_and_from_one_elsewhere() {
        let context = Context::from_process();
        let this = Identity::of_this(&context);
        assert_eq!(this.is_alive(&context), Some(true), "{this:?}");
        let later = Identity { start: Some("before".to_owned()), ..this.clone() };
        assert_eq!(later.is_alive(&context), Some(false));
        let elsewhere = Identity { host: "elsewhere".to_owned(), ..this.clone() };
        assert_eq!(elsewhere.is_alive(&context), None);
        let gone = Identity { pid: 4_194_305, ..this };
        assert_eq!(gone.is_alive(&context), Some(false));
    }
}
