//! What okstra does and says in a story, against the truth.

use okstra::domain::equivalence::Proof;
use okstra::ops::reconcile::{self, Item, Options, Outcome, auto_reconcile, check_gate};
use serde_json::Value;

use super::tale::Tale;
use crate::common::story::{BRANCH, branch};

impl Tale {
    /// okstra is asked, or let act; what is wrong with that.
    pub(super) fn okstra_acts(&mut self) -> Result<(), String> {
        self.look()?;
        match self.rng.below(10) {
            0..=3 => self.apply(),
            4 | 5 => self.apply_into(),
            6 | 7 => self.prepare(),
            8 => self.use_ref(),
            _ => self.see_into(),
        }
    }

    fn options(&self) -> Options {
        Options {
            project_root: Some(self.story.shop.clone()),
            plan_run_root: Some(self.story.plan_run_root()),
            project_id: Some("shop".to_owned()),
            task_group: Some("auth".to_owned()),
            task_id: Some("login".to_owned()),
            work_category: Some("fix".to_owned()),
            ..Options::default()
        }
    }

    fn run(&self, options: &Options) -> Result<Value, String> {
        let done = reconcile::run(&self.story.context(), options).map_err(|error| format!("error: {error}"))?;
        let document = match &done.outcome {
            Outcome::Inspected(inspection) => serde_json::to_value(inspection),
            Outcome::Applied(applied) => serde_json::to_value(applied),
        };
        Ok(document.unwrap())
    }

    fn inspect(&self) -> Result<Vec<Item>, String> {
        let options = Options { all: true, ..self.options() };
        let done = reconcile::run(&self.story.context(), &options).map_err(|error| format!("error: {error}"))?;
        Ok(done.items)
    }

    /// Looks, which changes nothing, and judges what is said.
    pub(super) fn look(&mut self) -> Result<(), String> {
        let before = (self.story.records(), self.git(&["for-each-ref"]));
        let items = self.inspect()?;
        for item in &items {
            self.count(&format!("{:?} {:?} {:?}", item.kind, item.classification, item.proof));
            let Some(commit) = item.suggested_commit else { continue };
            let stage = item.stage.unwrap_or_default();
            if item.proof != Some(Proof::Carrier) {
                self.must_hold(stage, &commit.to_string(), &format!("suggested: {item:?}"))?;
            }
            let own = self.tip(&branch(stage));
            let places = own.map_or(vec![self.tip(BRANCH), self.tip("main")], |own| vec![Some(own)]);
            let wanted = self.stages[&stage].clone();
            let landed = commit.to_string();
            let is_there = |tip: &String| {
                self.is_recorded_in(stage, tip)
                    || self.reaches(tip, &landed) && self.is_still_there(&landed, tip, &wanted)
            };
            if !places.iter().flatten().any(is_there) {
                return Err(format!("auto, and not there: {item:?}"));
            }
        }
        self.check(before == (self.story.records(), self.git(&["for-each-ref"])), "looking changed something")
    }

    fn check(&self, is_right: bool, what: &str) -> Result<(), String> {
        if is_right { Ok(()) } else { Err(what.to_owned()) }
    }

    /// A commit that is recorded by proof holds the whole stage, or is what was recorded before.
    fn must_hold(&self, stage: u32, commit: &str, what: &str) -> Result<(), String> {
        let is_right = self.holds(commit, &self.stages[&stage]) || self.is_recorded_in(stage, commit);
        self.check(is_right, &format!("stage {stage} is not whole in {commit}: {what}"))
    }

    /// Whether a commit that was recorded for the stage is in the history of `tip`.
    fn is_recorded_in(&self, stage: u32, tip: &str) -> bool {
        self.is_of_rows_in(&self.story.rows(), stage, tip)
    }

    fn is_of_rows_in(&self, rows: &[Value], stage: u32, tip: &str) -> bool {
        let mut own = rows.iter().filter(|row| row["stage"] == stage && row["status"] == "done");
        own.any(|row| row["head_commit"].as_str().is_some_and(|head| self.reaches(tip, head)))
    }

    /// Does `act`; the log may only grow, by rows that are right, and `act` done again changes nothing.
    fn twice(&mut self, act: &dyn Fn(&Self) -> Result<Value, String>, is_users: bool) -> Result<Value, String> {
        let (before, decided) = (self.story.rows(), self.decided_by_people());
        let done = act(self)?;
        self.say(&format!("   {done}"));
        let rows = self.story.rows();
        self.check(rows.starts_with(&before), "the log was rewritten")?;
        for row in &rows[before.len()..] {
            let stage = u32::try_from(row["stage"].as_u64().unwrap_or_default()).unwrap_or_default();
            let (commit, reason) = (row["head_commit"].as_str().unwrap_or_default(), &row["reconcile_reason"]);
            self.count(&format!("row {reason}"));
            if reason == "user-ref" {
                self.check(is_users, &format!("nobody named {row}"))?;
                continue;
            }
            let is_whole =
                self.has_worked_on(commit, &self.stages[&stage]) || self.is_of_rows_in(&before, stage, commit);
            self.check(is_whole, &format!("stage {stage} is not whole: {row}"))?;
            self.check(is_users || !decided.contains(&stage), &format!("a person's choice was changed: {row}"))?;
        }
        let records = self.story.records();
        let again = act(self)?;
        let is_same = records == self.story.records();
        self.check(is_same, &format!("a second time it changed something: {again}"))?;
        Ok(done)
    }

