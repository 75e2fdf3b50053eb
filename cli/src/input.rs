//! Input files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::output::Scratch;

/// Bytes that are read from a file at once.
const BUFFER: usize = 1 << 16;

/// The byte order mark with which some programs begin a file.
pub const MARK: &[u8] = "\u{feff}".as_bytes();

/// The same in UTF-16, from which the order of the bytes is known.
const MARKS_16: [([u8; 2], Unit); 2] = [([0xff, 0xfe], u16::from_le_bytes), ([0xfe, 0xff], u16::from_be_bytes)];

/// The number that two bytes are.
type Unit = fn([u8; 2]) -> u16;

type Reader = Box<dyn BufRead + Send>;

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input as a file, at its current place. Nothing may have read it through [`io::stdin`] before.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    #[cfg(windows)]
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    Ok(input.into())
}

/// Copies input to a temporary file in `folder`.
fn copy(mut input: &File, to: &mut File, folder: &Path) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&buffer[..length]).map_err(|error| Scratch::unusable(folder, &error))?;
    }
}

/// Opens a file, or standard input for the path `-`. Input compressed by gzip is expanded, UTF-16 converted to UTF-8.
fn open(path: &Path) -> io::Result<Reader> {
    let file: Reader = match is_standard_input(path) {
        true => Box::new(BufReader::new(io::stdin())),
        false => Box::new(BufReader::with_capacity(BUFFER, File::open(path)?)),
    };
    Ok(expanded(file)?.0)
}

/// The input, expanded if it is compressed by gzip and converted if it is UTF-16, and whether it is either.
fn expanded(mut file: Reader) -> io::Result<(Reader, bool)> {
    let is_packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    if is_packed {
        file = Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file)));
    }
    let bytes = file.fill_buf()?;
    match MARKS_16.iter().find(|(mark, _)| bytes.starts_with(mark.as_slice())) {
        Some((_, unit)) => Ok((Box::new(Cursor::new(of_utf16(file, *unit)?)), true)),
        None => Ok((file, is_packed)),
    }
}

/// The rest of UTF-16 input as UTF-8. What is no character becomes U+FFFD.
fn of_utf16(mut file: Reader, unit: Unit) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (pairs, rest) = bytes.as_chunks();
    let chars = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).map(Result::ok);
    let chars = chars.chain(rest.first().map(|_| None));
    // Without the byte order mark.
    Ok(chars.skip(1).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// The text of a file, or of standard input for the path `-`, expanded and converted as by [`open`].
/// The error names the first line that is not UTF-8.
pub fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(|error| error.to_string())?;
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line}: is not UTF-8")
    })
}

/// The beginning of a line: the bytes before it, expanded, and the lines.
#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub bytes: u64,
    pub lines: usize,
}

/// A file whose lines can be read again.
struct Source {
    file: File,
    /// The place of the input in the file: standard input may begin anywhere.
    begin: u64,
    /// Whether it is compressed or UTF-16.
    is_packed: bool,
}

/// The lines of a file, or of standard input for the path `-`; only one is in memory at a time, except
/// of UTF-16. Input is expanded and converted as by [`open`].
pub struct Lines {
    reader: Reader,
    /// The file behind the reader if the lines can be read again.
    source: Option<Source>,
    line: Vec<u8>,
    /// The beginning of the last line, and its end.
    last: Place,
    next: Place,
}

impl Lines {
    pub fn of(path: &Path) -> Result<Self, String> {
        Ok(Lines::new(open(path).map_err(|error| error.to_string())?, None))
    }

    /// Lines for [`go_to`](Self::go_to). Input that cannot be read twice, as from a pipe, is copied to a
    /// temporary file.
    pub fn to_read_again(path: &Path) -> Result<Self, String> {
        let open = || {
            let input = match is_standard_input(path) {
                true => standard_input()?,
                false => File::open(path)?,
            };
            // Windows has no metadata of pipes.
            let mut file = match input.metadata().is_ok_and(|data| data.is_file()) {
                true => input,
                false => {
                    let folder = std::env::temp_dir();
                    let mut file = Scratch::file(&folder)?;
                    copy(&input, &mut file, &folder)?;
                    file.rewind()?;
                    file
                }
            };
            let begin = file.stream_position()?;
            let (reader, is_packed) = expanded(Box::new(BufReader::with_capacity(BUFFER, file.try_clone()?)))?;
            Ok(Lines::new(reader, Some(Source { file, begin, is_packed })))
        };
        open().map_err(|error: io::Error| error.to_string())
    }

