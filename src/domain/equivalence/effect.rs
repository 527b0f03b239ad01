//! Landing is not presence: what became of a stage in the candidate.

use super::answer::Effect;

/// What merging something into the candidate did to one path, or to the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing.
    Same,
    /// It changed it without a conflict.
    Changes,
    /// It conflicted, and keeping the candidate's side of each conflict leaves it as it was.
    ConflictKeepsOurs,
    /// It conflicted, and even then something else changed.
    ConflictChanges,
    /// Could not be told.
    Unknown,
}

/// What merging a stage in and taking it out would do to the candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Putting it in: `merge(B; C, H)`.
    pub put_in: Vec<Outcome>,
    /// Taking it out: `merge(H; C, B)`.
    pub take_out: Vec<Outcome>,
}

/// The effect of a stage, from what putting it in and taking it out would do. Of nothing nothing is known.
pub fn effect(probe: &Probe) -> Effect {
    let all = |outcomes: &[Outcome], good: &[Outcome]| outcomes.iter().all(|outcome| good.contains(outcome));
    if probe.put_in.is_empty() || probe.take_out.is_empty() {
        Effect::Unknown
    } else if all(&probe.put_in, &[Outcome::Same]) {
        Effect::Present
    } else if all(&probe.take_out, &[Outcome::Same]) {
        Effect::Absent
    } else if all(&probe.put_in, &[Outcome::Same, Outcome::ConflictKeepsOurs]) {
        Effect::Evolved
    } else if probe.put_in.iter().chain(&probe.take_out).any(|outcome| *outcome == Outcome::Unknown) {
        Effect::Unknown
    } else {
        Effect::Partial
    }
}

/// The effect of a stage, given the effect of what it adds to the part that was merged for real.
pub(super) fn within(effect: Effect, rest: Effect) -> Effect {
    match (effect, rest) {
        (_, Effect::Present) => effect,
        (Effect::Present | Effect::Evolved, Effect::Unknown) => Effect::Unknown,
        (Effect::Present | Effect::Evolved, _) => Effect::Partial,
        _ => effect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effect_follows_the_table() {
        use Outcome::{Changes, ConflictChanges, ConflictKeepsOurs, Same, Unknown};
        let cases: [(&[Outcome], &[Outcome], Effect); 11] = [
            (&[], &[], Effect::Unknown),
            (&[Same], &[Changes], Effect::Present),
            (&[Same, Same], &[Changes, ConflictKeepsOurs], Effect::Present),
            (&[Changes], &[Same], Effect::Absent),
            (&[Changes, Same], &[Same, Changes], Effect::Partial),
            (&[ConflictKeepsOurs], &[ConflictKeepsOurs], Effect::Evolved),
            (&[Same, ConflictKeepsOurs], &[Changes, Changes], Effect::Evolved),
            (&[ConflictChanges], &[ConflictKeepsOurs], Effect::Partial),
            (&[Unknown], &[Changes], Effect::Unknown),
            (&[Same], &[Unknown], Effect::Present),
            (&[Changes, Unknown], &[Same, Same], Effect::Absent),
        ];
        for (put_in, take_out, expected) in cases {
            let probe = Probe { put_in: put_in.to_vec(), take_out: take_out.to_vec() };
            assert_eq!(effect(&probe), expected, "{probe:?}");
        }
    }
}