    /// The stages whose recorded commit a person named, and which still stands as it did then.
    fn decided_by_people(&self) -> Vec<u32> {
        let mut latest = std::collections::BTreeMap::new();
        for row in self.story.rows().into_iter().filter(|row| row["status"] == "done") {
            latest.insert(u32::try_from(row["stage"].as_u64().unwrap()).unwrap(), row);
        }
        let holds = |(stage, row): &(u32, Value)| {
            let tip = self.tip(&branch(*stage));
            row["reconcile_reason"] == "user-ref"
                && self.exists(row["head_commit"].as_str().unwrap_or_default())
                && (tip.is_none() || row["branch_tip"].as_str() == tip.as_deref())
        };
        latest.into_iter().filter(holds).map(|(stage, _)| stage).collect()
    }

    fn apply(&mut self) -> Result<(), String> {
        self.say("== apply");
        let options = Options { apply: true, ..self.options() };
        self.twice(&|tale| tale.run(&options), false)?;
        let items = self.inspect()?;
        let is_auto = |item: &Item| format!("{:?}", item.classification) == "Auto";
        match items.iter().find(|item| is_auto(item)) {
            Some(item) => Err(format!("auto after apply: {item:?}")),
            None => Ok(()),
        }
    }

    fn apply_into(&mut self) -> Result<(), String> {
        self.say("== into main, apply");
        let options = Options { apply: true, into: Some("main".to_owned()), ..self.options() };
        let done = self.twice(&|tale| tale.run(&options), true)?;
        self.judge_into(&done, "main")
    }

    fn see_into(&mut self) -> Result<(), String> {
        let name = ["main", BRANCH][self.rng.below(2)];
        self.say(&format!("== into {name}"));
        let options = Options { into: Some(name.to_owned()), ..self.options() };
        let seen = self.run(&options)?;
        self.judge_into(&seen, name)
    }

    fn judge_into(&mut self, document: &Value, name: &str) -> Result<(), String> {
        let tip = self.tip(name).unwrap();
        for into in document["into"].as_array().unwrap() {
            let stage = u32::try_from(into["stage"].as_u64().unwrap()).unwrap();
            let (verdict, wanted) = (into["verdict"].as_str().unwrap(), self.stages[&stage].clone());
            self.count(&format!("into {verdict} {} {}", into["proof"], into["effect"]));
            let landed = into["matched_commit"].as_str();
            let is_there = landed.is_some_and(|landed| self.is_still_there(landed, &tip, &wanted));
            if verdict == "contained" && !is_there && !self.is_recorded_in(stage, &tip) {
                return Err(format!("contained, and not there: {into}"));
            }
            let landed =
                into["matched_commit"].as_str().filter(|_| verdict == "contained" && into["proof"] != "carrier");
            if let Some(landed) = landed {
                self.must_hold(stage, landed, &format!("contained: {into}"))?;
            }
            let is_whole_and_absent = verdict == "absent" && self.holds(&tip, &wanted) && !wanted.is_empty();
            self.check(!is_whole_and_absent, &format!("absent, and there: {into}"))?;
        }
        Ok(())
    }

    /// What comes before a run: repair, then the gates of the stages to come.
    fn prepare(&mut self) -> Result<(), String> {
        self.say("== prepare");
        let repair = |tale: &Self| {
            let context = tale.story.context();
            let done = auto_reconcile(&context, &tale.story.task(&context)).map_err(|error| error.to_string())?;
            match done.skipped {
                Some(why) => Err(format!("skipped: {why}")),
                None => Ok(serde_json::to_value(done.applied).unwrap()),
            }
        };
        self.twice(&repair, false)?;
        for stage in [8, 9] {
            let passed = |tale: &Self| {
                let context = tale.story.context();
                let passed = check_gate(&context, &tale.story.task(&context), stage);
                Ok(passed
                    .map_or_else(|error| Value::String(error.to_string()), |rows| serde_json::to_value(rows).unwrap()))
            };
            let answer = self.twice(&passed, true)?;
            let is_open = answer.is_array();
            self.count(&format!("gate {stage} {}", if is_open { "ok" } else { "refused" }));
            let several = self.stages.len() > 1;
            if is_open && stage == 9 && several {
                let head = self.tip(BRANCH).unwrap();
                for (&stage, wanted) in &self.stages {
                    let is_there = self.has_worked_on(&head, wanted) || self.is_recorded_in(stage, &head);
                    self.check(is_there, &format!("the gate is open, and {head} lacks stage {stage}"))?;
                }
            }
        }
        Ok(())
    }

    fn use_ref(&mut self) -> Result<(), String> {
        let stages: Vec<u32> = self.stages.keys().copied().collect();
        let stage = *self.rng.pick(&stages).unwrap();
        let names = [branch(stage), branch(stage), "main".to_owned(), BRANCH.to_owned()];
        let name = self.rng.pick(&names).unwrap().clone();
        if self.tip(&name).is_none() {
            return Ok(());
        }
        self.say(&format!("== use {name} for stage {stage}"));
        let options = Options { apply: true, stage: Some(stage), use_ref: Some(name), ..self.options() };
        self.twice(&|tale| tale.run(&options), true)?;
        let rows = self.story.rows();
        let row = rows.iter().rfind(|row| row["stage"] == stage && row["reconcile_reason"] == "user-ref");
        let Some(row) = row else { return Err("no row for what a person named".to_owned()) };
        let head = row["head_commit"].as_str().unwrap_or_default();
        let wrote = match row["base_commit"].as_str() {
            Some(base) if self.exists(base) => self.marks_of(head).difference(&self.marks_of(base)).cloned().collect(),
            _ => std::collections::BTreeSet::new(),
        };
        self.say(&format!("   now {wrote:?}"));
        self.stages.insert(stage, wrote);
        Ok(())
    }
}
