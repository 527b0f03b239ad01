//! Everything that okstra prints goes through here.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

use super::args::{Color, Globals};
use super::diagnostics::Diagnostics;
use super::failure::Failure;
use super::progress::{Progress, SharedWriter};
use super::streams::{Keyboard, Streams};
use super::table::{self, Cell};
use super::text::{tame, tame_lines, width, wrap};
use crate::context::{Context, EventSink};
use crate::domain::shell;

/// What stands at the left of lines that are quoted.
const QUOTE: &str = "  │";

/// Text that would be narrower than this is not worth wrapping beside what it belongs to.
const NARROWEST: usize = 30;

/// What a piece of text means; its colour follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
    Doubtful,
    Quiet,
    Strong,
}

/// The printer: results on stdout, everything else on stderr.
pub(super) struct Output {
    out: Box<dyn Write + Send>,
    diagnostics: Diagnostics,
    out_color: bool,
    columns: Option<usize>,
    /// Whether what is printed now is quoted.
    quotes: bool,
    json: bool,
    /// The home folder of the user, which is `~` to people.
    home: Option<PathBuf>,
    /// Where a person answers who sees what is printed; nothing where nobody does.
    keyboard: Option<Keyboard>,
    /// What went wrong with stdout; after that nothing is written there.
    lost: Option<io::Error>,
}

