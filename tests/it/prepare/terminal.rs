//! `okstra run` and `okstra resume` on a terminal: it is the lead's, and okstra keeps out of its way.

use super::shop::Shop;
use crate::common::OKSTRA;
use crate::common::pty::Pty;

/// A lead that needs its terminal: it asks, is interrupted, sees the window change, and ends with 9.
const NEEDS_IT: &str = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo \"terminals $(stty size)\"
trap 'interrupted=yes' INT
trap 'echo \"resized $(stty size)\"' WINCH
printf 'name? '; read name; echo \"hello $name\"
while [ -z \"$interrupted\" ]; do sleep 0.02; done
echo \"interrupted, and not ended\"
exit 9";

impl Shop {
    /// Runs okstra on a terminal, with this script as the lead.
    fn on_terminal(&self, lead: &str, arguments: &[&str]) -> Pty {
        let programs = self.sandbox.path().join("leads");
        self.sandbox.program(&programs.join("claude"), lead);
        let outside = std::env::var_os("PATH").unwrap();
        let git = std::env::split_paths(&outside).find(|folder| folder.join("git").exists()).unwrap();
        let path = std::env::join_paths([programs, git, "/usr/bin".into(), "/bin".into()]).unwrap();
        let (path, home) = (path.into_string().unwrap(), self.home().into_os_string().into_string().unwrap());
        let root = ["--project-root", self.folder.to_str().unwrap()];
        let variables = [("PATH", path.as_str()), ("OKSTRA_HOME", &home)];
        Pty::start(&self.sandbox, 100, &variables, &[&[OKSTRA], arguments, &root].concat())
    }
}

#[test]
fn the_terminal_is_the_leads() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    for arguments in [
        &["run", "--task", "auth/login", "--category", "fix", "--brief", &brief][..],
        &["resume", "requirements-discovery-001", "--task", "auth/login"],
    ] {
        let mut pty = shop.on_terminal(NEEDS_IT, arguments);
        pty.wait_for("terminals 40 100");
        pty.wait_for("name? ");
        pty.type_in("Ann\n");
        pty.wait_for("hello Ann");
        pty.resize(30, 90);
        pty.wait_for("resized 30 90");
        pty.type_in("\x03");
        let (status, screen) = pty.end();
        assert_eq!(status.code(), Some(9), "{screen}");
        assert!(screen.contains("interrupted, and not ended"), "{screen}");
    }
}

#[test]
fn a_lead_that_a_signal_ends_is_128_and_its_number() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    shop.prepare(0, &["--category", "fix", "--brief", &brief]);
    for (lead, code) in [("kill -TERM $$", 143), ("kill -9 $$", 137), ("kill -INT $$", 130), ("exit 0", 0)] {
        let (status, screen) = shop.on_terminal(lead, &["resume", "--task", "auth/login"]).end();
        assert_eq!(status.code(), Some(code), "{lead}: {screen}");
    }
    // Ctrl-C ends a lead that does not listen, and okstra says so with its code.
    let mut pty = shop.on_terminal("echo waiting; exec sleep 60", &["resume", "--task", "auth/login"]);
    pty.wait_for("waiting");
    pty.type_in("\x03");
    let (status, screen) = pty.end();
    assert_eq!(status.code(), Some(130), "{screen}");
}
