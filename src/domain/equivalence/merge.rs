//! The three-way merge of one path, decided on modes and ids alone; content is merged only where all three differ.

use super::change::{Entry, Mode, PathChange, Sighting, Slot, Unit};
use crate::domain::ids::ObjectId;

/// What a three-way merge makes of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// This.
    Take(Slot),
    /// A file of this mode, with the three contents merged.
    Blend {
        /// The mode of the result.
        mode: Mode,
        /// The content that both sides started from.
        base: ObjectId,
        /// Our content.
        ours: ObjectId,
        /// Their content.
        theirs: ObjectId,
    },
    /// The sides contradict each other.
    Conflict,
    /// One side has lost the path: only a merge that looks for renames can tell.
    Renamed,
    /// Something that is needed is missing.
    Unknown,
}

/// Merges `ours` and `theirs`, which both started from `base`, at one path.
pub fn three_way(base: Slot, ours: Slot, theirs: Slot) -> Merged {
    if base.is_unknown() || ours.is_unknown() || theirs.is_unknown() {
        return Merged::Unknown;
    }
    if theirs == base {
        return Merged::Take(ours);
    }
    // Where there was no file and we have nothing at all, nothing of ours is in the way.
    if ours == base || (ours == Slot::Absent && base.raw().is_none()) {
        return Merged::Take(theirs);
    }
    match (base.raw(), ours.raw(), theirs.raw()) {
        // A path that we lost may have been renamed by us, even where they dropped it as well.
        (Some(base), None, _) if may_be_renamed(base) => Merged::Renamed,
        _ if ours == theirs => Merged::Take(ours),
        (Some(base), Some(ours), Some(theirs)) => merge_entries(base, ours, theirs),
        (Some(base), Some(_), None) if may_be_renamed(base) => Merged::Renamed,
        _ => Merged::Conflict,
    }
}

/// git looks for renames among files that have content.
fn may_be_renamed(entry: Entry) -> bool {
    !entry.id.is_empty_file()
}

/// Only of files can one side's mode go with the other's content, and contents be merged.
fn merge_entries(base: Entry, ours: Entry, theirs: Entry) -> Merged {
    if ![base, ours, theirs].iter().all(|entry| entry.mode.is_file()) {
        return Merged::Conflict;
    }
    let Some(mode) = pick(base.mode, ours.mode, theirs.mode) else { return Merged::Conflict };
    match pick(base.id, ours.id, theirs.id) {
        Some(id) => Merged::Take(Slot::Entry(Entry { mode, id })),
        None => Merged::Blend { mode, base: base.id, ours: ours.id, theirs: theirs.id },
    }
}

/// The side that changed; `None` when both did, differently.
fn pick<T: PartialEq + Copy>(base: T, ours: T, theirs: T) -> Option<T> {
    if ours == base || ours == theirs {
        Some(theirs)
    } else if theirs == base {
        Some(ours)
    } else {
        None
    }
}

