//! What is planted in registry, refs and mirrors, and what doctor says of it.

use std::fs;

use serde_json::json;

use super::checks::{PLANNING, follow, one, remirror};
use super::{MIRROR, doctor, found, lose_home, lose_okstra, project, worktree, write};
use crate::common::story::{KEY, Story, branch};

/// What happens to a story.
type Change<'a> = &'a dyn Fn(&Story);

#[test]
fn a_registered_worktree_that_is_gone_is_found_and_made_anew() {
    let story = project();
    let path = worktree(&story);
    let stages = json!({"1": {"branch": branch(1), "worktree_path": story.home().join("worktrees/shop/auth/login-s1")},
        "7": {"branch": branch(7), "worktree_path": story.home().join("worktrees/shop/auth/login-s7")}});
    story.write_registry(&json!({"worktree_path": path, "stages": stages}));
    remirror(&story);
    let gone = found(&story, 0);
    let texts: Vec<_> = gone.iter().map(|(text, _)| text.as_str()).collect();
    let expected = |at: &str, of: &str| {
        let path = story.home().join("worktrees/shop/auth").join(at);
        format!("warning worktrees: the worktree `{}` of {of} is gone", path.display())
    };
    let of = |stage: u32| format!("stage {stage} of {KEY}");
    assert_eq!(texts, [expected("login", KEY), expected("login-s1", &of(1)), expected("login-s7", &of(7))]);
    follow(&story, &gone[0].1);
    follow(&story, &gone[1].1);
    assert!(gone[2].1.contains("its branch is gone too"), "{gone:#?}");
    assert_eq!(found(&story, 0).len(), 1);
}

#[test]
fn a_worktree_that_no_entry_names_is_found_and_removed() {
    let story = project();
    let path = worktree(&story).with_file_name("old-s2");
    story.git(&["worktree", "add", "-q", "--detach", path.to_str().unwrap()]);
    let (text, advice) = one(&story, 0);
    assert_eq!(text, format!("warning worktrees: `{}` is in no entry of the registry", path.display()));
    follow(&story, &advice);
    assert_eq!(found(&story, 0), []);
    fs::create_dir_all(&path).unwrap();
    let (_, advice) = one(&story, 0);
    assert!(advice.contains("no worktree of this repository"), "{advice}");
    // Those of other projects are theirs, and a named one is no stray.
    fs::remove_dir(&path).unwrap();
    fs::create_dir_all(story.home().join("worktrees/mall/a/b")).unwrap();
    story.git(&["worktree", "add", "-q", worktree(&story).to_str().unwrap(), "fix-login"]);
    story.write_registry(&json!({"worktree_path": worktree(&story)}));
    assert_eq!(found(&story, 0), []);
}

#[test]
fn a_worktree_whose_entry_was_lost_is_not_to_be_removed() {
    let story = project();
    story.git(&["worktree", "add", "-q", worktree(&story).to_str().unwrap(), "fix-login"]);
    let stage = worktree(&story).with_file_name("login-s1");
    story.git(&["worktree", "add", "-q", stage.to_str().unwrap(), &branch(1)]);
    fs::remove_file(story.registry()).unwrap();
    let all = found(&story, 2);
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(all.iter().all(|(_, advice)| advice.ends_with("okstra doctor --restore --task auth/login")), "{all:#?}");
    assert_eq!(all[2].0, "problem mirror: task auth/login has lost the registry row");
}

#[test]
fn a_keep_ref_that_nothing_names_is_found_and_let_go() {
    let story = project();
    let head = story.rev(&branch(1));
    let strays = [
        format!("refs/okstra/keep/auth/login/s1-{}", story.anchor),
        format!("refs/okstra/keep/auth/login/s2-{head}"),
        format!("refs/okstra/keep/auth/login/task-{head}"),
        format!("refs/okstra/keep/auth/other/s1-{head}"),
        "refs/okstra/keep/what".to_owned(),
    ];
    for name in &strays {
        story.git(&["update-ref", name, if name.ends_with(&story.anchor) { &story.anchor } else { &head }]);
    }
    let all = found(&story, 0);
    let texts: Vec<_> = all.iter().map(|(text, _)| text.as_str()).collect();
    let expected =
        strays.clone().map(|name| format!("warning keep-refs: `{name}` keeps a commit that nothing recorded names"));
    assert_eq!(texts, expected);
    let kept = |story: &Story| story.git(&["for-each-ref", "--format=%(refname)", "refs/okstra/keep"]).lines().count();
    for (_, advice) in all {
        follow(&story, &advice);
    }
    assert_eq!((found(&story, 0), kept(&story)), (vec![], 2));
}

#[test]
fn what_keeps_the_commits_of_lost_records_is_not_called_stray() {
    let story = project();
    let head = story.rev(&branch(1));
    story.git(&["update-ref", &format!("refs/okstra/keep/auth/login/task-{head}"), &head]);
    let made = json!([{"commit": head, "stages": [1]}]);
    story.write_registry(&json!({"integrations": made}));
    remirror(&story);
    assert_eq!(found(&story, 0), []);
    for lose in [&(|story: &Story| fs::remove_file(story.log()).unwrap()) as Change<'_>, &lose_home, &lose_okstra] {
        lose(&story);
        let all = found(&story, 2);
        assert!(all.iter().all(|(text, _)| !text.contains("keep-refs")), "{all:#?}");
        assert_eq!(doctor(&story, &["--restore"]).code, Some(0));
        assert!(found(&story, 0).iter().all(|(text, _)| text.contains("worktree")));
    }
}

