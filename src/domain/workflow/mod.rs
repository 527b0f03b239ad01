//! Whether the texts that agents are given agree with the program: skills, agents and prompts.
//!
//! What real clients accept of a skill's front matter is from trying them: see `07` of the design, “What real clients
//! accept”. A text names commands, files and rules; each has to exist, and a rule stands in one place only.

mod budget;
mod command;
mod front_matter;
mod reference;
mod repetition;

use serde::Serialize;

pub use command::{Command, commands};

/// A text for agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its path below the folder that holds `skills/`, `agents/` and `prompts/`, with `/` between its parts.
    pub path: String,
    /// Every line of it.
    pub text: String,
}

/// What a text is, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// `skills/<name>/SKILL.md`, with the name.
    Skill(&'a str),
    /// `skills/<name>/references/…`.
    SkillReference,
    /// `agents/<name>.md`, with the name.
    Agent(&'a str),
    /// Below `prompts/`, a template, with its name there.
    Prompt(&'a str),
    /// Anything else, which no client reads.
    Other,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The path of the text.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Which rule it breaks.
    pub rule: Rule,
    /// What is wrong, a clause.
    pub message: String,
    /// How to mend it, a clause.
    pub mend: String,
}

/// What a text has to keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The client finds it, by its place, its name and its description.
    FrontMatter,
    /// It is not longer than its reader bears.
    Budget,
    /// Every command that it names can be typed.
    Command,
    /// Every file that it refers to is shipped.
    Reference,
    /// Nothing that it says stands in another text too.
    Repetition,
}

impl Rule {
    /// Its name, as in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FrontMatter => "front-matter",
            Self::Budget => "budget",
            Self::Command => "command",
            Self::Reference => "reference",
            Self::Repetition => "repetition",
        }
    }
}

impl Document {
    /// What it is.
    pub fn kind(&self) -> Kind<'_> {
        let parts: Vec<&str> = self.path.split('/').collect();
        match parts.as_slice() {
            ["skills", name, "SKILL.md"] => Kind::Skill(name),
            ["skills", _, "references", ..] => Kind::SkillReference,
            ["agents", file] => file.strip_suffix(".md").map_or(Kind::Other, Kind::Agent),
            ["prompts", ..] => Kind::Prompt(self.path.strip_prefix("prompts/").unwrap_or_default()),
            _ => Kind::Other,
        }
    }

    fn finding(&self, line: usize, rule: Rule, message: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, rule, message: message.into(), mend: mend.into() }
    }
}

/// Everything that is wrong with these texts, by path and line. `refusal` says why a command cannot be typed.
pub fn check(documents: &[Document], refusal: &dyn Fn(&Command) -> Option<String>) -> Vec<Finding> {
    let each = documents.iter().flat_map(|document| {
        let mut findings = front_matter::check(document);
        findings.extend(budget::check(document));
        findings.extend(command::check(document, refusal));
        findings.extend(reference::check(document, documents));
        findings
    });
    let mut findings: Vec<Finding> =
        each.chain(budget::check_all(documents)).chain(repetition::check(documents)).collect();
    findings.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
    findings
}

#[cfg(test)]
mod tests;