/// Whether a replay of `unit` on the parent of `sighting` could give `sighting` at all, as far as ids alone can tell.
///
/// It spares merges: a `false` is certain, a `true` is not.
pub fn may_replay(unit: &Unit, sighting: &Sighting) -> bool {
    let merged = |change: &PathChange| three_way(change.old, sighting.before[change.path], change.new);
    let fits = |change: &PathChange| match merged(change) {
        Merged::Take(slot) => slot.raw() == sighting.after[change.path].raw(),
        Merged::Conflict => false,
        Merged::Blend { .. } | Merged::Renamed | Merged::Unknown => true,
    };
    // Where a path was lost, a path that not all sides have may have to follow it to its new place.
    let lost = unit.changes.iter().any(|change| merged(change) == Merged::Renamed);
    let everywhere = |change: &PathChange| {
        [change.old, sighting.before[change.path], change.new].iter().all(|slot| slot.raw().is_some())
    };
    let certain = |change: &&PathChange| !lost || everywhere(change);
    // A replay that changes nothing where the sighting changes nothing is no landing.
    let touched = lost || unit.changes.iter().any(|change| sighting.touches(change.path));
    !sighting.is_void && touched && unit.changes.iter().filter(certain).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: u8) -> ObjectId {
        ObjectId::from_bytes(&[digit; 20]).unwrap()
    }

    fn file(digit: u8) -> Slot {
        Slot::Entry(Entry { mode: Mode(0o100_644), id: id(digit) })
    }

    fn program(digit: u8) -> Slot {
        Slot::Entry(Entry { mode: Mode(0o100_755), id: id(digit) })
    }

    fn link(digit: u8) -> Slot {
        Slot::Entry(Entry { mode: Mode(0o120_000), id: id(digit) })
    }

    fn empty() -> Slot {
        let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".parse().unwrap();
        Slot::Entry(Entry { mode: Mode(0o100_644), id })
    }

    fn folder(digit: u8) -> Slot {
        Slot::Entry(Entry { mode: Mode::TREE, id: id(digit) })
    }

    #[test]
    fn one_path_is_merged_by_the_table() {
        use Merged::{Conflict, Renamed, Take, Unknown};
        let none = Slot::Absent;
        let blocked = Slot::Blocked(Entry { mode: Mode(0o100_644), id: id(9) });
        let cases = [
            ("they changed nothing", file(1), file(2), file(1), Take(file(2))),
            ("we changed nothing", file(1), file(1), file(2), Take(file(2))),
            ("both the same", file(1), file(2), file(2), Take(file(2))),
            ("they add", none, none, file(1), Take(file(1))),
            ("they drop, we changed nothing", file(1), file(1), none, Take(none)),
            ("both drop: ours may be a rename", file(1), none, none, Renamed),
            ("we lost it, they changed it", file(1), none, file(2), Renamed),
            ("we changed it, they lost it", file(1), file(2), none, Renamed),
            ("what we lost cannot be a rename: it was empty", empty(), none, none, Take(none)),
            ("we replaced it by a folder, they changed it", file(1), folder(5), file(2), Renamed),
            ("a file became a folder with them, we removed it", blocked, none, file(3), Take(file(3))),
            ("a folder became a file with them, we removed it", folder(1), none, file(3), Take(file(3))),
            ("both add, different", none, file(1), file(2), Conflict),
            ("both add, the same", none, file(1), file(1), Take(file(1))),
            ("we change content, they the mode", file(1), file(2), program(1), Take(program(2))),
            ("both change a link", link(1), link(2), link(3), Conflict),
            ("a file becomes a link, we changed it", file(1), file(2), link(1), Conflict),
            ("they replace an unchanged folder", folder(1), folder(1), file(2), Take(file(2))),
            ("they replace a folder that we changed", folder(1), folder(2), file(3), Conflict),
            ("they add below what is a file with us", none, blocked, file(1), Conflict),
            ("something is missing", file(1), Slot::Unknown(id(7)), file(2), Unknown),
        ];
        for (name, base, ours, theirs, expected) in cases {
            assert_eq!(three_way(base, ours, theirs), expected, "{name}");
        }
    }

    #[test]
    fn content_is_merged_only_where_all_three_differ() {
        let blend = Merged::Blend { mode: Mode(0o100_755), base: id(1), ours: id(2), theirs: id(3) };
        assert_eq!(three_way(file(1), file(2), program(3)), blend);
    }

    /// Over every triple of slots: what a merge takes from ids alone never loses a side's change.
    #[test]
    fn enumerated_against_the_definition() {
        let slots = [Slot::Absent, file(1), file(2), file(3), program(1), link(1), folder(1)];
        for base in slots {
            for ours in slots {
                for theirs in slots {
                    if let Merged::Take(taken) = three_way(base, ours, theirs) {
                        let cleared = theirs != base && ours == Slot::Absent && base.raw().is_none();
                        let allowed = if ours == base || ours == theirs || cleared {
                            taken == theirs
                        } else if theirs == base {
                            taken == ours
                        } else {
                            taken != base && taken.raw().is_some()
                        };
                        assert!(allowed, "{base:?} {ours:?} {theirs:?} gave {taken:?}");
                    }
                }
            }
        }
    }
}
