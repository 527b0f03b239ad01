//! Which of the many options go together.

use super::Options;
use crate::ops::Error;
use crate::ops::task::{FullSelector, Selector};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// To look.
    Inspect {
        /// The ref in which the done stages should be.
        into: Option<String>,
    },
    /// To repair.
    Apply(Wanted),
}

/// What to repair besides what is proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// A stage and the ref that a person chose for it.
    pub(super) person: Option<(u32, String)>,
    /// The ref to move the anchor to.
    pub(super) anchor: Option<String>,
    /// The ref in which the done stages should be.
    pub(super) into: Option<String>,
}

/// Reads the options, or says what does not go together.
pub(super) fn read(options: &Options) -> Result<(Selector, Request), Error> {
    let request = match (options.stage, &options.use_ref) {
        (None, Some(_)) => return Err(usage("--use-ref requires --stage", "name the stage: --stage N --use-ref REF")),
        (Some(_), None) => {
            return Err(usage("--stage requires --use-ref", "name the ref to record: --stage N --use-ref REF"));
        }
        (Some(_), Some(_)) if !options.apply => return Err(requires_apply("--use-ref")),
        (None, None) if options.reset_anchor.is_some() && !options.apply => {
            return Err(requires_apply("--reset-anchor"));
        }
        (person, _) if options.apply => Request::Apply(Wanted {
            person: person.zip(options.use_ref.clone()),
            anchor: options.reset_anchor.clone(),
            into: options.into.clone(),
        }),
        _ => Request::Inspect { into: options.into.clone() },
    };
    if options.all && options.apply {
        return Err(usage("--all does not go with --apply", "inspect with --all first, then repair with --apply"));
    }
    Ok((selector(options)?, request))
}

fn requires_apply(flag: &str) -> Error {
    usage(&format!("{flag} requires --apply"), "without --apply nothing is changed: add it to the command")
}

fn selector(options: &Options) -> Result<Selector, Error> {
    let Options { plan_run_root, project_id, task_group, task_id, work_category, .. } = options;
    let given = [
        ("--plan-run-root", plan_run_root.is_some()),
        ("--project-id", project_id.is_some()),
        ("--task-group", task_group.is_some()),
        ("--task-id", task_id.is_some()),
        ("--work-category", work_category.is_some()),
    ];
    let all = (plan_run_root, project_id, task_group, task_id, work_category);
    if let (Some(root), Some(project), Some(group), Some(id), Some(category)) = all {
        if options.task.is_some() {
            return Err(usage("--task does not go with --task-id and the like", "name the task in one way"));
        }
        return Ok(Selector::Full(Box::new(FullSelector {
            plan_run_root: root.clone(),
            project_id: project.clone(),
            task_group: group.clone(),
            task_id: id.clone(),
            work_category: category.clone(),
        })));
    }
    let named = |wanted: bool| given.iter().filter(move |(_, given)| *given == wanted).map(|(flag, _)| *flag);
    match named(true).next() {
        None => Ok(Selector::Project(options.task.clone())),
        Some(flag) if options.task.is_some() => {
            Err(usage(&format!("--task does not go with {flag}"), "name the task in one way"))
        }
        Some(_) => {
            let missing = named(false).collect::<Vec<_>>().join(", ");
            let hint = "give all five, or name a task of this project with --task GROUP/ID";
            Err(usage(&format!("these are missing: {missing}"), hint))
        }
    }
}

fn usage(message: &str, hint: &str) -> Error {
    Error::Request { message: message.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: Options) -> String {
        match read(&options) {
            Err(Error::Request { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    }

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let some = Options::default;
        let cases = [
            (Options { use_ref: text("x"), ..some() }, "--use-ref requires --stage"),
            (Options { use_ref: text("x"), apply: true, ..some() }, "--use-ref requires --stage"),
            (Options { stage: Some(1), ..some() }, "--stage requires --use-ref"),
            (Options { stage: Some(1), apply: true, ..some() }, "--stage requires --use-ref"),
            (Options { stage: Some(1), use_ref: text("x"), ..some() }, "--use-ref requires --apply"),
            (Options { reset_anchor: text("x"), ..some() }, "--reset-anchor requires --apply"),
            (
                Options { reset_anchor: text("x"), stage: Some(1), use_ref: text("x"), ..some() },
                "--use-ref requires --apply",
            ),
            (Options { all: true, apply: true, ..some() }, "--all does not go with --apply"),
            (Options { task: text("g/t"), task_id: text("t"), ..some() }, "--task does not go with --task-id"),
            (
                Options { task_id: text("t"), project_id: text("p"), ..some() },
                "these are missing: --plan-run-root, --task-group, --work-category",
            ),
        ];
        for (options, expected) in cases {
            assert_eq!(refused(options.clone()), expected, "{options:?}");
        }
    }

    #[test]
    fn a_task_is_named_in_one_of_two_ways() {
        let full = Options {
            plan_run_root: Some("r".into()),
            project_id: text("p"),
            task_group: text("g"),
            task_id: text("t"),
            work_category: text("c"),
            ..Options::default()
        };
        assert!(matches!(read(&full), Ok((Selector::Full(_), Request::Inspect { into: None }))));
        assert!(refused(Options { task: text("g/t"), ..full }).starts_with("--task does not go with"));
        let named = Options { task: text("g/t"), into: text("main"), ..Options::default() };
        let request = Request::Inspect { into: text("main") };
        assert_eq!(read(&named).unwrap(), (Selector::Project(text("g/t")), request));
        let apply = Options { apply: true, stage: Some(2), use_ref: text("x"), ..Options::default() };
        let wanted = Wanted { person: Some((2, "x".to_owned())), ..Wanted::default() };
        assert_eq!(read(&apply).unwrap(), (Selector::Project(None), Request::Apply(wanted)));
    }
}
