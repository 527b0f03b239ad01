//! What comes next: a table of cases, and every small combination against a slow oracle.

use super::*;
use Step::{ApprovePlan, CloseTask, Finish, IntegrateStages, Nothing, Reconcile, Resume, Run};
use TaskType::{
    ErrorAnalysis, FinalVerification, Implementation, ImplementationPlanning, ReleaseHandoff, RequirementsDiscovery,
};

fn at(second: i64) -> Moment {
    Moment::from_seconds(second)
}

/// Facts with these phases finished, at these seconds.
fn finished(phases: &[(TaskType, i64)]) -> Facts {
    Facts { finished: phases.iter().map(|&(phase, second)| (phase, at(second))).collect(), ..Facts::default() }
}

fn with_plan(facts: Facts, total: u32, done: u32, integrated: u32) -> Facts {
    Facts { plan: Some(PlanFacts { stages: Progress { total, done, integrated } }), ..facts }
}

fn run(name: &str) -> RunName {
    name.parse().unwrap()
}

fn open(name: &str, (total, done, integrated): (u32, u32, u32), has_report: bool) -> OpenRun {
    OpenRun { run: run(name), batch: Progress { total, done, integrated }, has_report }
}

fn with_open(facts: Facts, runs: &[OpenRun]) -> Facts {
    Facts { open: runs.to_vec(), ..facts }
}

#[test]
fn what_comes_next() {
    let (discovery, analysis, planning) = ((RequirementsDiscovery, 1), (ErrorAnalysis, 2), (ImplementationPlanning, 3));
    let direct = |facts| Facts { route: Some(Route::DirectImplementationPlanning), ..facts };
    let unapproved = |facts| Facts { unapproved: Some(run("implementation-planning-002")), ..facts };
    let undecided = |facts| Facts { undecided: Some("stage 1 is stale".to_owned()), ..facts };
    let all = [(Implementation, 4), (FinalVerification, 5), (ReleaseHandoff, 6)];
    let cases = [
        (finished(&[]), Run(RequirementsDiscovery), "begins with requirements-discovery"),
        (finished(&[discovery]), Run(ErrorAnalysis), "comes before planning"),
        (direct(finished(&[discovery])), Run(ImplementationPlanning), "no approved plan"),
        (finished(&[discovery, analysis]), Run(ImplementationPlanning), "no approved plan"),
        (finished(&[analysis]), Run(ImplementationPlanning), "no approved plan"),
        (finished(&[discovery, analysis, planning]), Run(ImplementationPlanning), "without a plan"),
        (unapproved(finished(&[planning])), ApprovePlan(run("implementation-planning-002")), "nobody has approved"),
        (
            unapproved(with_plan(finished(&[planning]), 2, 2, 2)),
            ApprovePlan(run("implementation-planning-002")),
            "nobody",
        ),
        (with_plan(finished(&[]), 3, 1, 1), Run(Implementation), "1 of 3 stages are done"),
        (with_plan(finished(&[]), 3, 3, 1), IntegrateStages, "not all are in the task branch"),
        (undecided(with_plan(finished(&[]), 3, 3, 1)), Reconcile, "stage 1 is stale"),
        (undecided(with_plan(finished(&[]), 3, 1, 1)), Reconcile, "stage 1 is stale"),
        (with_plan(finished(&[]), 3, 3, 3), Run(FinalVerification), "all stages are done and in"),
        (with_plan(finished(&all[..2]), 3, 3, 3), Run(ReleaseHandoff), "the task is verified"),
        (with_plan(finished(&[(Implementation, 9), all[1]]), 3, 3, 3), Run(FinalVerification), "built since"),
        (
            with_plan(finished(&[all[0], (FinalVerification, 9), all[2]]), 3, 3, 3),
            Run(ReleaseHandoff),
            "the task was verified again since",
        ),
        (
            with_plan(finished(&[(Implementation, 8), (FinalVerification, 9), all[2]]), 3, 3, 3),
            Run(ReleaseHandoff),
            "stages were built and verified since",
        ),
        (with_plan(finished(&all), 3, 3, 3), Nothing, "handed off"),
        (with_plan(finished(&all), 4, 3, 3), Run(Implementation), "3 of 4"),
        (Facts { has_worktrees: true, ..with_plan(finished(&all), 3, 3, 3) }, CloseTask, "are left"),
        (Facts { is_closed: true, ..with_plan(finished(&all), 4, 3, 3) }, Nothing, "is closed"),
        (Facts { is_closed: true, ..unapproved(finished(&[planning])) }, Nothing, "is closed"),
    ];
    check(cases);
}

