//! What is to be written, as a value: decided on the records as they were read.

use std::collections::BTreeMap;

use super::findings::{Finding, Findings};
use super::into::InRef;
use super::scene::Scene;
use super::{Item, Kind, WayOut};
use crate::domain::equivalence::{Candidate, Proof};
use crate::domain::ids::CommitId;
use crate::domain::reconcile::{Into, automatic, by_person};
use crate::domain::records::Record;
use crate::domain::registry::TaskEntry;
use crate::git::{Limits, keep};
use crate::ops::Error;
use crate::store::consumers::DoneStage;

/// What a person named, as commits.
pub(super) struct Named {
    pub(super) person: Option<(u32, Candidate)>,
    pub(super) anchor: Option<Candidate>,
    pub(super) into: Option<Candidate>,
}

/// What is to be written, and what it was decided on.
pub(super) struct Draft {
    /// The anchor: as it was, and as it shall be.
    pub(super) anchor: Option<(Option<String>, CommitId)>,
    pub(super) rows: Vec<Record>,
    /// The refs that keep git from collecting what the records name.
    pub(super) keep: Vec<(String, CommitId)>,
    /// The done stages as they were read.
    pub(super) read: BTreeMap<u32, DoneStage>,
    /// The refs that were relied on, and where they stood.
    pub(super) tips: Vec<(String, Option<CommitId>)>,
    /// What is left for a person.
    pub(super) remaining: Vec<Item>,
    pub(super) into: Option<Vec<Into>>,
    pub(super) ways_out: Vec<WayOut>,
}

impl Draft {
    /// What a person named and what is proved, in `scene`, which has the changes after that.
    pub(super) fn of_request(scene: &mut Scene<'_>, named: &Named) -> Result<Self, Error> {
        let read = scene.done.clone();
        let anchor = named.anchor.as_ref().and_then(|anchor| scene.move_anchor(anchor.commit));
        let mut rows = Vec::new();
        if let Some((stage, chosen)) = &named.person {
            rows.extend(scene.take_choice(*stage, chosen)?);
        }
        let findings = scene.findings()?;
        let into = named.into.as_ref().map(|candidate| scene.all_in(candidate, &findings)).transpose()?;
        let chosen = named.person.as_ref().map(|(stage, _)| *stage);
        rows.extend(scene.automatic_rows(&findings, into.as_deref().unwrap_or_default(), chosen));
        let mut tips = scene.tips_of(&findings)?;
        let refs = [named.person.as_ref().map(|(_, named)| named), named.into.as_ref()];
        tips.extend(refs.into_iter().flatten().map(|named| (named.name.clone(), Some(named.commit))));
        tips.retain(|(name, _)| !is_id(name));
        let keep = scene.keep_refs(&rows)?;
        let is_left = |item: &Item| item.is_confirm() && !(item.kind == Kind::Done && item.stage == chosen);
        let remaining: Vec<Item> = findings.into_items().into_iter().filter(is_left).collect();
        let ways_out = scene.ways_out(&remaining)?;
        let into = into.map(|answers| answers.into_iter().map(|answer| answer.document).collect());
        Ok(Self { anchor, rows, keep, read, tips, remaining, into, ways_out })
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.rows.is_empty() && self.keep.is_empty()
    }
}

