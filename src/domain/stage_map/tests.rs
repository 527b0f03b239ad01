//! What is read of a plan, and what each rule refuses.

use std::fmt::Write as _;

use super::*;

/// A good plan of these stages: title, dependencies, files.
fn plan(stages: &[(&str, &str, &str)]) -> String {
    let mut text = String::from(
        "# Log in\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n|--|--|--|--|--|\n",
    );
    for (number, (title, depends_on, files)) in (1..).zip(stages) {
        writeln!(text, "| {number} | {title} | {depends_on} | 2 | {files} |").unwrap();
    }
    for (number, (title, ..)) in (1..).zip(stages) {
        writeln!(
            text,
            "\n## Stage {number}: {title}\n\n### Steps\n\n1. First\n2. Second\n\n### Stage Validation\n\n- pre: `true`\n\
             - post: `cargo test`\n\n### Stage Exit Contract\n\n- It works\n\n### Rollback\n\nRevert it."
        )
        .unwrap();
    }
    text
}

fn two() -> String {
    plan(&[("Users", "(none)", "`src/users.rs`"), ("Login", "1", "`src/login/`, `tests/*.rs`")])
}

/// The violations, each as `rule:line`.
fn broken(text: &str) -> Vec<String> {
    check(text).violations.iter().map(|violation| format!("{}:{}", violation.rule.as_str(), violation.line)).collect()
}

/// The violations of the plan that [`two`] makes with `from`, which must be in it, replaced by `to`.
fn with(from: &str, to: &str) -> Vec<String> {
    let good = two();
    assert!(good.contains(from), "{from}");
    broken(&good.replacen(from, to, 1))
}

#[test]
fn a_good_plan_is_read_whole() {
    let checked = check(&two());
    assert_eq!(checked.violations, []);
    assert_eq!(checked.title.as_deref(), Some("Log in"));
    let stage = &checked.stages[1];
    assert_eq!((stage.stage, stage.title.as_str(), stage.step_count, stage.section_line), (2, "Login", 2, 30));
    assert_eq!((stage.depends_on.as_slice(), stage.files.join(" ")), (&[1][..], "src/login/ tests/*.rs".to_owned()));
    assert_eq!((stage.pre.join(" "), stage.post.join(" ")), ("true".to_owned(), "cargo test".to_owned()));
    assert_eq!(
        (stage.steps.join(" "), stage.exit_contract.join(" ")),
        ("First Second".to_owned(), "It works".to_owned())
    );
    assert_eq!(stage.rollback, "Revert it.");
    assert_eq!((stage.hash.len(), checked.sha256.len()), (64, 64));
    assert_ne!(checked.stages[0].hash, stage.hash);
}

/// What is replaced in a good plan, by what, and what that breaks, as `rule:line`.
type Break = (&'static str, &'static str, &'static [&'static str]);

