//! The templates that are part of the program.

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../prompts/", $name)))),*]
    };
}

/// Each template with its name, which is its path in `prompts/`.
const TEMPLATES: &[(&str, &str)] = templates![
    "instruction-set/analysis-material.md",
    "instruction-set/analysis-profile.md",
    "instruction-set/reference-expectations.md",
    "launch.md",
    "lead.md",
    "profiles/_common-contract.md",
    "profiles/_implementation-deliverable.md",
    "profiles/_implementation-executor.md",
    "profiles/error-analysis.md",
    "profiles/final-verification.md",
    "profiles/implementation-planning.md",
    "profiles/implementation.md",
    "profiles/release-handoff.md",
    "profiles/requirements-discovery.md",
    "reports/final-report-template.md",
    "workers/_assignment.md",
    "workers/_shared.md",
    "workers/analyst.md",
    "workers/executor.md",
    "workers/report-writer.md",
    "workers/verifier.md",
];

/// The names of all templates, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|(name, _)| *name)
}

/// Every template: its name and its text.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATES.iter().copied()
}

/// The text of a template.
pub(super) fn find(name: &str) -> Option<&'static str> {
    all().find(|(each, _)| *each == name).map(|(_, text)| text)
}
