//! Input files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// Opens a file, or standard input for the path `-`. Input compressed by gzip is expanded.
fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(path)?)),
    };
    Ok(match file.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => file,
    })
}

/// The text of a file, or of standard input for the path `-`. Input compressed by gzip is expanded.
/// The error names the first line that is not UTF-8.
pub fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line}: is not UTF-8")
    })
}

/// The lines of a file, or of standard input for the path `-`; only one is in memory at a time. Input
/// compressed by gzip is expanded.
pub struct Lines {
    file: Box<dyn BufRead>,
    line: Vec<u8>,
    /// Number of lines read.
    number: usize,
}

impl Lines {
    pub fn of(path: &Path) -> Result<Self, String> {
        let file = open(path).map_err(|error| error.to_string())?;
        Ok(Lines { file, line: Vec::new(), number: 0 })
    }

    /// The next line with its number, without its line feed and a carriage return before that. The
    /// error names the line.
    pub fn next(&mut self) -> Result<Option<(usize, &str)>, String> {
        self.line.clear();
        let length = self.file.read_until(b'\n', &mut self.line).map_err(|error| error.to_string())?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Some programs begin a file with a byte order mark.
        let line = if self.number == 1 { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
        match str::from_utf8(line) {
            Ok(line) => Ok(Some((self.number, line))),
            Err(_) => Err(format!("line {}: is not UTF-8", self.number)),
        }
    }
}

/// The fields of a line of comma-separated values, without surrounding blanks and quotation marks.
/// Rejects a quotation mark that is never closed and text after a closing one; the crate `csv`
/// accepts both.
pub fn fields(line: &str) -> Result<Vec<&str>, String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = match rest.trim_start().strip_prefix('"') {
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
            Some(quoted) => {
                // A doubled quotation mark is part of the field.
                let mut ends = quoted.match_indices('"').map(|(at, _)| at);
                let end = loop {
                    let end = ends.next().ok_or("a quotation mark is not closed on its line")?;
                    if !quoted[end + 1..].starts_with('"') {
                        break end;
                    }
                    ends.next();
                };
                let after = quoted[end + 1..].trim_start();
                if !after.is_empty() && !after.starts_with(',') {
                    return Err("text follows a closing quotation mark".to_owned());
                }
                (&quoted[..end], after)
            }
        };
        fields.push(field.trim());
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(fields),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_spelling() {
        for (line, expected) in [
            ("", &[""][..]),
            ("1, 2 ,\t3", &["1", "2", "3"]),
            ("a,,", &["a", "", ""]),
            ("\"a,b\", \"c\" ,\"\"", &["a,b", "c", ""]),
            ("\"a\"\"b\",c\"d", &["a\"\"b", "c\"d"]),
        ] {
            assert_eq!(fields(line).unwrap(), expected, "{line}");
        }
        assert_eq!(fields("1,\"2"), Err("a quotation mark is not closed on its line".to_owned()));
        assert_eq!(fields("1,\"2\"\""), Err("a quotation mark is not closed on its line".to_owned()));
        assert_eq!(fields("\"1\"2,3"), Err("text follows a closing quotation mark".to_owned()));
    }
}
