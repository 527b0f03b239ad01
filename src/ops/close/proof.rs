//! What proves that the work in a place has landed on the base. What lies below `refs/okstra/` reaches nothing here.

use super::places::{Of, Place};
use crate::context::Context;
use crate::domain::base::TipFacts;
use crate::domain::equivalence::{Candidate, Effect, Verdict};
use crate::domain::ids::CommitId;
use crate::domain::names::TaskName;
use crate::domain::registry::TaskEntry;
use crate::git::keep;
use crate::ops::Error;
use crate::ops::reconcile::{Work, typed};
use crate::ops::task::Task;

/// The base of a task, and what is recorded of its work.
pub(super) struct Proofs<'r> {
    context: &'r Context,
    task: &'r Task,
    work: Work<'r>,
    /// None where there is nothing to look for.
    bases: Vec<Candidate>,
    entry: TaskEntry,
    /// The tip of the task branch, where it has landed, with the sentence that says so.
    landed_task: Option<(CommitId, String)>,
}

/// What of okstra's own keeps what has landed.
pub(super) struct Released {
    /// The stages that have landed, and whose places stay not.
    stages: Vec<u32>,
    /// The bases on which stages have landed, full ref names.
    pub(super) on: Vec<String>,
    /// The keep refs that there are of them, and of integrations that have landed.
    pub(super) refs: Vec<(String, CommitId)>,
}

impl Released {
    /// The keep refs that there are now: recording where a stage landed makes some.
    pub(super) fn refs_now(&self, context: &Context, task: &Task) -> Result<Vec<(String, CommitId)>, Error> {
        let name = &task.key.task;
        let mut refs = task.repository.kept(context, name)?;
        refs.retain(|kept| is_of(&kept.0, &self.stages, name, kept.1) || self.refs.contains(kept));
        Ok(refs)
    }
}

/// Whether a keep ref is that of one of these stages.
fn is_of(name: &str, stages: &[u32], task: &TaskName, commit: CommitId) -> bool {
    stages.iter().any(|stage| name == keep::ref_name(task, *stage, commit))
}

impl<'r> Proofs<'r> {
    pub(super) fn read(
        context: &'r Context,
        task: &'r Task,
        entry: &TaskEntry,
        places: &[Place],
    ) -> Result<Self, Error> {
        let mut work = Work::read(context, task)?;
        // Whoever only looked needs no base: a task that was never built has none.
        let counts = |place: &Place| !matches!(place.of, Of::Snapshot(_)) || entry.base_ref.is_some();
        let is_needed = places.iter().any(|place| place.is_there() && counts(place)) || !work.done().is_empty();
        let bases = if is_needed { work.bases()? } else { Vec::new() };
        Ok(Self { context, task, work, bases, entry: entry.clone(), landed_task: None })
    }

    /// The base that comes first, a full ref name.
    pub(super) fn base(&self) -> Option<&str> {
        self.bases.first().map(|base| base.name.as_str())
    }

    /// Looks at every commit that would go: first whether it landed, then, where nothing was committed, what reaches it.
    pub(super) fn look_at(&mut self, places: &mut [Place]) -> Result<(), Error> {
        let mut looked: Vec<Vec<(CommitId, TipFacts)>> = Vec::new();
        for place in places.iter() {
            let mut tips = Vec::new();
            for commit in place.commits() {
                tips.push((commit, self.tip(place, commit)?));
            }
            if let (Of::Task, Some((commit, TipFacts { landed: Some(why), .. }))) = (&place.of, tips.first()) {
                self.landed_task = Some((*commit, why.clone()));
            }
            looked.push(tips);
        }
        let staying = self.staying(places, &looked)?;
        for (place, tips) in places.iter_mut().zip(looked) {
            for (commit, mut tip) in tips {
                if tip.is_empty && tip.landed.is_none() {
                    tip.reached_by = self.first_that_reaches(&staying, commit)?;
                }
                place.facts.tips.push(tip);
            }
        }
        Ok(())
    }

