//! The names of the columns of a file, and which of them are used.

use std::str::FromStr;

/// The columns of `--columns`, by name or number.
#[derive(Clone, Default)]
pub struct Chosen(Vec<(&'static str, String)>);

/// The keys of `--columns`.
const USES: [&str; 7] = ["x", "y", "theta", "psi_re", "psi_im", "frame", "type"];

impl FromStr for Chosen {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let mut chosen = Vec::new();
        for word in words.split(',') {
            let (key, name) = word.split_once('=').ok_or_else(|| format!("`{word}` is no pair{EXAMPLE}"))?;
            let Some(&key) = USES.iter().find(|known| known.eq_ignore_ascii_case(key.trim())) else {
                return Err(format!("`{key}` is none of {}", USES.join(", ")));
            };
            if chosen.iter().any(|(other, _)| *other == key) {
                return Err(format!("{key} stands twice; leave one out"));
            }
            if name.trim().is_empty() {
                return Err(format!("{key} has no column{EXAMPLE}"));
            }
            chosen.push((key, name.trim().to_owned()));
        }
        Ok(Chosen(chosen))
    }
}

/// The form of --columns, the end of its error messages.
const EXAMPLE: &str = "; expected names of columns or their numbers, counted from 1, as in x=3,y=4 or x=Xm,y=Ym";

impl Chosen {
    /// The name or number of a column that is used as `key`.
    pub fn named(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, name)| name.as_str())
    }

    /// The index of that column among those of a file.
    pub fn index(&self, key: &str, header: &[String]) -> Result<Option<usize>, String> {
        let Some(named) = self.named(key) else { return Ok(None) };
        let exact = only(header, named, |name| name.eq_ignore_ascii_case(named))?;
        let found = match exact {
            None => only(header, named, |name| bare(name) == named.to_ascii_lowercase())?,
            exact => exact,
        };
        let number =
            || named.parse().ok().and_then(|number: usize| number.checked_sub(1)).filter(|&i| i < header.len());
        let missing = || format!("names no column {named}, which --columns names; it is: {}", header.join(","));
        found.or_else(number).ok_or_else(missing).map(Some)
    }
}

/// A name in lower case, without a unit, as in `Time [s]`.
pub fn bare(name: &str) -> String {
    name.split(['[', '(']).next().unwrap_or(name).trim().to_ascii_lowercase()
}

/// The unit in a name, without its brackets; empty if there is none.
pub fn unit(name: &str) -> &str {
    let rest = name.find(['[', '(']).map_or("", |at| &name[at + 1..]);
    rest.trim_end_matches([']', ')', ' ']).trim()
}

/// The only column that fits.
pub fn only(header: &[String], name: &str, fits: impl Fn(&str) -> bool) -> Result<Option<usize>, String> {
    let mut found = (0..header.len()).filter(|&index| fits(&header[index]));
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(format!("names two columns {name}; rename one of them")),
        (found, _) => Ok(found),
    }
}

/// Names of the positions, the first pair in a file counts: those of ImageJ's centres of mass come last.
const POSITIONS: [[&str; 2]; 2] = [["x", "y"], ["xm", "ym"]];

/// The columns of the positions.
pub fn positions(header: &[String], chosen: &Chosen) -> Result<[usize; 2], String> {
    let given = [chosen.index("x", header)?, chosen.index("y", header)?];
    let has = |name: &str| header.iter().any(|column| bare(column) == name);
    let names = POSITIONS.into_iter().find(|names| names.iter().any(|name| has(name))).unwrap_or(POSITIONS[0]);
    let mut found = [0; 2];
    for axis in 0..2 {
        let name = names[axis];
        found[axis] = match given[axis] {
            Some(index) => index,
            None => only(header, name, |column| bare(column) == name)?.ok_or_else(|| {
                format!(
                    "names no column {name}; it is: {}; call the columns x and y, or give --columns x=NAME,y=NAME",
                    header.join(",")
                )
            })?,
        };
    }
    let [x, y] = found.map(|index| &header[index]);
    if found[0] == found[1] {
        return Err(format!("has one column for x and y, {x}; name two of them in --columns"));
    }
    if unit(x) != unit(y) {
        return Err(format!("names {x} and {y}, whose units differ; convert one of them"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_chosen_by_name_or_number() {
        let header = ["ID", "Xm", "Ym", "x [nm]", "y [nm]", "2"].map(str::to_owned);
        let positions = |words: &str| positions(&header, &words.parse().unwrap());
        assert_eq!(positions(" x = xm,y=YM"), Ok([1, 2]));
        assert_eq!(positions("type=ID"), Ok([3, 4]));
        assert_eq!(positions("x=x,y=y [nm]"), Ok([3, 4]));
        // A name comes before a number.
        assert_eq!(positions("x=1,y=2"), Ok([0, 5]));
        assert!(positions("x=xm").is_err_and(|why| why.contains("units differ")));
        assert!(positions("x=1,y=1").is_err() && positions("x=7,y=1").is_err() && positions("x=0,y=1").is_err());
        for wrong in ["x", "x=", "q=1", "x=1,x=2", ""] {
            assert!(wrong.parse::<Chosen>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn units_are_told_from_names() {
        for (name, expected) in [("x [nm]", ("x", "nm")), ("X (px)", ("x", "px")), ("theta", ("theta", ""))] {
            assert_eq!((bare(name).as_str(), unit(name)), expected);
        }
    }
}
