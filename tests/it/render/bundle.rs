//! What is in a bundle, for whom, and in which order.

use okstra::domain::lifecycle::TaskType;
use okstra::domain::run::{RunManifest, WorkerRole};
use okstra::render::{Bundle, LEAD, Overrides, bundle, estimated_tokens, stage_batch_directive};

use super::Context;

fn of(context: &Context) -> Bundle {
    bundle(&context.input(), &Overrides::none()).unwrap()
}

/// The prompt of a worker.
fn prompt(context: &Context, worker: &str) -> String {
    context.file(&format!("prompts/{worker}-{}.md", context.manifest.run))
}

#[test]
fn an_implementation_run_gets_all_of_its_files() {
    let context = Context::read("implementation");
    let files: Vec<_> = of(&context).files.into_iter().map(|file| file.path).collect();
    let expected = [
        "instruction-set/001/analysis-material.md",
        "instruction-set/001/analysis-profile.md",
        "instruction-set/001/carry-in.md",
        "instruction-set/001/claude-execution-prompt.md",
        "instruction-set/001/final-report-template.md",
        "instruction-set/001/reference-expectations.md",
        "instruction-set/001/task-brief.md",
        "prompts/claude-implementation-001.md",
        "prompts/codex-implementation-001.md",
        "prompts/gemini-implementation-001.md",
        "prompts/report-writer-implementation-001.md",
    ];
    assert_eq!(files, expected);
}

#[test]
fn what_the_manifest_names_is_there() {
    for task_type in TaskType::ALL {
        let context = Context::read(task_type.as_str());
        let RunManifest { run_root, brief, lead, workers, .. } = &context.manifest;
        let bundle = of(&context);
        let there: Vec<_> = bundle.files.iter().map(|file| format!("{run_root}/{}", file.path)).collect();
        for path in workers.iter().map(|worker| &worker.prompt_path).chain([&brief.path, &lead.prompt_path]) {
            assert!(there.contains(path), "{path}");
        }
        for instruction in bundle.instructions(run_root) {
            let at = there.iter().position(|path| *path == instruction.path).unwrap();
            assert_eq!((instruction.bytes, instruction.sha256.len()), (bundle.files[at].bytes.len() as u64, 64));
        }
        let alone = task_type.convergence().is_none();
        assert_eq!(bundle.prompts.len(), if alone { 1 } else { 1 + workers.len() });
    }
}

