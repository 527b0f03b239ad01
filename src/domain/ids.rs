//! Object ids of git, and the texts that people and records write for them.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The longest id, SHA-256, in bytes.
const MAX_BYTES: usize = 32;
/// The fewest digits of an abbreviation that is read as an id.
const MIN_DIGITS: usize = 7;

/// `git hash-object --stdin </dev/null`.
const EMPTY_FILE_SHA1: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
/// The same in a SHA-256 repository.
const EMPTY_FILE_SHA256: &str = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";

/// The id of an object in git's object database: SHA-1 (20 bytes) or SHA-256 (32 bytes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

/// The id of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub ObjectId);

/// A text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty once trimmed.
    #[error("an empty text is no commit id")]
    Empty,
    /// A character that is no hexadecimal digit.
    #[error("`{text}` is no commit id: ids are hexadecimal digits, and names are not taken for them")]
    NotHex {
        /// The text as given.
        text: String,
        /// The first offending character.
        character: char,
    },
    /// Too few digits to be read as an id, or more than any id has.
    #[error("`{text}` is no commit id: it has {digits} digits, an id has 7 to 64")]
    Length {
        /// The text as given.
        text: String,
        /// How many digits it has.
        digits: usize,
    },
}

impl ObjectId {
    /// The id with these raw bytes; `None` unless there are 20 or 32 of them.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        if raw.len() != 20 && raw.len() != MAX_BYTES {
            return None;
        }
        let mut bytes = [0; MAX_BYTES];
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self { bytes, len: u8::try_from(raw.len()).ok()? })
    }

    /// The raw bytes, 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The first 8 digits, as people are shown them.
    pub fn short(&self) -> String {
        short(&self.to_string())
    }

    /// Whether it is the id of a file without content, which git never takes for a renamed one when it merges.
    pub fn is_empty_file(&self) -> bool {
        let id = self.to_string();
        id == EMPTY_FILE_SHA1 || id == EMPTY_FILE_SHA256
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ObjectId {
    type Err = IdError;

    /// Reads a full id, 40 or 64 digits; the rules for trimming and case are those of [`IdText`].
    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = IdText::parse(text)?.digits;
        let raw: Vec<u8> = digits
            .as_bytes()
            .chunks(2)
            .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        Self::from_bytes(&raw)
            .filter(|_| digits.len() % 2 == 0)
            .ok_or_else(|| IdError::Length { text: text.to_owned(), digits: digits.len() })
    }
}

impl CommitId {
    /// The first 8 digits, as people are shown them.
    pub fn short(&self) -> String {
        self.0.short()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for CommitId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An id as someone wrote it down, full or abbreviated: trimmed, lower case, 7 to 64 hexadecimal digits.
///
/// It says nothing of whether such an object exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdText {
    digits: String,
}

impl IdText {
    /// Reads `text` as an id, never as a name.
    ///
    /// # Errors
    /// [`IdError`] when it is empty, has other characters than hexadecimal digits, or too few or too many of them.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let digits = text.trim().to_ascii_lowercase();
        if digits.is_empty() {
            return Err(IdError::Empty);
        }
        if let Some(character) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(IdError::NotHex { text: text.to_owned(), character });
        }
        if !(MIN_DIGITS..=MAX_BYTES * 2).contains(&digits.len()) {
            return Err(IdError::Length { text: text.to_owned(), digits: digits.len() });
        }
        Ok(Self { digits })
    }

    /// The digits, lower case.
    pub fn digits(&self) -> &str {
        &self.digits
    }
}

/// The first 8 digits of an id or a digest that is a text, as people are shown them.
pub fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_trimmed_and_lower_cased() {
        assert_eq!(IdText::parse(" ABCDEF0\n").unwrap().digits(), "abcdef0");
    }

    #[test]
    fn what_is_no_id_is_refused_with_the_cause() {
        let cases = [
            ("", IdError::Empty),
            (" \t", IdError::Empty),
            ("main", IdError::NotHex { text: "main".into(), character: 'm' }),
            ("abcdef", IdError::Length { text: "abcdef".into(), digits: 6 }),
            ("abcdefé", IdError::NotHex { text: "abcdefé".into(), character: 'é' }),
        ];
        for (text, error) in cases {
            assert_eq!(IdText::parse(text), Err(error), "{text:?}");
        }
        assert!(matches!(IdText::parse(&"a".repeat(65)), Err(IdError::Length { digits: 65, .. })));
    }

    #[test]
    fn full_ids_survive_the_round_trip() {
        for digits in ["0123456789abcdef0123456789abcdef01234567", &"fe".repeat(32)] {
            assert_eq!(digits.parse::<ObjectId>().unwrap().to_string(), *digits);
        }
        assert!("0123456789".parse::<ObjectId>().is_err());
        assert!("0123456789abcdef0123456789abcdef0123456".parse::<ObjectId>().is_err());
    }
}