#[test]
fn what_comes_next_of_an_open_run() {
    let discovery = [open("requirements-discovery-001", (0, 0, 0), true)];
    let with_route = Facts { route: Some(Route::Full), ..with_open(finished(&[]), &discovery) };
    assert!(!next(&with_route).reason.contains("ROUTE"));
    let cases = [
        (
            with_open(finished(&[]), &discovery),
            Finish(run("requirements-discovery-001")),
            "; ROUTE is full, or lite-implementation-planning, or direct-implementation-planning",
        ),
        (
            with_open(finished(&[]), &[open("error-analysis-001", (0, 0, 0), false)]),
            Resume(run("error-analysis-001")),
            "is open",
        ),
        (
            with_open(finished(&[]), &[open("error-analysis-001", (0, 0, 0), true)]),
            Finish(run("error-analysis-001")),
            "report is there",
        ),
        (
            with_open(finished(&[]), &[open("implementation-001", (2, 1, 0), true)]),
            Resume(run("implementation-001")),
            "is open",
        ),
        (with_open(finished(&[]), &[open("implementation-001", (2, 2, 1), true)]), IntegrateStages, "not in the task"),
        (
            with_open(finished(&[]), &[open("implementation-001", (2, 2, 2), true)]),
            Finish(run("implementation-001")),
            "report is there",
        ),
        (
            with_open(
                finished(&[]),
                &[open("implementation-001", (2, 0, 0), false), open("implementation-002", (1, 1, 1), true)],
            ),
            Finish(run("implementation-002")),
            "report is there",
        ),
    ];
    check(cases);
}

