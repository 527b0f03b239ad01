//! The command line for `bin/okstra`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use napi_derive::napi;
use okstra::context::{Context, process_arguments};

/// Where the executable of this build is, and the version of Node; the loader says it.
static IN_NODE: OnceLock<(PathBuf, String)> = OnceLock::new();

/// Says where the executable lies that was built with this addon, and in which version of Node the addon is. For the
/// loader.
#[napi]
pub fn introduce(executable: String, node: String) {
    // Loaded once more, the addon is told the same.
    let _ = IN_NODE.set((executable.into(), node));
}

/// A snapshot of this process.
pub(crate) fn context() -> Context {
    let (executable, node) = IN_NODE.get().cloned().unzip();
    Context::from_process().in_node(executable, node)
}

/// Runs the command line with `args`, the last `argc` arguments of this process, and returns its exit code.
///
/// It takes the process over: it blocks, writes to its streams, and handles SIGINT, SIGTERM and SIGHUP; one of them
/// ends the process once the command has cleaned up. For `bin/okstra`; everyone else calls the other functions.
#[napi]
pub fn run(argc: u32, args: Vec<String>) -> i32 {
    displace_signal_handlers();
    okstra::cli::main(exact(argc, args), context()).code().into()
}

/// The version of okstra.
#[napi]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The arguments as bytes. JavaScript's strings have lost what is not UTF-8; there the process's own are taken, where
/// the system tells them.
fn exact(argc: u32, args: Vec<String>) -> Vec<OsString> {
    let all = process_arguments();
    let count = usize::try_from(argc).unwrap_or(usize::MAX).min(args.len());
    let own = all.len().checked_sub(count).map(|start| &all[start..]);
    let exact = |(index, text): (usize, String)| match own {
        Some(own) if text.contains(char::REPLACEMENT_CHARACTER) => own[index].clone(),
        _ => OsString::from(text),
    };
    args.into_iter().enumerate().map(exact).collect()
}

/// Node's own handlers end the process at the first signal. They would be called before okstra's, which could then not
/// clean up; handlers that do nothing take their place.
fn displace_signal_handlers() {
    // Where that fails, Ctrl-C ends the process at once, which is what it did anyway.
    let _ = ctrlc::set_handler(|| {});
}
