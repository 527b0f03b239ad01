//! `$OKSTRA_HOME/config.toml`: what the user of this machine set for it. It is only read.
//!
//! ```toml
//! [agents.claude]
//! command = ["claude", "--permission-mode", "plan"]   # the program and what always follows it; no shell
//! home = "~/.claude-work"                             # where its session logs are
//! ```
//!
//! A key that this okstra does not know has no effect, since a newer one may know it; doctor names it. Anything else that
//! is not as it should be is an error with its line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Error;
use crate::context::Context;
use crate::domain::run::Vendor;
use crate::fs;

/// What a command has to be.
const COMMAND: &str =
    "a list of texts, the first of which is a name on PATH, an absolute path or one that begins with ~/";
/// What a folder has to be.
const FOLDER: &str = "an absolute path, or one that begins with ~/";

/// The settings of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    agents: BTreeMap<Vendor, AgentSettings>,
    /// The keys that have no effect.
    pub unknown: Vec<UnknownKey>,
}

/// What is set for an agent CLI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The program, and what always follows it.
    pub command: Option<Vec<String>>,
    /// Where its session logs are; for `claude`.
    pub home: Option<PathBuf>,
}

/// A key that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// The key, in full.
    pub key: String,
    /// Its line.
    pub line: usize,
}

impl Config {
    /// Reads the file `path`; where there is none, nothing is set.
    ///
    /// # Errors
    /// [`Error::NotToml`], [`Error::BadSetting`], and [`Error::Fs`] when the file cannot be read.
    pub fn read(path: &Path, context: &Context) -> Result<Self, Error> {
        let text = match fs::read_text(path) {
            Err(error) if error.is_missing() => return Ok(Self::default()),
            text => text?,
        };
        Reader { path, text: &text, context, config: Self::default() }.read()
    }

    /// What is set for the CLI of `vendor`.
    pub fn agent(&self, vendor: Vendor) -> AgentSettings {
        self.agents.get(&vendor).cloned().unwrap_or_default()
    }
}

/// Reads a file, and knows where it is.
struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    context: &'a Context,
    config: Config,
}

impl Reader<'_> {
    fn read(mut self) -> Result<Config, Error> {
        let root = DeTable::parse(self.text).map_err(|error| self.not_toml(&error))?;
        for (key, value) in root.get_ref() {
            match key.get_ref().as_ref() {
                "agents" => self.agents(value)?,
                name => self.unknown(name, key),
            }
        }
        self.config.unknown.sort_by_key(|unknown| unknown.line);
        Ok(self.config)
    }

    fn agents(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), Error> {
        let agents = value.get_ref().as_table().ok_or_else(|| self.bad("agents", value, "a table"))?;
        for (key, value) in agents {
            let name = format!("agents.{}", key.get_ref());
            match Vendor::ALL.into_iter().find(|vendor| vendor.as_str() == key.get_ref().as_ref()) {
                Some(vendor) => {
                    let settings = self.agent(&name, vendor, value)?;
                    self.config.agents.insert(vendor, settings);
                }
                None => self.unknown(&name, key),
            }
        }
        Ok(())
    }

    fn agent(&mut self, name: &str, vendor: Vendor, value: &Spanned<DeValue<'_>>) -> Result<AgentSettings, Error> {
        let table = value.get_ref().as_table().ok_or_else(|| self.bad(name, value, "a table"))?;
        let mut settings = AgentSettings::default();
        for (key, value) in table {
            let name = format!("{name}.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "command" => settings.command = Some(self.command(&name, value)?),
                "home" if vendor == Vendor::Claude => settings.home = Some(self.folder(&name, value)?),
                _ => self.unknown(&name, key),
            }
        }
        Ok(settings)
    }

    /// A program with its arguments. Where it is found must not depend on the folder that it is started in, which is the
    /// repository's.
    fn command(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Error> {
        let texts = value.get_ref().as_array().into_iter().flatten().map(|word| text(word.get_ref()));
        let words = texts.collect::<Option<Vec<_>>>().unwrap_or_default();
        let Some((program, arguments)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(self.bad(name, value, COMMAND));
        };
        let program = match Path::new(program).components().count() {
            1 if !program.starts_with('~') && !program.contains(['/', '\\']) => program.clone(),
            _ => self.absolute(program).ok_or_else(|| self.bad(name, value, COMMAND))?,
        };
        Ok([&[program], arguments].concat())
    }

    fn folder(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<PathBuf, Error> {
        let folder = text(value.get_ref()).and_then(|text| self.absolute(&text));
        folder.map(PathBuf::from).ok_or_else(|| self.bad(name, value, FOLDER))
    }

    /// A path with its `~/` replaced; `None` where it is not absolute then.
    fn absolute(&self, text: &str) -> Option<String> {
        let path = match text.strip_prefix("~/") {
            Some(below) => self.context.environment().home()?.join(below),
            None => PathBuf::from(text),
        };
        path.is_absolute().then(|| path.to_str().map(str::to_owned))?
    }

    fn unknown<T>(&mut self, name: &str, key: &Spanned<T>) {
        let (key, line) = (name.to_owned(), self.place(key.span()).0);
        self.config.unknown.push(UnknownKey { key, line });
    }

    fn bad(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &'static str) -> Error {
        let (line, _) = self.place(value.span());
        Error::BadSetting { path: self.path.to_owned(), line, key: key.to_owned(), expected }
    }

    fn not_toml(&self, error: &toml::de::Error) -> Error {
        let (line, column) = self.place(error.span().unwrap_or_default());
        Error::NotToml { path: self.path.to_owned(), line, column, why: error.message().replace('\n', ", ") }
    }

    /// Line and column where `span` begins, counted from 1.
    fn place(&self, span: Range<usize>) -> (usize, usize) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        (1 + before.matches('\n').count(), 1 + before[begin..].chars().count())
    }
}

