//! Who reaches whom, and by how many commits one is ahead.

use okstra::domain::ids::CommitId;
use okstra::git::{History, Limits, Repository};

use super::{Kind, World, id};

fn answers(world: &World, repository: &Repository, tip: CommitId, other: CommitId) -> (Option<bool>, Option<usize>) {
    let (context, mut history) = (world.context(), History::new(repository));
    let reaches = history.reaches(&context, tip, other, Limits::default()).unwrap();
    (reaches, history.ahead(&context, tip, other, Limits::default()).unwrap())
}

#[test]
fn ancestry_and_distance_are_those_of_git() {
    for (kind, world) in World::each() {
        world.sandbox.commit(&world.repo, "file", "three\n", "third");
        world.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let top = id(&world.sandbox.commit(&world.repo, "file", "four\n", "fourth"));
        world.git(&["checkout", "-q", "--orphan", "lonely"]);
        let lonely = id(&world.sandbox.commit(&world.repo, "file", "lonely\n", "lonely"));
        let commits = [world.first, world.main, world.side, top, lonely];
        let repository = world.open();
        for tip in commits {
            for other in commits {
                let range = format!("{other}..{tip}");
                let ahead = world.git(&["rev-list", "--count", &range]).parse().unwrap();
                let base = world.git(&["rev-list", "--count", &format!("{tip}..{other}")]);
                let found = answers(&world, &repository, tip, other);
                assert_eq!(found, (Some(base == "0"), Some(ahead)), "{kind:?} {range}");
            }
        }
    }
}

#[test]
fn a_clone_that_was_cut_off_does_not_know() {
    let world = World::new(Kind::Files).unwrap();
    for number in 0..20 {
        world.sandbox.commit(&world.repo, "file", &format!("{number}\n"), "more");
    }
    let top = id(&world.git(&["rev-parse", "HEAD"]));
    let near = id(&world.git(&["rev-parse", "HEAD~2"]));
    let shallow = world.sandbox.path().join("shallow");
    let url = format!("file://{}", world.repo.display());
    world.git(&["clone", "-q", "--depth", "5", &url, shallow.to_str().unwrap()]);
    let repository = Repository::discover(&shallow).unwrap();
    assert_eq!(answers(&world, &repository, top, near), (Some(true), Some(2)));
    assert_eq!(answers(&world, &repository, top, world.first), (None, None));
    assert_eq!(answers(&world, &repository, top, world.side), (None, None));
    // The boundary's parent is known to be there, if not what it holds.
    let boundary = id(&world.git(&["rev-parse", "HEAD~5"]));
    assert_eq!(answers(&world, &repository, top, boundary).0, Some(true));
}

#[test]
fn what_is_missing_is_no_ancestor_of_a_whole_history() {
    let world = World::new(Kind::Files).unwrap();
    let gone = id(&"12".repeat(20));
    let repository = world.open();
    assert_eq!(answers(&world, &repository, world.main, gone), (Some(false), None));
    assert_eq!(answers(&world, &repository, gone, world.main), (None, None));
    assert_eq!(answers(&world, &repository, gone, gone).0, Some(true));
}

#[test]
fn a_search_that_stops_early_does_not_know() {
    let world = World::new(Kind::Files).unwrap();
    let (repository, context) = (world.open(), world.context());
    let limits = Limits { max_commits: Some(1), deadline: None };
    let mut history = History::new(&repository);
    assert_eq!(history.reaches(&context, world.first, world.side, limits).unwrap(), None);
    assert_eq!(history.ahead(&context, world.side, world.first, limits).unwrap(), None);
    assert_eq!(history.reaches(&context, world.side, world.main, limits).unwrap(), Some(true));
}

#[test]
fn replace_refs_and_grafts_have_no_say() {
    let world = World::new(Kind::Files).unwrap();
    world.git(&["replace", "--graft", &world.main.to_string()]);
    let repository = world.open();
    assert_eq!(answers(&world, &repository, world.main, world.first), (Some(true), Some(1)));
}