impl Output {
    pub(super) fn new(streams: Streams, globals: Globals, context: &Context) -> Self {
        let environment = context.environment();
        let plain = environment.get("NO_COLOR").is_some() || environment.get("TERM").is_some_and(|term| term == "dumb");
        let color = |terminal| match globals.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain,
        };
        let err: SharedWriter = Arc::new(Mutex::new(streams.err.writer));
        let progress = streams.err.terminal.then(|| Progress::new(Arc::clone(&err), context.clock()));
        Self {
            keyboard: Some(streams.keyboard)
                .filter(|keyboard| keyboard.terminal && streams.out.terminal && !globals.json),
            out: streams.out.writer,
            out_color: color(streams.out.terminal),
            columns: streams.out.columns,
            quotes: false,
            json: globals.json,
            home: environment.home().filter(|home| cfg!(unix) && home.parent().is_some()),
            diagnostics: Diagnostics::new(err, color(streams.err.terminal), progress),
            lost: None,
        }
    }

    /// Who listens to what the work reports while it runs.
    pub(super) fn listener(&self) -> EventSink {
        self.diagnostics.listener()
    }

    /// Prints an outcome: `document` with `--json`, else what `people` prints.
    pub(super) fn show(&mut self, document: &impl Serialize, people: impl FnOnce(&mut Self)) {
        if self.json {
            self.document(document);
        } else {
            people(self);
        }
    }

    /// A line that begins with a word in its colour.
    pub(super) fn headline(&mut self, tone: Tone, word: &str, sentence: &str) {
        let sentence = wrap(&tame(sentence), width(word) + 2, self.room());
        let word = paint(word, tone, self.out_color);
        self.line(&format!("{word}  {sentence}"));
    }

    /// Names and values below one another, set off by an empty line; a value may have a remark.
    pub(super) fn fields(&mut self, fields: &[(&str, &str, &str)]) {
        self.line("");
        self.list(fields);
    }

    /// As [`Output::fields`], right below what stands there. A name that is that of the field above is not repeated.
    pub(super) fn list(&mut self, fields: &[(&str, &str, &str)]) {
        let widest = fields.iter().map(|(name, ..)| width(name)).max().unwrap_or_default();
        let mut above = "";
        for (name, value, remark) in fields {
            let name = if std::mem::replace(&mut above, *name) == *name { "" } else { *name };
            let gap = " ".repeat(widest - width(name) + 2);
            let name = paint(name, Tone::Quiet, self.out_color);
            let value = if remark.is_empty() { tame(value) } else { format!("{}: {}", tame(value), tame(remark)) };
            let value = wrap(&value, widest + 4, self.room());
            self.line(&format!("  {name}{gap}{value}"));
        }
    }

    /// What is wrong at which place by which rule, and below each what to do about it.
    pub(super) fn findings(&mut self, findings: &[(String, &str, &str, &str)]) {
        let places = findings.iter().map(|(place, ..)| width(&tame(place)));
        let widest = places.max().unwrap_or_default();
        for (place, rule, message, mend) in findings {
            let place = tame(place);
            let gap = " ".repeat(widest - width(&place));
            let indent = widest + 2 + width(rule) + 2;
            // What does not fit beside the place goes below it.
            let below = self.columns.is_some_and(|columns| columns < indent + NARROWEST);
            let indent = if below { 4 } else { indent };
            let start = if below { format!("\n{}", " ".repeat(indent)) } else { "  ".to_owned() };
            let rule = paint(rule, Tone::Bad, self.out_color);
            let message = wrap(&tame(message), indent, self.columns);
            self.line(&format!("{place}{gap}  {rule}{start}{message}"));
            let mend = paint(&wrap(&tame(mend), indent, self.columns), Tone::Quiet, self.out_color);
            self.line(&format!("{}{mend}", " ".repeat(indent)));
        }
    }

    /// An entry of an indented list: a name, a word in its colour, and a remark.
    pub(super) fn entry(&mut self, depth: usize, name: &str, word: Option<(Tone, &str)>, remark: &str) {
        let indent = 2 * depth;
        let text = match word {
            Some((_, word)) => format!("{}: {word}, {}", tame(name), tame(remark)),
            None => format!("{}: {}", tame(name), tame(remark)),
        };
        let text = format!("{}{}", " ".repeat(indent), wrap(&text, indent + 3, self.columns));
        let text = match word {
            Some((tone, word)) => {
                text.replacen(&format!(": {word},"), &format!(": {},", paint(word, tone, self.out_color)), 1)
            }
            None => text,
        };
        self.line(&text);
    }

    /// A table; every row has as many cells as there are headers. The last column is wrapped.
    pub(super) fn table(&mut self, headers: &[&str], rows: &[Vec<Cell>]) {
        self.line("");
        for line in table::lines(headers, rows, self.room(), self.out_color) {
            self.line(&line);
        }
    }

    /// Something that was done and has to be said also where only a document goes to stdout.
    pub(super) fn notice(&mut self, text: &str) {
        match self.json {
            true => self.diagnostics.line(&tame(text)),
            false => self.text(text),
        }
    }

    /// A path as people read it: below their home folder, from `~`. Not for what is to be pasted.
    pub(super) fn place(&self, path: impl AsRef<Path>) -> String {
        let path = path.as_ref();
        match self
            .home
            .as_ref()
            .and_then(|home| path.strip_prefix(home).ok())
            .filter(|below| !below.as_os_str().is_empty())
        {
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        }
    }

    /// A heading, set off by an empty line.
    pub(super) fn title(&mut self, text: &str) {
        let text = paint(&tame(text), Tone::Strong, self.out_color);
        self.line(&format!("\n{text}"));
    }

    /// What `print` prints, set off by a bar at its left: it is what a command prints, shown by another one.
    pub(super) fn quoted(&mut self, print: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.quotes, true);
        print(self);
        self.quotes = outer;
    }

    /// Running text.
    pub(super) fn text(&mut self, text: &str) {
        let text = wrap(&tame(text), 0, self.room());
        self.line(&text);
    }

    /// Running text that begins with a word that stands out, set off by an empty line.
    pub(super) fn lead(&mut self, word: &str, text: &str) {
        let text = wrap(&format!("{word}. {}", tame(text)), 0, self.room());
        let text = text.replacen(word, &paint(word, Tone::Strong, self.out_color), 1);
        self.line(&format!("\n{text}"));
    }

    /// A command of okstra as someone typed it.
    pub(super) fn asked(&mut self, command: &str) {
        self.line(&format!("  $ {}", tame(command)));
    }

    /// Commands as someone typed them.
    pub(super) fn typed(&mut self, commands: &[String]) {
        for command in commands {
            let command = paint(&format!("$ {}", tame(command)), Tone::Quiet, self.out_color);
            self.line(&format!("  {command}"));
        }
    }

    /// Who says what, below one another; what is said begins with a word in its colour.
    pub(super) fn sayings(&mut self, sayings: &[(&str, Tone, &str, &str)]) {
        let widest = sayings.iter().map(|(who, ..)| width(who)).max().unwrap_or_default();
        for (who, tone, word, sentence) in sayings {
            let gap = " ".repeat(widest - width(who) + 2);
            let sentence = wrap(&format!("{word}: {}", tame(sentence)), widest + 4, self.room());
            let sentence = sentence.replacen(word, &paint(word, *tone, self.out_color), 1);
            let who = paint(who, Tone::Quiet, self.out_color);
            self.line(&format!("  {who}{gap}{sentence}"));
        }
    }

    /// What to do next, set off by an empty line; a command stands on a line of its own, ready to be copied.
    pub(super) fn next(&mut self, advice: &str, command: &[&str]) {
        let advice = wrap(&tame(advice), 6, self.room());
        let word = paint("next:", Tone::Strong, self.out_color);
        self.line(&format!("\n{word} {advice}"));
        if !command.is_empty() {
            self.paste(&shell::command(command));
        }
    }

    /// A sentence on stderr, where stdout is another program's.
    pub(super) fn aside(&mut self, text: &str) {
        self.diagnostics.line(&format!("\n{}", tame(text)));
    }

    /// As [`Output::next`] on stderr, with a command as it is pasted.
    pub(super) fn next_aside(&mut self, advice: &str, command: Option<&str>) {
        let word = self.diagnostics.paint("next:", Tone::Strong);
        self.diagnostics.line(&format!("\n{word} {}", tame(advice)));
        if let Some(command) = command {
            self.diagnostics.line(&format!("  {}", tame(command)));
        }
    }

    /// A command of shell words, on a line of its own, ready to be copied.
    pub(super) fn paste(&mut self, command: &str) {
        self.line(&format!("  {}", tame(command)));
    }

    /// Lines that are made already, with nothing in them that a terminal would obey but colours.
    pub(super) fn drawing(&mut self, lines: &[String]) {
        self.line("");
        lines.iter().for_each(|line| self.line(line));
    }

    /// Text for another program, as it is: without a line break at its end.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.line(text.trim_end_matches('\n'));
    }

    /// How many columns there are, and whether colours are shown.
    pub(super) fn canvas(&self) -> (Option<usize>, bool) {
        (self.columns, self.out_color)
    }

    /// The keyboard of a person who sees what is printed; nothing where there is none, or a document was asked for.
    pub(super) fn keyboard(&self) -> Option<Keyboard> {
        self.keyboard.clone()
    }

    /// A question, set off by an empty line; the answer is typed behind it.
    pub(super) fn question(&mut self, text: &str) {
        let text = paint(&tame(text), Tone::Strong, self.out_color);
        self.diagnostics.erase_progress();
        if self.lost.is_none() {
            self.lost = write!(self.out, "\n{text} ").and_then(|()| self.out.flush()).err();
        }
    }

    /// Ends the line on which an answer was not typed to its end.
    pub(super) fn end_of_question(&mut self) {
        self.line("");
    }

    /// Help, or the version.
    pub(super) fn help(&mut self, help: &StyledStr) {
        let text = rendered(help, self.out_color);
        self.line(&text);
    }

    /// Help for someone who asked for nothing, which is a mistake: on stderr.
    pub(super) fn unasked_help(&mut self, help: &StyledStr) {
        self.diagnostics.line(&rendered(help, self.diagnostics.has_color()));
    }

    /// Something that does not stop the work but should be known.
    pub(super) fn warning(&mut self, text: &str) {
        self.diagnostics.warning(text);
    }

    /// A failure: with `--json` the document on stdout, else the text on stderr.
    pub(super) fn failure(&mut self, failure: &Failure) {
        if self.json {
            self.document(&failure.document());
        } else {
            self.failure_for_people(failure);
        }
    }

    /// Writes what is still held back. A closed pipe is no error: whoever reads has seen enough.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.diagnostics.erase_progress();
        if self.lost.is_none() {
            self.lost = self.out.flush().err();
        }
        match self.lost.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
            _ => Ok(()),
        }
    }

    /// The text of a failure, on stderr also with `--json`: for when stdout is what failed.
    pub(super) fn failure_for_people(&mut self, failure: &Failure) {
        let label = |word, tone| self.diagnostics.paint(word, tone);
        let mut text = format!("{} {}", label("error:", Tone::Bad), tame_lines(&failure.message));
        for cause in &failure.causes {
            text.push_str(&format!("\n{} {}", label("caused by:", Tone::Bad), tame_lines(cause)));
        }
        if let Some(hint) = &failure.hint() {
            text.push_str(&format!("\n\n{} {}", label("hint:", Tone::Strong), tame_lines(hint)));
        }
        self.diagnostics.line(&text);
    }

    fn document(&mut self, document: &impl Serialize) {
        match serde_json::to_string(document) {
            Ok(text) => self.line(&text),
            Err(error) => self.lost = self.lost.take().or(Some(error.into())),
        }
    }

    /// How many columns there are for text.
    fn room(&self) -> Option<usize> {
        let taken = if self.quotes { width(QUOTE) + 1 } else { 0 };
        self.columns.map(|columns| columns.saturating_sub(taken))
    }

    fn line(&mut self, text: &str) {
        self.diagnostics.erase_progress();
        let quote = if self.quotes { paint(QUOTE, Tone::Quiet, self.out_color) } else { String::new() };
        for line in text.split('\n') {
            let gap = if self.quotes && !line.is_empty() { " " } else { "" };
            if self.lost.is_none() {
                self.lost = writeln!(self.out, "{quote}{gap}{line}").err();
            }
        }
    }
}

