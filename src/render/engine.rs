//! minijinja, strict: what is not defined is an error, and nothing is escaped, since all of it is Markdown.

use std::sync::OnceLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, StringInput};
use minijinja::{AutoEscape, Environment, ErrorKind, State, UndefinedBehavior, Value, escape_formatter};
use serde::Serialize;

use super::{Error, Overrides, filters, templates};

/// How deep templates may include one another.
const DEPTH: usize = 100;

/// The templates as a project has them.
pub(super) struct Engine<'a> {
    environment: Environment<'static>,
    overrides: &'a Overrides,
}

impl<'a> Engine<'a> {
    pub(super) fn new(overrides: &'a Overrides) -> Result<Self, Error> {
        let mut environment = embedded()?;
        for (name, text) in overrides.texts() {
            let added = environment.add_template_owned(name.to_owned(), text.to_owned());
            added.map_err(|error| Error::of(&error, name, |name| overrides.place(name)))?;
        }
        Ok(Self { environment, overrides })
    }

    /// The text of `template` with these variables.
    pub(super) fn render(&self, template: &str, variables: &Value) -> Result<String, Error> {
        let rendered = self.environment.get_template(template).and_then(|found| found.render(variables.clone()));
        rendered.map_err(|error| Error::of(&error, template, |name| self.overrides.place(name)))
    }

    /// Answers with [`Error::Lost`] when what was rendered from `templates` lacks `needed`, which it calls `what`. The
    /// first of them that the project replaced is to blame.
    pub(super) fn keeps(
        &self,
        rendered: &str,
        needed: &str,
        what: &'static str,
        templates: &[&str],
    ) -> Result<(), Error> {
        if rendered.contains(needed) {
            return Ok(());
        }
        let places: Vec<_> = templates.iter().map(|template| self.overrides.place(template)).collect();
        let place = places.iter().find(|place| place.replaced_by.is_some()).or(places.first());
        Err(Error::Lost { place: place.cloned().unwrap_or_else(|| self.overrides.place("")), what })
    }
}

/// Renders one template.
///
/// # Errors
/// [`Error::Undefined`] and [`Error::Template`].
pub fn template(name: &str, variables: &impl Serialize, overrides: &Overrides) -> Result<String, Error> {
    Engine::new(overrides)?.render(name, &Value::from(Serde(variables)))
}

/// Answers with the first mistake in the project's templates that shows without rendering them.
pub(super) fn check(overrides: &Overrides) -> Result<(), Error> {
    Engine::new(overrides).map(|_| ())
}

/// The embedded templates, compiled once for the process.
fn embedded() -> Result<Environment<'static>, Error> {
    static EMBEDDED: OnceLock<Environment<'static>> = OnceLock::new();
    if let Some(environment) = EMBEDDED.get() {
        return Ok(environment.clone());
    }
    let environment = compile()?;
    Ok(EMBEDDED.get_or_init(|| environment).clone())
}

fn compile() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    let plain = |name: &str| Overrides::none().place(name);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|error| Error::of(&error, "", plain))?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_recursion_limit(DEPTH);
    environment.set_formatter(|output, state, value| escape_formatter(output, state, present(value)?));
    environment.add_filter("fenced", on_text(filters::fenced));
    environment.add_filter("code", on_text(filters::code));
    environment.add_filter("path", on_text(filters::path));
    environment.add_filter("one_line", on_text(filters::one_line));
    for (name, text) in templates::all() {
        let added = environment.add_template(name, text);
        added.map_err(|error| Error::of(&error, name, plain))?;
    }
    Ok(environment)
}

/// A filter that makes a text of a text, and takes nothing that is not there.
fn on_text(filter: fn(&str) -> String) -> impl Fn(&State, &Value) -> Result<String, minijinja::Error> {
    move |state, value| Ok(filter(StringInput::new(state, present(value)?)?.as_str()))
}

/// The value, unless it is what this run does not have.
fn present(value: &Value) -> Result<&Value, minijinja::Error> {
    if value.is_none() {
        let why = "this run has no such value: ask for it with `if` first";
        return Err(minijinja::Error::new(ErrorKind::InvalidOperation, why));
    }
    Ok(value)
}
