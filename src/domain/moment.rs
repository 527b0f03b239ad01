//! A moment in time, as records write it.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A moment, written as RFC 3339 in UTC with whole seconds: `2026-11-30T20:03:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(jiff::Timestamp);

/// A text that is no moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no time: RFC 3339 is expected, as in 2026-11-30T20:03:00Z")]
pub struct MomentError {
    /// The text as given.
    pub text: String,
}

impl Moment {
    /// The moment `seconds` after 1970 began.
    pub fn from_seconds(seconds: i64) -> Self {
        Self(jiff::Timestamp::from_second(seconds).unwrap_or_default())
    }

    /// Whole seconds since 1970 began.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }

    /// Seconds from this moment to `later`; none where that is earlier.
    pub fn seconds_until(self, later: Self) -> u64 {
        u64::try_from(later.seconds() - self.seconds()).unwrap_or_default()
    }
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        text.trim().parse().map(Self).map_err(|_| MomentError { text: text.to_owned() })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How long `seconds` are, for people, in one unit: `5 min`, `2 h`, `3 d`.
pub fn for_people(seconds: u64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_and_read_with_any_offset() {
        let moment = Moment::from_seconds(1_767_225_600);
        assert_eq!(moment.to_string(), "2026-01-01T00:00:00Z");
        assert_eq!("2026-01-01T02:00:00+02:00".parse(), Ok(moment));
        assert_eq!(moment.seconds_until("2026-01-01T00:00:30.9Z".parse().unwrap()), 30);
        assert!("yesterday".parse::<Moment>().is_err() && "2026-01-01".parse::<Moment>().is_err());
    }

    #[test]
    fn a_duration_is_told_in_one_unit() {
        let cases = [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (7_200, "2 h"), (172_800, "2 d")];
        for (seconds, expected) in cases {
            assert_eq!(for_people(seconds), expected);
        }
    }
}
