//! Lines that were only ever added to.

use std::collections::HashMap;

/// Which lines of `theirs` are not in `ours`, in their order. A line that is there twice has to be here twice.
pub fn missing(ours: &[&str], theirs: &[&str]) -> Vec<usize> {
    let mut left = HashMap::<&str, usize>::new();
    for line in ours {
        *left.entry(line.trim()).or_default() += 1;
    }
    let is_missing = |line: &&str| match left.get_mut(line.trim()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let found: Vec<bool> = theirs.iter().map(is_missing).collect();
    (0..theirs.len()).filter(|place| found[*place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_there_more_often_is_missing_as_often() {
        let cases: &[(&[&str], &[&str], &[usize])] = &[
            (&[], &[], &[]),
            (&[], &["a", "b"], &[0, 1]),
            (&["a", "b"], &["b", "a"], &[]),
            (&["a"], &["a", "b", "a"], &[1, 2]),
            (&["a\r", "x"], &["a"], &[]),
        ];
        for (ours, theirs, expected) in cases {
            assert_eq!(missing(ours, theirs), *expected, "{ours:?} {theirs:?}");
        }
    }
}
