//! Names that people give to projects, tasks and categories: they become folders and parts of ref names.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The longest name, in characters.
const MAX_LENGTH: usize = 64;

/// A name that is a folder name on every system and a component of a git ref name: ASCII letters, digits, `.`, `_`, `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is no [`Name`]; each says the text and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` cannot be used as {what}: {why}")]
pub struct NameError {
    /// The text as given.
    pub text: String,
    /// What it was to name, with its article: `a task id`.
    pub what: &'static str,
    /// What is wrong, a clause.
    pub why: String,
}

impl Name {
    /// Reads `text` as the name of `what`, a noun with its article, for the error.
    ///
    /// # Errors
    /// [`NameError`] for anything that is no path-safe component of a ref name of at most 64 characters.
    pub fn parse(text: &str, what: &'static str) -> Result<Self, NameError> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(NameError { text: text.to_owned(), what, why }),
        }
    }

    /// The name that is nearest to `text`: what is not allowed becomes `-`; `otherwise`, which must be a name, where
    /// nothing is left.
    pub fn near(text: &str, otherwise: &'static str) -> Self {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let plain: String = text.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
        let parts: Vec<_> = plain.split(['-', '.']).filter(|part| !part.is_empty()).collect();
        let is_whole = fault(&plain).is_none() && !plain.contains("--");
        let mut name = if is_whole { plain.clone() } else { parts.join("-") };
        name.truncate(MAX_LENGTH);
        let name = name.trim_end_matches(['-', '.']);
        Self(if fault(name).is_none() { name } else { otherwise }.to_owned())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is another name that a file system which ignores case would take for this one.
    pub fn collides_with(&self, other: &str) -> bool {
        self.0 != other && self.0.eq_ignore_ascii_case(other)
    }
}

/// What is wrong with `text` as a name, as a clause; see git-check-ref-format(1) for the rules of ref names.
fn fault(text: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(character) = text.chars().find(|&c| !allowed(c)) {
        return Some(format!("it has {character:?}, and letters, digits, `.`, `_` and `-` are allowed"));
    }
    let wrong = [
        (text.starts_with(['.', '-']), "it begins with `.` or `-`"),
        (text.ends_with('.'), "it ends with `.`"),
        (text.contains(".."), "it has `..`"),
        (text.to_ascii_lowercase().ends_with(".lock"), "it ends with `.lock`"),
        (text.len() > MAX_LENGTH, "it is longer than 64 characters"),
    ];
    wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, why)| why.to_owned())
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A task within its project, written `GROUP/ID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName {
    /// The task group.
    pub group: Name,
    /// The task id.
    pub id: Name,
}

/// Why a text is no [`TaskName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskNameError {
    /// It is not two parts with a slash between them.
    #[error("`{text}` names no task: a task is written GROUP/ID")]
    Form {
        /// The text as given.
        text: String,
    },
    /// One of the parts is no name.
    #[error(transparent)]
    Part(#[from] NameError),
}

impl FromStr for TaskName {
    type Err = TaskNameError;

    fn from_str(text: &str) -> Result<Self, TaskNameError> {
        let parts = text.split_once('/').filter(|(_, id)| !id.contains('/'));
        let (group, id) = parts.ok_or_else(|| TaskNameError::Form { text: text.to_owned() })?;
        Ok(Self { group: Name::parse(group, "a task group")?, id: Name::parse(id, "a task id")? })
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.id)
    }
}

/// The task key, written `PROJECT/GROUP/ID`: what names a task in the log and the registry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKey {
    /// The project id.
    pub project: Name,
    /// The task within it.
    pub task: TaskName,
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.task)
    }
}

impl FromStr for TaskKey {
    type Err = TaskNameError;

    fn from_str(text: &str) -> Result<Self, TaskNameError> {
        let (project, task) = text.split_once('/').ok_or_else(|| TaskNameError::Form { text: text.to_owned() })?;
        Ok(Self { project: Name::parse(project, "a project id")?, task: task.parse()? })
    }
}

impl Serialize for TaskKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_path_safe_and_fits_a_ref() {
        for good in ["a", "fix-login", "v1.2_3", "_x", "9", &"a".repeat(64)] {
            assert_eq!(Name::parse(good, "a task id").unwrap().as_str(), good);
        }
        let cases = [
            ("", "it is empty"),
            ("a/b", "'/'"),
            ("a b", "' '"),
            ("a\nb", "'\\n'"),
            ("ä", "'ä'"),
            ("a:b", "':'"),
            (".a", "begins with"),
            ("-a", "begins with"),
            ("..", "begins with"),
            ("a.", "ends with `.`"),
            ("a..b", "has `..`"),
            ("a.lock", "`.lock`"),
            ("a.LOCK", "`.lock`"),
            (&"a".repeat(65), "longer than 64"),
        ];
        for (text, why) in cases {
            let error = Name::parse(text, "a task id").unwrap_err();
            assert!(error.why.contains(why), "{text:?}: {error}");
            assert!(error.to_string().starts_with(&format!("`{text}` cannot be used as a task id: ")), "{error}");
        }
    }

    #[test]
    fn a_name_is_made_of_any_text() {
        let cases = [
            ("shop", "shop"),
            ("v1.2_3-x", "v1.2_3-x"),
            ("my shop (old)", "my-shop-old"),
            (".dotfiles", "dotfiles"),
            ("-x-", "x"),
            ("a..b.lock", "a-b-lock"),
            ("größe", "gr-e"),
            ("日本", "project"),
            ("", "project"),
        ];
        for (text, expected) in cases {
            assert_eq!(Name::near(text, "project").as_str(), expected, "{text}");
        }
        assert_eq!(Name::near(&"ab-".repeat(40), "project").as_str().len(), 64);
    }

    #[test]
    fn names_that_differ_only_in_case_collide() {
        let name = Name::parse("Login", "a task id").unwrap();
        assert!(name.collides_with("login") && !name.collides_with("Login") && !name.collides_with("logins"));
    }

    #[test]
    fn a_task_is_a_group_and_an_id() {
        let task: TaskName = "auth/fix-login".parse().unwrap();
        assert_eq!((task.group.as_str(), task.id.as_str()), ("auth", "fix-login"));
        assert_eq!("p/auth/fix".parse::<TaskKey>().unwrap().to_string(), "p/auth/fix");
        for text in ["auth", "", "a/b/c"] {
            assert!(matches!(text.parse::<TaskName>(), Err(TaskNameError::Form { .. })), "{text}");
        }
        assert!(matches!("a/.b".parse::<TaskName>(), Err(TaskNameError::Part(_))));
        assert!(matches!("/b".parse::<TaskName>(), Err(TaskNameError::Part(_))));
    }
}