const BREAKS: &[Break] = &[
    ("## Stage Map", "## Stages", &["S1:1"]),
    ("## Stage Map", "### Stage Map", &["S1:3"]),
    ("## Stage 1: Users", "## Stage Map\n\n## Stage 1: Users", &["S1:10"]),
    ("| stage | title", "| stage | name", &["S1:5"]),
    ("|--|--|--|--|--|\n", "", &["S1:3"]),
    ("step-count | files |", "step-count | title |", &["S1:5", "S1:5"]),
    ("\n## Stage 1:", "\n| a |\n|--|\n\n## Stage 1:", &["S1:10"]),
    (
        "| 1 | Users | (none) |",
        "| 1 | Users | (none) | 2 | `a|b` |\n| 2 | Login |",
        &["S1:7", "S2:9", "S4:8", "S6:8", "S9:7", "S9:8"],
    ),
    ("| 2 | Login", "| 3 | Login", &["S2:8", "S3:8", "S3:30"]),
    ("| 2 | Login", "| 1 | Login", &["S2:8", "S4:8", "S3:10", "S3:30"]),
    ("| 2 | Login", "| two | Login", &["S2:8", "S3:30"]),
    ("| 2 | Login", "| 99999999999 | Login", &["S2:8", "S3:8", "S3:30"]),
    ("## Stage 2: Login", "## Stage 2: Log in", &["S3:30"]),
    ("## Stage 2: Login", "## Stage 2: login", &["S3:30"]),
    ("## Stage 2: Login", "### Stage 2: Login", &["S3:8", "S7:32", "S8:37", "S8:42", "S8:46"]),
    ("## Stage 2: Login", "## Stage 2 - Login", &["S3:8"]),
    ("## Stage 2: Login", "## Stage 1: Users", &["S3:8", "S3:30"]),
    ("| 2 | Login |", "| 2 | |", &["S3:8"]),
    ("| 1 | 2 |", "| none | 2 |", &["S4:8"]),
    ("| 1 | 2 |", "| | 2 |", &["S4:8"]),
    ("| 1 | 2 |", "| 1, | 2 |", &["S4:8"]),
    ("| 1 | 2 |", "| 1, 1 | 2 |", &["S4:8"]),
    ("| 1 | 2 |", "| 2 | 2 |", &["S4:8"]),
    ("| 1 | 2 |", "| 1, 3 | 2 |", &["S4:8"]),
    ("(none) | 2", "2 | 2", &["S5:7"]),
    ("1 | 2 |", "1 | 7 |", &["S6:8", "S7:32"]),
    ("1 | 2 |", "1 | 0 |", &["S6:8", "S7:32"]),
    ("1 | 2 |", "1 | two |", &["S6:8"]),
    ("1 | 2 |", "1 | 3 |", &["S7:32"]),
    ("2. Second\n", "", &["S7:12"]),
    ("1. First\n2. Second\n", "- First\n- Second\n", &["S7:12"]),
    ("### Steps", "#### Steps", &["S7:10"]),
    ("2. Second\n", "2.\n", &["S7:12"]),
    ("2. Second\n", "\n### Steps\n\n2. Second\n", &["S7:16"]),
    ("- post: `cargo test`\n", "", &["S8:17"]),
    ("- post: `cargo test`", "- post: cargo test", &["S8:17", "S8:20"]),
    ("- post: `cargo test`", "- post: `a` and `b`", &["S8:17", "S8:20"]),
    ("- post: `cargo test`", "- after: `a`", &["S8:17", "S8:20"]),
    ("- post: `cargo test`", "- post: ` `", &["S8:17", "S8:20"]),
    ("- pre: `true`", "- pre:\n\n  ```\n  true\n  ```\n", &["S8:19"]),
    ("### Stage Validation", "### Validation", &["S8:10"]),
    ("- It works", "", &["S8:22"]),
    ("- It works", "<!-- later -->", &["S8:22"]),
    ("### Stage Exit Contract\n", "", &["S8:10", "S8:23"]),
    ("Revert it.", "", &["S8:26"]),
    ("### Rollback\n", "", &["S8:10"]),
    ("`src/users.rs` |", "src/users.rs |", &["S9:7"]),
    ("`src/users.rs` |", "`../users.rs`, `a` `b` |", &["S9:7"]),
];

#[test]
fn each_rule_refuses_what_it_names() {
    for (from, to, expected) in BREAKS {
        let mut expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        let mut found = with(from, to);
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{from:?} -> {to:?}");
    }
}

#[test]
fn numbers_are_expected_after_the_row_above() {
    let numbers = |numbers: &[&str]| {
        let text = plan(&vec![("T", "(none)", "`a`"); numbers.len()]);
        let renumber = |text: String, (place, number): (usize, &&str)| {
            text.replacen(&format!("| {} | T", place + 1), &format!("| {number} | T"), 1)
        };
        // From the last, so that no row is taken for another.
        let text = numbers.iter().enumerate().rev().fold(text, renumber);
        let all = check(&text).violations.into_iter().filter(|violation| violation.rule == Rule::S2);
        all.map(|violation| violation.line).collect::<Vec<_>>()
    };
    let cases: [(&[&str], &[usize]); 6] = [
        (&["1", "2", "3"], &[]),
        (&["1", "3", "4"], &[8]),
        (&["1", "1", "2"], &[8]),
        (&["2", "3", "4"], &[7]),
        (&["1", "x", "3"], &[8]),
        (&["3", "2", "1"], &[7, 8, 9]),
    ];
    for (given, lines) in cases {
        assert_eq!(numbers(given), lines, "{given:?}");
    }
}

