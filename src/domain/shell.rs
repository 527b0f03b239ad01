//! Commands for people to paste into a POSIX shell.

/// `word` as one word of a shell command, on one line: as it is where nothing in it means anything to a shell, else quoted;
/// with a control character in it as `$'…'` (POSIX.1-2024 2.2.4; bash, zsh and ksh have long had it).
pub fn word(word: &str) -> String {
    if word.contains(char::is_control) {
        return format!("$'{}'", word.chars().map(escaped).collect::<String>());
    }
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,^".contains(c);
    // An unquoted `~` at the beginning, or `=` as in zsh, would be expanded.
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('=') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A character as it stands between `$'` and `'`.
fn escaped(character: char) -> String {
    match character {
        '\'' | '\\' => format!("\\{character}"),
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        '\r' => r"\r".to_owned(),
        _ if character.is_control() => {
            let mut bytes = [0; 4];
            character.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\{byte:03o}")).collect()
        }
        _ => character.to_string(),
    }
}

/// A whole command, ready to paste.
pub fn command<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    words.into_iter().map(|part| word(part.as_ref())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_it_must_be() {
        let cases = ["a/b-c", "a b", "it's", "", "~/x", "é", "$x", "=ls"];
        assert_eq!(cases.map(word), ["a/b-c", "'a b'", r"'it'\''s'", "''", "'~/x'", "é", "'$x'", "'=ls'"]);
        let cases = ["a\nb", "it's\t\\ é", "\u{1b}7", "\u{85}"];
        assert_eq!(cases.map(word), [r"$'a\nb'", r"$'it\'s\t\\ é'", r"$'\0337'", r"$'\302\205'"]);
        assert_eq!(command(["git", "-C", "a b"]), "git -C 'a b'");
    }
}
