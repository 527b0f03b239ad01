//! A repository becomes a project.

use std::fs;

use crate::common::pty::Pty;
use crate::common::{OKSTRA, Ran, Sandbox};

fn code(ran: &Ran) -> String {
    ran.json()["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_project_is_made_once_and_keeps_its_id() {
    let sandbox = Sandbox::new();
    let shop = sandbox.repository("My shop (old)");
    let ran = sandbox.okstra_in(&shop, ["init", "--json"]);
    assert_eq!((ran.code, code(&ran).as_str()), (Some(1), "confirmation-needed"));
    assert!(ran.json()["hint"].as_str().unwrap().contains("--project-id ID") && !shop.join(".okstra").exists());
    let made = sandbox.okstra_in(&shop, ["init", "--yes", "--json"]).json();
    assert_eq!((made["projectId"].as_str(), made["created"].as_bool()), (Some("My-shop-old"), Some(true)));
    let read = |name: &str| fs::read(shop.join(".okstra").join(name)).unwrap();
    let before = (read("project.json"), read(".gitignore"));
    for arguments in
        [&["init", "--json"][..], &["init", "--yes", "--json"], &["init", "--project-id", "My-shop-old", "--json"]]
    {
        let ran = sandbox.okstra_in(&shop, arguments);
        assert_eq!((ran.code, ran.json()["created"].as_bool()), (Some(0), Some(false)), "{ran:?}");
        assert_eq!((read("project.json"), read(".gitignore")), before);
    }
    let other = sandbox.okstra_in(&shop, ["init", "--project-id", "other", "--json"]);
    assert_eq!(code(&other), "other-project");
    assert_eq!(read("project.json"), before.0);
    // A clone has project.json and no .gitignore.
    fs::remove_file(shop.join(".okstra/.gitignore")).unwrap();
    assert_eq!(sandbox.okstra_in(&shop, ["init", "--json"]).code, Some(0));
    assert_eq!(read(".gitignore"), before.1);
    assert_eq!(sandbox.git(&shop, &["status", "--porcelain", "-uall"]), "?? .okstra/project.json");
}

#[test]
fn the_main_worktree_is_made_a_project_and_what_has_none_is_refused() {
    let sandbox = Sandbox::new();
    let shop = sandbox.repository("shop");
    sandbox.commit(&shop, "sub/a", "a", "a");
    sandbox.git(&shop, &["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.path().join("linked");
    let below = sandbox.okstra_in(&shop, ["init", "--yes", "--project-root", "sub", "--json"]);
    assert_eq!(code(&below), "not-a-project-root");
    let made = sandbox.okstra_in(&linked, ["init", "--yes", "--json"]).json();
    assert_eq!(made["projectId"], "shop");
    assert!(shop.join(".okstra/project.json").exists() && !linked.join(".okstra").exists());
    let bare = sandbox.path().join("bare.git");
    sandbox.git(sandbox.path(), &["init", "-q", "--bare", "bare.git"]);
    assert_eq!(code(&sandbox.okstra_in(&bare, ["init", "--yes", "--json"])), "bare-repository");
    assert_eq!(code(&sandbox.okstra(["init", "--yes", "--json"])), "not-a-repository");
    let bad = sandbox.repository("bad");
    assert_eq!(code(&sandbox.okstra_in(&bad, ["init", "--project-id", "a/b", "--json"])), "bad-name");
    fs::create_dir(bad.join(".okstra")).unwrap();
    fs::write(bad.join(".okstra/project.json"), "{").unwrap();
    assert_eq!(code(&sandbox.okstra_in(&bad, ["init", "--yes", "--json"])), "not-json");
    assert_eq!(fs::read_to_string(bad.join(".okstra/project.json")).unwrap(), "{");
}

#[test]
fn at_a_terminal_the_id_is_asked_for() {
    let sandbox = Sandbox::new();
    for (typed, expected) in [("\n", Some("shop")), ("  store \n", Some("store")), ("\x04", None), ("\x03", None)] {
        let shop = sandbox.repository("shop");
        let root = shop.to_str().unwrap();
        let mut pty = Pty::start(&sandbox, 80, &[], &[OKSTRA, "init", "--project-root", root]);
        pty.wait_for("project id [shop]");
        pty.type_in(typed);
        let (status, seen) = pty.end();
        assert_eq!(status.success(), expected.is_some(), "{typed:?}: {seen}");
        let made = fs::read_to_string(shop.join(".okstra/project.json")).unwrap_or_default();
        match expected {
            Some(id) => assert!(made.contains(&format!("\"projectId\": \"{id}\"")), "{made}"),
            None => assert_eq!(made, "", "{seen}"),
        }
        fs::remove_dir_all(&shop).unwrap();
    }
}
