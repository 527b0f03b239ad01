//! The agents that okstra is installed for.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// An agent that reads skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
}

/// A text that names no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no agent that okstra can be installed for: claude, codex and gemini are")]
pub struct TargetError {
    /// The text as given.
    pub text: String,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let found = Self::ALL.into_iter().find(|target| target.as_str() == text);
        found.ok_or_else(|| TargetError { text: text.to_owned() })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The agents that `texts` name, each once and in order.
///
/// # Errors
/// [`TargetError`] for the first that is none.
pub fn parse_targets<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Target>, TargetError> {
    let mut targets = texts.iter().map(|text| text.as_ref().trim().parse()).collect::<Result<Vec<_>, _>>()?;
    targets.sort();
    targets.dedup();
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_three_words() {
        assert_eq!(parse_targets(&["gemini", "claude", "gemini"]), Ok(vec![Target::Claude, Target::Gemini]));
        assert_eq!(parse_targets(&[" codex "]), Ok(vec![Target::Codex]));
        assert_eq!(parse_targets::<&str>(&[]), Ok(Vec::new()));
        for wrong in ["", "Claude", "cursor"] {
            assert_eq!(parse_targets(&[wrong]), Err(TargetError { text: wrong.to_owned() }));
        }
    }
}
