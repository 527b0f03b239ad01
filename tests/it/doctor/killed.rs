//! A restore that is killed at any moment leaves nothing that the next one does not complete.

use std::fs;
use std::thread;
use std::time::Instant;

use super::{command, files, lose_home, lose_okstra, project, restore, write};
use crate::common::Run;

/// How often it is killed, at moments spread over the time that it takes.
const KILLS: u32 = 24;

#[test]
fn killed_at_any_moment_it_is_completed_by_the_next() {
    let story = project();
    for number in 0..10 {
        write(&story.shop.join(format!(".okstra/tasks/auth/login/runs/implementation/{number}")), "content\n");
    }
    story.stage(3, "main", &[("c.txt", 3, "three")]);
    lose_okstra(&story);
    let started = Instant::now();
    restore(&story, 0, &[]);
    let whole = started.elapsed();
    let (expected, items) = (files(&story), story.json(0, &["--all"]));
    let mut interrupted = 0;
    for step in 0..=KILLS {
        lose_okstra(&story);
        lose_home(&story);
        let mut child = command(&story, &["--restore", "--json"]).started();
        thread::sleep(whole * step / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        if story.shop.join(".okstra").exists() {
            let found: Vec<_> = files(&story).into_iter().filter(|(path, _)| !path.ends_with(".tmp")).collect();
            assert!(found.iter().all(|(path, content)| expected.get(path) == Some(content)), "{found:?}");
            let is_whole = found.len() == expected.len();
            let is_project = found.iter().any(|(path, _)| path == ".okstra/project.json");
            assert!(is_whole || !is_project, "{found:?}");
            interrupted += usize::from(!is_whole);
        }
        let outcome = restore(&story, 0, &[]);
        assert_eq!(outcome["differing"].as_array().unwrap().len(), 0, "{outcome}");
        for (path, content) in &expected {
            assert_eq!(&fs::read(story.shop.join(path)).unwrap(), content, "{path}");
        }
        assert!(story.registry().is_file());
    }
    assert!(interrupted > 0);
    assert_eq!(story.json(0, &["--all"]), items);
}
