//! Whether a reservation of a stage still counts. None expires by the clock.

/// What is known of a run that reserved a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFact {
    /// It is there, and neither finished nor abandoned.
    Open,
    /// It is finished or abandoned.
    Ended,
    /// It has no manifest: it is being prepared, or its preparation died.
    Unprepared,
}

/// Whether a reservation of such a run counts, given whether its process still lives, as far as that can be told.
pub fn is_held(run: RunFact, process: Option<bool>) -> bool {
    match run {
        RunFact::Open => true,
        RunFact::Ended => false,
        RunFact::Unprepared => process != Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_surely_ended_lets_go() {
        let each = |run| [Some(true), Some(false), None].map(|process| is_held(run, process));
        assert_eq!(each(RunFact::Open), [true; 3]);
        assert_eq!(each(RunFact::Ended), [false; 3]);
        assert_eq!(each(RunFact::Unprepared), [true, false, true]);
    }
}
