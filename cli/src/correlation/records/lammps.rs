//! Frames of LAMMPS dumps.

use super::{FileBox, Frame, Records, TO_REPLACE};

/// How a dump may write positions: plain, unwrapped, in units of the box, and both. Unwrapped positions are
/// images of the plain ones.
const KINDS: [(&str, bool); 4] = [("", false), ("u", false), ("s", true), ("su", true)];

/// Items whose values do not matter.
const OTHERS: [&str; 2] = ["UNITS", "TIME"];

impl Records {
    /// Reads the items of a dump from the current line up to `ITEM: ATOMS`.
    pub(super) fn lammps_frame(&mut self) -> Result<(), String> {
        self.frame = Frame { begin: self.lines.last(), ..Frame::default() };
        let mut items: Vec<String> = Vec::new();
        loop {
            let Some(item) = self.line.1.strip_prefix("ITEM:").map(|item| item.trim().to_owned()) else {
                return Err(self.at(&format!("`{}` is no ITEM of a LAMMPS dump", self.line.1)));
            };
            let words: Vec<&str> = item.split_whitespace().collect();
            let first = words.first().map_or_else(String::new, |&word| word.to_owned());
            if items.contains(&first) {
                return Err(self.at(&format!("ITEM: {item} stands twice in a frame; is the frame before cut off?")));
            }
            match words[..] {
                ["ATOMS", ref names @ ..] => {
                    let needed = ["TIMESTEP", "NUMBER OF ATOMS"];
                    return match needed.iter().find(|name| !items.iter().any(|item| name.starts_with(item))) {
                        Some(name) => Err(self.at(&format!("the frame has no ITEM: {name}"))),
                        None => self.lammps_columns(names),
                    };
                }
                ["BOX", "BOUNDS", ref words @ ..] => self.lammps_box(words)?,
                ["TIMESTEP"] => {
                    let number = self.value_of(&item)?.parse();
                    self.frame.number = Some(number.map_err(|_| self.at("the timestep is not an integer"))?);
                }
                ["NUMBER", "OF", "ATOMS"] => {
                    let left = self.value_of(&item)?.parse();
                    self.frame.left = left.map_err(|_| self.at("the number of atoms is not an integer"))?;
                }
                [other] if OTHERS.contains(&other) => _ = self.value_of(&item)?,
                _ => {
                    return Err(self.at(&format!(
                        "ITEM: {item} is not supported; known are TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS, {} and \
                         ATOMS; write atoms by `dump custom`",
                        OTHERS.join(", ")
                    )));
                }
            }
            items.push(first);
            self.needed("ITEM: ATOMS")?;
        }
    }

    /// The line below an item.
    fn value_of(&mut self, item: &str) -> Result<&str, String> {
        self.needed(&format!("the value of ITEM: {item}"))?;
        Ok(self.line.1.trim())
    }

    /// Takes the names of the columns. The positions become `x` and `y`, however they are written.
    fn lammps_columns(&mut self, names: &[&str]) -> Result<(), String> {
        let mut header: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let has = |kind: &str| ["x", "y"].iter().all(|axis| header.iter().any(|name| *name == format!("{axis}{kind}")));
        let kind = KINDS.into_iter().find(|(kind, _)| has(kind));
        let (kind, is_scaled) = kind.unwrap_or_default();
        if !kind.is_empty() {
            // Of several kinds, the first counts, so that no other column has these names.
            for axis in ["x", "y", "z"] {
                let name = header.iter_mut().find(|name| **name == format!("{axis}{kind}"));
                name.into_iter().for_each(|name| axis.clone_into(name));
            }
        }
        if !is_scaled {
            self.frame.scale = None;
        } else if self.frame.scale.is_none() {
            return Err(self.at("the positions are scaled, which needs a rectangular box; dump x and y instead"));
        }
        if !self.header.is_empty() && self.header != header {
            return Err(self.at("ITEM: ATOMS names other columns than before"));
        }
        (self.header, self.header_at) = (header, format!("line {}", self.line.0));
        Ok(())
    }

    /// Reads the bounds of the box, below a line with these words.
    fn lammps_box(&mut self, words: &[&str]) -> Result<(), String> {
        let (is_tilted, kinds) = match words {
            ["xy", "xz", "yz", kinds @ ..] => (true, kinds),
            _ => (false, words),
        };
        if !matches!(kinds.len(), 0 | 3) || !kinds.iter().all(|kind| is_kind(kind)) {
            let why = format!("the box is given by `{}`, which is not supported", words.join(" "));
            return match self.file_box {
                FileBox::Used => Err(self.at(&(why + TO_REPLACE))),
                FileBox::Replaced => (0..3).try_for_each(|_| self.needed("the bounds of the box")),
            };
        }
        let at = self.line.0;
        let ([x, y], tilted) = self.lammps_bounds(is_tilted)?;
        let are_lengths = [x, y].iter().all(|[_, length]| (0.0..f64::INFINITY).contains(length));
        self.frame.scale = (!tilted && are_lengths).then_some([x, y]);
        if self.file_box == FileBox::Replaced {
            return Ok(());
        }
        let at = |why: &str| Err(format!("line {at}: {why}{TO_REPLACE}"));
        let periodic = |axis: usize| kinds.get(axis).is_some_and(|kind| *kind == "pp");
        match [periodic(0), periodic(1)] {
            _ if tilted => at("the box is tilted; only rectangular boxes are supported"),
            _ if kinds.is_empty() => {
                at("BOX BOUNDS does not say whether the box is periodic, as `pp pp pp` and `ff ff ff` do")
            }
            [false, false] => Ok(()),
            [true, true] if x[1] > 0.0 && y[1] > 0.0 => {
                self.frame.periods = Some([x[1], y[1]]);
                Ok(())
            }
            [true, true] => at("the periodic box has no area"),
            _ => at("the box is periodic along one axis only, which is not supported"),
        }
    }

    /// Reads the bounds of a box. Returns the origin and the length along x and y, and whether the box is tilted.
    fn lammps_bounds(&mut self, has_tilts: bool) -> Result<([[f64; 2]; 2], bool), String> {
        let (mut axes, mut is_tilted) = ([[0.0; 2]; 3], false);
        for (name, axis) in ["x", "y", "z"].into_iter().zip(&mut axes) {
            self.needed("the bounds of the box")?;
            let numbers: Result<Vec<f64>, _> = self.line.1.split_whitespace().map(str::parse).collect();
            let (low, high, tilt) = match numbers.unwrap_or_default()[..] {
                [low, high] if !has_tilts => (low, high, 0.0),
                [low, high, tilt] if has_tilts => (low, high, tilt),
                _ => return Err(self.at("expected two bounds of the box, and a tilt if the box has some")),
            };
            // With a box from the command line, only scaled positions need the bounds.
            let is_wrong = !((high - low).is_finite() && low <= high && tilt.is_finite());
            if is_wrong && self.file_box == FileBox::Used {
                let why =
                    format!("the bounds of {name}, `{}`, are no two finite numbers that ascend", self.line.1.trim());
                return Err(self.at(&(why + TO_REPLACE)));
            }
            is_tilted |= tilt != 0.0;
            *axis = [low, high - low];
        }
        Ok(([axes[0], axes[1]], is_tilted))
    }
}

/// Whether a word tells the two boundaries of an axis: `pp` is periodic; f, s and m are not.
fn is_kind(word: &str) -> bool {
    word == "pp" || word.len() == 2 && word.bytes().all(|byte| b"fsm".contains(&byte))
}
