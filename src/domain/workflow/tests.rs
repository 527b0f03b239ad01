//! Texts that agree with the program, and texts that do not.

use super::*;

fn document(path: &str, text: &str) -> Document {
    Document { path: path.to_owned(), text: text.to_owned() }
}

/// What is found, as `rule line`, when every command that begins with `okstra no` is refused.
fn found(documents: &[Document]) -> Vec<String> {
    let refusal = |command: &Command| command.text.starts_with("okstra no").then(|| "no such command".to_owned());
    let findings = check(documents, &refusal);
    findings.iter().map(|finding| format!("{} {}", finding.rule.as_str(), finding.line)).collect()
}

const SKILL: &str = "---\nname: okstra-x\ndescription: Use when asked.\n---\n\n# X\n";

#[test]
fn what_clients_accept_of_a_skill() {
    let cases: [(&str, &str, &[&str]); 13] = [
        ("skills/okstra-x/SKILL.md", SKILL, &[]),
        ("agents/okstra-x.md", SKILL, &[]),
        ("skills/okstra-y/SKILL.md", SKILL, &["front-matter 2"]),
        ("agents/okstra-y.md", SKILL, &["front-matter 2"]),
        ("skills/okstra-x/SKILL.md", "# X\n", &["front-matter 1"]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\n", &["front-matter 1"]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\n---\n", &["front-matter 1"]),
        ("skills/okstra-x/SKILL.md", "---\ndescription: Use it.\n---\n", &["front-matter 1"]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\ndescription:\n---\n", &["front-matter 3"]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\ndescription: Use: now\n---\n", &["front-matter 3"]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\ndescription: \"Use: now\"\n---\n", &[]),
        ("skills/okstra-x/SKILL.md", "---\nname: okstra-x\ndescription: A\ncolour: red\n---\n", &["front-matter 4"]),
        // What no client reads has none.
        ("skills/okstra-x/references/y.md", "# Y\n", &[]),
    ];
    for (path, text, expected) in cases {
        assert_eq!(found(&[document(path, text)]), expected, "{path}\n{text}");
    }
    let long = SKILL.replace("Use when asked.", &"x".repeat(151));
    assert_eq!(found(&[document("skills/okstra-x/SKILL.md", &long)]), ["front-matter 3"]);
    assert_eq!(
        found(&[document("skills/okstra-x/SKILL.md", &SKILL.replace("Use when asked.", &"x".repeat(150)))]),
        [] as [&str; 0]
    );
}

#[test]
fn no_text_is_longer_than_its_reader_bears() {
    let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
    for (path, start, most) in [
        ("skills/okstra-x/SKILL.md", SKILL, 498),
        ("skills/okstra-x/references/y.md", "", 800),
        ("prompts/lead.md", "", 900),
        ("prompts/workers/x.md", "{% include \"lead.md\" %} {{ a.b | c }} ", 299),
    ] {
        let lead = document("prompts/lead.md", "");
        let others: &[Document] = if path == "prompts/lead.md" { &[] } else { std::slice::from_ref(&lead) };
        let with = |count| [others, &[document(path, &format!("{start}{}", words(count)))]].concat();
        assert_eq!(found(&with(most)), [] as [&str; 0], "{path}");
        assert_eq!(found(&with(most + 1)), ["budget 1"], "{path}");
    }
    let many: Vec<_> = (0..60)
        .map(|number| {
            let text = format!("---\nname: s{number}\ndescription: {}\n---\n", "x".repeat(140));
            document(&format!("skills/s{number}/SKILL.md"), &text)
        })
        .collect();
    assert_eq!(found(&many), ["budget 1"]);
    assert_eq!(found(&many[..57]), [] as [&str; 0]);
}

#[test]
fn commands_are_found_and_read() {
    let text = "okstra not-code, `okstra content-merged` a name, `okstra no` none\n```\n$ okstra --version # comment\nA=1 npx -y okstra@latest content-merged \\\n  \
                --commit 1a2b3c4d --candidate main | jq\nokstra content-merged …\nokstra no --stage <N>\nother okstra x\n```\n```text\nokstra  ask: printed\n```\n";
    let found: Vec<_> = commands(text);
    let told = |command: &Command| (command.line, command.words.join(" "), command.is_whole);
    assert_eq!(
        found.iter().map(told).collect::<Vec<_>>(),
        [
            (1, "okstra content-merged".to_owned(), false),
            (1, "okstra no".to_owned(), false),
            (3, "okstra --version".to_owned(), true),
            (5, "okstra content-merged --commit 1a2b3c4d --candidate main".to_owned(), true),
            (6, "okstra content-merged".to_owned(), false),
            (7, "okstra no --stage 1".to_owned(), true),
        ]
    );
    let template = commands("`okstra stage done --task {{ task }} --stage <N> [--carry FILE]`");
    assert_eq!(template[0].words.join(" "), "okstra stage done --task group/task --stage 1 --carry FILE");
    assert_eq!(super::tests::found(&[document("prompts/lead.md", text)]), ["command 1", "command 7"]);
}

#[test]
fn every_file_that_is_named_is_shipped() {
    let skill = document(
        "skills/okstra-x/SKILL.md",
        &format!("{SKILL}See `references/a.md`, `references/b.md`.\n`prompts/c.md`\n"),
    );
    assert_eq!(found(std::slice::from_ref(&skill)), ["reference 7", "reference 7", "reference 8"]);
    let there = ["skills/okstra-x/references/a.md", "skills/okstra-x/references/b.md", "prompts/c.md"];
    let there = there.map(|path| document(path, "{% include \"c.md\" %}\n"));
    assert_eq!(found(&[&[skill][..], &there].concat()), [] as [&str; 0]);
    assert_eq!(
        found(&[document(
            "prompts/d.md",
            "x\n{% include \"e.md\" %}\n`references/a.md` `<name>.md`\n{% include \"f/\" ~ g %}\n"
        )]),
        ["reference 2"]
    );
}

#[test]
fn a_rule_stands_in_one_place() {
    let rule = "A person decides which ref is recorded, and nobody else does.";
    let one = document("prompts/a.md", &format!("# A\n\n{rule} Short.\n"));
    let other =
        document("prompts/b.md", "- a person decides which **ref** is\n  recorded, and nobody else does. Short.\n");
    assert_eq!(found(&[one.clone(), other]), ["repetition 2"]);
    let code = document("prompts/b.md", &format!("```\n{rule}\n```\n| {rule} |\n"));
    assert_eq!(found(&[one, code]), [] as [&str; 0]);
}
