//! What becomes of each file, as a table, and as a property over any history of installing, editing and killing.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn wanted(path: &str, sha256: &str) -> Wanted {
    Wanted { path: path.to_owned(), kind: Kind::Skill, sha256: sha256.to_owned(), executable: false }
}

fn file(sha256: &str) -> Found {
    Found::File { sha256: sha256.to_owned(), executable: false }
}

fn recorded(sha256: &str) -> Recorded {
    Recorded { sha256: sha256.to_owned(), journal: None }
}

fn pending(sha256: &str, before: Option<&str>) -> Recorded {
    Recorded { sha256: sha256.to_owned(), journal: Some(Journal { before: before.map(str::to_owned) }) }
}

fn facts(files: &[(&str, &str)], records: &[(&str, Recorded)], found: &[(&str, Found)]) -> Facts {
    Facts {
        wanted: files.iter().map(|(path, sha256)| wanted(path, sha256)).collect(),
        recorded: records.iter().map(|(path, recorded)| ((*path).to_owned(), recorded.clone())).collect(),
        found: found.iter().map(|(path, found)| ((*path).to_owned(), found.clone())).collect(),
    }
}

/// One line for each file: what happens, where, and what is offered or written beside.
fn told(facts: &Facts) -> Vec<String> {
    let plan = plan(facts);
    let steps = plan.steps.iter().map(|step| {
        let offered = step.offered.as_ref().map(|path| format!(" +{path}")).unwrap_or_default();
        format!("{:?} {}{offered}", step.action, step.path)
    });
    steps.collect()
}

/// A name, what is recorded, what is found, and what happens.
type Case<'c> = (&'c str, &'c [(&'c str, Recorded)], &'c [(&'c str, Found)], &'c [&'c str]);

#[test]
fn every_file_has_one_fate() {
    let new = &[("f", "2")];
    let cases: [Case<'_>; 19] = [
        ("nothing there", &[], &[], &["Create f"]),
        ("there already, the same", &[], &[("f", file("2"))], &["Unchanged f"]),
        ("there before okstra", &[], &[("f", file("u"))], &["Keep f +f.new"]),
        ("a link", &[("f", recorded("1"))], &[("f", Found::Other)], &["Keep f +f.new"]),
        ("of the version before", &[("f", recorded("1"))], &[("f", file("1"))], &["Update f"]),
        ("changed since the version before", &[("f", recorded("1"))], &[("f", file("u"))], &["Keep f +f.new"]),
        ("changed in this version", &[("f", recorded("2"))], &[("f", file("u"))], &["Keep f"]),
        ("removed by somebody", &[("f", recorded("2"))], &[], &["Create f"]),
        (
            "offered and still there",
            &[("f", recorded("1")), ("f.new", recorded("2"))],
            &[("f", file("u")), ("f.new", file("2"))],
            &["Keep f"],
        ),
        ("offered and dealt with", &[("f", recorded("1")), ("f.new", recorded("2"))], &[("f", file("u"))], &["Keep f"]),
        (
            "offered before, and newer now",
            &[("f", recorded("0")), ("f.new", recorded("1"))],
            &[("f", file("u")), ("f.new", file("1"))],
            &["Keep f +f.new"],
        ),
        (
            "offered before, dealt with, and newer now",
            &[("f", recorded("0")), ("f.new", recorded("1"))],
            &[("f", file("u"))],
            &["Keep f +f.new"],
        ),
        (
            "taken over by hand",
            &[("f", recorded("1")), ("f.new", recorded("2"))],
            &[("f", file("2")), ("f.new", file("2"))],
            &["Unchanged f", "Remove f.new"],
        ),
        ("somebody's own .new", &[("f", recorded("1"))], &[("f", file("u")), ("f.new", file("v"))], &["Keep f"]),
        ("killed before it was written", &[("f", pending("2", Some("1")))], &[("f", file("1"))], &["Update f"]),
        ("killed after it was written", &[("f", pending("2", Some("1")))], &[("f", file("2"))], &["Unchanged f"]),
        ("killed before it was made", &[("f", pending("2", None))], &[], &["Create f"]),
        (
            "killed before it was offered",
            &[("f", recorded("1")), ("f.new", pending("2", None))],
            &[("f", file("u"))],
            &["Keep f +f.new"],
        ),
        (
            "no longer shipped: untouched, changed, gone",
            &[("a", recorded("1")), ("b", recorded("1")), ("c", recorded("1"))],
            &[("a", file("1")), ("b", file("u")), ("f", file("2"))],
            &["Unchanged f", "Remove a", "Keep b"],
        ),
    ];
    for (name, records, found, expected) in cases {
        assert_eq!(told(&facts(new, records, found)), expected, "{name}");
    }
}

