//! Everything that may speak to git, turned against it: settings, attributes, environment.

use std::path::Path;

use okstra::context::{Context, Environment};
use okstra::fs;
use okstra::process::Command;

/// Settings by which git itself would diff, merge, show or read otherwise. `CANARY` is a program that must never run.
const HOSTILE_CONFIG: &str = r#"
[core]
	autocrlf = true
	eol = crlf
	safecrlf = true
	ignoreCase = true
	fileMode = false
	symlinks = false
	bigFileThreshold = 1
	abbrev = 4
	quotePath = false
	useReplaceRefs = true
	attributesFile = ATTRIBUTES
	fsmonitor = CANARY
	hooksPath = HOOKS
	sshCommand = CANARY
	pager = CANARY
	editor = CANARY
	commitGraph = false
	multiPackIndex = false
	deltaBaseCacheLimit = 1
	packedGitLimit = 64k
	packedGitWindowSize = 64k
	sparseCheckout = true
	untrackedCache = true
	notesRef = refs/heads/main
	whitespace = trailing-space,space-before-tab
	logAllRefUpdates = always
	checkStat = minimal
	alternateRefsCommand = CANARY
	gitProxy = CANARY
[merge]
	default = bad
	conflictStyle = diff3
	renames = false
	renameLimit = 1
	directoryRenames = true
	renormalize = true
	ff = only
	log = true
	verbosity = 5
	tool = bad
[merge "ours"]
	driver = true
[merge "bad"]
	driver = CANARY
	recursive = bad
[diff]
	algorithm = minimal
	renames = false
	renameLimit = 1
	external = CANARY
	context = 0
	interHunkContext = 99
	noprefix = true
	mnemonicPrefix = true
	ignoreSubmodules = all
	indentHeuristic = false
	orderFile = nowhere
	relative = true
	submodule = log
	suppressBlankEmpty = true
	wsErrorHighlight = all
	colorMoved = zebra
	wordRegex = .
[diff "bad"]
	textconv = CANARY
	binary = true
	command = CANARY
	cachetextconv = true
[filter "x"]
	clean = CANARY
	smudge = CANARY
	process = CANARY
	required = true
[log]
	follow = true
	showSignature = true
	mailmap = true
	date = relative
[color]
	ui = always
[format]
	pretty = oneline
[i18n]
	commitEncoding = UTF-16
	logOutputEncoding = UTF-16
[submodule]
	recurse = true
[rerere]
	enabled = true
	autoUpdate = true
[gc]
	auto = 1
	pruneExpire = now
[gitoxide "core"]
	useNsec = true
[gitoxide "objects"]
	noReplace = false
	replaceRefBase = refs/heads/
	cacheLimit = 1
"#;

/// Attributes by which git would not diff, or merge otherwise.
pub(super) const HOSTILE_ATTRIBUTES: &str = "* merge=ours -diff text eol=crlf filter=x ident working-tree-encoding=UTF-16\n\
    *.py merge=bad diff=bad\n* -merge whitespace=cr-at-eol export-subst\n* binary\n* merge=union conflict-marker-size=3\n";

/// A hostile machine, and what to write into a repository's own settings.
pub(super) struct Hostility {
    pub(super) context: Context,
    pub(super) config: String,
}

impl Hostility {
    /// Makes the machine's files in `folder`; a program that runs leaves the file `ran` there.
    pub(super) fn prepare(folder: &Path) -> Self {
        fs::create_folder(&folder.join("hooks")).expect("a folder");
        let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let canary = place("canary.sh");
        let script = format!("#!/bin/sh\n: > '{}'\ncat\n", place("ran"));
        fs::replace(Path::new(&canary), script.as_bytes()).expect("a script");
        let machine = Context::from_process();
        Command::new("chmod").args(["755", &canary]).check(&machine).expect("chmod");
        fs::replace(&folder.join("attributes"), HOSTILE_ATTRIBUTES.as_bytes()).expect("a file");
        let config = HOSTILE_CONFIG
            .replace("CANARY", &canary)
            .replace("ATTRIBUTES", &place("attributes"))
            .replace("HOOKS", &place("hooks"));
        for name in [".gitconfig", "global", "git/config"] {
            fs::create_folder(&folder.join("git")).expect("a folder");
            fs::replace(&folder.join(name), config.as_bytes()).expect("a file");
        }
        fs::replace(&folder.join("git/attributes"), HOSTILE_ATTRIBUTES.as_bytes()).expect("a file");
        Self { context: Self::context(folder, &canary), config }
    }

    fn context(folder: &Path, canary: &str) -> Context {
        let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let named = [
            ("HOME", folder.to_string_lossy().into_owned()),
            ("XDG_CONFIG_HOME", folder.to_string_lossy().into_owned()),
            ("GIT_CONFIG_GLOBAL", place("global")),
            ("GIT_CONFIG_SYSTEM", place("global")),
            ("GIT_CONFIG", place("global")),
            ("GIT_DIR", place("nowhere")),
            ("GIT_COMMON_DIR", place("nowhere")),
            ("GIT_WORK_TREE", place("nowhere")),
            ("GIT_OBJECT_DIRECTORY", place("nowhere")),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", place("nowhere")),
            ("GIT_INDEX_FILE", place("nowhere")),
            ("GIT_SHALLOW_FILE", place("nowhere")),
            ("GIT_GRAFT_FILE", place("nowhere")),
            ("GIT_CEILING_DIRECTORIES", "/".to_owned()),
            ("GIT_EXTERNAL_DIFF", canary.to_owned()),
            ("GIT_EXEC_PATH", place("nowhere")),
        ];
        let fixed = [
            ("GIT_NAMESPACE", "elsewhere"),
            ("GIT_REPLACE_REF_BASE", "refs/heads/"),
            ("GIT_DEFAULT_HASH", "sha256"),
            ("GIT_DEFAULT_REF_FORMAT", "reftable"),
            ("GIT_DIFF_OPTS", "--unified=0"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_ICASE_PATHSPECS", "1"),
            ("GIT_ATTR_SOURCE", "HEAD"),
            ("GIT_TRACE", "1"),
            ("GIT_CONFIG_PARAMETERS", "'merge.default'='union'"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "merge.default"),
            ("GIT_CONFIG_VALUE_0", "union"),
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANGUAGE", "de"),
        ];
        let fixed = fixed.map(|(name, value)| (name, value.to_owned()));
        let all = named.into_iter().chain(fixed).chain(path_variable());
        Context::new(folder, Environment::from_iter(all))
    }
}

/// What any program needs to be found.
pub(super) fn path_variable() -> [(&'static str, String); 1] {
    let machine = Context::from_process();
    let path = machine.environment().path().unwrap_or_default().to_string_lossy().into_owned();
    [("PATH", path)]
}
