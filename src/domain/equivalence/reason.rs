//! The one sentence that tells a person what was found, what was missing, and what came nearest.

use super::answer::{ContentMerged, Effect, Proof, Status, Verdict};
use super::change::RepoPath;
use super::ladder::Ladder;
use super::question::Coverage;

/// How many paths a sentence names before it only counts the rest.
const NAMED_PATHS: usize = 3;

/// The reason for `answer`, which `ladder` came to.
pub(super) fn sentence(ladder: &Ladder, answer: &ContentMerged) -> String {
    match answer.status {
        Status::Ancestor => reachable(ladder, answer.effect),
        Status::PatchEquivalent => landed(ladder, answer.effect),
        Status::NotMerged | Status::Unresolvable => not_proved(ladder, answer.verdict),
    }
}

fn reachable(ladder: &Ladder, effect: Effect) -> String {
    let found = format!("{} is reachable from {}", ladder.stage.whole.commit.short(), ladder.candidate.name);
    match effect {
        _ if !ladder.stage.known => format!("{found}; some of its objects are missing"),
        _ if ladder.stage.whole.changes.is_empty() => {
            format!("{found}; no change lies between its base and it, so there is no effect to look for")
        }
        Effect::Present => found,
        Effect::Evolved => format!("{found}; its lines were worked on since"),
        Effect::Absent => format!("{found}, but nothing of it is left there: it was reverted or never taken over"),
        Effect::Partial => format!("{found}, but a part of it was reverted or reworked since"),
        Effect::Unknown => format!("{found}; whether its content is still there could not be told"),
    }
}

fn landed(ladder: &Ladder, effect: Effect) -> String {
    let (head, name) = (ladder.stage.whole.commit.short(), &ladder.candidate.name);
    let Some(landing) = &ladder.landing else { return String::new() };
    let at = landing.commit.short();
    if ladder.reach.based == Some(false) {
        return format!("{head} did not grow from its base, so that {at} in {name} proves nothing: check the base");
    }
    let found = match landing.proof {
        Proof::SameChange => format!("{head} landed in {name} as {at}, which makes the very same change"),
        Proof::Replay => format!("{head} landed in {name} as {at}: replaying it there gives exactly that commit"),
        Proof::PerCommit => {
            format!("the {} commits up to {head} landed in {name} one by one, the last as {at}", ladder.solid.len())
        }
        Proof::SameEnd => format!("every path that {head} touched is in {name} ({at}) exactly as it left it"),
        Proof::Carrier => format!("{head} landed in {name} as {at}, together with other work that holds it"),
        Proof::Fingerprint => format!("{head} landed in {name} as {at}, by the recorded digests of its change"),
        Proof::Ancestry => format!("{head} is reachable from {name}"),
    };
    let others = match landing.others.as_slice() {
        [] => String::new(),
        others => format!(" (it changes {} besides)", list(others)),
    };
    let since = match effect {
        Effect::Present => "",
        Effect::Evolved => "; its lines were worked on since",
        Effect::Absent => ", and was taken out again since",
        Effect::Partial => ", and a part of it was taken out or reworked since",
        Effect::Unknown => "; whether it is still there could not be told",
    };
    format!("{found}{others}{since}")
}

fn not_proved(ladder: &Ladder, verdict: Verdict) -> String {
    let (head, name) = (ladder.stage.whole.commit.short(), &ladder.candidate.name);
    if !ladder.stage.known {
        return format!("{head} cannot be looked for in {name}: some of its objects are missing");
    }
    if ladder.stage.whole.changes.is_empty() {
        return format!("{head} changes nothing against its base, so there is nothing to look for in {name}");
    }
    let mut clauses = vec![missing(ladder)];
    clauses.extend(state(ladder));
    clauses.extend(match &ladder.coverage {
        Coverage::Whole if ladder.gaps => {
            Some("not all that matters could be looked at, so it may have landed".to_owned())
        }
        Coverage::Whole => None,
        Coverage::Part(why) => Some(format!("{why}, so it may have landed unseen")),
    });
    let found = if verdict == Verdict::Absent { "is not in" } else { "is not proved to be in" };
    format!("{head} {found} {name}: {}", clauses.join("; "))
}

/// What of it was found, and what came nearest.
fn missing(ladder: &Ladder) -> String {
    let parts: Vec<String> = ladder
        .found
        .iter()
        .zip(&ladder.solid)
        .filter_map(|(places, &number)| {
            let commit = ladder.stage.commits.as_ref()?.get(number)?.commit;
            let at = ladder.sightings.get(*places.first()?)?.commit;
            Some(format!("{} as {}", commit.short(), at.short()))
        })
        .collect();
    if !parts.is_empty() {
        return format!("{} of {} commits landed ({})", parts.len(), ladder.found.len(), parts.join(", "));
    }
    if let Some((at, differing)) = nearest(ladder) {
        return format!("nearest is {at}, which differs in {}", list(&differing));
    }
    match ladder.sightings.len() {
        0 => "no commit there touches its paths".to_owned(),
        1 => "one commit there touches its paths, but does not make its change".to_owned(),
        many => format!("{many} commits there touch its paths, none makes its change"),
    }
}

/// The sighting that agrees with the stage on most paths, and where it does not.
fn nearest(ladder: &Ladder) -> Option<(String, Vec<RepoPath>)> {
    let mut best: Option<(usize, usize)> = None;
    for (place, sighting) in ladder.sightings.iter().enumerate().filter(|(_, sighting)| !sighting.is_void) {
        let equal = |path: usize, new: super::Slot| sighting.touches(path) && sighting.after[path].raw() == new.raw();
        let agreed = ladder.stage.whole.changes.iter().filter(|change| equal(change.path, change.new)).count();
        if agreed > best.map_or(0, |(count, _)| count) {
            best = Some((agreed, place));
        }
    }
    let place = best.map(|(_, place)| place).or(ladder.trace)?;
    let sighting = &ladder.sightings[place];
    let differing = ladder
        .stage
        .whole
        .changes
        .iter()
        .filter(|change| !sighting.touches(change.path) || sighting.after[change.path].raw() != change.new.raw());
    let differing: Vec<RepoPath> = differing.map(|change| ladder.stage.paths[change.path].clone()).collect();
    (!differing.is_empty()).then(|| (sighting.commit.short(), differing))
}

/// What the candidate has of it now.
fn state(ladder: &Ladder) -> Option<String> {
    Some(match ladder.effect {
        _ if ladder.is_foreign() => "they share no history, and none of its paths exist there".to_owned(),
        _ if ladder.reach.common == Some(false) => "they share no history".to_owned(),
        Effect::Present => "all of its content is there, but nothing shows that it came from this work".to_owned(),
        Effect::Absent if ladder.trace.is_some() => "nothing of it is there now".to_owned(),
        Effect::Absent => "nothing of it is there".to_owned(),
        Effect::Evolved => "what is there contradicts it".to_owned(),
        Effect::Partial => "a part of it is there, or contradicts it".to_owned(),
        Effect::Unknown => return None,
    })
}

fn list(paths: &[RepoPath]) -> String {
    let named = paths.iter().take(NAMED_PATHS).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED_PATHS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
