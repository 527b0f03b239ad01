//! Guards the house: who may import whom, what has only one home, and the small rules. ARCHITECTURE.md says why.
//!
//! Every rule is a function from a file to what is wrong in it; each was tried by breaking it.

mod commands;
mod imports;
mod prompts;
mod skills;
mod source;

use std::collections::BTreeSet;
use std::path::Path;

use source::{Source, all_sources};

/// Files aim under 300 lines, and end here.
const LONGEST_FILE: usize = 600;

/// What may stand in one room only. Patterns are looked for in the code, not in comments and texts.
///
/// An exception is a file, or a folder, with the one thing that it may do.
const HOMES: &[Home] = &[
    Home { what: "clap", patterns: &["clap::", "use clap"], rooms: &["cli"] },
    Home {
        what: "stdout and stderr",
        patterns: &["println!", "print!", "eprintln!", "eprint!", "stdout()", "stderr()", "dbg!"],
        // It changes flags of the streams, and writes nothing.
        rooms: &["cli", "process/stdio.rs"],
    },
    Home { what: "napi", patterns: &["napi::", "napi_derive", "#[napi", "napi_build"], rooms: &["bindings"] },
    Home { what: "gix", patterns: &["gix::", "use gix", "gix_"], rooms: &["git"] },
    Home { what: "Markdown", patterns: &["pulldown_cmark"], rooms: &["domain/stage_map"] },
    Home { what: "TOML", patterns: &["toml::"], rooms: &["store/config.rs"] },
    Home { what: "minijinja", patterns: &["minijinja"], rooms: &["render"] },
    Home {
        what: "writing files",
        patterns: &[
            "fs::write",
            "fs::rename",
            "fs::copy",
            "fs::remove_",
            "fs::create_dir",
            "fs::hard_link",
            "fs::set_permissions",
            "File::create",
            "OpenOptions",
            "symlink(",
            "tempfile::",
        ],
        rooms: &["fs"],
    },
    Home {
        what: "processes",
        patterns: &["std::process", "process::Command::new", "process::exit", "process::abort", "signal_hook", "ctrlc"],
        rooms: &[
            "process",
            // `ExitCode` is what `main` returns.
            "main.rs",
            // The lock file names the holder's own id.
            "fs/lock.rs",
            // Node's handlers are there, and must make room for the process room's.
            "bindings/run.rs",
        ],
    },
    Home {
        what: "environment and time",
        patterns: &["env::var", "env::current_dir", "env::args", "env::temp_dir", "SystemTime", "Instant"],
        rooms: &["context"],
    },
    Home { what: "unsafe code", patterns: &["unsafe "], rooms: &[] },
    Home { what: "unfinished code", patterns: &["todo!", "unimplemented!"], rooms: &[] },
    Home { what: "allow", patterns: &["#[allow", "#![allow"], rooms: &[] },
];

/// Something, and the rooms in `src/` that may hold it.
struct Home {
    what: &'static str,
    patterns: &'static [&'static str],
    rooms: &'static [&'static str],
}

#[test]
fn imports_go_down() {
    report(all_sources("src").iter().flat_map(imports::wrong_imports));
}

#[test]
fn everything_has_its_only_home() {
    report(all_sources("src").iter().flat_map(|source| HOMES.iter().flat_map(|home| strays(source, home))));
}

fn strays(source: &Source, home: &Home) -> Vec<String> {
    if home.rooms.iter().any(|room| source.is_in(room)) {
        return Vec::new();
    }
    let code = source.production_code();
    let lines = code.lines().enumerate();
    let strays = lines.filter(|(_, line)| home.patterns.iter().any(|pattern| has_word(line, pattern)));
    strays
        .map(|(index, line)| format!("{}:{}: no home of {}: {}", source.path, index + 1, home.what, line.trim()))
        .collect()
}