#[test]
fn every_violation_is_told_with_its_mending_in_the_order_of_lines() {
    let text = two()
        .replace("| 1 | 2 |", "| 1 | 9 |")
        .replace("`src/users.rs`", "`/users.rs`")
        .replace("- post: `cargo test`\n", "");
    let violations = check(&text).violations;
    let lines: Vec<_> = violations.iter().map(|violation| violation.line).collect();
    assert!(lines.is_sorted() && violations.len() == 5, "{violations:#?}");
    assert!(violations.iter().all(|violation| !violation.message.is_empty() && !violation.mend.is_empty()));
    let first = serde_json::to_value(&violations[0]).unwrap();
    let expected = serde_json::json!({"rule": "S9", "line": 7, "message": "stage 1: `/users.rs` is no path of the project: it is absolute",
        "mend": "write the path from the project root, as in `src/login.rs`"});
    assert_eq!(first, expected);
}

#[test]
fn messages_name_what_a_person_needs() {
    let said = |from: &str, to: &str| check(&two().replacen(from, to, 1)).violations.remove(0).message;
    assert_eq!(
        said("## Stage 2: Login", "## Stage 2 - Login"),
        "stage 2 has no section; line 30 has `## Stage 2 - Login`"
    );
    assert_eq!(said("## Stage Map", "# Stage Map"), "there is no section `## Stage Map`; line 3 has `# Stage Map`");
    assert_eq!(said("(none) | 2", "2 | 2"), "stages wait for one another: 1 → 2 → 1");
    assert_eq!(said("| 1 | 2 |", "| 1, 1 | 2 |"), "stage 2 depends on stage 1 twice");
    assert_eq!(said("| 1 | 2 |", "| 3 | 2 |"), "stage 2 depends on stage 3, which is not in the Stage Map");
    assert_eq!(said("2. Second\n", ""), "stage 1 has one step, and its row on line 7 says 2");
    let side_by_side = plan(&[("A", "(none)", "`src/*.rs`"), ("B", "(none)", "`src/login.rs`")]);
    let message = &check(&side_by_side).violations[0].message;
    assert_eq!(
        message,
        "stages 1 and 2 could run side by side, and `src/*.rs` and `src/login.rs` both match `src/login.rs`"
    );
}

#[test]
fn stages_collide_unless_one_waits_for_the_other() {
    type Stages = &'static [(&'static str, &'static str)];
    let cases: [(Stages, &[&str]); 9] = [
        (&[("(none)", "`a`"), ("(none)", "`b`")], &[]),
        (&[("(none)", "`a`"), ("(none)", "`a`")], &["S9:8"]),
        (&[("(none)", "`a`"), ("1", "`a`")], &[]),
        (&[("(none)", "`a`"), ("1", "`b`"), ("2", "`a`")], &[]),
        (&[("(none)", "`a`"), ("1", "`b`"), ("1", "`b`")], &["S9:9"]),
        (&[("(none)", "`a/`"), ("(none)", "`a`")], &["S9:8"]),
        (&[("(none)", "`a/b`"), ("(none)", "`a`")], &["S9:8"]),
        (&[("(none)", "`ab`"), ("(none)", "`a`")], &[]),
        (&[("(none)", "`a`, `*.x`, `b`"), ("(none)", "`b`, `c.x`, `a`"), ("(none)", "`z`")], &["S9:8"]),
    ];
    for (stages, expected) in cases {
        let stages: Vec<_> = stages.iter().map(|(depends_on, files)| ("T", *depends_on, *files)).collect();
        assert_eq!(broken(&plan(&stages)), expected, "{stages:?}");
    }
}