    fn tip(&mut self, place: &Place, commit: CommitId) -> Result<TipFacts, Error> {
        let (landed, missing) = match self.landed(place, commit)? {
            Ok(landed) => (Some(landed), String::new()),
            Err(missing) => (None, missing),
        };
        let is_empty = match (&place.of, place.start) {
            // Whoever only looked committed nothing; what was detached there all the same is looked for.
            (Of::Snapshot(_), _) => true,
            (_, Some(start)) => self.work.reaches(start, commit)? == Some(true),
            (_, None) => false,
        };
        Ok(TipFacts { commit: commit.short(), landed, missing, is_empty, reached_by: None })
    }

    /// What proves that `commit` is on a base; else why it is not proved.
    fn landed(&mut self, place: &Place, commit: CommitId) -> Result<Result<String, String>, Error> {
        let mut missing = None;
        for base in self.bases.clone() {
            if self.work.reaches(base.commit, commit)? == Some(true) {
                return Ok(Ok(format!("{} reaches it", typed(&base.name))));
            }
            let answer = self.answer(place, commit, &base)?;
            if answer.verdict == Verdict::Contained {
                return Ok(Ok(answer.reason));
            }
            missing = missing.or(Some(answer.reason));
        }
        match self.by_the_task(place, commit)? {
            Some(why) => Ok(Ok(why)),
            None => Ok(Err(missing.unwrap_or_else(|| "the task has no base to look in".to_owned()))),
        }
    }

    fn answer(
        &mut self,
        place: &Place,
        commit: CommitId,
        base: &Candidate,
    ) -> Result<crate::domain::equivalence::ContentMerged, Error> {
        if let Of::Stage(stage) = place.of {
            let witness = self.work.done().get(&stage).and_then(|done| done.witness.as_ref());
            let is_recorded = witness.is_some_and(|witness| witness.head_commit == commit.to_string());
            if is_recorded {
                return self.work.stage_in(stage, base);
            }
            let start = match place.start {
                Some(start) if self.work.reaches(commit, start)? == Some(true) => Some(start),
                _ => None,
            };
            return self.work.span_in((start, commit), base);
        }
        self.work.span_in((None, commit), base)
    }

    /// Whether it is a part of the task branch, which has landed and holds it still.
    fn by_the_task(&mut self, place: &Place, commit: CommitId) -> Result<Option<String>, Error> {
        let Some((tip, why)) = self.landed_task.clone().filter(|(tip, _)| *tip != commit) else { return Ok(None) };
        if self.work.reaches(tip, commit)? != Some(true) {
            return Ok(None);
        }
        let Some(start) = place.start else { return Ok(None) };
        let candidate = Candidate { name: "the task branch".to_owned(), commit: tip };
        let held = self.work.span_in((Some(start), commit), &candidate)?;
        let is_there = held.verdict == Verdict::Contained && held.effect == Effect::Present;
        Ok(is_there.then(|| format!("it is a part of the task branch: {why}")))
    }

