//! Numbers as programs and people write them.

/// The content of a field in a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    /// The field is empty, or says that no number is known.
    Missing,
}

/// Words of a missing number, in any case, beside an empty field.
const MISSING: [&str; 7] = ["nan", "-nan", "na", "n/a", "#n/a", "null", "none"];

/// The decimal marks of a file. Where fields are not separated by commas, a number may have one as its decimal
/// mark, but not if another number of the file has a point.
#[derive(Clone, Copy, Default)]
pub struct Marks {
    pub allows_commas: bool,
    found: Option<char>,
}

impl Marks {
    pub fn new(allows_commas: bool) -> Self {
        Marks { allows_commas, found: None }
    }

    /// Reads a field.
    ///
    /// # Errors
    /// The end of a sentence that names the field.
    pub fn read(&mut self, word: &str) -> Result<Value, String> {
        let mark = if self.allows_commas { word.chars().find(|char| matches!(char, '.' | ',')) } else { None };
        if let Some(mark) = mark {
            match self.found {
                Some(other) if other != mark && number(word, mark).is_some() => {
                    return Err(format!(
                        "has the decimal mark `{mark}`, but numbers before it have `{other}`; write all with points"
                    ));
                }
                _ => self.found = Some(mark),
            }
        }
        match number(word, mark.unwrap_or('.')) {
            Some(number) => Ok(Value::Number(number)),
            None if word.is_empty() || MISSING.iter().any(|missing| word.eq_ignore_ascii_case(missing)) => {
                Ok(Value::Missing)
            }
            None => Err(format!("is not a finite number{}", of_comma(word))),
        }
    }
}

/// A finite number, whose exponent may be marked by `d` as in Fortran.
pub fn number(word: &str, mark: char) -> Option<f64> {
    let finite = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite());
    if mark == '.'
        && let Some(number) = finite(word)
    {
        return Some(number);
    }
    let is_plain = |byte: &u8| byte.is_ascii_digit() || b"+-.,dDeE".contains(byte);
    if !word.bytes().all(|byte| is_plain(&byte)) || mark == ',' && (word.contains('.') || word.matches(',').count() > 1)
    {
        return None;
    }
    let point = if mark == ',' { word.replacen(',', ".", 1) } else { word.to_owned() };
    finite(&point.replacen(['d', 'D'], "e", 1))
}

/// The remedy for a number with a decimal comma.
fn of_comma(word: &str) -> &'static str {
    match number(word, ',') {
        Some(_) if word.contains(',') => "; it has a decimal comma: write the numbers with decimal points",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_spelling() {
        for (word, mark, expected) in [
            ("1.5", '.', Some(1.5)),
            ("-1.25D+02", '.', Some(-125.0)),
            ("3d0", '.', Some(3.0)),
            ("1,5", ',', Some(1.5)),
            ("1,5D1", ',', Some(15.0)),
            ("7", ',', Some(7.0)),
            ("1,234,567", ',', None),
            ("1,234.5", ',', None),
            ("1.5", ',', None),
            ("1,5", '.', None),
            ("inf", '.', None),
            ("1e999", '.', None),
            ("dd", '.', None),
            ("1d2d3", '.', None),
            ("0x1p3", '.', None),
            ("nand0", '.', None),
        ] {
            assert_eq!(number(word, mark), expected, "{word}");
        }
    }

    #[test]
    fn one_file_has_one_decimal_mark() {
        let mut marks = Marks::new(true);
        assert_eq!(marks.read("3"), Ok(Value::Number(3.0)));
        assert_eq!(marks.read("1,5"), Ok(Value::Number(1.5)));
        assert!(marks.read("1.5").is_err_and(|why| why.contains("numbers before it have `,`")));
        for missing in ["", "NaN", "NA", "n/a", "NULL"] {
            assert_eq!(marks.read(missing), Ok(Value::Missing));
        }
        let mut points = Marks::new(false);
        assert!(points.read("1,5").is_err_and(|why| why.contains("decimal comma")));
        assert!(points.read("inf").is_err() && points.read("--").is_err());
    }
}
