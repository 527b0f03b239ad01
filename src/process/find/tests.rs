//! Programs on PATH, beside it, and where none may be found.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test makes its own programs")]

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_program_is_found_by_its_path_or_on_path_and_never_in_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let here = |name: &str| folder.path().join(name);
    for (name, mode) in [("a/tool", 0o644), ("b/tool", 0o755), ("here", 0o755)] {
        std::fs::create_dir_all(here(name).parent().unwrap()).unwrap();
        std::fs::write(here(name), "").unwrap();
        std::fs::set_permissions(here(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    std::fs::create_dir(here("a/folder")).unwrap();
    let path = format!("::.:{}:{}", here("a").display(), here("b").display());
    let context = Context::new(folder.path(), [("PATH", path)].into_iter().collect());
    let find = |name: &OsStr| find_program(&context, name);
    assert_eq!(find("tool".as_ref()), Some(here("b/tool")));
    assert_eq!(find(here("b/tool").as_os_str()), Some(here("b/tool")));
    for none in ["here", "folder", "none"].map(OsStr::new).into_iter().chain([here("a/tool").as_os_str()]) {
        assert_eq!(find(none), None, "{none:?}");
    }
    assert_eq!(find_program(&Context::new("/", Default::default()), "tool".as_ref()), None);
}
