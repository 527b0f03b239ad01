//! Permission entries in a project's settings of Claude Code: put in and taken out of the text, with every other byte as
//! it was.
//!
//! Putting in is one insertion, whose text is recorded; taking out removes exactly that text where it still stands, and
//! else the entries one by one. So what was added goes without a trace, whatever the file looks like.

mod spans;

use spans::{Members, Spans};

/// What okstra has put into a settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// The entries.
    pub entries: Vec<String>,
    /// The text that was inserted.
    pub inserted: String,
    /// What was made to hold them.
    pub made: Made,
}

/// What was made to hold the entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Made {
    /// Nothing: there was a list.
    #[default]
    Nothing,
    /// The list `allow`.
    Allow,
    /// `permissions`, with the list in it.
    Permissions,
    /// The whole file.
    File,
}

/// What is recorded of a settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// What okstra has put into it.
    pub own: Own,
    /// While an installation is under way: what it had put into it before.
    pub previous: Option<Own>,
}

impl Recorded {
    /// What is okstra's in `text`, also where an installation was killed.
    pub fn in_text(&self, text: Option<&str>) -> &Own {
        match &self.previous {
            Some(previous) if !text.is_some_and(|text| text.contains(&self.own.inserted)) => previous,
            _ => &self.own,
        }
    }
}

/// What becomes of a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Its new text; `None` where the file goes.
    pub text: Option<String>,
    /// What is okstra's in it then.
    pub own: Own,
    /// The entries that come in.
    pub added: Vec<String>,
    /// The entries that go.
    pub removed: Vec<String>,
}

/// Why a text is not touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
    /// Whether it is JSON at all.
    pub is_json: bool,
}

/// Puts `offered` into `text`, the settings as they are (`None` where there is no file), of which `own` is okstra's from
/// before. What a person has taken out since is not put in again; what is no longer offered goes.
///
/// # Errors
/// [`Fault`] for what is no JSON, or has something else where the list belongs.
pub fn put_in(text: Option<&str>, own: &Own, offered: &[String]) -> Result<Edit, Fault> {
    let present = match text {
        Some(text) => Spans::read(text)?.allowed(),
        None => Vec::new(),
    };
    let is_new = |entry: &&String| !present.contains(entry) && (text.is_none() || !own.entries.contains(entry));
    let added: Vec<String> = offered.iter().filter(is_new).cloned().collect();
    let removed = |entry: &&String| present.contains(entry) && !offered.contains(entry);
    let removed: Vec<String> = own.entries.iter().filter(removed).cloned().collect();
    if added.is_empty() && removed.is_empty() {
        return Ok(Edit { text: text.map(str::to_owned), own: own.clone(), added, removed });
    }
    let still = own.entries.iter().filter(|entry| present.contains(entry) && offered.contains(entry));
    let entries: Vec<String> = still.chain(&added).cloned().collect();
    let stripped = match text {
        Some(text) => take_out(text, own)?.text,
        None => None,
    };
    // What a person has taken out stays known as such.
    let declined =
        own.entries.iter().filter(|entry| text.is_some() && offered.contains(entry) && !entries.contains(entry));
    let known: Vec<String> = entries.iter().chain(declined).cloned().collect();
    let (text, inserted, made) = insert(stripped.as_deref(), &entries)?;
    Ok(Edit { text, own: Own { entries: known, inserted, made }, added, removed })
}

/// Takes okstra's own entries out of `text`, and what was made to hold them, where nothing else is in it.
///
/// # Errors
/// As [`put_in`].
pub fn take_out(text: &str, own: &Own) -> Result<Edit, Fault> {
    let spans = Spans::read(text)?;
    let present = spans.allowed();
    let removed: Vec<String> = own.entries.iter().filter(|entry| present.contains(entry)).cloned().collect();
    let rest: Vec<String> = present.into_iter().filter(|entry| !own.entries.contains(entry)).collect();
    let text = match without_the_insertion(text, own, &rest) {
        Some(text) => text,
        None => one_by_one(text, own)?,
    };
    let is_empty = || Spans::read(&text).is_ok_and(|spans| spans.root.members.is_empty());
    let text = if own.made == Made::File && is_empty() { None } else { Some(text) };
    Ok(Edit { text, own: Own::default(), added: Vec::new(), removed })
}

/// The text without what was inserted, where that still stands there as it was.
fn without_the_insertion(text: &str, own: &Own, rest: &[String]) -> Option<String> {
    let mut places = text.match_indices(&own.inserted).filter(|_| !own.inserted.is_empty());
    let (at, _) = places.next().filter(|_| places.next().is_none())?;
    let without = format!("{}{}", &text[..at], &text[at + own.inserted.len()..]);
    let spans = Spans::read(&without).ok()?;
    (spans.allowed() == rest).then_some(without)
}

