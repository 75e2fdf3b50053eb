//! Tables of spots by TrackMate.
//!
//! The first line has the keys of the columns. Three more have their names, their short names and their units.

use super::{Records, Separator};

/// Lines of names after the first one. Files whose user has removed some of them are read too.
const NAMES: usize = 3;

/// Keys of positions, and the names of other files.
const KEYS: [(&str, &str); 3] = [("POSITION_X", "x"), ("POSITION_Y", "y"), ("POSITION_Z", "z")];

impl Records {
    /// Renames the columns of positions if they are those of TrackMate, and skips the other lines of names.
    pub(super) fn trackmate(&mut self, separator: Separator) -> Result<(), String> {
        let has = |name: &str| self.header.iter().any(|column| column.eq_ignore_ascii_case(name));
        if !has("POSITION_X") || !has("POSITION_Y") || has("x") || has("y") {
            return Ok(());
        }
        for (key, name) in KEYS {
            let column = self.header.iter_mut().find(|column| column.eq_ignore_ascii_case(key));
            column.into_iter().for_each(|column| name.clone_into(column));
        }
        let x = self.header.iter().position(|column| column == "x").expect("renamed");
        for _ in 0..=NAMES {
            if !self.advance()? {
                return Ok(());
            }
            if separator.word(&self.line.1, x).is_none_or(|word| word.parse::<f64>().is_ok()) {
                break;
            }
        }
        // A fourth line without a number is a record, which is refused.
        self.is_pending = true;
        Ok(())
    }
}
