//! Recorded digests, where everything that was recorded is collected: what they find, and what cannot fool them.

use std::io::Write;

use serde_json::{Value, json};

use crate::common::Run;
use crate::common::story::{Story, branch};

type Change = fn(&mut Value);

/// Rewrites the content of the last row.
fn tamper(story: &Story, change: impl FnOnce(&mut Value)) {
    let mut rows = story.rows();
    change(&mut rows.last_mut().unwrap()["content"]);
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    std::fs::write(story.log(), text).unwrap();
}

/// Stage 1, of two commits, rebased; what was recorded is collected.
fn collected() -> Story {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one"), ("b.txt", 3, "two")]);
    story.edit("c.txt", 35, "main moved on");
    story.git(&["rebase", "-q", "main", &branch(1)]);
    story.git(&["checkout", "-q", "main"]);
    story.collect(true);
    story
}

#[test]
fn a_content_that_is_not_ours_proves_nothing_and_harms_nothing() {
    assert_eq!(collected().item(0)["classification"], json!("auto"));
    let changes: [(&str, Change); 9] = [
        ("another version", |content| content["v"] = json!(2)),
        ("no path", |content| content["paths"] = json!([])),
        ("an empty path", |content| content["paths"] = json!(["", "a.txt", "b.txt"])),
        ("odd paths", |content| content["paths"] = json!(["/a.txt", "a.txt/", "a//b", "../a.txt", ".", "a.txt/b.txt"])),
        ("a quote", |content| content["paths"] = json!(["\"", "\"\\777\"", "\"\\u"])),
        ("one path less", |content| content["paths"] = json!(["a.txt"])),
        ("a digest less", |content| content["commits"][1]["change"] = json!("0".repeat(64))),
        ("no text", |content| content["change"] = json!(7)),
        ("no object", |content| *content = json!("content")),
    ];
    for (name, change) in changes {
        let story = collected();
        tamper(&story, |content| {
            content["change"] = json!("f".repeat(64));
            if name != "a digest less" && name != "one path less" {
                content["commits"] = json!([]);
            }
            change(content);
        });
        let item = story.item(2);
        assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("confirm"), &Value::Null), "{name}");
    }
}

#[test]
fn paths_in_another_order_are_the_same_paths() {
    let story = collected();
    tamper(&story, |content| content["paths"] = json!(["b.txt", "a.txt"]));
    assert_eq!(story.item(0)["classification"], json!("auto"));
}

#[test]
fn two_commits_that_make_the_same_change_need_two_landings() {
    // On, off, on again: the first and the third commit are alike.
    let story = Story::new();
    let edits = ["on", "line 3", "on"].map(|text| ("a.txt", 3, text));
    story.stage(1, "main", &[&edits[..], &[("b.txt", 3, "two")]].concat());
    story.git(&["checkout", "-q", "-B", "other", "main"]);
    story.edit("c.txt", 35, "main moved on");
    story.edit("a.txt", 3, "on");
    story.git(&["cherry-pick", &branch(1)]);
    story.edit("a.txt", 3, "line 3");
    story.git(&["branch", "-q", "-f", &branch(1), "other"]);
    story.git(&["checkout", "-q", "main"]);
    story.git(&["branch", "-q", "-D", "other"]);
    story.collect(true);
    assert_eq!(story.item(2)["classification"], json!("confirm"));
}

#[test]
fn a_long_history_without_a_base_is_looked_through() {
    let story = Story::new();
    story.stage(1, "main", &[("a.txt", 3, "one")]);
    // Base and head are gone, and main has touched the file thousands of times.
    story.git(&["checkout", "-q", "--orphan", "fresh", "main"]);
    story.git(&["commit", "-q", "-m", "fresh"]);
    let start = std::fs::read_to_string(story.shop.join("a.txt")).unwrap();
    let mut stream = String::new();
    for number in 0..3000 {
        let text = match number {
            2999 => start.replace("line 3\n", "one\n"),
            2998 => start.clone(),
            _ => format!("{number}\n{start}"),
        };
        let parent = if number == 0 { "from refs/heads/fresh^0\n" } else { "" };
        stream += &format!(
            "commit refs/heads/fresh\ncommitter C <c@example.com> {} +0000\ndata 1\n.\n{parent}M 644 inline a.txt\ndata \
             {}\n{text}\n",
            1_800_000_000 + number,
            text.len()
        );
    }
    let mut import = story.sandbox.command("git");
    let mut import = import.current_dir(&story.shop).args(["fast-import", "--quiet", "--force"]).started();
    import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert_eq!(import.ran().code, Some(0));
    for name in ["main", "fix-login"] {
        story.git(&["branch", "-q", "-f", name, "fresh"]);
    }
    story.git(&["branch", "-q", "-D", &branch(1)]);
    story.write_registry(&json!({"implementation_base_commit": story.rev("main")}));
    story.git(&["reset", "-q", "--hard"]);
    story.collect(true);
    let item = story.item(0);
    assert_eq!((&item["classification"], &item["suggested_commit"]), (&json!("auto"), &json!(story.rev("main"))));
}
