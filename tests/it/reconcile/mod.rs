//! git-reconcile on real repositories: what people do to the branches of a task, and what okstra says and does.

mod carriers;
mod crash;
mod errors;
mod fingerprints;
mod gates;
mod into;
mod prepare;
mod races;
mod random;
mod repairs;
mod stages;
