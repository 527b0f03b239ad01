//! Which of two versions is older.

/// Whether the version `one` is older than `other`, by the three numbers that each begins with. Where either has none that
/// cannot be told, and it is not.
pub fn is_older(one: &str, other: &str) -> bool {
    numbers(one).zip(numbers(other)).is_some_and(|(one, other)| one < other)
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next()?;
    let numbers: Result<Vec<_>, _> = core.split('.').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_numbers() {
        let older = [("0.0.9", "0.1.0"), ("0.9.0", "0.10.0"), ("1.2.3", "1.2.4"), ("1.2.3-rc.1", "1.2.4")];
        for (one, other) in older {
            assert!(is_older(one, other) && !is_older(other, one), "{one} {other}");
        }
        for (one, other) in [("1.2.3", "1.2.3"), ("1.2", "1.3.0"), ("x", "1.0.0"), ("", "1.0.0")] {
            assert!(!is_older(one, other), "{one} {other}");
        }
    }
}
