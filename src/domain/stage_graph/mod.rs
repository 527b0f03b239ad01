//! The stages of a plan as a graph: which of them stand side by side, and the graph in the languages of Graphviz and of
//! Mermaid.

mod languages;
mod layers;

pub use languages::{dot, mermaid};
pub use layers::{Layers, Slot, layers};
