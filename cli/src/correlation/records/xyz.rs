//! Frames of XYZ files, also extended: the comment has pairs `key=value`, such as `Lattice`, `pbc` and
//! `Properties`.
//!
//! A value is a word, a text in quotation marks, or an array in one of `[]`, `{}` and `()`. Blanks may be around
//! `=`. A key without a value is true. A comment without pairs is any text.

use super::{FileBox, Frame, Records, TO_REPLACE};

/// Keys that other programs use for a box, and that are ignored.
const OTHER_BOXES: [&str; 8] = ["cell", "box", "unit_cell", "unitcell", "box_size", "dimensions", "vec1", "boundary"];

impl Records {
    /// Reads the number of points of a frame from the current line, and the comment below it.
    pub(super) fn xyz_frame(&mut self) -> Result<(), String> {
        let left = self.line.1.trim().parse();
        let left = left.map_err(|_| self.at("expected the number of points of a frame"))?;
        let number = Some(self.frame.number.map_or(0, |number| number + 1));
        let begin = self.lines.last();
        let is_first = self.frame.number.is_none() && self.header.is_empty();
        self.needed("the comment of a frame")?;
        let comment = Comment::of(&self.line.1).map_err(|why| self.at(&why))?;
        let names = comment.properties.as_deref().map(columns).transpose().map_err(|why| self.at(&why))?;
        if is_first {
            if let Some(names) = names {
                (self.header, self.header_at) = (names, format!("Properties in line {}", self.line.0));
                self.has_properties = true;
            }
        } else if names.is_some() != self.has_properties || names.is_some_and(|names| names != self.header) {
            return Err(self.at("Properties is not that of the first frame"));
        }
        let periods = match self.file_box {
            FileBox::Used => comment.periods().map_err(|why| self.at(&(why + TO_REPLACE)))?,
            FileBox::Replaced => None,
        };
        if self.file_box == FileBox::Used && comment.lattice.is_none() {
            for key in comment.others.iter().filter(|key| OTHER_BOXES.contains(&key.to_ascii_lowercase().as_str())) {
                let note = format!("the key {key} of the comment in line {} is ignored{TO_REPLACE}", self.line.0);
                if self.notes.is_empty() {
                    self.notes.push(note);
                }
            }
        }
        self.frame = Frame { number, periods, left, begin, scale: None };
        Ok(())
    }

    /// Names the columns of a file without `Properties`, by the first point.
    pub(super) fn plain_xyz(&mut self) -> Result<(), String> {
        let names = ["species", "x", "y", "z"].map(str::to_owned).into_iter();
        self.header_at = "the format XYZ".to_owned();
        if self.frame.left == 0 || !self.advance()? {
            self.header = names.collect();
            return Ok(());
        }
        self.is_pending = true;
        let words: Vec<&str> = self.line.1.split_whitespace().collect();
        let is_number = words.first().is_some_and(|word| word.parse::<f64>().is_ok());
        let is_element = words.first().is_some_and(|word| word.parse::<u16>().is_ok());
        if is_number && !(is_element && words.len() > 3) {
            return Err(self.at(
                "begins with a number, but XYZ has the species first; name the columns in the comment of the frame, \
                 as in Properties=pos:R:3",
            ));
        }
        let others = (4..).map(|column| format!("column {}", column + 1));
        self.header = names.chain(others).take(words.len()).collect();
        Ok(())
    }
}

/// The properties in the comment of a frame.
#[derive(Default)]
struct Comment {
    lattice: Option<String>,
    pbc: Option<String>,
    properties: Option<String>,
    /// Other keys that have a value.
    others: Vec<String>,
}

impl Comment {
    fn of(text: &str) -> Result<Self, String> {
        const KEYS: [&str; 3] = ["lattice", "pbc", "properties"];
        let pairs = match pairs(text) {
            Ok(pairs) if pairs.iter().any(|(_, value)| value.is_some()) => pairs,
            Err(why) if KEYS.iter().any(|key| text.to_ascii_lowercase().contains(key)) => {
                return Err(format!("the comment is no list of key=value: {why}"));
            }
            _ => return Ok(Comment::default()),
        };
        let mut comment = Comment::default();
        for (key, value) in pairs {
            let place = match key.to_ascii_lowercase().as_str() {
                "lattice" => &mut comment.lattice,
                "pbc" => &mut comment.pbc,
                "properties" => &mut comment.properties,
                _ => {
                    comment.others.extend(value.map(|_| key));
                    continue;
                }
            };
            let value = value.ok_or_else(|| format!("{key} has no value, as in {key}=\"..\""))?;
            if place.replace(value).is_some() {
                return Err(format!("{key} stands twice"));
            }
        }
        Ok(comment)
    }