#[test]
fn an_executable_that_cannot_be_started_is_written_anew() {
    let program = Wanted { executable: true, ..wanted("bin/okstra", "2") };
    for (executable, action) in [(true, Action::Unchanged), (false, Action::Update)] {
        let found = Found::File { sha256: "2".to_owned(), executable };
        let mut facts = facts(&[], &[], &[("bin/okstra", found)]);
        facts.wanted = vec![program.clone()];
        assert_eq!(plan(&facts).steps[0].action, action);
    }
}

#[test]
fn taking_out_removes_what_is_as_it_was_written() {
    let records = [("a", recorded("1")), ("b", recorded("1")), ("c", recorded("1")), ("d", pending("2", Some("1")))];
    let found = [("a", file("1")), ("b", file("u")), ("d", file("1")), ("other", file("1"))];
    let Facts { recorded, found, .. } = facts(&[], &records, &found);
    let steps = plan_removal(&recorded, &found);
    let told: Vec<_> = steps.iter().map(|step| (step.path.as_str(), step.action)).collect();
    assert_eq!(told, [("a", Removal::Remove), ("b", Removal::Keep), ("d", Removal::Remove)]);
}

/// A disk, and what is recorded on it.
#[derive(Clone, Debug, Default)]
struct World {
    files: BTreeMap<String, String>,
    recorded: BTreeMap<String, Recorded>,
}

/// Something that happens.
#[derive(Clone, Debug)]
enum Happening {
    /// okstra of this version is installed, and killed after so many steps.
    Install(usize, Option<usize>),
    /// Somebody writes a file.
    Edit(usize),
    /// Somebody removes a file.
    Lose(usize),
    /// Somebody puts okstra's offered file in the place of theirs.
    Take(usize),
    /// okstra is taken out, and killed after so many steps.
    Uninstall(Option<usize>),
}

const PATHS: [&str; 3] = ["a", "b", "c"];
/// What each version ships: a digit is a content.
const VERSIONS: [[&str; 3]; 3] = [["1", "1", ""], ["2", "1", "1"], ["3", "", "1"]];

impl World {
    fn facts(&self, version: usize) -> Facts {
        let files = PATHS.iter().zip(VERSIONS[version]).filter(|(_, content)| !content.is_empty());
        Facts {
            wanted: files.map(|(path, content)| wanted(path, content)).collect(),
            recorded: self.recorded.clone(),
            found: self.files.iter().map(|(path, content)| (path.clone(), file(content))).collect(),
        }
    }

    /// Does it as the operation does: the journal, the writes, the removals, the record.
    fn install(&mut self, version: usize, killed: Option<usize>) {
        let facts = self.facts(version);
        let plan = plan(&facts);
        let mut steps = 0..killed.unwrap_or(usize::MAX);
        let mut goes_on = || steps.next().is_some();
        if !goes_on() {
            return;
        }
        self.recorded = plan.journal(&facts);
        for write in &plan.writes {
            if !goes_on() {
                return;
            }
            let content = facts.wanted.iter().find(|wanted| wanted.path == write.content_of).unwrap().sha256.clone();
            let old = self.files.insert(write.path.clone(), content);
            assert_eq!(old, write.before);
            assert!(old.is_none_or(|old| !old.starts_with('u')), "somebody's {} was written over", write.path);
        }
        for step in plan.steps.iter().filter(|step| step.action == Action::Remove) {
            if !goes_on() {
                return;
            }
            let old = self.files.remove(&step.path).unwrap();
            assert!(!old.starts_with('u'), "somebody's {} was removed", step.path);
        }
        if goes_on() {
            self.recorded = plan.record;
        }
    }