#[test]
fn markdown_is_read_as_markdown() {
    let table = "| stage | title | depends-on | step-count | files |\n|--|--|--|--|--|\n";
    let section = "## Stage 2: Login";
    let good: [(&str, &str); 22] = [
        // The columns, in any order and with others between them.
        (table, "| Stage | **title** | depends-on | `step-count` | files |\n| :-- | --: | :-: | - | - |\n"),
        // Tables and headings that are none of the plan's.
        ("# Log in\n", "# Log in\n\n| stage | title |\n|--|--|\n| 9 | x |\n"),
        ("# Log in\n", "# Log in\n\n```\n## Stage Map\n## Stage 9: x\n```\n"),
        ("# Log in\n", "# Log in\n\n    ## Stage Map\n"),
        ("# Log in\n", "# Log in\n\n> ## Stage Map\n>\n> ## Stage 9: x\n"),
        ("# Log in\n", "# Log in\n\n- ## Stage Map\n\n  ## Stage 9: x\n"),
        ("# Log in\n", "# Log in\n\n<!--\n## Stage Map\n\n## Stage 9: x\n-->\n"),
        ("# Log in\n", "# Log in\n\n~~~text\n| stage | title | depends-on | step-count | files |\n~~~\n"),
        (table, &format!("```\n{table}```\n\n> | stage |\n> |--|\n\n{table}")),
        // Headings in every form, and with markup.
        (section, "## Stage 2: Login ##"),
        (section, "   ##  Stage  2:  Login"),
        (section, "Stage 2: Login\n---"),
        (section, "## **Stage 2**: `Login`"),
        (section, "## STAGE 2: Login"),
        ("## Stage Map", "Stage Map\n---------"),
        ("### Stage Exit Contract", "### stage exit contract ###"),
        ("### Rollback\n", "Some words.\n\n### Rollback\n\n#### In detail\n"),
        // Titles as text.
        ("| Login |", "| *Lo*gin |"),
        ("| Login |", "| Login&#32; |"),
        // Lists.
        (
            "1. First\n2. Second\n",
            "1) [ ] First\n   - of these\n   - and 1. those\n\n     ```\n     1. x\n     ```\n\n2) [x] Second\n",
        ),
        ("1. First\n2. Second\n", "3. First\n\nThen:\n\n4. Second\n"),
        ("- post: `cargo test`", "* **Post**: ``echo `x` `` prints x"),
    ];
    for (from, to) in good {
        assert_eq!(with(from, to), [] as [&str; 0], "{from:?} -> {to:?}");
    }
    for text in [two().replace('\n', "\r\n"), two().replace('\n', "\r"), format!("\u{feff}{}", two())] {
        let checked = check(&text);
        assert_eq!(checked.violations, []);
        assert_eq!((checked.stages[1].section_line, checked.title.as_deref()), (30, Some("Log in")));
    }
}

#[test]
fn cells_are_read_as_tables_have_them() {
    let files = |cell: &str| {
        let checked = check(&plan(&[("T", "(none)", cell)]));
        (checked.stages[0].files.join(" + "), checked.violations.len())
    };
    let cases = [
        ("`a`", "a", 0),
        ("`a`,`b` , `c/`", "a + b + c/", 0),
        (r"`a\|b`", "a|b", 0),
        ("`` a`b ``", "a`b", 0),
        ("`日本/*.rs`", "日本/*.rs", 0),
        (r"`a\b`", r"a\b", 1),
        ("", "", 1),
        ("`a`, ", "", 1),
        ("`a` `b`", "", 1),
        ("`a`, b", "", 1),
        ("**`a`**", "a", 0),
        ("`a, b`", "a, b", 1),
    ];
    for (cell, expected, wrong) in cases {
        assert_eq!(files(cell), (expected.to_owned(), wrong), "{cell}");
    }
    let odd = "## Stage Map\n\nfiles|note|step-count|depends-on|title|stage\n-|-|-|-|-|-\n`x\\|y`|n \\| m|2|(none)|A \\| B|1\n";
    let stage = check(odd).stages.remove(0);
    assert_eq!((stage.title.as_str(), stage.files[0].as_str(), stage.step_count), ("A | B", "x|y", 2));
}

