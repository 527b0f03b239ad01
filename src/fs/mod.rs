//! Files: whole replaces, appended lines, locks, scratch folders, and errors that name the path. The only home of
//! writes through `std::fs`.
//!
//! What a reader may rely on: [`replace`] shows it the old file or the new one, never a part, also after `kill -9` or
//! a power failure; [`create_new`] never writes over a file; [`append_line`] adds one whole line or nothing; whoever holds
//! a [`LockGuard`] is alone.

#![expect(clippy::disallowed_methods, reason = "this is the room through which files are written")]

mod append;
mod copy;
mod delete;
mod error;
mod list;
mod lock;
mod look;
mod read;
mod scratch;
mod steps;
mod write;

pub use append::{Appended, Unfinished, append_line, append_lines};
pub use copy::{is_same_content, take_copy};
pub use delete::{delete_empty_folder, delete_file, delete_folder, delete_leftovers};
pub use error::{Doing, Error};
pub use list::{Listing, list_files, names_in};
pub use lock::{LOCK_WAIT, LockGuard};
pub use look::{Seen, is_folder, look};
pub use read::{read, read_text, read_text_up_to};
pub use scratch::ScratchFolder;
pub use steps::watch;
pub use write::{create_folder, create_folders_in, create_new, remove, replace, replace_as, replace_executable};