    fn uninstall(&mut self, killed: Option<usize>) {
        let found = self.files.iter().map(|(path, content)| (path.clone(), file(content))).collect();
        let mut steps = 0..killed.unwrap_or(usize::MAX);
        for step in plan_removal(&self.recorded, &found) {
            if steps.next().is_none() {
                return;
            }
            if step.action == Removal::Remove {
                assert!(!self.files.remove(&step.path).unwrap().starts_with('u'));
            }
        }
        if steps.next().is_some() {
            self.recorded.clear();
        }
    }
}

fn happening() -> impl Strategy<Value = Happening> {
    let killed = || proptest::option::of(0_usize..6);
    prop_oneof![
        3 => (0..VERSIONS.len(), killed()).prop_map(|(version, killed)| Happening::Install(version, killed)),
        2 => (0..PATHS.len()).prop_map(Happening::Edit),
        1 => (0..PATHS.len()).prop_map(Happening::Lose),
        1 => (0..PATHS.len()).prop_map(Happening::Take),
        1 => killed().prop_map(Happening::Uninstall),
    ]
}

proptest! {
    #[test]
    fn nobodys_work_is_lost_and_the_end_is_always_the_same(
        happenings in proptest::collection::vec(happening(), 0..12),
        last in 0..VERSIONS.len(),
    ) {
        let (mut world, mut taken) = (World::default(), BTreeSet::new());
        for (number, happening) in happenings.into_iter().enumerate() {
            match happening {
                Happening::Install(version, killed) => world.install(version, killed),
                Happening::Edit(path) => {
                    world.files.insert(PATHS[path].to_owned(), format!("u{number}"));
                }
                Happening::Lose(path) => {
                    world.files.remove(PATHS[path]);
                }
                Happening::Take(path) => {
                    if let Some(offered) = world.files.remove(&format!("{}{OFFERED}", PATHS[path])) {
                        world.files.insert(PATHS[path].to_owned(), offered);
                        taken.insert(PATHS[path]);
                    }
                }
                Happening::Uninstall(killed) => world.uninstall(killed),
            }
        }
        world.install(last, None);
        let done = world.clone();
        // Every file of this version is there, unless somebody's stands in its place, and nothing older is left.
        for (path, content) in PATHS.iter().zip(VERSIONS[last]) {
            let found = world.files.get(*path).map_or("", String::as_str);
            // What somebody has put there by hand is theirs once okstra no longer ships it, or was taken out.
            let by_hand = taken.contains(path);
            prop_assert!(found.starts_with('u') || found == content || by_hand, "{path}: {found} {content}");
            let offered = world.files.get(&format!("{path}{OFFERED}"));
            prop_assert!(offered.is_none_or(|offered| offered == content), "{path}: {offered:?}");
        }
        // Once more changes nothing.
        let again = plan(&world.facts(last));
        prop_assert!(again.is_empty(), "{again:?}");
        prop_assert_eq!(&again.record, &world.recorded);
        // Taking it out leaves what is somebody's, and nothing else.
        world.uninstall(None);
        let is_theirs = |path: &String, content: &String| content.starts_with('u') || !done.recorded.contains_key(path);
        let theirs: BTreeMap<_, _> = done.files.clone().into_iter().filter(|(path, content)| is_theirs(path, content)).collect();
        prop_assert_eq!(world.files, theirs);
    }
}