#[test]
fn a_recorded_commit_that_no_ref_keeps_is_found_and_kept() {
    let story = project();
    let head = story.rev(&branch(2));
    story.git(&["update-ref", "-d", &format!("refs/okstra/keep/auth/login/s2-{head}")]);
    let (text, advice) = one(&story, 0);
    let expected = format!("warning commits: no ref keeps {}, which is recorded for stage 2 of auth/login", &head[..8]);
    assert_eq!(text, expected);
    follow(&story, &advice);
    assert_eq!(found(&story, 0), []);
}

#[test]
fn a_recorded_commit_that_is_gone_is_a_problem() {
    let story = project();
    story.git(&["branch", "-q", "-D", &branch(2)]);
    for name in story.git(&["for-each-ref", "--format=%(refname)", "refs/okstra/keep"]).lines() {
        if name.contains("/s2-") {
            story.git(&["update-ref", "-d", name]);
        }
    }
    story.collect(false);
    let (text, advice) = one(&story, 2);
    assert!(text.starts_with("problem commits: the recorded commit of stage 2 of auth/login does not exist"), "{text}");
    assert!(advice.ends_with("okstra git-reconcile --task auth/login"), "{advice}");
    let story = project();
    story.write_registry(&json!({"implementation_base_commit": "f".repeat(40)}));
    let found = found(&story, 2);
    assert!(found[0].0.contains("the recorded commit of the anchor of auth/login does not exist"), "{found:#?}");
}

#[test]
fn a_mirror_that_is_missing_or_behind_is_a_warning_and_mended() {
    let task = ".okstra/tasks/auth/login";
    let planted: [(&str, Change<'_>); 6] = [
        ("task auth/login is not mirrored", &|story| drop(story.git(&["update-ref", "-d", MIRROR]))),
        ("is behind in 1 record", &|story| write(&story.shop.join(task).join("new"), "")),
        ("is behind in 1 record", &|story| write(&story.shop.join(task).join("timeline.jsonl"), "")),
        ("is behind in 1 record", &|story| story.write_registry(&json!({"base_ref": "refs/heads/other"}))),
        ("the mirrors are behind in 1 file that all tasks share", &|story| {
            write(&story.shop.join(".okstra/prompts/new"), "");
        }),
        ("the mirrors are behind in 1 file that all tasks share", &|story| {
            write(&story.shop.join(".okstra/project.json"), r#"{"projectId":"shop"}"#);
        }),
    ];
    for (expected, plant) in planted {
        let story = project();
        plant(&story);
        let (text, advice) = one(&story, 0);
        assert!(text.starts_with("warning mirror: ") && text.contains(expected), "{expected}: {text}");
        follow(&story, &advice);
        assert_eq!(found(&story, 0), [], "{expected}");
    }
    // What is never mirrored makes no difference.
    let story = project();
    write(&story.shop.join(task).join("live.log"), "");
    write(&story.shop.join(".okstra/catalog.json"), "{}");
    assert_eq!(found(&story, 0), []);
}

#[test]
fn what_is_mirrored_and_lost_is_a_problem_and_comes_back() {
    let remove = |path: &'static str| move |story: &Story| fs::remove_file(story.shop.join(path)).unwrap();
    let log = format!("{PLANNING}/consumers.jsonl");
    let log = |story: &Story| fs::remove_file(story.shop.join(&log)).unwrap();
    let manifest = remove(".okstra/tasks/auth/login/task-manifest.json");
    let project_file = remove(".okstra/project.json");
    let template = remove(".okstra/prompts/workers/ü b.md");
    let planted: [(&str, i32, Change<'_>); 6] = [
        ("problem mirror: task auth/login has lost 1 mirrored file", 2, &log),
        ("problem state-files: there are files of task auth/login, and no task-manifest.json", 2, &manifest),
        ("problem mirror: `.okstra/project.json` is mirrored and not on disk", 2, &project_file),
        ("warning mirror: `.okstra/prompts/workers/ü b.md` is mirrored and not on disk", 0, &template),
        ("problem mirror: task auth/login has lost the registry row", 2, &lose_home),
        ("problem mirror: task auth/login is mirrored and not on disk", 2, &lose_okstra),
    ];
    for (expected, code, plant) in planted {
        let story = project();
        plant(&story);
        let all = found(&story, code);
        let (_, advice) =
            all.iter().find(|(text, _)| text == expected).unwrap_or_else(|| panic!("{expected}: {all:#?}"));
        follow(&story, advice);
        let left = found(&story, 0);
        assert!(left.iter().all(|(text, _)| text.contains("is gone")), "{expected}: {left:#?}");
    }
}

#[test]
fn a_mirror_that_cannot_be_read_is_a_problem() {
    let story = project();
    let tree = story.git(&["rev-parse", &format!("{MIRROR}^{{tree}}")]);
    let object = story.shop.join(".git/objects").join(&tree[..2]).join(&tree[2..]);
    fs::remove_file(object).unwrap();
    let (text, _) = one(&story, 2);
    assert!(text.starts_with("problem mirror: the mirror of task auth/login cannot be read: "), "{text}");
}

#[test]
fn another_clones_entry_is_not_this_ones_business() {
    let story = project();
    let other = json!({"git_common_dir": story.sandbox.path(), "worktree_path": "/gone",
        "implementation_base_commit": "f".repeat(40)});
    story.write_registry(&other);
    assert_eq!(found(&story, 0), []);
}
