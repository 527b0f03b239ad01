//! Commands for people to paste into a POSIX shell.

/// `word` as one word of a shell command: as it is where nothing in it means anything to a shell, else quoted.
pub fn word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,^".contains(c);
    // An unquoted `~` at the beginning, or `=` as in zsh, would be expanded.
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('=') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
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
        assert_eq!(command(["git", "-C", "a b"]), "git -C 'a b'");
    }
}
