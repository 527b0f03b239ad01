//! The codes of what goes wrong below: in the rooms of floor 2, with stages, with sharing.

use crate::domain::batch::BatchError;
use crate::ops::install::InstallError;
use crate::ops::sharing::SharingError;
use crate::ops::stages::StageError;
use crate::{fs, git, render, store};

pub(super) fn git_code(error: &git::Error) -> &'static str {
    match error {
        git::Error::NoFolder { .. } => "no-such-folder",
        git::Error::NoRepository { .. } => "not-a-repository",
        git::Error::Permission { .. } => "permission-denied",
        git::Error::Open { .. } => "broken-repository",
        git::Error::BrokenObject { .. } => "broken-object",
        git::Error::BrokenRef { .. } => "broken-ref",
        git::Error::NoGit { .. } => "git-not-installed",
        git::Error::GitCommand { .. } => "git-failed",
        git::Error::Remote { .. } => "remote-failed",
        git::Error::Refused { .. } => "push-refused",
        git::Error::RefChanged { .. } => "ref-changed",
        git::Error::RefLocked { .. } => "ref-locked",
        git::Error::SnapshotPath { .. } => "bad-snapshot",
        git::Error::SnapshotGap { .. } => "missing-object",
        git::Error::SnapshotObject { .. } => "git-failed",
        git::Error::Cancelled(_) => "cancelled",
    }
}

pub(super) fn fs_code(error: &fs::Error) -> &'static str {
    match error {
        fs::Error::Missing { .. } => "file-not-found",
        fs::Error::Forbidden { .. } => "permission-denied",
        fs::Error::NotAFolder { .. } | fs::Error::IsAFolder { .. } | fs::Error::NotAFile { .. } => "wrong-kind-of-file",
        fs::Error::ReadOnly { .. } => "read-only-file-system",
        fs::Error::Io { .. } => "file-io",
        fs::Error::NotUtf8 { .. } => "file-not-utf8",
        fs::Error::NotALine { .. } => "line-break-in-line",
        fs::Error::Locked { .. } => "locked",
        fs::Error::Stopped { .. } => "cancelled",
    }
}

pub(super) fn store_code(error: &store::Error) -> &'static str {
    match error {
        store::Error::Fs(error) => fs_code(error),
        store::Error::BadLine { .. } => "bad-line",
        store::Error::NotJson { .. } => "not-json",
        store::Error::NotToml { .. } => "not-toml",
        store::Error::BadSetting { .. } => "bad-setting",
        store::Error::WrongShape { .. } => "wrong-shape",
        store::Error::NewerSchema { .. } => "newer-schema",
        store::Error::BadName { .. } => "bad-name",
        store::Error::CaseCollision { .. } => "case-collision",
        store::Error::Conflict { .. } => "registry-conflict",
        store::Error::StageReserved { .. } => "stage-reserved",
        store::Error::NoEntry { .. } => "no-registry-entry",
        store::Error::AnchorMoved { .. } => "anchor-moved",
        store::Error::BadPlan { .. } => "bad-plan",
        store::Error::BadRun { .. } => "bad-run",
        store::Error::Refused { .. } => "row-refused",
        store::Error::NoHome | store::Error::RelativeHome { .. } => "no-home",
    }
}

pub(super) fn render_code(error: &render::Error) -> &'static str {
    match error {
        render::Error::Undefined { .. } => "undefined-variable",
        render::Error::Template { .. } => "template-error",
        render::Error::Lost { .. } => "template-incomplete",
        render::Error::Unknown { .. } => "unknown-template",
        render::Error::Fs(error) => fs_code(error),
        render::Error::Run(_) => "bad-name",
    }
}

pub(super) fn stage_code(error: &StageError) -> &'static str {
    match error {
        StageError::Batch { error, .. } => batch_code(error),
        StageError::Reserved { .. } => "stage-reserved",
        StageError::PathNotUtf8 { .. } => "path-not-utf8",
        StageError::BadBranch { .. } => "bad-branch",
        StageError::Place { .. } => "place-taken",
        StageError::NoBase { .. } => "no-base",
        StageError::NoPlan { .. } => "no-plan",
        StageError::NotReserved { .. } | StageError::Lost { .. } => "stage-not-reserved",
        StageError::NoBranch { .. } => "no-branch",
        StageError::NothingDone { .. } => "nothing-done",
        StageError::Incomplete { .. } => "missing-object",
        StageError::Dirty { .. } => "dirty-worktree",
        StageError::Outside { .. } => "outside-files",
        StageError::Conflict { .. } => "merge-conflict",
        StageError::NoTaskWorktree { .. } => "no-worktree",
        StageError::NotOnBranch { .. } => "not-on-branch",
        StageError::Kept { .. } => "stage-kept",
        StageError::ConfirmationNeeded { .. } => "confirmation-needed",
        StageError::CheckFailed { .. } => "check-failed",
        StageError::Changed { .. } => "changed-by-check",
        StageError::BackFill { source, .. } => source.code(),
        StageError::NoCarry { .. } => "no-carry",
        StageError::LostWork { .. } => "lost-work",
    }
}

pub(super) fn sharing_code(error: &SharingError) -> &'static str {
    match error {
        SharingError::NoRemote { .. } => "no-remote",
        SharingError::UnknownRemote { .. } => "unknown-remote",
        SharingError::FetchFirst { .. } => "fetch-first",
        SharingError::NotShared { .. } => "not-shared",
        SharingError::WhichTask { .. } => "no-task",
        SharingError::Unusable { source, .. } => source.code(),
        SharingError::OtherTask { .. } => "other-task",
        SharingError::BadRow { .. } => "bad-registry-row",
        SharingError::Lacks { .. } => "file-not-found",
        SharingError::Lost { .. } => "lost-records",
    }
}

pub(super) fn batch_code(error: &BatchError) -> &'static str {
    match error {
        BatchError::Request { .. } => "bad-stage",
        BatchError::Unknown { .. } => "unknown-stage",
        BatchError::Done { .. } => "done-already",
        BatchError::Waiting { .. } => "stage-waiting",
        BatchError::Reserved { .. } => "stage-reserved",
        BatchError::NothingReady { .. } => "no-stage-ready",
        BatchError::AllDone => "all-stages-done",
    }
}

pub(super) fn install_code(error: &InstallError) -> &'static str {
    match error {
        InstallError::Target(_) => "unknown-target",
        InstallError::NoExecutable { .. } => "no-executable",
        InstallError::OtherExecutable { .. } => "version-mismatch",
        InstallError::NoAgentFolder { .. } => "no-home",
        InstallError::PathNotUtf8 { .. } => "path-not-utf8",
        InstallError::Settings { fault, .. } if fault.is_json => "wrong-shape",
        InstallError::Settings { .. } => "not-json",
        InstallError::Changed { .. } => "changed-meanwhile",
        InstallError::WouldLose { .. } => "worktrees-kept",
        InstallError::NotOwnFolder { .. } | InstallError::StandsIn { .. } => "not-okstra-home",
    }
}
