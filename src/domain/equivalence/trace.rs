//! Whether a commit that landed nothing whole brought a part.

use super::change::{Sighting, Slot, Unit};

/// Whether `sighting` brings some of `unit`, as far as ids tell: `None` where only the contents can.
pub(super) fn trace_by_ids(unit: &Unit, sighting: &Sighting) -> Option<bool> {
    let mut open = false;
    for change in unit.changes.iter().filter(|change| sighting.touches(change.path)) {
        let after = sighting.after[change.path];
        let (old, new) = (change.old.raw(), change.new.raw());
        match after {
            Slot::Unknown(_) => open = true,
            _ if after.raw() == old => {}
            _ if after.raw() == new => return Some(true),
            _ => match (old, after.raw(), new) {
                // It may have been moved, and changed on the way.
                (Some(_), None, Some(_)) => open = true,
                // A file that the stage adds is there, though another.
                (None, Some(_), Some(_)) => return Some(true),
                (Some(old), Some(after), Some(new)) if [old, after, new].iter().all(|e| e.mode.is_file()) => {
                    open = true;
                }
                _ => {}
            },
        }
    }
    if open { None } else { Some(false) }
}