#[test]
fn prompts_are_measured() {
    let context = Context::read("error-analysis");
    let bundle = of(&context);
    assert_eq!(bundle.prompts[0].worker, LEAD);
    for prompt in &bundle.prompts {
        let text = context.file(&prompt.path);
        assert_eq!((prompt.bytes, prompt.tokens), (text.len(), estimated_tokens(&text)));
        assert!(prompt.tokens < 3_500, "{prompt:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for task_type in TaskType::ALL {
        assert_eq!(of(&Context::read(task_type.as_str())), of(&Context::read(task_type.as_str())));
    }
}

#[test]
fn what_is_the_same_for_all_comes_first() {
    for task_type in TaskType::ALL.into_iter().filter(|task_type| task_type.convergence().is_some()) {
        let context = Context::read(task_type.as_str());
        let shared = of(&context).shared_prefix;
        for worker in &context.manifest.workers {
            let text = prompt(&context, &worker.name);
            let material = context.file("analysis-material.md");
            let end = text.find(&material).unwrap() + material.len();
            assert!(shared >= end, "{task_type}, {}: {shared} of {end}", worker.name);
            let floor = if worker.role == WorkerRole::Analyst { 6 } else { 5 };
            assert!(shared * 10 >= text.len() * floor, "{task_type}, {}: {shared} of {}", worker.name, text.len());
            assert!(text.starts_with(&context.file("analysis-profile.md")), "{task_type}");
        }
    }
}

#[test]
fn nothing_volatile_is_in_the_shared_part() {
    let first = Context::read("implementation");
    let mut second = first.clone();
    second.manifest.run = "implementation-017".to_owned();
    second.manifest.created_at = "2027-01-01T00:00:00Z".to_owned();
    for (at, worker) in second.manifest.workers.iter_mut().enumerate() {
        worker.session_id = format!("00000000-0000-4000-9000-00000000000{at}");
    }
    let shared = of(&first).shared_prefix;
    for worker in &first.manifest.workers {
        assert_eq!(prompt(&first, &worker.name)[..shared], prompt(&second, &worker.name)[..shared]);
    }
}

#[test]
fn the_last_part_of_a_prompt_is_the_workers_own() {
    for task_type in TaskType::ALL {
        let context = Context::read(task_type.as_str());
        for worker in &context.manifest.workers {
            let text = prompt(&context, &worker.name);
            let last = text.rsplit_once("\n# Assignment\n").unwrap().1;
            let model = worker.model.clone().unwrap_or_else(|| "as your CLI is set".to_owned());
            let result = format!("\n**Result Path:** /home/ann/shop/{}\n", worker.result_path);
            let errors = format!("\n**Errors Path:** /home/ann/shop/{}\n", worker.errors_path);
            for needed in [&worker.name, &model, &context.manifest.task_key, &context.manifest.run, &result, &errors] {
                assert!(last.contains(needed), "{}: {needed}", worker.name);
            }
        }
    }
}

#[test]
fn only_the_report_writer_reads_of_the_report() {
    for task_type in TaskType::ALL {
        let context = Context::read(task_type.as_str());
        for worker in context.manifest.workers.iter().filter(|worker| worker.role != WorkerRole::ReportWriter) {
            let text = prompt(&context, &worker.name);
            for foreign in
                ["final-report", "reference-expectations", "## Worker-Unique", "pull-request-", "okstra finish"]
            {
                assert!(!text.contains(foreign), "{}: {foreign}", worker.name);
            }
        }
        for worker in context.manifest.workers.iter().filter(|worker| worker.role == WorkerRole::ReportWriter) {
            assert!(prompt(&context, &worker.name).contains("final-report-template.md"));
        }
    }
}

#[test]
fn the_stage_directive_names_the_whole_scope() {
    let context = Context::read("implementation");
    let directive = stage_batch_directive(&context.manifest);
    assert!(directive.starts_with("- **Stage batch for this implementation run:** `1,2`\n"), "{directive}");
    let lines: Vec<_> = directive.lines().filter(|line| line.starts_with("  - Stage ")).collect();
    assert_eq!(lines.len(), 2);
    for (line, stage) in lines.iter().zip([&context.manifest.stages[1], &context.manifest.stages[0]]) {
        for needed in [&format!("Stage {}: {}", stage.stage, stage.title), &stage.branch, &stage.worktree, &stage.base]
        {
            assert!(line.contains(needed.as_str()), "{line}");
        }
    }
    assert!(directive.contains("The runtime chose and reserved them") && directive.contains("computed again"));
    for file in ["claude-execution-prompt.md", "claude-implementation-001.md"] {
        let text = context.file(file);
        assert!(text.contains(&format!("\n{directive}\n")), "{text}");
    }
}

#[test]
fn outside_implementation_the_stage_directive_is_empty() {
    for task_type in TaskType::ALL.into_iter().filter(|task_type| *task_type != TaskType::Implementation) {
        let mut context = Context::read(task_type.as_str());
        context.manifest.stages = Context::read("implementation").manifest.stages;
        assert_eq!(stage_batch_directive(&context.manifest), "");
        assert!(context.files().iter().all(|(_, text)| !text.contains("Stage batch for this")), "{task_type}");
    }
}

#[test]
fn a_large_plan_makes_a_bundle_in_no_time() {
    let mut context = Context::read("implementation");
    let section = context.plan_excerpt.clone().unwrap();
    context.plan_excerpt = Some(section.repeat(20));
    let start = std::time::Instant::now();
    let rounds = 50;
    for _ in 0..rounds {
        of(&context);
    }
    let each = start.elapsed() / rounds;
    assert!(each < std::time::Duration::from_millis(100), "{each:?}, without optimisation and with others at work");
}
