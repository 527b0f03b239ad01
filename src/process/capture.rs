//! Runs a child to its end and keeps what it says.

use std::io::{self, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::child::{Reach, Running, TICK};
use super::{Command, Ending, Error, Output};
use crate::context::{Cancel, Cancelled, Context};

/// How many ticks the streams may stay open and silent after the child has ended: something that it left behind holds
/// them, and will not say anything that belongs to the answer.
const LINGER_TICKS: u32 = 200;
/// The longest pause between two looks at a child that has closed its streams and runs on.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Runs `command` to its end; see [`Command::run`].
pub(super) fn run(command: &Command, context: &Context) -> Result<Output, Error> {
    let mut std_command = command.to_std(context);
    std_command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command, std_command, Reach::Group, context)?;
    let pumps = Pumps::start(&mut running, command);
    let lost = |source| Error::Lost { command: command.to_string(), source };
    let ending = wait(&mut running, &pumps, context.cancel()).map_err(lost)?;
    let Some(ending) = ending else {
        running.end().map_err(lost)?;
        return Err(Cancelled.into());
    };
    let (stdout, stderr) = pumps.take().map_err(lost)?;
    Ok(Output { ending, stdout, stderr })
}

/// Waits until the child has ended and its streams are read; `None` when it was cancelled before.
fn wait(running: &mut Running, pumps: &Pumps, cancel: &Cancel) -> io::Result<Option<Ending>> {
    let (mut lingered, mut read) = (0, 0);
    while !pumps.done_within_a_tick() && lingered < LINGER_TICKS {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let so_far = pumps.read_so_far();
        if running.ending()?.is_some() {
            lingered = if so_far == read { lingered + 1 } else { 0 };
        }
        read = so_far;
    }
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(ending) = running.ending()? {
            return Ok(Some(ending));
        }
        if cancel.is_cancelled() {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The threads that move bytes between us and a child. The readers hold a sender; when the last is gone, all is read.
struct Pumps {
    stdout: Kept,
    stderr: Kept,
    open: Receiver<()>,
}

/// What a reader has read so far, and the error that stopped it.
type Kept = Arc<Mutex<(Vec<u8>, Option<io::Error>)>>;

impl Pumps {
    fn start(running: &mut Running, command: &Command) -> Self {
        let limit = command.limit();
        let (sender, open) = channel();
        let stdout = running.child.stdout.take().map(|pipe| keep(pipe, sender.clone(), limit)).unwrap_or_default();
        let stderr = running.child.stderr.take().map(|pipe| keep(pipe, sender, limit)).unwrap_or_default();
        if let (Some(mut pipe), Some(bytes)) = (running.child.stdin.take(), command.input()) {
            let bytes = bytes.to_vec();
            // A child that does not read to the end is no error; its ending tells.
            thread::spawn(move || drop(pipe.write_all(&bytes)));
        }
        Self { stdout, stderr, open }
    }

    fn done_within_a_tick(&self) -> bool {
        matches!(self.open.recv_timeout(TICK), Err(RecvTimeoutError::Disconnected))
    }

    fn read_so_far(&self) -> usize {
        lock(&self.stdout).0.len() + lock(&self.stderr).0.len()
    }

    fn take(self) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let take = |kept: &Kept| {
            let (bytes, error) = std::mem::take(&mut *lock(kept));
            error.map_or(Ok(bytes), Err)
        };
        Ok((take(&self.stdout)?, take(&self.stderr)?))
    }
}

fn lock(kept: &Kept) -> MutexGuard<'_, (Vec<u8>, Option<io::Error>)> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads `pipe` to its end on a thread of its own.
fn keep(mut pipe: impl Read + Send + 'static, open: Sender<()>, limit: Option<usize>) -> Kept {
    let kept = Kept::default();
    let shared = Arc::clone(&kept);
    thread::spawn(move || {
        let mut chunk = [0; 16 * 1024];
        loop {
            let read = pipe.read(&mut chunk);
            let mut kept = lock(&shared);
            match read {
                Ok(0) => break,
                Ok(count) => {
                    kept.0.extend_from_slice(&chunk[..count]);
                    shorten(&mut kept.0, limit);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    kept.1 = Some(error);
                    break;
                }
            }
        }
        drop(open);
    });
    kept
}

/// Takes the middle out of what grew to twice the limit.
fn shorten(bytes: &mut Vec<u8>, limit: Option<usize>) {
    let Some(limit) = limit.filter(|limit| bytes.len() >= 2 * limit) else { return };
    let (from, to) = (limit / 2, bytes.len() - limit / 2);
    bytes.splice(from..to, b"\n[\xe2\x80\xa6]\n".iter().copied());
}
