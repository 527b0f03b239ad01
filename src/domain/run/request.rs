//! What a run may be asked for: which option goes with which task type, and how its findings converge.

use crate::domain::lifecycle::TaskType;

use super::{ConvergenceSettings, VerificationMode};

/// An option that not every task type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOption {
    /// The stages to build.
    Stage,
    /// A run whose stages are taken over.
    TakeOver,
    /// Why failing checks may be waived.
    QaWaiver,
    /// What the task branch grows from.
    Base,
    /// The name of the task branch.
    Branch,
    /// Who works.
    Workers,
    /// The most convergence rounds.
    MaxRounds,
    /// Whether verifiers try to break claims.
    Adversarial,
    /// What verifiers look at.
    VerificationMode,
}

impl RunOption {
    /// As it is typed.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Stage => "--stage",
            Self::TakeOver => "--take-over",
            Self::QaWaiver => "--qa-waiver",
            Self::Base => "--base",
            Self::Branch => "--branch",
            Self::Workers => "--workers",
            Self::MaxRounds => "--max-rounds",
            Self::Adversarial => "--adversarial",
            Self::VerificationMode => "--verification-mode",
        }
    }

    /// Whether runs of `task_type` have it: branches and stages are for those that edit source, workers and convergence
    /// for those in which the lead is not alone.
    pub fn fits(self, task_type: TaskType) -> bool {
        match self {
            Self::Stage | Self::TakeOver | Self::QaWaiver | Self::Base | Self::Branch => task_type.edits_source(),
            Self::Workers | Self::MaxRounds | Self::Adversarial | Self::VerificationMode => {
                task_type.convergence().is_some()
            }
        }
    }

    /// Whether all options that were given go with `task_type`.
    ///
    /// # Errors
    /// [`MisplacedOption`] for the first that does not.
    pub fn check(task_type: TaskType, given: impl IntoIterator<Item = Self>) -> Result<(), MisplacedOption> {
        let misplaced = given.into_iter().find(|option| !option.fits(task_type));
        misplaced.map_or(Ok(()), |option| Err(MisplacedOption { option, task_type }))
    }
}

/// An option that runs of this task type do not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not for {task_type}: {}", option.flag(), why(*option))]
pub struct MisplacedOption {
    /// The option.
    pub option: RunOption,
    /// The task type.
    pub task_type: TaskType,
}

fn why(option: RunOption) -> &'static str {
    match option.fits(TaskType::ErrorAnalysis) {
        true => "the lead does it alone",
        false => "only implementation edits source",
    }
}

/// What was asked for of convergence, by the command line or by the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedConvergence {
    /// The most rounds after the first.
    pub max_rounds: Option<u32>,
    /// Whether verifiers try to break claims.
    pub adversarial: Option<bool>,
    /// What they look at.
    pub verification_mode: Option<VerificationMode>,
}

impl WantedConvergence {
    /// How the findings of a run of `task_type` converge: what this asks for wins over what the project does, and that over
    /// what the task type sets.
    pub fn settings(self, task_type: TaskType, project: Self) -> ConvergenceSettings {
        let Some(default) = task_type.convergence() else {
            let verification_mode = VerificationMode::Lightweight;
            return ConvergenceSettings { enabled: false, max_rounds: 0, adversarial: false, verification_mode };
        };
        let mode = match default.full_reanalysis {
            true => VerificationMode::FullReanalysis,
            false => VerificationMode::Lightweight,
        };
        ConvergenceSettings {
            enabled: true,
            max_rounds: self.max_rounds.or(project.max_rounds).unwrap_or(default.max_rounds),
            adversarial: self.adversarial.or(project.adversarial).unwrap_or(default.adversarial),
            verification_mode: self.verification_mode.or(project.verification_mode).unwrap_or(mode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::lifecycle::TaskType::{
        ErrorAnalysis, FinalVerification, Implementation, ImplementationPlanning, ReleaseHandoff, RequirementsDiscovery,
    };

    #[test]
    fn which_option_goes_with_which_task_type() {
        use RunOption::{Adversarial, Base, Branch, MaxRounds, QaWaiver, Stage, TakeOver, VerificationMode, Workers};
        let building = [Stage, TakeOver, QaWaiver, Base, Branch];
        let team = [Workers, MaxRounds, Adversarial, VerificationMode];
        for task_type in TaskType::ALL {
            for option in building {
                assert_eq!(option.fits(task_type), task_type == Implementation, "{} {task_type}", option.flag());
            }
            for option in team {
                assert_eq!(option.fits(task_type), task_type != ReleaseHandoff, "{} {task_type}", option.flag());
            }
        }
        let said = |task_type, option| RunOption::check(task_type, [Workers, option]).unwrap_err().to_string();
        assert_eq!(said(ErrorAnalysis, Base), "--base is not for error-analysis: only implementation edits source");
        assert_eq!(said(ReleaseHandoff, Base), "--workers is not for release-handoff: the lead does it alone");
        assert_eq!(RunOption::check(Implementation, building.into_iter().chain(team)), Ok(()));
    }

    #[test]
    fn how_findings_converge() {
        use VerificationMode::{FullReanalysis, Lightweight};
        let of = |flags: WantedConvergence, project, task_type| {
            let ConvergenceSettings { enabled, max_rounds, adversarial, verification_mode } =
                flags.settings(task_type, project);
            (enabled, max_rounds, adversarial, verification_mode)
        };
        let none = WantedConvergence::default();
        let wanted = |max_rounds, adversarial, verification_mode| WantedConvergence {
            max_rounds: Some(max_rounds),
            adversarial: Some(adversarial),
            verification_mode: Some(verification_mode),
        };
        let cases = [
            (none, none, RequirementsDiscovery, (true, 1, true, FullReanalysis)),
            (none, none, ErrorAnalysis, (true, 2, true, FullReanalysis)),
            (none, none, ImplementationPlanning, (true, 2, false, Lightweight)),
            (none, none, Implementation, (true, 2, false, Lightweight)),
            (none, none, FinalVerification, (true, 2, false, Lightweight)),
            (none, none, ReleaseHandoff, (false, 0, false, Lightweight)),
            (none, wanted(5, true, FullReanalysis), Implementation, (true, 5, true, FullReanalysis)),
            (
                wanted(0, false, Lightweight),
                wanted(5, true, FullReanalysis),
                ErrorAnalysis,
                (true, 0, false, Lightweight),
            ),
            // What a project sets for all its runs does not make a team of the lead alone.
            (none, wanted(5, true, FullReanalysis), ReleaseHandoff, (false, 0, false, Lightweight)),
        ];
        for (flags, project, task_type, expected) in cases {
            assert_eq!(of(flags, project, task_type), expected, "{task_type} {flags:?} {project:?}");
        }
    }
}