    fn new(reader: Reader, source: Option<Source>) -> Self {
        Lines { reader, source, line: Vec::new(), last: Place::default(), next: Place::default() }
    }

    /// The next line with its number, without its line feed and a carriage return before that. The
    /// error names the line.
    pub fn next(&mut self) -> Result<Option<(usize, &str)>, String> {
        self.line.clear();
        let length = self.reader.read_until(b'\n', &mut self.line).map_err(|error| error.to_string())?;
        if length == 0 {
            return Ok(None);
        }
        self.last = self.next;
        self.next.bytes += length as u64;
        self.next.lines += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = if self.next.lines == 1 { line.strip_prefix(MARK).unwrap_or(line) } else { line };
        match str::from_utf8(line) {
            Ok(line) => Ok(Some((self.next.lines, line))),
            Err(_) => Err(format!("line {}: is not UTF-8", self.next.lines)),
        }
    }

    /// The beginning of the line that [`next`](Self::next) has returned.
    pub fn last(&self) -> Place {
        self.last
    }

    /// The end of that line.
    pub fn place(&self) -> Place {
        self.next
    }

    /// Skips lines, whatever they hold. Returns how many there were.
    pub fn skip(&mut self, lines: usize) -> Result<usize, String> {
        let mut skipped = 0;
        while skipped < lines {
            let bytes = self.reader.fill_buf().map_err(|error| error.to_string())?;
            if bytes.is_empty() {
                break;
            }
            let mut used = 0;
            while skipped < lines {
                let Some(end) = memchr(b'\n', &bytes[used..]) else {
                    used = bytes.len();
                    break;
                };
                (used, skipped) = (used + end + 1, skipped + 1);
            }
            // The last line may have no line feed.
            let is_open = bytes[used - 1] != b'\n';
            self.reader.consume(used);
            self.next.bytes += used as u64;
            if is_open && self.reader.fill_buf().map_err(|error| error.to_string())?.is_empty() {
                skipped += 1;
                break;
            }
        }
        self.next.lines += skipped;
        Ok(skipped)
    }

    /// Whether [`go_to`](Self::go_to) does not read the bytes before a place.
    pub fn can_skip(&self) -> bool {
        self.source.as_ref().is_some_and(|source| !source.is_packed)
    }

    /// Continues at the beginning of a line. Compressed input is expanded again up to there if the line was
    /// read before.
    pub fn go_to(&mut self, place: Place) -> Result<(), String> {
        let mut go = || {
            let mut at = self.next.bytes;
            let Source { file, begin, is_packed } = self.source.as_mut().expect("lines to read again");
            let is_packed = *is_packed;
            if place.bytes != at && !(is_packed && place.bytes > at) {
                at = if is_packed { 0 } else { place.bytes };
                file.seek(SeekFrom::Start(*begin + at))?;
                let file = Box::new(BufReader::with_capacity(BUFFER, file.try_clone()?));
                self.reader = if is_packed { expanded(file)?.0 } else { file };
            }
            io::copy(&mut self.reader.by_ref().take(place.bytes - at), &mut io::sink())?;
            Ok(())
        };
        go().map_err(|error: io::Error| error.to_string())?;
        self.next = place;
        Ok(())
    }
}

/// Without blanks at both ends. Most words have none, which is found without decoding characters.
pub fn trimmed(word: &str) -> &str {
    match word.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => word,
        [only] if only.is_ascii_graphic() => word,
        _ => word.trim(),
    }
}

/// The fields of a line of comma-separated values, without surrounding blanks and quotation marks.
/// Rejects a quotation mark that is never closed and text after a closing one; the crate `csv`
/// accepts both.
pub fn fields(line: &str) -> Result<Vec<&str>, String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let is_plain = rest.bytes().next().is_some_and(|byte| byte.is_ascii_graphic() && byte != b'"');
        let quoted = if is_plain { None } else { rest.trim_start().strip_prefix('"') };
        let (field, after) = match quoted {
            None => rest.split_at(rest.bytes().position(|byte| byte == b',').unwrap_or(rest.len())),
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
        fields.push(trimmed(field));
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
