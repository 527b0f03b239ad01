//! Where each agent CLI is on this machine: its program, and its folders for skills and agents.

use std::path::PathBuf;

use crate::context::Context;
use crate::domain::install::Target;
use crate::process::find_program;

/// The folders into which okstra installs for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where it reads skills, a folder for each.
    pub skills: PathBuf,
    /// Where it reads agents, for the one that does.
    pub agents: Option<PathBuf>,
}

/// How an agent says who is logged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// A variable of the environment holds a key.
    Key(&'static str),
    /// A file of a login is there.
    File,
    /// Nothing says so; on a Mac it can be in the keychain.
    Unknown,
}

/// The program of an agent.
pub fn program(target: Target) -> &'static str {
    match target {
        Target::Claude => "claude",
        Target::Codex => "codex",
        Target::Gemini => "gemini",
    }
}

/// The folders of an agent; `None` where no home folder is known.
pub fn folders(context: &Context, target: Target) -> Option<Folders> {
    match target {
        Target::Claude => {
            let own = own_folder(context, target)?;
            Some(Folders { skills: own.join("skills"), agents: Some(own.join("agents")) })
        }
        // Both read the folder that agents share.
        Target::Codex | Target::Gemini => {
            let skills = context.environment().home()?.join(".agents").join("skills");
            Some(Folders { skills: context.absolute(&skills), agents: None })
        }
    }
}

/// Whether an agent is on this machine: its program, or its own folder.
pub fn is_here(context: &Context, target: Target) -> bool {
    let own = own_folder(context, target);
    find_program(context, program(target).as_ref()).is_some() || own.is_some_and(|own| own.is_dir())
}

/// What can be told of a login without a call.
pub fn login(context: &Context, target: Target) -> Login {
    let (variables, files): (&[&'static str], &[&str]) = match target {
        Target::Claude => {
            (&["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"], &[".credentials.json"])
        }
        Target::Codex => (&["CODEX_API_KEY", "OPENAI_API_KEY"], &["auth.json"]),
        Target::Gemini => (&["GEMINI_API_KEY", "GOOGLE_API_KEY"], &["oauth_creds.json"]),
    };
    if let Some(name) = variables.iter().find(|name| context.environment().get(name).is_some()) {
        return Login::Key(name);
    }
    let own = own_folder(context, target);
    let is_there = own.is_some_and(|own| files.iter().any(|file| own.join(file).is_file()));
    if is_there { Login::File } else { Login::Unknown }
}

/// The folder that an agent keeps its own things in.
fn own_folder(context: &Context, target: Target) -> Option<PathBuf> {
    let (variable, name) = match target {
        Target::Claude => ("CLAUDE_CONFIG_DIR", ".claude"),
        Target::Codex => ("CODEX_HOME", ".codex"),
        Target::Gemini => ("GEMINI_CLI_HOME", ".gemini"),
    };
    let environment = context.environment();
    let named = environment.get(variable).map(PathBuf::from);
    // Gemini's variable names what its folder lies in.
    let named = named.map(|named| if target == Target::Gemini { named.join(name) } else { named });
    let folder = named.or_else(|| Some(environment.home()?.join(name)))?;
    Some(context.absolute(&folder))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::context::Environment;
    use crate::fs;

    fn context(variables: &[(&str, &str)]) -> Context {
        Context::new("/cwd", variables.iter().copied().collect::<Environment>())
    }

    #[test]
    fn each_agent_has_its_folders() {
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let plain = context(&[(home, "/h")]);
        let of = |context: &Context, target| folders(context, target).unwrap();
        assert_eq!(of(&plain, Target::Claude).skills, Path::new("/h/.claude/skills"));
        assert_eq!(of(&plain, Target::Claude).agents.unwrap(), Path::new("/h/.claude/agents"));
        for target in [Target::Codex, Target::Gemini] {
            assert_eq!(of(&plain, target), Folders { skills: "/h/.agents/skills".into(), agents: None });
        }
        let named = context(&[(home, "/h"), ("CLAUDE_CONFIG_DIR", "c")]);
        assert_eq!(of(&named, Target::Claude).skills, Path::new("/cwd/c/skills"));
        assert!(folders(&context(&[]), Target::Codex).is_none());
    }

    #[test]
    fn an_agent_is_here_by_its_folder_or_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let context = context(&[(name, home), ("PATH", home), ("GEMINI_API_KEY", "k")]);
        assert!(Target::ALL.iter().all(|target| !is_here(&context, *target)));
        fs::create_folder(&folder.path().join(".codex")).unwrap();
        let gemini = folder.path().join(format!("gemini{}", std::env::consts::EXE_SUFFIX));
        fs::replace_executable(&gemini, b"").unwrap();
        assert_eq!(Target::ALL.map(|target| is_here(&context, target)), [false, true, true]);
        assert_eq!(login(&context, Target::Codex), Login::Unknown);
        fs::replace(&folder.path().join(".codex/auth.json"), b"{}").unwrap();
        assert_eq!(login(&context, Target::Codex), Login::File);
        assert_eq!(login(&context, Target::Gemini), Login::Key("GEMINI_API_KEY"));
    }
}
