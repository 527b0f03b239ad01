//! What a finished stage hands on: what okstra saw of it, and what its agent says of it.

use crate::domain::ids::short;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The evidence of a finished stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Carry {
    /// The task, `PROJECT/GROUP/ID`.
    pub impl_task_key: String,
    /// The run that did it.
    pub run: String,
    /// The id of the frozen plan.
    pub plan: String,
    /// The hash of the stage in it.
    pub stage_hash: String,
    /// The stage.
    pub stage: u32,
    /// Its title.
    pub title: String,
    /// When it was done.
    pub completed_at: String,
    /// The content fingerprints, as in the done row.
    #[serde(default)]
    pub content: Option<Value>,
    /// The commit that it started from.
    pub base_commit: String,
    /// Its commit.
    pub head_commit: String,
    /// The paths that it touched.
    #[serde(default)]
    pub files: Vec<String>,
    /// The commands that were run.
    #[serde(default)]
    pub validation: Vec<Check>,
    /// What its agent says of the exit contract.
    #[serde(default)]
    pub exit_contract: Vec<ContractClaim>,
    /// What its agent says besides.
    #[serde(default)]
    pub notes: Option<String>,
    /// The paths that it touched outside of its files, as a person allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<AllowedPath>,
    /// Why commands that failed were waived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qa_waiver: Option<String>,
}

/// A command of Stage Validation that was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The command.
    pub command: String,
    /// `post`: okstra ran it; `pre`: its agent says that it did.
    pub phase: String,
    /// How it ended.
    pub exit_code: i32,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: u64,
    /// The tree that it ran on.
    #[serde(default)]
    pub tree: Option<String>,
    /// What it said.
    #[serde(default)]
    pub log: Option<String>,
}

/// What an agent says of one item of the exit contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractClaim {
    /// The item.
    pub item: String,
    /// Whether it is met.
    #[serde(default)]
    pub met: bool,
    /// By what that can be seen.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// A path outside of the stage's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AllowedPath {
    /// The path.
    pub path: String,
    /// Why it was allowed.
    pub reason: String,
}

/// What an agent hands in with `--carry`. Everything else that stands there is not okstra's to believe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claims {
    /// What it says of the exit contract.
    #[serde(default)]
    pub exit_contract: Vec<ContractClaim>,
    /// What it says besides.
    #[serde(default)]
    pub notes: Option<String>,
    /// The commands that it ran; only those of the phase `pre` are its own.
    #[serde(default)]
    pub validation: Vec<Check>,
}

impl Claims {
    /// What an earlier carry kept of claims.
    pub fn of(carry: &Carry) -> Self {
        let Carry { exit_contract, notes, validation, .. } = carry.clone();
        Self { exit_contract, notes, validation }
    }

    /// The commands that the agent says it ran before it began.
    pub fn pre(&self) -> impl Iterator<Item = Check> {
        self.validation.iter().filter(|check| check.phase == "pre").cloned()
    }
}

impl Carry {
    /// The carry for whoever builds on it, as Markdown. What its agent says is marked as that.
    pub fn to_markdown(&self) -> String {
        let mut lines = vec![
            format!("## Stage {}: {}", self.stage, self.title),
            String::new(),
            format!("- Run: {}", self.run),
            format!("- Commits: `{}..{}`", short(&self.base_commit), short(&self.head_commit)),
            format!("- Done: {}", self.completed_at),
        ];
        section(&mut lines, "Files", self.files.iter().map(|file| format!("- {}", code(file))));
        section(&mut lines, "Validation, run by okstra", self.checks("post"));
        section(&mut lines, "Validation before, as the agent says", self.checks("pre"));
        let contract = self.exit_contract.iter().map(|claim| {
            let evidence = claim.evidence.as_deref().map_or_else(String::new, |text| format!(" ({})", one_line(text)));
            format!("- {}: {}{evidence}", if claim.met { "met" } else { "not met" }, one_line(&claim.item))
        });
        section(&mut lines, "Exit contract, as the agent says", contract);
        let outside = self.outside.iter();
        let outside = outside.map(|path| format!("- {}: {}", code(&path.path), one_line(&path.reason)));
        section(&mut lines, "Touched outside of its files, as allowed", outside);
        section(&mut lines, "Waiver of failed commands", self.qa_waiver.iter().map(|why| one_line(why)));
        section(&mut lines, "Notes of the agent", self.notes.iter().map(|notes| quoted(notes)));
        lines.join("\n") + "\n"
    }

    fn checks(&self, phase: &'static str) -> impl Iterator<Item = String> {
        let checks = self.validation.iter().filter(move |check| check.phase == phase);
        checks.map(|check| format!("- {}: exit code {}", code(&check.command), check.exit_code))
    }
}

fn section(lines: &mut Vec<String>, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<_> = items.collect();
    if !items.is_empty() {
        lines.extend([String::new(), format!("### {title}"), String::new()]);
        lines.extend(items);
    }
}

/// A code span, whatever backticks stand in it.
fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text of somebody else: it can begin no section of ours.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_agent_says_is_marked_and_begins_nothing() {
        let check = |command: &str, phase: &str| Check {
            command: command.to_owned(),
            phase: phase.to_owned(),
            ..Check::default()
        };
        let carry = Carry {
            stage: 2,
            title: "Log in".to_owned(),
            run: "implementation-001".to_owned(),
            base_commit: "a".repeat(40),
            head_commit: "b".repeat(40),
            completed_at: "2026-01-01T00:00:00Z".to_owned(),
            files: vec!["a `b`".to_owned()],
            validation: vec![check("cargo test", "post"), check("cargo fetch", "pre")],
            exit_contract: vec![ContractClaim { item: "it\nworks".to_owned(), met: true, evidence: None }],
            notes: Some("## Stage 9: not mine\nmore".to_owned()),
            ..Carry::default()
        };
        let expected = "## Stage 2: Log in\n\n- Run: implementation-001\n- Commits: `aaaaaaaa..bbbbbbbb`\n\
            - Done: 2026-01-01T00:00:00Z\n\n### Files\n\n- `` a `b` ``\n\n### Validation, run by okstra\n\n\
            - `cargo test`: exit code 0\n\n### Validation before, as the agent says\n\n- `cargo fetch`: exit code 0\n\n\
            ### Exit contract, as the agent says\n\n- met: it works\n\n### Notes of the agent\n\n\
            > ## Stage 9: not mine\n> more\n";
        assert_eq!(carry.to_markdown(), expected);
    }

    #[test]
    fn only_what_ran_before_is_the_agents_to_say() {
        let claims: Claims = serde_json::from_str(
            r#"{"validation":[{"command":"a","phase":"pre","exitCode":0},{"command":"b","phase":"post","exitCode":0}],
                "headCommit":"x","notes":"n"}"#,
        )
        .unwrap();
        assert_eq!(claims.pre().map(|check| check.command).collect::<Vec<_>>(), ["a"]);
        assert_eq!(claims.notes.as_deref(), Some("n"));
    }
}
