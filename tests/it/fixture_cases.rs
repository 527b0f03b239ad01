//! Every history of `tests/fixtures/cases` is built once and asked about twice: as it is, and again once everything that
//! may speak to git — settings, attributes, replace refs, grafts, environment — was turned against the answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use okstra::context::{Context, Environment};
use okstra::fs;
use okstra::ops::content_merged::{ContentMerged, Options, Status, Verdict, run};
use okstra::process::Command;

use hostility::{HOSTILE_ATTRIBUTES, Hostility, path_variable};

mod hostility;

/// There is no point in a run that found only some of the scripts.
const FEWEST_CASES: usize = 295;
/// Cases that hold no full ids, or no folder for refs, get no replace refs; most do.
const FEWEST_REPLACED: usize = 240;

struct Case {
    name: String,
    /// Gone with the case.
    _folder: tempfile::TempDir,
    repository: PathBuf,
    git_folder: PathBuf,
    record: BTreeMap<String, String>,
}

#[test]
fn every_case_is_answered_right_and_no_setting_changes_a_word_of_it() {
    let scratch = tempfile::Builder::new().prefix("okstra-cases-").tempdir().expect("a temporary folder");
    let scripts = scripts();
    assert!(scripts.len() >= FEWEST_CASES, "{} scripts", scripts.len());
    let hostility = Hostility::prepare(&scratch.path().join("hostile"));
    let (next, replaced) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let case = Case::build(script, scratch.path());
            wrong.lock().expect("no panic").extend(case.judge(&hostility, &replaced));
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let replaced = replaced.into_inner();
    assert!(replaced >= FEWEST_REPLACED, "replace refs only in {replaced} cases");
    assert!(!scratch.path().join("hostile/ran").exists(), "a configured program was run");
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cases");
    let entries = std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("an entry").path());
    let is_case = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".sh") && name.starts_with(|first: char| first.is_ascii_digit())
    };
    let mut scripts: Vec<PathBuf> = entries.filter(is_case).collect();
    scripts.sort();
    scripts
}

impl Case {
    fn build(script: &Path, scratch: &Path) -> Self {
        let name = script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = tempfile::tempdir_in(scratch).expect("a temporary folder");
        let repository = folder.path().join("repo");
        let machine = Context::from_process();
        let built = Command::new("bash").arg(script).arg(&repository).check(&machine);
        built.unwrap_or_else(|error| panic!("{name} cannot be built: {error}"));
        let asked = Command::new("git")
            .args(["rev-parse", "--git-common-dir"])
            .in_folder(&repository)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .check(&machine);
        let printed = String::from_utf8(asked.expect("a git folder")).expect("a path");
        let git_folder = repository.join(printed.trim_end_matches('\n'));
        let text = fs::read_text(&git_folder.join("case")).expect("the record of the case");
        let fields = text.split('\0').filter_map(|field| field.split_once('='));
        let record = fields.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { name, _folder: folder, repository, git_folder, record }
    }

    fn field(&self, name: &str) -> &str {
        self.record.get(name).map_or("", String::as_str)
    }

    /// What is wrong with the answers.
    fn judge(&self, hostility: &Hostility, replaced: &AtomicUsize) -> Option<String> {
        let calm = self.ask(&Context::new(&self.repository, Environment::from_iter(path_variable())));
        if !self.is_right(&calm) {
            let (expected, why) = (self.field("expect"), self.field("why"));
            let what = if calm.verdict == Verdict::Contained { "DANGEROUS" } else { "wrong" };
            return Some(format!("{what} {}: expected {expected} ({why}), got {calm:?}", self.name));
        }
        replaced.fetch_add(usize::from(self.make_hostile(hostility)), Ordering::Relaxed);
        let hostile = self.ask(&hostility.context);
        let document = |answer: &ContentMerged| serde_json::to_string(answer).expect("a document");
        let same = document(&calm) == document(&hostile);
        (!same).then(|| format!("changed by settings {}: {}\n    {}", self.name, document(&calm), document(&hostile)))
    }

    fn ask(&self, context: &Context) -> ContentMerged {
        let base = Some(self.field("base")).filter(|base| !base.is_empty());
        let options = Options {
            project_root: Some(self.repository.clone()),
            commit: self.field("head").to_owned(),
            candidate: self.field("cand").to_owned(),
            base: base.map(str::to_owned),
            ..Options::default()
        };
        run(context, &options).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn is_right(&self, answer: &ContentMerged) -> bool {
        match self.field("expect").split(' ').next().unwrap_or_default() {
            "ancestor" => answer.status == Status::Ancestor && answer.verdict == Verdict::Contained,
            "proven-equal" => answer.status == Status::PatchEquivalent && answer.verdict == Verdict::Contained,
            "not-merged" => answer.verdict == Verdict::Absent,
            "needs-human" => answer.verdict == Verdict::Ask,
            other => panic!("{}: no such answer as {other}", self.name),
        }
    }

    /// Turns the repository against the answer; whether commits were replaced too.
    fn make_hostile(&self, hostility: &Hostility) -> bool {
        let info = self.git_folder.join("info");
        fs::create_folder(&info).expect("a folder");
        append(&self.git_folder.join("config"), &hostility.config);
        append(&info.join("attributes"), HOSTILE_ATTRIBUTES);
        append(&info.join("sparse-checkout"), "/nowhere\n");
        let full = |name: &str| {
            let id = self.field(name).to_ascii_lowercase();
            [40, 64].contains(&id.len()).then_some(id)
        };
        let (Some(base), Some(head)) = (full("base"), full("head")) else { return false };
        append(&info.join("grafts"), &format!("{head}\n{base} {head}\n"));
        let replace = self.git_folder.join("refs/replace");
        let candidate = fs::read_text(&self.git_folder.join(self.field("cand"))).map(|id| id.trim().to_owned());
        fs::create_folder(&replace).is_ok()
            && fs::replace(&replace.join(&head), format!("{base}\n").as_bytes()).is_ok()
            && fs::replace(&replace.join(&base), format!("{head}\n").as_bytes()).is_ok()
            && candidate.is_ok_and(|id| {
                !id.is_empty() && fs::replace(&replace.join(&id), format!("{head}\n").as_bytes()).is_ok()
            })
    }
}

fn append(path: &Path, text: &str) {
    let before = fs::read(path).unwrap_or_default();
    fs::replace(path, &[&before, text.as_bytes()].concat()).expect("a file");
}
