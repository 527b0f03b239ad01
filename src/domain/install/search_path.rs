//! How a person puts okstra on PATH. okstra prints it, and edits no file of a shell.

use serde::Serialize;

use crate::domain::shell;

/// A shell that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell on Windows.
    PowerShell,
    /// Any other.
    Other,
}

/// What to do, and the command that does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What it is for.
    pub text: String,
    /// The command, for the shell.
    pub command: String,
}

impl Shell {
    /// The shell whose executable is at `path`.
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        match name.strip_suffix(".exe").unwrap_or(name) {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            "pwsh" | "powershell" => Self::PowerShell,
            _ => Self::Other,
        }
    }
}

/// How the folder `bin` is put on the PATH of `shell`.
pub fn advice(shell: Shell, bin: &str) -> Advice {
    let line = format!("export PATH={}:\"$PATH\"", shell::word(bin));
    let in_file = |file: &str| (format!("put okstra on PATH, for new shells ({file})"), append(&line, file));
    let (text, command) = match shell {
        Shell::Bash => in_file("~/.bashrc"),
        Shell::Zsh => in_file("~/.zshrc"),
        Shell::Fish => ("put okstra on PATH".to_owned(), format!("fish_add_path {}", shell::word(bin))),
        Shell::PowerShell => ("put okstra on PATH, for new shells".to_owned(), for_windows(bin)),
        Shell::Other => ("put okstra on PATH, in the file that your shell reads when it starts".to_owned(), line),
    };
    Advice { text, command }
}

fn append(line: &str, file: &str) -> String {
    format!("echo {} >> {file}", shell::word(line))
}

fn for_windows(bin: &str) -> String {
    let bin = bin.replace('\'', "''");
    format!(
        "[Environment]::SetEnvironmentVariable('Path', '{bin};' + [Environment]::GetEnvironmentVariable('Path', 'User'), 'User')"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_its_way() {
        let cases = [
            ("/bin/bash", "/h/bin", "echo 'export PATH=/h/bin:\"$PATH\"' >> ~/.bashrc"),
            ("/usr/bin/zsh", "/a b/bin", "echo 'export PATH='\\''/a b/bin'\\'':\"$PATH\"' >> ~/.zshrc"),
            ("fish", "/a b/bin", "fish_add_path '/a b/bin'"),
            ("/bin/dash", "/h/bin", "export PATH=/h/bin:\"$PATH\""),
        ];
        for (shell, bin, command) in cases {
            assert_eq!(advice(Shell::of_path(shell), bin).command, command);
        }
        let windows = advice(Shell::of_path(r"C:\x\pwsh.exe"), r"C:\it's\bin").command;
        assert!(windows.contains(r"'C:\it''s\bin;' +"), "{windows}");
    }
}
