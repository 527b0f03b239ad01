//! What a person is told when a run cannot go on: what holds it up, and the commands that help, ready to paste.

use super::document::{Cause, Item};
use crate::domain::ids::short;
use crate::domain::names::{Name, TaskKey};
use crate::domain::shell;

/// The words of the command line that name a task to git-reconcile, all absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// The project root.
    pub project_root: String,
    /// The plan run root.
    pub plan_run_root: String,
    /// The task.
    pub key: TaskKey,
    /// Its work category.
    pub category: Name,
}

/// Where a stage that needs a person may be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOut {
    /// The stage.
    pub stage: u32,
    /// The ref to suggest for it, as a person would type it.
    pub suggested_ref: String,
}

impl Guidance {
    /// The words of a command about this task, to which more can be added.
    pub fn words(&self) -> Vec<String> {
        let key = &self.key;
        let named = [
            ("--project-root", self.project_root.as_str()),
            ("--plan-run-root", &self.plan_run_root),
            ("--project-id", key.project.as_str()),
            ("--task-group", key.task.group.as_str()),
            ("--task-id", key.task.id.as_str()),
            ("--work-category", self.category.as_str()),
        ];
        let named = named.iter().flat_map(|(name, value)| [*name, *value]);
        ["okstra", "git-reconcile"].into_iter().chain(named).map(str::to_owned).collect()
    }

    /// The command that does `more` for this task.
    pub fn command(&self, more: &[&str]) -> String {
        let more = more.iter().map(|word| (*word).to_owned());
        shell::command(self.words().into_iter().chain(more))
    }

    /// The whole guidance: how to look, and for each stage how to repair it.
    pub fn text(&self, stages: &[WayOut]) -> String {
        let title = "Recorded stage SHAs no longer match the git history (external rebase/squash/amend?). \
                     Inspect and reconcile:";
        let repairs = stages.iter().map(|way| self.repair(way));
        let commands = std::iter::once(self.command(&["--json"])).chain(repairs);
        commands.fold(title.to_owned(), |text, command| format!("{text}\n  {command}"))
    }

    /// The command that records the suggested ref for a stage.
    pub fn repair(&self, way: &WayOut) -> String {
        self.command(&["--apply", "--stage", &way.stage.to_string(), "--use-ref", &way.suggested_ref])
    }
}

/// A dependency that a run is refused for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedDependency {
    /// The stage that cannot start.
    pub stage: u32,
    /// Whether it has several dependencies, and so starts from the task worktree.
    pub is_multiple: bool,
    /// The gate's item.
    pub item: Item,
    /// The stage's branch, a short name.
    pub branch: String,
    /// The first digits of the task worktree's HEAD.
    pub head: Option<String>,
    /// The folder of the task worktree.
    pub worktree: Option<String>,
    /// The ref on which it landed, where it landed elsewhere.
    pub landed_on: Option<String>,
}

impl RefusedDependency {
    /// What holds the stage up, in one line.
    pub fn message(&self) -> String {
        let predecessor = self.item.predecessor.unwrap_or_default();
        let recorded = self.item.recorded.as_deref().map_or_else(|| "no commit".to_owned(), short);
        let (stage, reason) = (self.stage, &self.item.reason);
        match (self.item.cause.flatten(), self.is_multiple) {
            (Some(Cause::NotDone), _) => format!("stage {stage} depends on stage {predecessor}, which is not done yet"),
            // Stage 0 is the task as a whole.
            (_, true) if stage == 0 => {
                let head = self.head.as_deref().unwrap_or("none yet");
                format!("stage {predecessor} ({recorded}) is not merged into the task worktree ({head})")
            }
            (_, true) => {
                let head = self.head.as_deref().unwrap_or("none yet");
                format!(
                    "multi-dependency stage {stage}: predecessor stage {predecessor} ({recorded}) is not merged into \
                     the task worktree ({head})"
                )
            }
            (_, false) => {
                format!("stage {stage}: predecessor stage {predecessor} ({recorded}) cannot be built on: {reason}")
            }
        }
    }