fn check(cases: impl IntoIterator<Item = (Facts, Step, &'static str)>) {
    for (facts, step, said) in cases {
        let next = next(&facts);
        assert_eq!(next.step, step, "{facts:?}");
        assert!(next.reason.contains(said), "{}", next.reason);
    }
}

#[test]
fn what_is_left_out_says_why() {
    let direct = Facts { route: Some(Route::DirectImplementationPlanning), ..Facts::default() };
    let cases = [
        (direct.clone(), ErrorAnalysis, Some("the route goes straight to planning")),
        (direct, RequirementsDiscovery, None),
        (with_plan(finished(&[]), 1, 0, 0), ImplementationPlanning, Some("a plan is approved without it")),
        (with_plan(finished(&[(ErrorAnalysis, 1)]), 1, 0, 0), ErrorAnalysis, None),
        (with_plan(finished(&[]), 1, 1, 1), FinalVerification, None),
        (finished(&[(ErrorAnalysis, 1)]), RequirementsDiscovery, Some("error-analysis began without it")),
        (
            with_open(finished(&[]), &[open("implementation-planning-001", (0, 0, 0), false)]),
            ErrorAnalysis,
            Some("implementation-planning began without it"),
        ),
        (finished(&[]), ErrorAnalysis, None),
    ];
    for (facts, phase, expected) in cases {
        assert_eq!(left_out(&facts, phase).as_deref(), expected, "{facts:?}");
    }
}

/// The answer, by going through everything that could come next from the most urgent on: slow, obvious, and made from
/// nothing that [`next`] uses.
fn oracle(facts: &Facts) -> Step {
    let count = |progress: Progress| (progress.total, progress.done, progress.integrated);
    for open in &facts.open {
        let (total, done, integrated) = count(open.batch);
        if done == total && integrated < total {
            return if facts.undecided.is_some() { Reconcile } else { IntegrateStages };
        }
        if done == total && open.has_report {
            return Finish(open.run);
        }
    }
    if let [open, ..] = facts.open.as_slice() {
        return Resume(open.run);
    }
    if facts.is_closed {
        return Nothing;
    }
    if let Some(run) = facts.unapproved {
        return ApprovePlan(run);
    }
    let ended = |phase| facts.finished.get(&phase).map_or(0, |at: &Moment| at.seconds());
    let Some(plan) = facts.plan else {
        let direct = facts.route == Some(Route::DirectImplementationPlanning);
        let nothing_later = ended(ErrorAnalysis) == 0 && ended(ImplementationPlanning) == 0;
        if ended(RequirementsDiscovery) == 0 && nothing_later {
            return Run(RequirementsDiscovery);
        }
        if !direct && nothing_later {
            return Run(ErrorAnalysis);
        }
        return Run(ImplementationPlanning);
    };
    let (total, done, integrated) = count(plan.stages);
    let (built, verified, handed) = (ended(Implementation), ended(FinalVerification), ended(ReleaseHandoff));
    let step = match () {
        () if done < total => Run(Implementation),
        () if integrated < total => IntegrateStages,
        () if verified == 0 || verified < built => Run(FinalVerification),
        () if handed == 0 || handed < built || handed < verified => Run(ReleaseHandoff),
        () if facts.has_worktrees => CloseTask,
        () => Nothing,
    };
    let builds = !matches!(step, CloseTask | Nothing);
    if builds && facts.undecided.is_some() { Reconcile } else { step }
}

#[test]
fn every_small_case_agrees_with_the_oracle() {
    let progress: Vec<_> =
        (0..=2).flat_map(|done| (0..=done).map(move |there| Progress { total: 2, done, integrated: there })).collect();
    let plans: Vec<_> =
        std::iter::once(None).chain(progress.iter().map(|&stages| Some(PlanFacts { stages }))).collect();
    let mut opens = vec![Vec::new()];
    for has_report in [false, true] {
        opens.push(vec![open("error-analysis-001", (0, 0, 0), has_report)]);
        for &batch in &progress {
            let one = OpenRun { run: run("implementation-001"), batch, has_report };
            opens.extend([vec![one], vec![open("error-analysis-002", (0, 0, 0), false), one]]);
        }
    }
    let routes =
        [None, Some(Route::Full), Some(Route::LiteImplementationPlanning), Some(Route::DirectImplementationPlanning)];
    let mut seen = 0;
    // Each phase is unfinished or was finished at one of three moments.
    for ended in 0..4_i64.pow(6) {
        let ends = TaskType::ALL.into_iter().zip(0..).map(|(phase, place)| (phase, ended / 4_i64.pow(place) % 4));
        let ends: Vec<_> = ends.filter(|(_, second)| *second > 0).collect();
        let early = ends.iter().filter(|(phase, _)| *phase < Implementation).any(|(_, second)| *second > 1);
        if early {
            // When a phase before the plan ended plays no part.
            continue;
        }
        for (plan, opened) in plans.iter().flat_map(|plan| opens.iter().map(move |opened| (plan, opened))) {
            for (route, more) in routes.iter().flat_map(|route| (0..6).map(move |more| (route, more))) {
                let unapproved = (more % 2 == 1 && more < 4).then(|| run("implementation-planning-009"));
                let base = finished(&ends);
                let facts = Facts {
                    route: *route,
                    plan: *plan,
                    open: opened.clone(),
                    unapproved,
                    has_worktrees: more / 2 == 1,
                    is_closed: more == 4,
                    undecided: (more == 5).then(|| "stage 1".to_owned()),
                    ..base
                };
                assert_eq!(next(&facts).step, oracle(&facts), "{facts:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 500_000, "{seen}");
}

#[test]
fn what_comes_next_is_never_a_phase_that_is_left_out() {
    for plan in [None, Some(PlanFacts { stages: Progress { total: 1, done: 0, integrated: 0 } })] {
        for ended in 0..64_usize {
            let ends = TaskType::ALL.into_iter().enumerate().filter(|(i, _)| ended >> i & 1 == 1);
            let ends: Vec<_> = ends.map(|(_, phase)| (phase, 1)).collect();
            let facts = Facts { plan, ..finished(&ends) };
            if let Run(phase) = next(&facts).step {
                assert_eq!(left_out(&facts, phase), None, "{facts:?}");
            }
        }
    }
}