    /// The periodic plane. Without `pbc`, a lattice is periodic.
    fn periods(&self) -> Result<Option<[f64; 2]>, String> {
        let periodic = match &self.pbc {
            None => [self.lattice.is_some(); 2],
            Some(value) => {
                let flags = words(value).map(boolean).collect::<Result<Vec<bool>, _>>()?;
                match flags[..] {
                    [all] => [all; 2],
                    [x, y] | [x, y, _] => [x, y],
                    _ => return Err(format!("pbc = `{value}` has no flag for each axis, as in \"T T F\"")),
                }
            }
        };
        match (periodic, &self.lattice) {
            ([false, false], _) => Ok(None),
            ([true, true], Some(lattice)) => rectangle(lattice).map(Some),
            ([true, true], None) => Err("pbc says that the box is periodic, but there is no Lattice".to_owned()),
            _ => Err("the box is periodic along one axis only, which is not supported".to_owned()),
        }
    }
}

fn boolean(word: &str) -> Result<bool, String> {
    match word.to_ascii_lowercase().as_str() {
        "t" | "true" | "1" => Ok(true),
        "f" | "false" | "0" => Ok(false),
        _ => Err(format!("pbc: `{word}` is neither T nor F")),
    }
}

/// The lengths of a lattice of three vectors along the axes.
fn rectangle(lattice: &str) -> Result<[f64; 2], String> {
    let number = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(word.to_owned());
    let numbers = words(lattice).map(number).collect::<Result<Vec<f64>, _>>();
    let numbers = numbers.map_err(|word| format!("Lattice: `{word}` is no number"))?;
    let [a, d, e, f, b, g, h, i, _] = numbers[..] else {
        return Err(format!("Lattice has {} numbers, but three vectors have 9", numbers.len()));
    };
    // Programs that turn a lattice leave rests of rounding.
    let rest = 1e-10 * a.abs().max(b.abs());
    if [d, e, f, g, h, i].iter().any(|part| part.abs() > rest) {
        return Err("Lattice is no rectangular box; only these are supported".to_owned());
    }
    if a == 0.0 || b == 0.0 { Err("Lattice has no area".to_owned()) } else { Ok([a.abs(), b.abs()]) }
}

/// The words of an array, whatever its brackets.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|char: char| char.is_whitespace() || ",[]{}()\"'".contains(char)).filter(|word| !word.is_empty())
}

/// The names of the columns of `Properties`, such as `species:S:1:pos:R:3`. `pos` becomes x, y and z.
fn columns(properties: &str) -> Result<Vec<String>, String> {
    let wrong = |why: String| format!("Properties = `{properties}`: {why}");
    let parts: Vec<&str> = properties.split(':').map(str::trim).collect();
    let mut header = Vec::new();
    let mut has_position = false;
    for part in parts.chunks(3) {
        let &[name, kind, width] = part else { return Err(wrong("expected name:type:columns, and so on".to_owned())) };
        let width = width.parse().ok().filter(|width| (1..=1000).contains(width) && !name.is_empty());
        let width: usize = width.ok_or_else(|| wrong(format!("`{}` is not name:type:columns", part.join(":"))))?;
        if !["R", "I", "S", "L"].iter().any(|known| kind.eq_ignore_ascii_case(known)) {
            return Err(wrong(format!("{name} has the type `{kind}`, which is none of R, I, S and L")));
        }
        match width {
            2 | 3 if name.eq_ignore_ascii_case("pos") => {
                has_position = true;
                header.extend(["x", "y", "z"].iter().take(width).map(|&axis| axis.to_owned()));
            }
            _ if name.eq_ignore_ascii_case("pos") => return Err(wrong(format!("pos has {width} columns"))),
            1 => header.push(name.to_owned()),
            _ => header.extend((1..=width).map(|column| format!("{name}_{column}"))),
        }
    }
    if has_position { Ok(header) } else { Err(wrong("names no pos".to_owned())) }
}

/// A key and its value.
type Pair = (String, Option<String>);

/// The pairs of a comment. Values are without their quotation marks, arrays with their brackets.
fn pairs(text: &str) -> Result<Vec<Pair>, String> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let key;
        (key, rest) = item(rest, true)?;
        let after = rest.trim_start();
        let mut value = None;
        if let Some(after) = after.strip_prefix('=') {
            let (word, after) = item(after.trim_start(), false)?;
            if !after.is_empty() && !after.starts_with(char::is_whitespace) {
                return Err(format!("no blank follows the value of {key}"));
            }
            (value, rest) = (Some(word), after);
        }
        pairs.push((key, value));
        rest = rest.trim_start();
    }
    Ok(pairs)
}