impl Scene<'_> {
    /// Moves the anchor in the records as they are here; `None` when it stands there already.
    fn move_anchor(&mut self, to: CommitId) -> Option<(Option<String>, CommitId)> {
        let entry = self.entry.as_mut()?;
        let before = entry.implementation_base_commit.replace(to.to_string());
        (before.as_deref() != Some(to.to_string().as_str())).then_some((before, to))
    }

    /// Records a person's choice in the records as they are here; `None` when it is recorded so already.
    fn take_choice(&mut self, stage: u32, chosen: &Candidate) -> Result<Option<Record>, Error> {
        let row = self.persons_row(stage, chosen)?;
        let latest = &self.done[&stage].latest;
        let is_so = latest.is_users() && latest.head_commit == row.head_commit && latest.branch_tip == row.branch_tip;
        if is_so {
            return Ok(None);
        }
        self.done.insert(stage, DoneStage { latest: row.clone(), witness: Some(row.clone()) });
        Ok(Some(row))
    }

    /// The row for the commit that a person chose.
    fn persons_row(&mut self, stage: u32, chosen: &Candidate) -> Result<Record, Error> {
        let latest = self.done[&stage].latest.clone();
        let branch = self.stage_branch(stage);
        let tip = self.tip(&branch)?;
        let base = self.base_of_choice(stage, chosen.commit)?;
        let content = match base {
            Some(base) => self.fingerprints(base, chosen.commit)?,
            None => None,
        };
        let now = self.context.clock().moment();
        let mut row = by_person(&latest, chosen.commit, (&chosen.name, tip), (base, content), now);
        row.impl_task_key = Some(self.task.key.to_string());
        Ok(row)
    }

    /// Where the work that a person chose began: at the registered base if it grew from that, else at the merge base with
    /// where the stage would start now; `None` where that is nowhere, or is the choice itself.
    fn base_of_choice(&mut self, stage: u32, chosen: CommitId) -> Result<Option<CommitId>, Error> {
        let registered = self.entry.as_ref().and_then(|entry| entry.stages.get(&stage)?.base_ref.clone());
        if let Some(text) = registered
            && let Some(base) = self.commit(&text)?
            && self.reaches(chosen, base)?
        {
            return Ok(Some(base).filter(|base| *base != chosen));
        }
        let Some(start) = self.start_of(stage)? else { return Ok(None) };
        let bases = self.history.merge_bases(self.context, chosen, start, Limits::default())?;
        // Of several none is the place where the work began.
        let base = if bases.commits.len() == 1 && bases.complete { bases.commits.first().copied() } else { None };
        Ok(base.filter(|base| *base != chosen))
    }

    /// Where the stage would start now: at the anchor, at its one dependency, or at the task worktree's HEAD.
    fn start_of(&mut self, stage: u32) -> Result<Option<CommitId>, Error> {
        let planned = self.plan.as_ref().and_then(|plan| plan.stage(stage));
        let dependencies = planned.map(|stage| stage.depends_on.clone()).unwrap_or_default();
        match dependencies.as_slice() {
            [] => self.anchor(),
            [one] => match self.done.get(one).map(|done| done.latest.head_commit.clone()) {
                Some(text) => self.commit(&text),
                None => Ok(None),
            },
            _ => Ok(self.task_head()?.map(|head| head.commit)),
        }
    }

    /// The rows that record what is proved; a landing in the ref of `--into` before one on the stage's branch.
    pub(super) fn automatic_rows(&self, findings: &Findings, into: &[InRef], chosen: Option<u32>) -> Vec<Record> {
        let wanted = findings.done.iter().filter(|(stage, _)| Some(**stage) != chosen);
        let rows = wanted.filter_map(|(&stage, finding)| {
            let news = into.iter().find(|answer| answer.document.stage == stage && answer.is_news);
            let (landed, on) = match news {
                Some(InRef { document, .. }) => ((document.matched_commit?, document.proof), &document.reference),
                None => on_branch(finding)?,
            };
            self.automatic_row(stage, landed, (on, finding.branch_tip))
        });
        rows.collect()
    }

    /// The row that records where a stage landed.
    pub(super) fn automatic_row(
        &self,
        stage: u32,
        landed: (CommitId, Option<Proof>),
        on: (&str, Option<CommitId>),
    ) -> Option<Record> {
        let done = self.done.get(&stage)?;
        let witness = done.witness.as_ref()?;
        let mut row = automatic((&done.latest, witness), landed, on, self.context.clock().moment());
        row.impl_task_key = Some(self.task.key.to_string());
        Some(row)
    }

    /// Where the stage branches, and the refs that stages landed on, stand as the findings relied on it.
    pub(super) fn tips_of(&mut self, findings: &Findings) -> Result<Vec<(String, Option<CommitId>)>, Error> {
        let mut tips = Vec::new();
        for (stage, finding) in &findings.done {
            tips.push((self.stage_branch(*stage), finding.branch_tip));
            if let Some(on) = &finding.on {
                tips.push((on.clone(), self.tip(on)?));
            }
        }
        Ok(tips)
    }

    /// The refs that keep git from collecting what the records and `rows` name, as far as it exists and is not kept yet.
    pub(super) fn keep_refs(&self, rows: &[Record]) -> Result<Vec<(String, CommitId)>, Error> {
        let task = &self.task.key.task;
        // What `task close` let go stays so.
        let is_closed = |entry: &TaskEntry| entry.last_branch.is_some() && entry.has_no_place();
        if self.entry.as_ref().is_some_and(is_closed) {
            return Ok(Vec::new());
        }
        let kept = self.task.repository.kept(self.context, task)?;
        let recorded = self.done.values().flat_map(|done| std::iter::once(&done.latest).chain(&done.witness));
        let mut refs = Vec::new();
        for row in recorded.chain(rows) {
            if let Some(commit) = self.commit(&row.head_commit)? {
                refs.push((keep::ref_name(task, row.stage, commit), commit));
            }
        }
        for made in self.entry.iter().flat_map(|entry| &entry.integrations) {
            if let Some(commit) = self.commit(&made.commit)? {
                refs.push((keep::integration_ref_name(task, commit), commit));
            }
        }
        refs.sort();
        refs.dedup();
        refs.retain(|wanted| !kept.contains(wanted));
        Ok(refs)
    }
}

/// Where a stage is proved to have landed on its branch.
pub(super) fn on_branch(finding: &Finding) -> Option<((CommitId, Option<Proof>), &String)> {
    let on = finding.on.as_ref().filter(|_| finding.is_auto())?;
    Some(((finding.item.suggested_commit?, finding.item.proof), on))
}

/// Whether a name is an id, which names a commit and not a place.
pub(super) fn is_id(name: &str) -> bool {
    name.parse::<crate::domain::ids::ObjectId>().is_ok()
}
