//! Input files.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

/// The text of a file. The error names the first line that is not UTF-8.
pub fn text(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line}: is not UTF-8")
    })
}

/// The records of comma-separated values, each on one line.
pub struct Records<'a> {
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: ByteRecord,
}

impl<'a> Records<'a> {
    pub fn of(text: &'a [u8]) -> Self {
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text);
        Records { text, reader, record: ByteRecord::new() }
    }

    /// The next record and its line, counted as an editor counts; blank lines are skipped. The error names the line.
    pub fn next(&mut self) -> Result<Option<(u64, Vec<&str>)>, String> {
        let Some(line) = self.read()? else { return Ok(None) };
        let words = self.record.iter().map(str::from_utf8).collect::<Result<_, _>>();
        words.map(|words| Some((line, words))).map_err(|_| format!("line {line}: is not UTF-8"))
    }

    /// Reads the next record that is not blank, and gives its line.
    fn read(&mut self) -> Result<Option<u64>, String> {
        loop {
            match self.read_any()? {
                Some(_) if self.record.iter().eq([b""]) => {}
                line => return Ok(line),
            }
        }
    }

    fn read_any(&mut self) -> Result<Option<u64>, String> {
        // The reader gives the position before the empty lines that it skips.
        let start = self.reader.position().clone();
        let rest = self.text.get(start.byte() as usize..).unwrap_or_default();
        let skipped = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|&&byte| byte == b'\n');
        let line = start.line() + skipped.count() as u64;
        let wrong = |why: &dyn Display| format!("line {line}: {why}");
        if !self.reader.read_byte_record(&mut self.record).map_err(|error| wrong(&error))? {
            return Ok(None);
        }
        if self.reader.position().line() > line + 1 {
            return Err(wrong(&"a quotation mark is not closed on its line"));
        }
        Ok(Some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<(u64, Vec<String>)>, String> {
        let mut records = Records::of(text);
        let mut all = Vec::new();
        while let Some((line, words)) = records.next()? {
            all.push((line, words.into_iter().map(str::to_owned).collect()));
        }
        Ok(all)
    }

    #[test]
    fn records_of_every_spelling() {
        for (text, expected) in [
            ("", &[][..]),
            ("\u{feff}1, 2 ,\t3", &[(1, &["1", "2", "3"][..])]),
            ("a,,\r\n\r\n\n\"a,b\", c ,\"\"\n", &[(1, &["a", "", ""]), (4, &["a,b", "c", ""])]),
            ("\n \n1\n2", &[(3, &["1"]), (4, &["2"])]),
        ] {
            let found = read(text.as_bytes()).unwrap();
            let found: Vec<(u64, Vec<&str>)> =
                found.iter().map(|(line, words)| (*line, words.iter().map(String::as_str).collect())).collect();
            let expected: Vec<_> = expected.iter().map(|(line, words)| (*line, words.to_vec())).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        let open = "line 3: a quotation mark is not closed on its line";
        assert_eq!(read(b"1,2\n\n3,\"4\n5,6\n").unwrap_err(), open);
        assert_eq!(read(b"1\n\xff\n").unwrap_err(), "line 2: is not UTF-8");
    }
}
