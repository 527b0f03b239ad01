//! Exit codes.

/// How a command ended, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// It did what it was asked, and there is nothing for a person to decide.
    Done,
    /// The request is wrong, or the work failed.
    Failed,
    /// A person has to decide: something is not contained, does not check, or needs a confirmation.
    Decide,
    /// `worker wait`: the slice of time has ended, the workers have not.
    SliceEnded,
    /// A bug in okstra.
    Bug,
    /// What a child returned, passed on.
    Child(i32),
}

impl Exit {
    /// The exit code. A child's code that does not fit becomes 255: 256 cut to eight bits would say “done”.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Decide => 2,
            // 70 is the loader's: it found no core.
            Self::SliceEnded => 75,
            Self::Bug => 101,
            Self::Child(code) => u8::try_from(code).unwrap_or(u8::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_code_and_none_wraps_to_done() {
        let exits = [Exit::Done, Exit::Failed, Exit::Decide, Exit::SliceEnded, Exit::Bug];
        assert_eq!(exits.map(Exit::code), [0, 1, 2, 75, 101]);
        let children = [0, 3, 130, 255, 256, 512, -1, i32::MIN];
        assert_eq!(children.map(|code| Exit::Child(code).code()), [0, 3, 130, 255, 255, 255, 255, 255]);
    }
}