    /// What stays, or has landed: other branches, remote branches, tags, and the places of the task that are not empty.
    fn staying(
        &self,
        places: &[Place],
        looked: &[Vec<(CommitId, TipFacts)>],
    ) -> Result<Vec<(String, CommitId)>, Error> {
        let own: Vec<String> =
            places.iter().filter_map(|place| Some(format!("refs/heads/{}", place.branch.as_ref()?))).collect();
        let mut staying = Vec::new();
        for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
            let refs = self.task.repository.refs_below(self.context, prefix)?;
            staying.extend(refs.into_iter().filter(|(name, _)| !own.contains(name)));
        }
        for (place, tips) in places.iter().zip(looked) {
            let counts = tips.iter().filter(|(_, tip)| tip.landed.is_some() || !tip.is_empty);
            let name = place.branch.clone().unwrap_or_else(|| place.of.to_string());
            staying.extend(counts.map(|(commit, _)| (name.clone(), *commit)));
        }
        Ok(staying)
    }

    fn first_that_reaches(
        &mut self,
        staying: &[(String, CommitId)],
        commit: CommitId,
    ) -> Result<Option<String>, Error> {
        for (name, tip) in staying {
            // A tag may name a tag, a tree or a blob.
            let Ok(Ok(tip)) = self.task.repository.commit_by_id(&tip.to_string()) else { continue };
            if self.work.reaches(tip, commit)? == Some(true) {
                return Ok(Some(typed(name).to_owned()));
            }
        }
        Ok(None)
    }

    /// What of okstra's own keeps what has landed.
    pub(super) fn released(&mut self, going: &[Place]) -> Result<Released, Error> {
        let task = &self.task.key.task;
        let stays: Vec<u32> = self.entry.stages.keys().copied().collect();
        let goes = |stage: u32| !stays.contains(&stage) || going.iter().any(|place| place.of == Of::Stage(stage));
        let (mut landed, mut on) = (Vec::new(), Vec::new());
        for stage in self.work.done().keys().copied().collect::<Vec<_>>() {
            if let Some(base) = self.stage_landed(stage)? {
                on.push(base);
                if goes(stage) {
                    landed.push(stage);
                }
            }
        }
        on.sort();
        on.dedup();
        let mut refs = Vec::new();
        for (name, commit) in self.task.repository.kept(self.context, task)? {
            let is_of_task =
                name == keep::integration_ref_name(task, commit) || name == keep::anchor_ref_name(task, commit);
            if is_of(&name, &landed, task, commit) || (is_of_task && self.integration_landed(commit)?) {
                refs.push((name, commit));
            }
        }
        Ok(Released { stages: landed, on, refs })
    }

    /// The base on which a done stage has landed.
    fn stage_landed(&mut self, stage: u32) -> Result<Option<String>, Error> {
        let recorded = self.work.done()[&stage].latest.head_commit.clone();
        let recorded = self.task.repository.commit_by_id(&recorded)?.ok();
        for base in self.bases.clone() {
            let is_there = match recorded {
                Some(recorded) => self.work.reaches(base.commit, recorded)? == Some(true),
                None => false,
            };
            if is_there || self.work.stage_in(stage, &base)?.verdict == Verdict::Contained {
                return Ok(Some(base.name));
            }
        }
        Ok(None)
    }

    /// Whether what the task branch once had has landed. The anchor is what every record begins with: only the base may
    /// hold it instead.
    fn integration_landed(&mut self, commit: CommitId) -> Result<bool, Error> {
        let is_anchor = self.work.anchor()? == Some(commit);
        if let Some((tip, _)) = self.landed_task
            && !is_anchor
            && self.work.reaches(tip, commit)? == Some(true)
        {
            return Ok(true);
        }
        for base in self.bases.clone() {
            if self.work.reaches(base.commit, commit)? == Some(true) {
                return Ok(true);
            }
            if !is_anchor && self.work.span_in((None, commit), &base)?.verdict == Verdict::Contained {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The anchor, where no base reaches it.
    pub(super) fn lone_anchor(&mut self) -> Result<Option<CommitId>, Error> {
        let anchor = self.work.anchor()?;
        self.beyond_the_base(anchor)
    }

    /// The tip of the task branch, where it has landed and no base reaches it.
    pub(super) fn tip_left_behind(&mut self) -> Result<Option<CommitId>, Error> {
        let tip = self.landed_task.as_ref().map(|(tip, _)| *tip);
        self.beyond_the_base(tip)
    }

    fn beyond_the_base(&mut self, commit: Option<CommitId>) -> Result<Option<CommitId>, Error> {
        let Some(commit) = commit else { return Ok(None) };
        for base in self.bases.clone() {
            if self.work.reaches(base.commit, commit)? == Some(true) {
                return Ok(None);
            }
        }
        Ok(Some(commit).filter(|_| !self.bases.is_empty()))
    }
}
