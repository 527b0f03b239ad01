//! The two streams that a command writes to, and the one on which a person answers.

use std::fmt;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::sync::{Arc, Mutex};

/// Where a command's results and its diagnostics go, and where answers come from.
#[derive(Debug)]
pub struct Streams {
    /// Answers of a person.
    pub keyboard: Keyboard,
    /// Results: for people, or one JSON document.
    pub out: Stream,
    /// Diagnostics, warnings, progress.
    pub err: Stream,
}

/// One stream, and what is known of its other end.
pub struct Stream {
    /// Where the bytes go.
    pub writer: Box<dyn Write + Send>,
    /// Whether a person sees it as it is written.
    pub terminal: bool,
    /// How many columns it has; `None` where nothing limits a line.
    pub columns: Option<usize>,
}

/// Where a person types. Nothing is read from it unless that person is asked.
#[derive(Clone)]
pub struct Keyboard {
    /// Where the bytes come from.
    pub reader: Arc<Mutex<dyn BufRead + Send>>,
    /// Whether a person sits there.
    pub terminal: bool,
}

impl Streams {
    /// The process's own.
    #[cfg(unix)]
    pub fn from_process() -> Self {
        let (out, err) = (std::io::stdout(), std::io::stderr());
        let columns = [terminal_size::terminal_size_of(&out), terminal_size::terminal_size_of(&err)];
        Self::new(Box::new(out), Box::new(err), columns)
    }

    /// The process's own.
    #[cfg(not(unix))]
    pub fn from_process() -> Self {
        // The console of older Windows obeys escape sequences only when it is told to.
        anstyle_query::windows::enable_ansi_colors();
        let size = terminal_size::terminal_size();
        Self::new(Box::new(std::io::stdout()), Box::new(std::io::stderr()), [size, size])
    }

    fn new(
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
        [out_size, err_size]: [Option<(terminal_size::Width, terminal_size::Height)>; 2],
    ) -> Self {
        let stream = |writer, terminal, size: Option<(terminal_size::Width, _)>| {
            // A pseudo-terminal that nobody gave a size has no columns, which means: not known.
            let columns = size.map(|(width, _)| usize::from(width.0)).filter(|&width| terminal && width > 0);
            Stream { writer, terminal, columns }
        };
        let stdin = std::io::stdin();
        let terminal = stdin.is_terminal();
        Self {
            keyboard: Keyboard { reader: Arc::new(Mutex::new(BufReader::new(stdin))), terminal },
            out: stream(out, std::io::stdout().is_terminal(), out_size),
            err: stream(err, std::io::stderr().is_terminal(), err_size),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { terminal, columns, .. } = self;
        f.debug_struct("Stream").field("terminal", terminal).field("columns", columns).finish_non_exhaustive()
    }
}

/// Everything that comes by the standard input.
pub(super) fn read_standard_input() -> Result<String, super::failure::Failure> {
    let text = std::io::read_to_string(std::io::stdin());
    text.map_err(|error| super::failure::Failure::usage(format!("cannot read the standard input: {error}"), None))
}

impl fmt::Debug for Keyboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyboard").field("terminal", &self.terminal).finish_non_exhaustive()
    }
}
