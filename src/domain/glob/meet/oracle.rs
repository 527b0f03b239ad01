//! Every pair of short globs against every short path, with a matcher that follows the words of the definition.

use super::*;

/// Whether `glob` matches the rest `path` of a path, by its definition.
fn matches(glob: &str, path: &str, begins_part: bool) -> bool {
    if let Some(rest) = glob.strip_prefix("**/").filter(|_| begins_part) {
        let mut folders = path.match_indices('/').map(|(slash, _)| &path[slash + 1..]);
        return matches(rest, path, true) || folders.any(|below| matches(rest, below, true));
    }
    if let Some(rest) = glob.strip_prefix("**") {
        return (0..=path.len()).any(|end| matches(rest.trim_start_matches('*'), &path[end..], false));
    }
    if let Some(rest) = glob.strip_prefix('*') {
        let longest = path.find('/').unwrap_or(path.len());
        return (0..=longest).any(|end| matches(rest, &path[end..], false));
    }
    match (glob.chars().next(), path.chars().next()) {
        (None, None) => true,
        (Some(a), Some(b)) if a == b => matches(&glob[1..], &path[1..], a == '/'),
        _ => false,
    }
}

fn all<T: Copy>(pieces: &[T], longest: u32, join: impl Fn(&[T]) -> String) -> Vec<String> {
    let mut found = Vec::new();
    let mut last: Vec<Vec<T>> = vec![Vec::new()];
    for _ in 0..longest {
        last = last.iter().flat_map(|one| pieces.iter().map(|&piece| [one.as_slice(), &[piece]].concat())).collect();
        found.extend(last.iter().map(|one| join(one)));
    }
    found
}

/// Compares all globs of at most so many of `pieces` with all paths of at most so many of `letters`. Of these `x` stands
/// in no glob.
fn compare(pieces: &[&str], longest_glob: u32, letters: &[char], longest_path: u32) {
    let paths: Vec<_> = all(letters, longest_path, |letters| letters.iter().collect())
        .into_iter()
        .filter(|path| path.split('/').all(|part| !matches!(part, "" | "." | "..")))
        .collect();
    let mut texts = all(pieces, longest_glob, |pieces| pieces.concat());
    texts.sort();
    texts.dedup();
    // Three stars are a pair and one, which the oracle has no word for.
    texts.retain(|text| !text.contains("***"));
    let globs: Vec<_> = texts.iter().filter_map(|text| Glob::parse(text).ok()).collect();
    assert!(globs.len() > 50 && paths.len() > 300, "{} {}", globs.len(), paths.len());
    let matched: Vec<Vec<bool>> = globs
        .iter()
        .map(|glob| {
            let full = if glob.as_str().ends_with('/') { format!("{glob}**") } else { glob.to_string() };
            let truth: Vec<_> = paths.iter().map(|path| matches(&full, path, true)).collect();
            for (path, &truth) in paths.iter().zip(&truth) {
                assert_eq!(glob.matches(path.as_bytes()), truth, "{glob} {path}");
            }
            truth
        })
        .collect();
    for (i, a) in globs.iter().enumerate() {
        for (j, b) in globs.iter().enumerate().skip(i) {
            let common = matched[i].iter().zip(&matched[j]).any(|(a, b)| *a && *b);
            match meet(a, b, &mut Budget(100_000)) {
                Meeting::At(path) => {
                    assert!(a.matches(path.as_bytes()) && b.matches(path.as_bytes()), "{a} {b} {path}");
                    assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{a} {b} {path}");
                }
                Meeting::Nowhere => assert!(!common, "{a} {b}"),
                Meeting::Unknown => panic!("{a} {b}"),
            }
        }
    }
}

#[test]
fn short_globs_meet_exactly_where_they_have_a_path_in_common() {
    compare(&["a", "/", "*", "**"], 4, &['a', '/', 'x'], 6);
}

#[test]
fn no_part_of_a_common_path_is_a_dot_or_two() {
    compare(&["a", ".", "/", "*", "**"], 3, &['a', '.', '/', 'x'], 5);
}