/// A text that a program can be given; `None` for what is none.
fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().filter(|text| !text.contains('\0')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Environment;

    fn read(text: &str) -> Result<Config, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::replace(&path, text.as_bytes()).unwrap();
        let user = if cfg!(windows) { ("USERPROFILE", r"C:\u") } else { ("HOME", "/home/u") };
        let environment: Environment = [user].into_iter().collect();
        Config::read(&path, &Context::new("/cwd", environment))
    }

    fn command(text: &str) -> Option<Vec<String>> {
        read(text).unwrap().agent(Vendor::Claude).command
    }

    #[test]
    fn nothing_is_set_by_nothing() {
        let context = Context::new("/cwd", Environment::default());
        assert_eq!(Config::read(Path::new("/nowhere/config.toml"), &context).unwrap(), Config::default());
        assert_eq!(read("# nothing\n").unwrap(), Config::default());
        assert_eq!(read("[agents.claude]\n").unwrap().agent(Vendor::Claude), AgentSettings::default());
    }

    #[cfg(unix)]
    #[test]
    fn a_command_is_a_list_of_words() {
        let cases: [(&str, &[&str]); 4] = [
            (r#"agents.claude.command = ["claude"]"#, &["claude"]),
            (
                "[agents.claude]\ncommand = [\"/opt/my tools/claude\",\n  '--flag', \"é 'x'\"]",
                &["/opt/my tools/claude", "--flag", "é 'x'"],
            ),
            (r#"agents = { claude = { command = ["~/bin/claude", "~/x", ""] } }"#, &["/home/u/bin/claude", "~/x", ""]),
            ("[agents.codex]\ncommand = [\"x\"]\n[agents.claude]\ncommand = [\"y\"]", &["y"]),
        ];
        for (text, expected) in cases {
            assert_eq!(command(text).unwrap(), expected, "{text}");
        }
        let home = read("[agents.claude]\nhome = \"~/.claude-work\"").unwrap().agent(Vendor::Claude).home;
        assert_eq!(home, Some(PathBuf::from("/home/u/.claude-work")));
    }

    #[test]
    fn what_is_not_known_is_named_and_has_no_effect() {
        let text =
            "new = 1\n\n[agents.claude]\ncomand = [\"x\"]\n[agents.cluade]\ncommand = 1\n[agents.codex]\nhome = 7\n";
        let config = read(text).unwrap();
        let unknown: Vec<_> = config.unknown.iter().map(|unknown| (unknown.key.as_str(), unknown.line)).collect();
        let expected = [("new", 1), ("agents.claude.comand", 4), ("agents.cluade", 5), ("agents.codex.home", 8)];
        assert_eq!(unknown, expected);
        assert_eq!(config.agent(Vendor::Claude), AgentSettings::default());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let of_command = |value: &str| format!("\n[agents.claude]\ncommand = {value}\n");
        for value in [
            "\"claude --flag\"",
            "[]",
            "[\"\"]",
            "[1]",
            "[\"a\", true]",
            "[\"./claude\"]",
            "[\"bin/claude\"]",
            "[\"~\"]",
            "[\"a\\u0000\"]",
            "{}",
            r#"[".\\claude"]"#,
        ] {
            let error = read(&of_command(value)).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("config.toml:3`: `agents.claude.command` has to be a list"), "{value}: {text}");
        }
        let cases = [
            ("agents = 1", ":1`: `agents` has to be a table"),
            ("[agents]\n\nclaude = \"claude\"", ":3`: `agents.claude` has to be a table"),
            ("[agents.claude]\nhome = \".claude\"", ":2`: `agents.claude.home` has to be an absolute path"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let cases = [
            ("é = ü", 1, 1),
            ("a = ü", 1, 5),
            ("[agents.claude]\ncommand = [\"x\"", 2, 1),
            ("a = 1\na = 2\n", 2, 1),
            ("\"", 1, 1),
        ];
        for (text, line, least) in cases {
            let error = read(text).unwrap_err();
            let Error::NotToml { line: found, column, why, .. } = &error else { panic!("{error}") };
            assert!(*found == line && *column >= least && !why.is_empty() && !why.contains('\n'), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\PC\n\\[\\]\"'=.#{}~/ ]{0,80}") {
            let _ = read(&text);
        }
    }
}
