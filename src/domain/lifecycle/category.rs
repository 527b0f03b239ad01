//! Work categories: the kind of work that a task is, with which its branches begin.

use crate::domain::names::{Name, NameError};

/// The categories that every project has.
pub const CATEGORIES: [&str; 7] = ["feat", "fix", "refactor", "perf", "docs", "test", "chore"];

/// A text that is no work category.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CategoryError {
    /// It is no name at all.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The project has no such category.
    #[error("`{text}` is no work category: there are {}", known.join(", "))]
    Unknown {
        /// The text as given.
        text: String,
        /// The categories that there are.
        known: Vec<String>,
    },
}

/// Reads `text` as one of [`CATEGORIES`] or of those that the project adds.
///
/// # Errors
/// [`CategoryError`], with all that there are.
pub fn parse_category(text: &str, added: &[String]) -> Result<Name, CategoryError> {
    let name = Name::parse(text, "a work category")?;
    let known = || CATEGORIES.into_iter().chain(added.iter().map(String::as_str));
    if known().any(|category| category == text) {
        return Ok(name);
    }
    Err(CategoryError::Unknown { text: text.to_owned(), known: known().map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_one_of_seven_or_one_that_the_project_adds() {
        let added = ["security".to_owned()];
        for text in CATEGORIES.into_iter().chain(["security"]) {
            assert_eq!(parse_category(text, &added).unwrap().as_str(), text);
        }
        assert!(matches!(parse_category("security", &[]), Err(CategoryError::Unknown { .. })));
        assert!(matches!(parse_category("a/b", &added), Err(CategoryError::Name(_))));
        let error = parse_category("Fix", &added).unwrap_err().to_string();
        let known = "feat, fix, refactor, perf, docs, test, chore, security";
        assert_eq!(error, format!("`Fix` is no work category: there are {known}"));
    }
}