/// The text without the entries, each with its comma, and without containers of okstra's that nothing else is in.
fn one_by_one(text: &str, own: &Own) -> Result<String, Fault> {
    let mut text = text.to_owned();
    loop {
        let spans = Spans::read(&text)?;
        let Some(allow) = &spans.allow else { break };
        let Some(index) = allow.members.iter().rposition(|member| own.entries.contains(&member.name)) else { break };
        text = without_member(&text, allow, index);
    }
    let spans = Spans::read(&text)?;
    if let (Some(permissions), Some(allow)) = (&spans.permissions, &spans.allow)
        && own.made >= Made::Allow
        && allow.members.is_empty()
    {
        text = without_member(&text, permissions, permissions.index("allow").unwrap_or_default());
    }
    let spans = Spans::read(&text)?;
    if let Some(permissions) = &spans.permissions
        && own.made >= Made::Permissions
        && permissions.members.is_empty()
    {
        text = without_member(&text, &spans.root, spans.root.index("permissions").unwrap_or_default());
    }
    Ok(text)
}

/// The text without one member of an object, or one entry of a list.
fn without_member(text: &str, of: &Members, index: usize) -> String {
    let (before, after) = (index.checked_sub(1).map(|at| &of.members[at]), of.members.get(index + 1));
    let (start, end) = match (before, after) {
        (Some(before), _) => (before.end, of.members[index].end),
        (None, Some(after)) => (of.members[index].start, after.start),
        (None, None) => (of.open, of.close),
    };
    format!("{}{}", &text[..start], &text[end..])
}

/// The text with `entries` in its list: what was inserted, and what was made for it. No entries, no change.
fn insert(text: Option<&str>, entries: &[String]) -> Result<(Option<String>, String, Made), Fault> {
    let Some(text) = text else {
        let (whole, ..) = insert(Some("{}\n"), entries)?;
        let made = if entries.is_empty() { None } else { whole };
        return Ok((made.clone(), made.unwrap_or_default(), Made::File));
    };
    if entries.is_empty() {
        return Ok((Some(text.to_owned()), String::new(), Made::Nothing));
    }
    let spans = Spans::read(text)?;
    let style = Style::of(text, &spans);
    let quoted: Vec<String> = entries.iter().map(|entry| serde_json::Value::from(entry.as_str()).to_string()).collect();
    let list = |depth: usize, inline: bool| style.container(("[", "]"), &quoted, depth, inline);
    let (into, depth, made) = match (&spans.permissions, &spans.allow) {
        (_, Some(allow)) => (allow, 2, Made::Nothing),
        (Some(permissions), None) => (permissions, 1, Made::Allow),
        (None, None) => (&spans.root, 0, Made::Permissions),
    };
    let inline = style.is_inline(text, into);
    let members = match made {
        Made::Nothing => quoted.clone(),
        Made::Allow => vec![format!("\"allow\": {}", list(2, inline))],
        _ => {
            let allow = format!("\"allow\": {}", list(2, inline));
            vec![format!("\"permissions\": {}", style.container(("{", "}"), &[allow], 1, inline))]
        }
    };
    let (at, inserted) = style.insertion(text, into, &members, (depth, inline));
    Ok((Some(format!("{}{inserted}{}", &text[..at], &text[at..])), inserted, made))
}

/// How a text is laid out.
struct Style {
    line: &'static str,
    indent: String,
}

impl Style {
    fn of(text: &str, spans: &Spans) -> Self {
        let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = spans.root.members.first().and_then(|member| indent_before(text, member.start));
        Self { line, indent: first.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned() }
    }

    /// Whether what is added to a container stays on its line: what is in it does.
    fn is_inline(&self, text: &str, container: &Members) -> bool {
        container.members.last().is_some_and(|last| indent_before(text, last.start).is_none())
    }

    /// What stands before each part of a container at `depth`.
    fn break_at(&self, depth: usize) -> String {
        format!("{}{}", self.line, self.indent.repeat(depth))
    }

    fn container(&self, (open, close): (&str, &str), parts: &[String], depth: usize, inline: bool) -> String {
        if inline {
            return format!("{open}{}{close}", parts.join(", "));
        }
        let (inner, outer) = (self.break_at(depth + 1), self.break_at(depth));
        format!("{open}{inner}{}{outer}{close}", parts.join(&format!(",{inner}")))
    }

    /// Where `parts` go into a container, and the text that goes there.
    fn insertion(
        &self,
        text: &str,
        into: &Members,
        parts: &[String],
        (depth, inline): (usize, bool),
    ) -> (usize, String) {
        if let Some(last) = into.members.last() {
            let gap = match indent_before(text, last.start) {
                Some(indent) if !inline => format!(",{}{indent}", self.line),
                _ => ", ".to_owned(),
            };
            let inserted: String = parts.iter().map(|part| format!("{gap}{part}")).collect();
            return (last.end, inserted);
        }
        let inner = self.break_at(depth + 1);
        // Where the brackets stand on two lines already, their break is the last one.
        let outer = if text[into.open..into.close].contains('\n') { String::new() } else { self.break_at(depth) };
        (into.open, format!("{inner}{}{outer}", parts.join(&format!(",{inner}"))))
    }
}

/// The white space between the beginning of the line and `at`; `None` where something else stands there too, or the text
/// begins there.
fn indent_before(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let indent = &text[start..at];
    indent.chars().all(|c| c == ' ' || c == '\t').then_some(indent)
}

#[cfg(test)]
mod tests;