/// clap's text, without the white space that it leaves at the ends of lines.
fn rendered(help: &StyledStr, color: bool) -> String {
    let text = if color { help.ansi().to_string() } else { help.to_string() };
    text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

pub(super) fn paint(text: &str, tone: Tone, color: bool) -> String {
    if !color {
        return text.to_owned();
    }
    let style = match tone {
        Tone::Good => AnsiColor::Green.on_default().bold(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
        Tone::Doubtful => AnsiColor::Yellow.on_default().bold(),
        Tone::Quiet => Style::new().dimmed(),
        Tone::Strong => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cli::streams::Stream;

    /// A stream that keeps what is written, or is closed at its other end.
    #[derive(Clone, Default)]
    pub(in crate::cli) struct Captured {
        bytes: Arc<Mutex<Vec<u8>>>,
        fails_with: Option<io::ErrorKind>,
    }

    impl Captured {
        pub(in crate::cli) fn text(&self) -> String {
            String::from_utf8(self.bytes.lock().unwrap().clone()).unwrap()
        }

        pub(in crate::cli) fn shared(&self) -> SharedWriter {
            Arc::new(Mutex::new(Box::new(self.clone())))
        }

        fn stream(&self, terminal: bool) -> Stream {
            Stream { writer: Box::new(self.clone()), terminal, columns: terminal.then_some(40) }
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.fails_with {
                Some(kind) => Err(kind.into()),
                None => self.bytes.lock().unwrap().write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// An output with what it wrote to stdout and to stderr.
    pub(in crate::cli) fn captured(json: bool) -> (Output, Captured, Captured) {
        printer(Globals { color: Color::Auto, json }, false, &[])
    }

    /// An output on a terminal at which someone types `keys`, with what it wrote to stdout.
    pub(in crate::cli) fn at_a_terminal(keys: &'static [u8], json: bool) -> (Output, Captured) {
        let (mut output, out, _) = printer(Globals { color: Color::Never, json }, true, &[]);
        output.type_from(Keyboard { reader: Arc::new(Mutex::new(keys)), terminal: true });
        (output, out)
    }

    impl Output {
        /// Lets someone type on `keyboard`, where anybody can.
        pub(in crate::cli) fn type_from(&mut self, keyboard: Keyboard) {
            self.keyboard = self.keyboard.take().map(|_| keyboard);
        }
    }

    fn printer(globals: Globals, terminal: bool, variables: &[(&str, &str)]) -> (Output, Captured, Captured) {
        let (out, err) = (Captured::default(), Captured::default());
        let keyboard = Keyboard { reader: Arc::new(Mutex::new(io::empty())), terminal };
        let streams = Streams { keyboard, out: out.stream(terminal), err: err.stream(terminal) };
        let context = Context::new("/", variables.iter().copied().collect());
        (Output::new(streams, globals, &context), out, err)
    }

    #[test]
    fn colour_follows_the_flag_then_the_environment_then_the_terminal() {
        let cases = [
            (Color::Auto, true, &[][..], true),
            (Color::Auto, false, &[], false),
            (Color::Auto, true, &[("NO_COLOR", "1")], false),
            (Color::Auto, true, &[("NO_COLOR", "")], true),
            (Color::Auto, true, &[("TERM", "dumb")], false),
            (Color::Always, false, &[("NO_COLOR", "1")], true),
            (Color::Never, true, &[], false),
        ];
        for (color, terminal, variables, colored) in cases {
            let (mut output, out, err) = printer(Globals { color, json: false }, terminal, variables);
            output.headline(Tone::Good, "contained", "x");
            output.warning("x");
            let shown = [out.text(), err.text()].map(|text| text.contains('\x1b'));
            assert_eq!(shown, [colored; 2], "{color:?} {terminal} {variables:?}");
        }
    }

    #[test]
    fn text_for_people_is_aligned_and_wrapped() {
        let (mut output, out, _) = printer(Globals { color: Color::Never, json: false }, true, &[]);
        output.headline(Tone::Good, "contained", "all of it is in main, one commit brought it");
        output.fields(&[("commit", "1a2b3c4d", ""), ("landed at", "x\x1b[m", "some words that do not fit here")]);
        output.next("look", &["git", "log", "a b"]);
        let expected = "contained  all of it is in main, one\n           commit brought it\n\n  \
                        commit     1a2b3c4d\n  landed at  x\\u{1b}[m: some words that\n             \
                        do not fit here\n\nnext: look\n  git log 'a b'\n";
        assert_eq!(out.text(), expected);
    }

    #[test]
    fn a_failure_is_text_on_stderr_or_one_document_on_stdout() {
        let mut failure = Failure::usage("cannot read".to_owned(), Some("ask".to_owned()));
        failure.causes = vec!["no permission".to_owned()];
        let (mut output, out, err) = captured(false);
        output.failure(&failure);
        assert_eq!(out.text(), "");
        assert_eq!(err.text(), "error: cannot read\ncaused by: no permission\n\nhint: ask\n");
        let (mut output, out, err) = captured(true);
        output.failure(&failure);
        assert_eq!(out.text(), "{\"error\":\"cannot read: no permission\",\"code\":\"usage\",\"hint\":\"ask\"}\n");
        assert_eq!(err.text(), "");
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
        for (kind, fine) in [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)] {
            let (mut output, ..) = captured(false);
            output.out = Box::new(Captured { fails_with: Some(kind), ..Captured::default() });
            output.line("one");
            output.line("two");
            assert_eq!(output.finish().is_ok(), fine, "{kind:?}");
        }
    }
}
