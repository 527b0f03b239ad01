//! The graph of the stages as text for programs that draw.

use std::fmt::Write as _;

use crate::domain::plan::PlanStage;
use crate::domain::progress::StageState;

/// The graph in the language of Graphviz.
pub fn dot<'a>(stages: impl Iterator<Item = (&'a PlanStage, Option<StageState>)>) -> String {
    let mut text = String::from("digraph plan {\n  rankdir=TB;\n  node [shape=box];\n");
    for (stage, state) in stages {
        let label = label(stage, state).map(|line| dot_text(&line)).join("\\n");
        let look = match state {
            Some(StageState::Done) => ", style=filled, fillcolor=palegreen",
            Some(StageState::Started) => ", style=filled, fillcolor=khaki",
            Some(StageState::Ready) => ", style=bold",
            Some(StageState::Waiting) => ", style=dashed",
            None => "",
        };
        let number = stage.stage;
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  s{number} [label=\"{label}\"{look}];");
        for other in &stage.depends_on {
            let _ = writeln!(text, "  s{other} -> s{number};");
        }
    }
    text + "}\n"
}

/// The graph in the language of Mermaid.
pub fn mermaid<'a>(stages: impl Iterator<Item = (&'a PlanStage, Option<StageState>)>) -> String {
    let mut text = String::from("flowchart TD\n");
    let mut has_states = false;
    for (stage, state) in stages {
        let label = label(stage, state).map(|line| mermaid_text(&line)).join("<br/>");
        let number = stage.stage;
        let class = state.map(|state| format!(":::{}", word(state))).unwrap_or_default();
        has_states |= state.is_some();
        let _ = writeln!(text, "  s{number}[\"{label}\"]{class}");
        for other in &stage.depends_on {
            let _ = writeln!(text, "  s{other} --> s{number}");
        }
    }
    if has_states {
        text.push_str(
            "  classDef done fill:#cfc\n  classDef started fill:#ffc\n  classDef ready stroke-width:3px\n  \
             classDef waiting stroke-dasharray:4\n",
        );
    }
    text
}

/// What stands in the box of a stage.
fn label(stage: &PlanStage, state: Option<StageState>) -> [String; 2] {
    let steps = steps(stage.step_count);
    let second = state.map_or_else(|| steps.clone(), |state| format!("{}, {steps}", word(state)));
    [format!("{}  {}", stage.stage, stage.title), second]
}

fn steps(count: u32) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}

/// The word of a state.
fn word(state: StageState) -> &'static str {
    match state {
        StageState::Done => "done",
        StageState::Started => "started",
        StageState::Ready => "ready",
        StageState::Waiting => "waiting",
    }
}

/// `text` within the quotes of Graphviz, where a backslash begins an escape.
fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ")
}

/// `text` within the quotes of Mermaid, which knows entities, and Markdown between backticks.
fn mermaid_text(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' => format!("#{};", u32::from(c)),
            c if c.is_control() => " ".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages() -> Vec<PlanStage> {
        let stage = |stage, title: &str, depends_on: &[u32], step_count| PlanStage {
            stage,
            title: title.to_owned(),
            depends_on: depends_on.to_vec(),
            step_count,
            ..PlanStage::default()
        };
        vec![stage(1, "Say \"hi\" & <b>\\n", &[], 1), stage(2, "`x`; #1", &[1], 2)]
    }

    #[test]
    fn titles_cannot_leave_their_quotes() {
        let stages = stages();
        let plain = || stages.iter().map(|stage| (stage, None));
        let expected = "digraph plan {\n  rankdir=TB;\n  node [shape=box];\n  \
                        s1 [label=\"1  Say \\\"hi\\\" & <b>\\\\n\\n1 step\"];\n  \
                        s2 [label=\"2  `x`; #1\\n2 steps\"];\n  s1 -> s2;\n}\n";
        assert_eq!(dot(plain()), expected);
        let expected = "flowchart TD\n  s1[\"1  Say #34;hi#34; #38; #60;b#62;#92;n<br/>1 step\"]\n  \
                        s2[\"2  #96;x#96;#59; #35;1<br/>2 steps\"]\n  s1 --> s2\n";
        assert_eq!(mermaid(plain()), expected);
    }

    #[test]
    fn states_are_shown() {
        let stages = stages();
        let states = [Some(StageState::Done), Some(StageState::Waiting)];
        let with_states = || stages.iter().zip(states);
        assert!(dot(with_states()).contains("done, 1 step\", style=filled"), "{}", dot(with_states()));
        assert!(mermaid(with_states()).contains("waiting, 2 steps\"]:::waiting\n"), "{}", mermaid(with_states()));
        assert!(mermaid(with_states()).contains("classDef waiting"));
    }
}
