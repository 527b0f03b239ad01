//! What a person can do about an error.

/// An error that may know the way out.
pub trait Hint {
    /// One line that names the way out, ready to follow; `None` where the error's text already says it.
    fn hint(&self) -> Option<String>;
}
