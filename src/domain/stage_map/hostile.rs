//! Whatever the text: no panic, and no line that is not there. That nothing takes long is tested from outside.

use proptest::prelude::*;

use super::*;

/// Pieces of which a text is likely to be nearly a plan.
const PIECES: &[&str] = &[
    "## Stage Map\n",
    "## Stage 1: A\n",
    "## Stage 2: B\n",
    "Stage 1: A\n---\n",
    "### Steps\n",
    "### Rollback\n",
    "\n",
    "\r\n",
    "\r",
    "| stage | title | depends-on | step-count | files |\n",
    "|-|-|-|-|-|\n",
    "| 1 | A | (none) | 1 | `a/**` |\n",
    "| 2 | B | 1 | 1 | `b`, `**/x` |\n",
    "1. step\n",
    "- post: `x`\n",
    "- ",
    "1) ",
    "> ",
    "    ",
    "\t",
    "```\n",
    "<!--",
    "-->",
    "<div>\n",
    "`",
    "``",
    "\\",
    "|",
    "\\|",
    "*",
    "**",
    "[",
    "](",
    "![",
    "&amp;",
    "\u{feff}",
    "\u{0}",
    "é",
    "日本",
    "### Stage Exit Contract\n",
    "# x\n",
];

fn sound(text: &str) {
    let checked = check(text);
    let lines = text.replace("\r\n", "\n").replace('\r', "\n").split('\n').count();
    for violation in &checked.violations {
        assert!((1..=lines).contains(&violation.line), "{violation:?} of {lines} lines");
    }
    assert!(checked.stages.iter().all(|stage| stage.section_line <= lines));
    assert_eq!(check(text), checked);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        sound(&text);
    }

    #[test]
    fn anything_like_a_plan_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        sound(&pieces.concat());
    }
}

#[test]
fn a_plan_cut_off_anywhere_is_read() {
    let text = include_str!("../../../tests/fixtures/plans/good/login.md");
    assert_eq!(check(text).violations, []);
    let ends = (0..text.len()).filter(|&end| text.is_char_boundary(end)).step_by(7);
    ends.for_each(|end| sound(&text[..end]));
}
