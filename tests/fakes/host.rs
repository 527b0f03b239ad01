//! A fake host process: what the process and fs rooms do can be seen only from outside a process that uses them.
//!
//! `host WHAT ARGUMENTS…`; each WHAT is a function below, with a test in `tests/it/process.rs`, `tests/it/fs.rs`,
//! `tests/it/store/`, `tests/it/life/` or `tests/it/install/`.

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a fake stands outside of the house")]
#![expect(clippy::unwrap_used, reason = "a fake that panics fails its test")]

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (what, rest) = arguments.split_first().expect("host WHAT ARGUMENTS…");
    let code = match what.as_str() {
        "inherit" => host::inherit(rest),
        "inherit-unprepared" => host::inherit_unprepared(rest),
        "interactive" => host::interactive(rest),
        "interactive-then-wait" => host::interactive_then_wait(rest),
        "told" => host::told(),
        "capture" => host::capture(rest),
        "on-terminal" => host::on_terminal(rest),
        "pty" => host::pty(rest),
        "scratch" => host::scratch(rest),
        "replace" => host::replace(rest),
        "append" => host::append(rest),
        "hold" => host::hold(rest),
        "consume" => host::consume(rest),
        "reserve" => host::reserve(rest),
        "choose" => host::choose(rest),
        "provision" => host::provision(rest),
        "read-state" => host::read_state(rest),
        "register" => host::register(rest),
        "stop-at" => host::stop_at(rest),
        "install" => host::install(rest),
        "uninstall" => host::uninstall(),
        _ => panic!("host cannot {what}"),
    };
    std::process::ExitCode::from(u8::try_from(code).unwrap_or(255))
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod host {
    use std::io::{Read, Write};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use okstra::context::Context;
    use okstra::domain::batch::Request;
    use okstra::domain::lifecycle::RunName;
    use okstra::domain::records::{Reappend, Record, Status};
    use okstra::domain::run::RunManifest;
    use okstra::fs::{self, LOCK_WAIT, LockGuard, ScratchFolder, Unfinished};
    use okstra::ops;
    use okstra::ops::lifecycle;
    use okstra::ops::stages;
    use okstra::ops::task::{Selector, Task};
    use okstra::process::{Command, Session};
    use okstra::store::consumers::{self, LogText};
    use okstra::store::registry::{Registry, TaskWanted};
    use okstra::store::runs;
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::{FdFlags, fcntl_setfd};

    /// Does to the standard streams what libuv does, then runs a command on them.
    pub(crate) fn inherit(command: &[String]) -> i32 {
        treat_streams_like_libuv();
        interactive(command)
    }

    /// The same without okstra's preparation: shows that the trap is real.
    pub(crate) fn inherit_unprepared(command: &[String]) -> i32 {
        treat_streams_like_libuv();
        let status = std::process::Command::new(&command[0]).args(&command[1..]).status().unwrap();
        status.code().unwrap_or(255)
    }

    /// Runs a command on the terminal, and says how it ended.
    pub(crate) fn interactive(command: &[String]) -> i32 {
        let context = Context::from_process();
        let session = Session::open(context.cancel());
        let code = run_on_terminal(command, &context);
        session.close();
        code
    }

    /// The same, and then waits to be asked to stop.
    pub(crate) fn interactive_then_wait(command: &[String]) -> i32 {
        let context = Context::from_process();
        let session = Session::open(context.cancel());
        let code = run_on_terminal(command, &context);
        wait_for_cancel(&context);
        session.close();
        code
    }

    /// Waits to be asked to stop, says that it was, and returns 3. A shell with a trap would miss a signal now and then.
    pub(crate) fn told() -> i32 {
        let context = Context::from_process();
        let _session = Session::open(context.cancel());
        println!("ready {}", std::process::id());
        wait_for_cancel(&context);
        println!("told");
        3
    }

    fn run_on_terminal(command: &[String], context: &Context) -> i32 {
        let ended = Command::new(&command[0]).args(&command[1..]).run_on_terminal(context);
        let code = ended.map_or_else(|error| error.exit_code().unwrap_or(255), |ending| ending.code());
        println!("host: child ended with {code}");
        std::io::stdout().flush().unwrap();
        code
    }

    /// Waits for a minute at most, so that a test that fails leaves nothing behind for long.
    fn wait_for_cancel(context: &Context) {
        let start = std::time::Instant::now();
        while !context.cancel().is_cancelled() && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Runs a command in a group of its own.
    pub(crate) fn capture(command: &[String]) -> i32 {
        let context = Context::from_process();
        let session = Session::open(context.cancel());
        let result = Command::new(&command[0]).args(&command[1..]).run(&context);
        println!("host: {}", result.map_or_else(|error| error.to_string(), |output| output.ending.to_string()));
        session.close();
        0
    }

    /// Runs a command on the terminal `device`, as the leader of a session of its own.
    pub(crate) fn on_terminal(arguments: &[String]) -> i32 {
        rustix::process::setsid().unwrap();
        let device = std::fs::OpenOptions::new().read(true).write(true).open(&arguments[0]).unwrap();
        rustix::process::ioctl_tiocsctty(&device).unwrap();
        rustix::stdio::dup2_stdin(&device).unwrap();
        rustix::stdio::dup2_stdout(&device).unwrap();
        rustix::stdio::dup2_stderr(&device).unwrap();
        panic!("{}", std::process::Command::new(&arguments[1]).args(&arguments[2..]).exec());
    }

    /// Runs a command on a terminal of its own: what comes on the standard input is typed, what appears goes to the standard
    /// output. A line `resize ROWS COLUMNS` is not typed, but done. Its end is the command's.
    pub(crate) fn pty(command: &[String]) -> i32 {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        resize(&master, 40, 100);
        let device = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let host = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new(host).arg("on-terminal").arg(device).args(command).spawn().unwrap();
        let mut keyboard = std::fs::File::from(master);
        let mut screen = keyboard.try_clone().unwrap();
        let shown = std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut chunk) {
                std::io::stdout().write_all(&chunk[..count]).unwrap();
                std::io::stdout().flush().unwrap();
            }
        });
        std::thread::spawn(move || {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                match line.strip_prefix("resize ").and_then(|size| size.split_once(' ')) {
                    Some((rows, columns)) => resize(&keyboard, rows.parse().unwrap(), columns.parse().unwrap()),
                    // A control character is a key, and no line.
                    None if line.starts_with(char::is_control) => keyboard.write_all(line.as_bytes()).unwrap(),
                    None => keyboard.write_all(format!("{line}\n").as_bytes()).unwrap(),
                }
            }
        });
        let code = child.wait().unwrap().code().unwrap_or(255);
        shown.join().unwrap();
        code
    }

    fn resize(terminal: impl std::os::fd::AsFd, rows: u16, columns: u16) {
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(terminal, size).unwrap();
    }

    /// Makes a scratch folder, says where, and waits to be asked to stop.
    pub(crate) fn scratch(arguments: &[String]) -> i32 {
        let context = Context::from_process();
        let session = Session::open(context.cancel());
        let folder = ScratchFolder::create_in(Path::new(&arguments[0]), "scratch-").unwrap();
        std::fs::write(folder.path().join("file"), "content").unwrap();
        println!("{}", folder.path().display());
        wait_for_cancel(&context);
        drop(folder);
        session.close();
        0
    }

    /// Replaces a file many times, with content whose every byte is the same.
    pub(crate) fn replace(arguments: &[String]) -> i32 {
        let path = Path::new(&arguments[0]);
        for byte in (b'a'..=b'z').cycle().take(10_000) {
            fs::replace(path, &vec![byte; 100_000]).unwrap();
        }
        0
    }

    /// Appends numbered lines, each under the lock.
    pub(crate) fn append(arguments: &[String]) -> i32 {
        let [log, name, count] = arguments else { panic!("append LOG NAME COUNT") };
        let lock = format!("{log}.lock");
        let unfinished = Unfinished { is_whole: |_| false, seal: " #" };
        for number in 0..count.parse::<u32>().unwrap() {
            let guard = LockGuard::acquire(Path::new(&lock), LOCK_WAIT, || false).unwrap();
            fs::append_line(&guard, Path::new(log), &format!("{name} {number}"), unfinished).unwrap();
        }
        0
    }

    /// Holds a lock until its input ends.
    pub(crate) fn hold(arguments: &[String]) -> i32 {
        let _guard = LockGuard::acquire(Path::new(&arguments[0]), LOCK_WAIT, || false).unwrap();
        println!("held");
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        0
    }

    /// Adds rows for one stage after the other to a log, and says each once it is there.
    pub(crate) fn consume(arguments: &[String]) -> i32 {
        let [log, name, count] = arguments else { panic!("consume LOG NAME COUNT") };
        let context = Context::from_process();
        for stage in 1..=count.parse::<u32>().unwrap() {
            let row = Record::new(&format!("p/g/{name}"), stage, Status::Done, &"ab".repeat(20));
            consumers::append(Path::new(log), &context, &row, Reappend::Never).unwrap();
            println!("{stage}");
        }
        0
    }

    /// Reserves one task after the other, and says each once it is held.
    pub(crate) fn reserve(arguments: &[String]) -> i32 {
        let [registry, name, count] = arguments else { panic!("reserve REGISTRY NAME COUNT") };
        let (context, registry) = (Context::from_process(), Registry::new(registry));
        for number in 1..=count.parse::<u32>().unwrap() {
            let wanted = TaskWanted {
                worktree_path: format!("/w/{name}-{number}"),
                branch: format!("fix-{name}-{number}"),
                base_ref: "refs/heads/main".to_owned(),
                git_common_dir: "/c/.git".to_owned(),
            };
            let key = format!("p/g/{name}-{number}").parse().unwrap();
            registry.lock(&context).unwrap().reserve_task(&key, &wanted).unwrap();
            println!("{number}");
        }
        0
    }

    /// Waits for a line, then chooses and reserves a stage of a task for a run, and says which; then waits for another.
    pub(crate) fn choose(arguments: &[String]) -> i32 {
        let [root, task, run] = arguments else { panic!("choose ROOT TASK RUN") };
        let context = Context::from_process();
        let selector = okstra::ops::task::Selector::Project(Some(task.clone()));
        let task = okstra::ops::task::Task::find(&context, Some(Path::new(root)), &selector).unwrap();
        let plan = okstra::store::plans::current(&task.plans(), &task.key).unwrap().unwrap();
        let holder = stages::holder(&context, run, true);
        let wanted =
            stages::Wanted { plan: &plan, request: Request::Auto, budget: 1, holder, take_over: None, claim: None };
        println!("ready");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        match stages::choose_and_reserve(&context, &task, &wanted) {
            Ok(reserved) => println!("{:?}", reserved.keep()),
            Err(error) => println!("{error}"),
        }
        // Its reservation counts for as long as it lives.
        std::io::stdin().read_line(&mut String::new()).unwrap();
        0
    }

    /// Reserves and provisions every stage of a task that is ready for a run.
    pub(crate) fn provision(arguments: &[String]) -> i32 {
        let [root, task, run] = arguments else { panic!("provision ROOT TASK RUN") };
        let context = Context::from_process();
        let selector = okstra::ops::task::Selector::Project(Some(task.clone()));
        let task = okstra::ops::task::Task::find(&context, Some(Path::new(root)), &selector).unwrap();
        let plan = okstra::store::plans::current(&task.plans(), &task.key).unwrap().unwrap();
        let holder = stages::holder(&context, run, true);
        let wanted =
            stages::Wanted { plan: &plan, request: Request::Auto, budget: 8, holder, take_over: None, claim: None };
        let reserved = stages::choose_and_reserve(&context, &task, &wanted).unwrap();
        let bases = stages::bases(&context, &task, &plan, reserved.stages()).unwrap();
        println!("{}", stages::provision(&context, &task, &plan, reserved, &bases).unwrap().keep().len());
        0
    }

    /// Reads a log and a registry, tries to write to each, and says how each of the four went.
    pub(crate) fn read_state(arguments: &[String]) -> i32 {
        let [log, registry] = arguments else { panic!("read-state LOG REGISTRY") };
        let (context, log, registry) = (Context::from_process(), Path::new(log), Registry::new(registry));
        let row = Record::new("p/g/t", 99, Status::Done, &"ab".repeat(20));
        let text = LogText::read(log);
        let rows = text.as_ref().map(|text| text.rows(&context).map(|log| log.rows().len()));
        println!("{rows:?}");
        println!("{:?}", registry.read_all().map(|all| all.len()));
        println!("{}", consumers::append(log, &context, &row, Reappend::Never).unwrap_err());
        println!("{}", registry.lock(&context).map(drop).unwrap_err());
        0
    }

    /// Makes one run after the other exist, registers it, and says its number once that is done.
    pub(crate) fn register(arguments: &[String]) -> i32 {
        let [root, task, template, first] = arguments else { panic!("register ROOT TASK TEMPLATE FIRST") };
        let context = Context::from_process();
        let task = Task::find(&context, Some(Path::new(root)), &Selector::Project(Some(task.clone()))).unwrap();
        let template: RunManifest = serde_json::from_slice(&std::fs::read(template).unwrap()).unwrap();
        for number in first.parse::<u32>().unwrap().. {
            let run = RunName { task_type: template.task_type, number };
            let manifest = RunManifest { run: run.to_string(), ..template.clone() };
            runs::write_manifest(task.layout.as_ref().unwrap(), &task.key, &manifest).unwrap();
            lifecycle::register_run(&context, &task, &manifest).unwrap();
            println!("{number}");
        }
        0
    }

    /// Where [`stop_at`] kills.
    static STOP: std::sync::OnceLock<(Option<u32>, String)> = std::sync::OnceLock::new();
    /// How many changes of files there were.
    static STEPS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

    /// Runs a command of okstra, and kills the process at the given step of its changes to files, counted from 1; or before
    /// the first change of a file whose name begins with the given text.
    pub(crate) fn stop_at(arguments: &[String]) -> i32 {
        let (stop, command) = arguments.split_first().expect("stop-at STEP|NAME ARGUMENTS…");
        STOP.set((stop.parse().ok(), stop.clone())).unwrap();
        fs::watch(|path| {
            let (step, name) = STOP.get().unwrap();
            let at = STEPS.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
            let is_named = || path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name));
            if step.map_or_else(is_named, |step| step == at) {
                let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            }
        });
        i32::from(okstra::cli::main(command.iter().map(Into::into), Context::from_process()).code())
    }

    /// Installs okstra with the program EXECUTABLE for its own.
    pub(crate) fn install(rest: &[String]) -> i32 {
        let context = Context::from_process().in_node(rest.first().map(Into::into), None);
        let options = ops::install::Options { targets: vec!["claude".to_owned()], yes: true, ..Default::default() };
        println!("begin");
        ops::install::run(&context, &options).map_or(1, |_| 0)
    }

    /// Takes okstra out.
    pub(crate) fn uninstall() -> i32 {
        let options = ops::uninstall::Options { yes: true, ..Default::default() };
        println!("begin");
        ops::uninstall::run(&Context::from_process(), &options).map_or(1, |_| 0)
    }

    fn treat_streams_like_libuv() {
        let (stdin, stdout, stderr) = (rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr());
        for fd in [stdin, stdout, stderr] {
            fcntl_setfd(fd, FdFlags::CLOEXEC).unwrap();
            fcntl_setfl(fd, fcntl_getfl(fd).unwrap() | OFlags::NONBLOCK).unwrap();
        }
    }
}
