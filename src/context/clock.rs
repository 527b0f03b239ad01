//! The clock: the system's, or one that stands still for a test.

use std::time::{Duration, SystemTime};

use crate::domain::moment::Moment;

/// Where the time comes from.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A clock that stands still.
    Fixed(SystemTime),
}

/// A moment from which a duration is measured.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Option<std::time::Instant>);

impl Clock {
    /// A clock that stands still at `seconds` after 1970 began.
    pub fn fixed_at(seconds: u64) -> Self {
        Self::Fixed(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// The time now.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system for the time")]
    pub fn now(&self) -> SystemTime {
        match self {
            Self::System => SystemTime::now(),
            Self::Fixed(at) => *at,
        }
    }

    /// The time now, as records write it.
    pub fn moment(&self) -> Moment {
        let since = self.now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or_default())
    }

    /// A stopwatch that starts now; on a clock that stands still it always shows zero.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system for the time")]
    pub fn start(&self) -> Stopwatch {
        match self {
            Self::System => Stopwatch(Some(std::time::Instant::now())),
            Self::Fixed(_) => Stopwatch(None),
        }
    }
}

impl Stopwatch {
    /// How long it has been running.
    pub fn elapsed(&self) -> Duration {
        self.0.map(|start| start.elapsed()).unwrap_or_default()
    }
}