#[test]
fn steps_commands_and_the_rest_keep_their_markdown() {
    let text = two().replacen(
        "1. First\n2. Second\n",
        "1. Add `login`:\n   - [ ] the form\n     in HTML\n\n   and more\n2. [x] Test\n   it\n",
        1,
    );
    let text = text.replacen("- It works", "The stage is done when\n\n- [ ] all *tests* pass\n- nothing else", 1);
    let text = text.replacen("Revert it.", "1. `git revert`\n2. tell\n\n> all", 1);
    let checked = check(&text);
    assert_eq!(checked.violations, []);
    let stage = &checked.stages[0];
    assert_eq!(stage.steps, ["Add `login`:\n- [ ] the form\n  in HTML\n\nand more", "Test\nit"]);
    assert_eq!(stage.exit_contract, ["all *tests* pass", "nothing else"]);
    assert_eq!(stage.rollback, "1. `git revert`\n2. tell\n\n> all");
    let prose = check(&two().replacen("- It works", "All tests\npass.\n\nAnd so on.", 1));
    assert_eq!(prose.stages[0].exit_contract, ["All tests\npass.", "And so on."]);
}

#[test]
fn a_hash_changes_with_row_and_section_and_with_nothing_else() {
    let hashes = |text: &str| -> Vec<String> { check(text).stages.into_iter().map(|stage| stage.hash).collect() };
    let before = hashes(&two());
    let same: [&dyn Fn(String) -> String; 8] = [
        &|text| text.replace('\n', "\r\n"),
        &|text| text.replace("| 2 |", "|   2|").replace("|--|--|", "| :---: |----|"),
        &|text| text.replace("\n## Stage 2", "\n\n \n## Stage 2") + "\n\n",
        &|text| format!("\u{feff}{text}\n# Notes\n\nMore.\n"),
        &|text| text.replace("# Log in\n", "# Another\n\nIt was talked over.\n"),
        &|text| text.replace("| stage | title |", "| Stage | `title` |"),
        &|text| text.trim_end().to_owned(),
        &|text| {
            let swapped = |line: &str| {
                let mut cells: Vec<_> = line.split('|').collect();
                if cells.len() == 7 {
                    cells.swap(1, 2);
                }
                cells.join("|")
            };
            text.lines().map(swapped).collect::<Vec<_>>().join("\n")
        },
    ];
    for (index, change) in same.iter().enumerate() {
        assert_eq!(hashes(&change(two())), before, "{index}");
    }
    let first = [
        ("| 1 | Users | (none) |", "| 1 | Users | (None) |"),
        ("1. First", "1.  First"),
        ("- It works", "- It works!"),
        ("`src/users.rs`", "`src/user.rs`"),
    ];
    for (from, to) in first {
        let after = hashes(&two().replacen(from, to, 1));
        assert!(after[0] != before[0] && after[1] == before[1], "{from}");
    }
    // A row and a section cannot be mistaken for one another.
    let moved = hashes(&two().replace("| 1 | 2 | `src/login/`, `tests/*.rs` |", "| 1 | 2 | `src/login/` |"));
    assert_ne!(moved[1], before[1]);
    // What another column says belongs to the row.
    let with_column = |note: &str| {
        two()
            .replace(" files |\n|--|", " files | note |\n|--|--|")
            .replace("`src/users.rs` |", &format!("`src/users.rs` | {note} |"))
    };
    let (one, other) = (hashes(&with_column("by Ann")), hashes(&with_column("by Bob")));
    assert!(one[0] != other[0] && one[1] == other[1]);
    assert_ne!(check(&two()).sha256, check(&two().replace('\n', "\r\n")).sha256);
}

#[test]
fn a_hash_is_what_its_definition_says() {
    use sha2::Digest as _;
    let text = "## Stage Map\n\n| note | stage | title | depends-on | step-count | files |\n|-|-|-|-|-|-|\n| n | 1 | T | (none) | 1 | `a` |\n\n## Stage 1: T\n\nx  \r\n\n \n";
    let bytes = "6\nstage\n1\ntitle\nT\ndepends-on\n(none)\nstep-count\n1\nfiles\n`a`\nnote\nn\n## Stage 1: T\n\nx  \n";
    let digest = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(check(text).stages[0].hash, digest);
}
