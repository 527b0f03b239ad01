//! Where the work of a task is, for commands that follow its base or clean up behind it.

use std::collections::BTreeMap;

use super::scene::{Scene, short};
use crate::context::Context;
use crate::domain::base::{Ahead, in_order};
use crate::domain::equivalence::{Candidate, ContentMerged};
use crate::domain::ids::CommitId;
use crate::git::{Limits, Span};
use crate::ops::task::Task;
use crate::ops::{Error, equivalence};
use crate::store::consumers::DoneStage;

/// The records of a task, and the history in which its work is looked for.
pub(in crate::ops) struct Work<'r> {
    scene: Scene<'r>,
}

impl<'r> Work<'r> {
    /// Reads what is recorded.
    ///
    /// # Errors
    /// When a record cannot be read, is lost, or is another clone's.
    pub(in crate::ops) fn read(context: &'r Context, task: &'r Task) -> Result<Self, Error> {
        Ok(Self { scene: Scene::read(context, task)? })
    }

    /// The done stages.
    pub(in crate::ops) fn done(&self) -> &BTreeMap<u32, DoneStage> {
        &self.scene.done
    }

    /// The base of the task and its upstream, the one to follow first; see [`in_order`].
    ///
    /// # Errors
    /// [`Error::NoBaseRef`] where the base is not there.
    pub(in crate::ops) fn bases(&mut self) -> Result<Vec<Candidate>, Error> {
        let mut bases = self.scene.bases()?.into_iter();
        let Some(base) = bases.next() else {
            let recorded = self.scene.entry.as_ref().and_then(|entry| entry.base_ref.clone());
            let (task, root) = (self.scene.task.key.task.clone(), self.scene.task.root.clone());
            return Err(Error::NoBaseRef { task, base: recorded, root });
        };
        let Some(upstream) = bases.next() else { return Ok(in_order(base, None)) };
        let ahead = match () {
            () if self.reaches(base.commit, upstream.commit)? == Some(true) => Ahead::Base,
            () if self.reaches(upstream.commit, base.commit)? == Some(true) => Ahead::Upstream,
            () => Ahead::Neither,
        };
        Ok(in_order(base, Some((upstream, ahead))))
    }

    /// Whether `commit` is in the history of `tip`; `None` where that cannot be told.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(in crate::ops) fn reaches(&mut self, tip: CommitId, commit: CommitId) -> Result<Option<bool>, Error> {
        Ok(self.scene.history.reaches(self.scene.context, tip, commit, Limits::default())?)
    }

    /// Whether the content of a done stage is in `candidate`, by all that is recorded of it.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(in crate::ops) fn stage_in(&mut self, stage: u32, candidate: &Candidate) -> Result<ContentMerged, Error> {
        self.scene.content_in(stage, candidate)
    }

    /// Whether what lies between `base` and `head` is in `candidate`, alone or as a part of an integration that landed.
    /// Without `base` it is the merge base.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(in crate::ops) fn span_in(
        &mut self,
        (base, head): (Option<CommitId>, CommitId),
        candidate: &Candidate,
    ) -> Result<ContentMerged, Error> {
        let carriers = self.scene.carriers_of(head)?;
        let (context, history, limits) = (self.scene.context, &mut self.scene.history, Limits::default());
        match base {
            Some(base) => {
                let question =
                    equivalence::Question { candidate: candidate.clone(), span: Span { base, head }, carriers };
                equivalence::ask(context, history, &question, limits)
            }
            None => equivalence::ask_from_merge_base(context, history, (head, candidate), &carriers, limits),
        }
    }

    /// The anchor, where it is recorded and exists.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub(in crate::ops) fn anchor(&self) -> Result<Option<CommitId>, Error> {
        self.scene.anchor()
    }
}

/// A ref as a person would type it.
pub(in crate::ops) fn typed(name: &str) -> &str {
    short(name)
}
