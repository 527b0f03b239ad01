//! `contentMerged`: is this commit's content in that ref, and by which proof?

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::cli::Failure;
use okstra::ops::content_merged::{self, Limits, Options};
use serde::Serialize;

use crate::job::{Cancel, Job, start};

/// What to look for, and where.
#[napi(object)]
pub struct ContentMergedOptions {
    /// A folder of the repository; the current folder by default.
    pub project_root: Option<String>,
    /// The id of the commit whose content is looked for; at least 7 digits.
    pub commit: String,
    /// The ref that should hold it: a full ref name, a branch, a remote branch, a tag, `HEAD`, or an id.
    pub candidate: String,
    /// The id of the commit where the work began; by default the merge base of commit and candidate.
    pub base: Option<String>,
    /// Look at no more than this many commits; what is not found by then is unknown.
    pub max_commits: Option<f64>,
    /// Search for no longer than this many seconds; what is not found by then is unknown.
    pub max_seconds: Option<f64>,
}

/// The answer, with the proof behind it.
#[napi(object, use_nullable = true)]
pub struct ContentMerged {
    /// What was found: the commit is reachable; its content is, by another proof; nothing was proved; commit, base or
    /// candidate names no commit, or several.
    #[napi(ts_type = "'ancestor' | 'patch-equivalent' | 'not-merged' | 'unresolvable'")]
    pub status: String,
    /// Where the content landed: the commit itself when it is reachable, else the commit that brought its content.
    pub matched_commit: Option<String>,
    /// What may be done: it is contained; it is surely not there; a person looks.
    #[napi(ts_type = "'contained' | 'absent' | 'ask'")]
    pub verdict: String,
    /// What proves it; null when nothing does.
    #[napi(
        ts_type = "'ancestry' | 'same-change' | 'replay' | 'per-commit' | 'same-end' | 'carrier' | 'fingerprint' | null"
    )]
    pub proof: Option<String>,
    /// What became of the content in the candidate: merging it in changes nothing; it is not there; its lines were
    /// worked on since; a part of it is there; could not be told.
    #[napi(ts_type = "'present' | 'absent' | 'evolved' | 'partial' | 'unknown'")]
    pub effect: String,
    /// One sentence for people: what was found, what was missing, and the nearest candidate.
    pub reason: String,
}

/// Is the content of `options.commit` in `options.candidate`, and by which proof?
#[napi(ts_return_type = "Promise<ContentMerged>")]
pub fn content_merged(options: ContentMergedOptions, cancel: &Cancel) -> AsyncTask<Job<ContentMerged>> {
    start(cancel, |context| Ok(content_merged::run(context, &options.try_into()?)?.into()))
}

impl TryFrom<ContentMergedOptions> for Options {
    type Error = Failure;

    fn try_from(options: ContentMergedOptions) -> Result<Self, Failure> {
        let ContentMergedOptions { project_root, commit, candidate, base, max_commits, max_seconds } = options;
        let limits = Limits {
            max_commits: max_commits.map(|number| whole("maxCommits", number)).transpose()?,
            max_seconds: max_seconds.map(|number| whole("maxSeconds", number)).transpose()?,
        };
        Ok(Self { project_root: project_root.map(Into::into), commit, candidate, base, limits })
    }
}

impl From<content_merged::ContentMerged> for ContentMerged {
    fn from(answer: content_merged::ContentMerged) -> Self {
        Self {
            status: word(answer.status),
            matched_commit: answer.matched_commit.map(|commit| commit.to_string()),
            verdict: word(answer.verdict),
            proof: answer.proof.map(word),
            effect: word(answer.effect),
            reason: answer.reason,
        }
    }
}

/// The word that the command line's `--json` prints for a value.
pub(crate) fn word(value: impl Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    word.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// A number of things. JavaScript has one type for all numbers.
pub(crate) fn whole(name: &str, number: f64) -> Result<u64, Failure> {
    // The largest number up to which every whole number is exact.
    const MOST: f64 = 9_007_199_254_740_991.0;
    let exact = number.fract() == 0.0 && (0.0..=MOST).contains(&number);
    let whole = exact.then(|| format!("{number:.0}").parse().ok()).flatten();
    whole.ok_or_else(|| Failure::usage(format!("`{name}` must be a whole number from 0, not {number}"), None))
}
