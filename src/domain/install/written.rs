//! What an installation has written, as it is recorded.

use super::Found;

/// A file that okstra wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The SHA-256 of what okstra wrote.
    pub sha256: String,
    /// While an installation is under way: that this file is still to be written.
    pub journal: Option<Journal>,
}

/// What is known of a file that an installation is about to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The SHA-256 of what stood there then, which was okstra's.
    pub before: Option<String>,
}

impl Recorded {
    /// Whether `found` is what okstra wrote: what it recorded, or, where it was killed, what stood there before.
    pub fn is_of(&self, found: &Found) -> bool {
        matches!(found, Found::File { sha256, .. } if self.is_of_sha256(sha256))
    }

    /// Whether a file with this SHA-256 is what okstra wrote.
    pub fn is_of_sha256(&self, sha256: &str) -> bool {
        let before = self.journal.as_ref().and_then(|journal| journal.before.as_deref());
        sha256 == self.sha256 || before == Some(sha256)
    }

    /// What stays recorded of a file that somebody changed: what it was when it was okstra's. Nothing of one that okstra
    /// was only about to make.
    pub fn kept(&self) -> Option<Self> {
        let sha256 = match &self.journal {
            Some(journal) => journal.before.clone()?,
            None => self.sha256.clone(),
        };
        Some(Self { sha256, journal: None })
    }
}
