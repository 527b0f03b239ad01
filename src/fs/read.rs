//! Reading whole files.

use std::io::Read;
use std::path::Path;

use super::{Doing, Error};

/// All bytes of the file `path`.
///
/// # Errors
/// [`Error`] with the path; [`Error::is_missing`] tells that there is no such file.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::new(Doing::Read, path, source))
}

/// The text of the file `path`.
///
/// # Errors
/// As [`read`], and [`Error::NotUtf8`] with the first line that is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    text(path, read(path)?)
}

/// The first `most` bytes of the text of the file `path`: no more is read of one that is longer. A character that is cut
/// off is left out.
///
/// # Errors
/// As [`read_text`].
pub fn read_text_up_to(path: &Path, most: usize) -> Result<String, Error> {
    let at = |source| Error::new(Doing::Read, path, source);
    let (mut bytes, limit) = (Vec::new(), u64::try_from(most).unwrap_or(u64::MAX));
    std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(at)?;
    if bytes.len() == most
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    text(path, bytes)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Error::NotUtf8 { path: path.to_owned(), line: 1 + good.iter().filter(|&&byte| byte == b'\n').count() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_path_and_cause() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"good\nb\xffd").unwrap();
        let missing = read(&folder.path().join("none")).unwrap_err();
        assert!(missing.is_missing() && missing.to_string().ends_with("none`: it is not there"), "{missing}");
        assert!(matches!(read(&file.join("below")), Err(Error::NotAFolder { .. })));
        assert!(matches!(read(folder.path()), Err(Error::IsAFolder { .. } | Error::Forbidden { .. })));
        assert!(matches!(read_text(&file), Err(Error::NotUtf8 { line: 2, .. })));
        std::fs::write(&file, "xéy").unwrap();
        let read = |most| read_text_up_to(&file, most).unwrap();
        assert_eq!([0, 1, 2, 3, 4, 9].map(read), ["", "x", "x", "xé", "xéy", "xéy"]);
        std::fs::write(&file, b"x\xff\xff").unwrap();
        assert!(matches!(read_text_up_to(&file, 2), Err(Error::NotUtf8 { line: 1, .. })));
    }
}