/// Whether `pattern` stands in `line` and no name runs into it from the left: `xprintln!` is not `println!`.
fn has_word(line: &str, pattern: &str) -> bool {
    line.match_indices(pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !pattern.starts_with(char::is_alphanumeric) || !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[test]
fn the_git_command_is_run_by_the_git_room() {
    let starts_git = |source: &Source| source.without_comments().contains("new(\"git\"");
    let sources = all_sources("src");
    report(
        sources
            .iter()
            .filter(|source| !source.is_in("git") && starts_git(source))
            .map(|source| format!("{}: git is started outside of the git room", source.path)),
    );
}

#[test]
fn error_codes_are_words_of_two_files() {
    let homes = ["ops/error.rs", "cli/failure.rs"];
    let sources = all_sources("src");
    report(sources.iter().filter(|source| !homes.iter().any(|home| source.is_in(home))).flat_map(|source| {
        let lines = source.without_comments().lines().enumerate();
        let codes = lines.filter(|(_, line)| gives_a_code(line));
        codes
            .map(|(index, line)| format!("{}:{}: an error code: {}", source.path, index + 1, line.trim()))
            .collect::<Vec<_>>()
    }));
}

/// Whether a line defines the code of an error, or sets one to a text.
fn gives_a_code(line: &str) -> bool {
    line.contains("fn code(&self) -> &'static str") || line.contains("code: \"")
}

#[test]
fn every_file_begins_with_what_it_is_and_ends_in_time() {
    let sources = ["src", "tests", "benches"].map(all_sources).concat();
    report(sources.iter().flat_map(|source| {
        let lines = source.text.lines().count();
        let opening = !source.text.starts_with("//! ");
        let length = lines > LONGEST_FILE;
        [
            opening.then(|| format!("{}: the first line must say what the file is, with `//! `", source.path)),
            length.then(|| format!("{}: {lines} lines, {LONGEST_FILE} are the most", source.path)),
        ]
        .into_iter()
        .flatten()
    }));
}

#[test]
fn every_allow_in_a_test_is_an_expect() {
    report(all_sources("tests").iter().flat_map(|source| {
        let allows = source.code().contains("#[allow") || source.code().contains("#![allow");
        allows.then(|| format!("{}: write `#[expect(…, reason = …)]`", source.path))
    }));
}

#[test]
fn a_file_named_tests_is_only_built_for_tests() {
    report(all_sources("src").iter().filter(|source| source.is_tests()).filter_map(|source| {
        let folder = root().join(&source.path).parent().unwrap().to_owned();
        let parents = [folder.join("mod.rs"), folder.with_extension("rs")];
        let parent = parents.iter().find(|parent| parent.exists()).unwrap();
        let built = Source::read(parent).code().contains("#[cfg(test)]\nmod tests;");
        (!built).then(|| format!("{}: no `#[cfg(test)] mod tests;` in {}", source.path, parent.display()))
    }));
}

#[test]
fn no_test_module_is_forgotten() {
    let folder = root().join("tests/it");
    report(forgotten(&folder, &folder.join("main.rs")));
}

/// The files beside and below `module`, whose submodules live in `folder`, that no `mod` names.
fn forgotten(folder: &Path, module: &Path) -> Vec<String> {
    let code = Source::read(module).code().to_owned();
    let named: BTreeSet<_> = code
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("pub(crate) ").strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path == module || name == "mod" {
            continue;
        }
        if !named.contains(&name) {
            wrong.push(format!("{}: no `mod {name};` in {}", path.display(), module.display()));
        } else if path.is_dir() {
            let inner = Some(path.join("mod.rs")).filter(|inner| inner.exists());
            wrong.extend(forgotten(&path, &inner.unwrap_or_else(|| path.with_extension("rs"))));
        }
    }
    wrong
}

#[test]
fn every_okstra_line_that_someone_may_copy_parses() {
    report(commands::wrong_commands());
}

#[test]
fn every_prompt_is_embedded_shipped_and_has_a_fixture() {
    report(prompts::wrong_prompts());
}

#[test]
fn every_skill_and_agent_is_embedded_shipped_and_found_by_its_client() {
    report(skills::wrong_skills());
}

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Fails with everything that is wrong, not with the first only.
fn report(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
