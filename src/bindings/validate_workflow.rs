//! `validateWorkflow`: skills, agents and prompts against the program.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::ops::validate_workflow;

use crate::job::{Cancel, Job, start};

/// Which texts to look at.
#[napi(object)]
pub struct ValidateWorkflowOptions {
    /// A folder that holds `skills/`, `agents/` and `prompts/`; by default what this okstra ships.
    pub folder: Option<String>,
}

/// What was looked at, and what is wrong.
#[napi(object, use_nullable = true)]
pub struct ValidatedWorkflow {
    /// The folder; null for what this okstra ships.
    pub folder: Option<String>,
    /// How many texts there are.
    pub texts: u32,
    /// What is wrong, by path and line.
    pub findings: Vec<WorkflowFinding>,
}

/// What is wrong with a text.
#[napi(object)]
pub struct WorkflowFinding {
    /// The path of the text.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// Which rule it breaks.
    #[napi(ts_type = "'front-matter' | 'budget' | 'command' | 'reference' | 'repetition'")]
    pub rule: String,
    /// What is wrong, a clause.
    pub message: String,
    /// How to mend it, a clause.
    pub mend: String,
}

/// Checks skills, agents and prompts against the program. Nothing is changed.
#[napi(ts_return_type = "Promise<ValidatedWorkflow>")]
pub fn validate_workflow(options: ValidateWorkflowOptions, cancel: &Cancel) -> AsyncTask<Job<ValidatedWorkflow>> {
    start(cancel, move |context| {
        let options = validate_workflow::Options { folder: options.folder.map(Into::into) };
        Ok(validate_workflow::run(context, &options, &okstra::cli::refusal)?.into())
    })
}

impl From<validate_workflow::Validated> for ValidatedWorkflow {
    fn from(validated: validate_workflow::Validated) -> Self {
        let finding = |finding: okstra::domain::workflow::Finding| WorkflowFinding {
            path: finding.path,
            line: u32::try_from(finding.line).unwrap_or(u32::MAX),
            rule: finding.rule.as_str().to_owned(),
            message: finding.message,
            mend: finding.mend,
        };
        Self {
            folder: validated.folder.map(|folder| folder.to_string_lossy().into_owned()),
            texts: u32::try_from(validated.texts).unwrap_or(u32::MAX),
            findings: validated.findings.into_iter().map(finding).collect(),
        }
    }
}
