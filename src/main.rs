//! The executable `okstra`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = okstra::context::process_arguments().into_iter().skip(1);
    ExitCode::from(okstra::cli::main(arguments, okstra::context::Context::from_process()).code())
}