/// A key or a value at the beginning of a text, and the rest.
fn item(text: &str, is_key: bool) -> Result<(String, &str), String> {
    let first = text.chars().next().unwrap_or(' ');
    if matches!(first, '"' | '\'') {
        let (mut word, mut chars) = (String::new(), text.char_indices().skip(1));
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => word.extend(chars.next().map(|(_, escaped)| escaped)),
                _ if char == first => return Ok((word, &text[at + 1..])),
                _ => word.push(char),
            }
        }
        return Err("a quotation mark is not closed".to_owned());
    }
    if !is_key && "[{(".contains(first) {
        let (mut open, mut quote) = (0, None);
        for (at, char) in text.char_indices() {
            match quote {
                Some(mark) if mark == char => quote = None,
                Some(_) => {}
                None if "\"'".contains(char) => quote = Some(char),
                None if "[{(".contains(char) => open += 1,
                None if "]})".contains(char) => open -= 1,
                None => {}
            }
            if open == 0 {
                return Ok((text[..=at].to_owned(), &text[at + 1..]));
            }
        }
        return Err(format!("a {first} is not closed"));
    }
    let end = text.find(|char: char| char.is_whitespace() || is_key && char == '=').unwrap_or(text.len());
    Ok((text[..end].to_owned(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_in_every_spelling() {
        let square = "Lattice=\"9 0 0 0 8 0 0 0 7\" ";
        for (comment, expected) in [
            (square.to_owned(), Some([9.0, 8.0])),
            (square.to_owned() + "pbc=\"T T F\"", Some([9.0, 8.0])),
            (square.to_owned() + "pbc = [True, True, False]", Some([9.0, 8.0])),
            (square.to_owned() + "pbc={1 1 0}", Some([9.0, 8.0])),
            (square.to_owned() + "PBC=T", Some([9.0, 8.0])),
            (square.to_owned() + "pbc=\"f f f\"", None),
            (square.to_owned() + "pbc=\"false false false\"", None),
            (square.to_owned() + "pbc='0 0 0'", None),
            (square.to_owned() + "pbc=[F, F, F]", None),
            ("lattice={9 0 0 0 8 0 0 0 7}".to_owned(), Some([9.0, 8.0])),
            ("LATTICE = [[9, 0, 0], [0, -8, 0], [0, 0, 7]]".to_owned(), Some([9.0, 8.0])),
            ("a=\"say \\\"Lattice=\\\" here\" Lattice=\"9 1e-16 0 0 8 0 0 0 7\"".to_owned(), Some([9.0, 8.0])),
            ("a plain lattice with pbc".to_owned(), None),
            ("it's open: energy = -3".to_owned(), None),
            (String::new(), None),
        ] {
            let found = Comment::of(&comment).and_then(|comment| comment.periods());
            assert_eq!(found, Ok(expected), "{comment}");
        }
        for (comment, why) in [
            (square.to_owned() + "pbc=\"T x F\"", "pbc: `x` is neither T nor F"),
            (square.to_owned() + "pbc=\"T T T T\"", "no flag for each axis"),
            (square.to_owned() + "pbc", "pbc has no value"),
            (square.to_owned() + square, "stands twice"),
            ("pbc=\"T T T\"".to_owned(), "no Lattice"),
            ("Lattice=\"9 0 0 0 8".to_owned(), "not closed"),
            ("Lattice=[9, 0, 0".to_owned(), "not closed"),
            ("Lattice=\"9 0 0 0 8 0 0 0 7\"pbc=T".to_owned(), "no blank follows the value of Lattice"),
            ("Lattice=\"9 8 7\"".to_owned(), "has 3 numbers"),
            ("Lattice=\"9 0 0 0 x 0 0 0 7\"".to_owned(), "`x` is no number"),
            ("Lattice=\"9 0 0 0 8 0 1 0 7\"".to_owned(), "no rectangular box"),
            ("Lattice=\"9 0 0 0 0 0 0 0 7\"".to_owned(), "no area"),
        ] {
            let found = Comment::of(&comment).and_then(|comment| comment.periods());
            assert!(found.clone().is_err_and(|found| found.contains(why)), "{comment}: {found:?}");
        }
    }

    #[test]
    fn columns_by_their_names() {
        for (properties, expected) in [
            ("species:S:1:pos:R:3", "species x y z"),
            ("id:I:1:type:I:1:pos:R:3", "id type x y z"),
            ("pos:R:2:velo:R:2:theta:R:1", "x y velo_1 velo_2 theta"),
        ] {
            assert_eq!(columns(properties).unwrap().join(" "), expected);
        }
        for (properties, why) in [
            ("species:S:1", "names no pos"),
            ("pos:R:1", "pos has 1 columns"),
            ("pos:R", "name:type:columns"),
            ("pos:R:x", "`pos:R:x`"),
            ("pos:Q:3", "type `Q`"),
        ] {
            assert!(columns(properties).is_err_and(|found| found.contains(why)), "{properties}");
        }
    }
}