    /// What helps, by cause; `None` where the guidance does.
    pub fn way_out(&self, task: &TaskKey) -> Option<String> {
        let merge = |what: &str| match &self.worktree {
            Some(folder) => shell::command(["git", "-C", folder, "merge", what]),
            None => shell::command(["git", "merge", what]),
        };
        let integrate = shell::command(["okstra", "stage", "integrate", "--task", &task.task.to_string()]);
        match self.item.cause.flatten()? {
            Cause::NotDone => Some("finish that stage first".to_owned()),
            Cause::NotIntegrated => {
                let branch = &self.branch;
                Some(format!(
                    "not integrated yet: {integrate}\n  or merge {branch} into the task worktree ({}), or into main \
                     and then refresh the worktree",
                    merge(branch)
                ))
            }
            Cause::LandedElsewhere => {
                let landed_on = self.landed_on.as_deref()?;
                Some(format!("it landed in {landed_on}; take it into the task worktree: {}", merge(landed_on)))
            }
            Cause::Undecided => Some(format!(
                "{}\n  look at it, then take what is missing into the task branch: {integrate}\n  or merge it by hand: {}",
                self.item.reason,
                merge(&self.branch)
            )),
            Cause::Stale => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reconcile::{Classification, Kind};

    fn guidance() -> Guidance {
        Guidance {
            project_root: "/my shop".to_owned(),
            plan_run_root: "/my shop/.okstra/tasks/auth/login/runs/implementation-planning".to_owned(),
            key: "shop/auth/login".parse().unwrap(),
            category: Name::parse("fix", "a work category").unwrap(),
        }
    }

    #[test]
    fn the_commands_are_ready_to_paste() {
        let ways = [(1, "fix-login-s1"), (3, "a b")]
            .map(|(stage, suggested)| WayOut { stage, suggested_ref: suggested.to_owned() });
        let named = "okstra git-reconcile --project-root '/my shop' --plan-run-root '/my \
                     shop/.okstra/tasks/auth/login/runs/implementation-planning' --project-id shop --task-group auth \
                     --task-id login --work-category fix";
        let expected = format!(
            "Recorded stage SHAs no longer match the git history (external rebase/squash/amend?). Inspect and \
             reconcile:\n  {named} --json\n  {named} --apply --stage 1 --use-ref fix-login-s1\n  {named} --apply \
             --stage 3 --use-ref 'a b'"
        );
        assert_eq!(guidance().text(&ways), expected);
    }

    fn refused(cause: Cause, is_multiple: bool) -> RefusedDependency {
        let item = Item::new(Kind::Gate, Some(3), Classification::Confirm, "why".to_owned());
        let recorded = (cause != Cause::NotDone).then(|| "1a2b3c4d5e".to_owned());
        RefusedDependency {
            stage: 3,
            is_multiple,
            item: Item { predecessor: Some(1), cause: Some(Some(cause)), recorded, ..item },
            branch: "fix-login-s1".to_owned(),
            head: Some("5e6f7a8b".to_owned()),
            worktree: Some("/w/login".to_owned()),
            landed_on: Some("main".to_owned()),
        }
    }

    #[test]
    fn a_refusal_says_what_helps_by_cause() {
        let task = guidance().key;
        let integrated = "multi-dependency stage 3: predecessor stage 1 (1a2b3c4d) is not merged into the task \
                          worktree (5e6f7a8b)";
        for cause in [Cause::NotIntegrated, Cause::LandedElsewhere, Cause::Undecided, Cause::Stale] {
            assert_eq!(refused(cause, true).message(), integrated);
        }
        let waiting = refused(Cause::NotIntegrated, true).way_out(&task).unwrap();
        assert!(waiting.contains("okstra stage integrate --task auth/login") && waiting.contains("fix-login-s1"));
        let elsewhere = refused(Cause::LandedElsewhere, true).way_out(&task).unwrap();
        assert!(elsewhere.ends_with("git -C /w/login merge main"), "{elsewhere}");
        assert!(refused(Cause::Undecided, true).way_out(&task).unwrap().ends_with("merge fix-login-s1"));
        assert_eq!(refused(Cause::Stale, true).way_out(&task), None);
        assert!(refused(Cause::Stale, false).message().ends_with("(1a2b3c4d) cannot be built on: why"));
        assert_eq!(refused(Cause::NotDone, true).message(), "stage 3 depends on stage 1, which is not done yet");
    }
}
