//! Everything that agents are given to read. The only home of minijinja.
//!
//! Templates are embedded in the program; a file of the same name in the project's `.okstra/prompts/` replaces one. A
//! variable that is not defined is an error, never an empty text. What people wrote (brief, directive, plan, carry) is a
//! value: nothing in it is a template. The same input gives the same bytes.

mod bundle;
mod directive;
mod engine;
mod error;
mod filters;
mod overrides;
mod templates;
mod variables;

pub use bundle::{
    Bundle, BundleInput, LEAD, Prompt, Rendered, bundle, estimated_tokens, instruction_folder, prompt_path, variables,
};
pub use directive::{effective_stages, stage_batch_directive};
pub use engine::template;
pub use error::{Error, Place};
pub use overrides::Overrides;
pub use templates::{all, names};
