//! git-reconcile
