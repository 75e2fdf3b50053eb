//! FPS, the text format of chemfp: a line of hexadecimal digits and an id for each fingerprint.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use hotloops::hamming::BitRows;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::file::MAGIC;
use super::header::{Header, Width};
use super::hex;
use crate::failure::Failure;
use crate::input::MARK;
use crate::job::progress;

/// Bytes of text in memory at once, and bytes that one thread parses at a time.
const BLOCK: usize = 1 << 22;
const PIECE: usize = 1 << 18;
/// Maximum length of a line. It limits fingerprints to fewer than 2^30 bits.
const LONGEST: usize = 1 << 28;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// First bytes of other formats.
const FOREIGN: [(&[u8], &str); 5] = [
    (b"BZh", "is compressed with bzip2: decompress it first"),
    (b"\xfd7zXZ\0", "is compressed with xz: decompress it first"),
    (b"PK\x03\x04", "is a zip archive: unpack it first"),
    (b"FPB1\r\n", "is a binary FPB file: convert it to FPS first"),
    (MAGIC, "is an index file; expected FPS text"),
];

/// Fingerprints of equal length with their ids.
#[derive(Debug, Default, PartialEq)]
pub struct Fingerprints {
    width: Width,
    header: Header,
    /// Rows of whole bytes.
    bytes: Vec<u8>,
    /// All ids, concatenated.
    ids: String,
    /// Where each id ends.
    ends: Vec<usize>,
}

impl Fingerprints {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bits(&self) -> usize {
        self.width.bits
    }

    pub fn width(&self) -> Width {
        self.width
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Takes the width of other fingerprints of as many bytes, if one of the two widths is not given. Returns why
    /// that is impossible, after "the fingerprints ".
    pub fn adopt(&mut self, other: Width, other_name: &str) -> Result<(), String> {
        let own = self.width;
        if own.bits == other.bits {
            return Ok(());
        }
        if own.bytes() != other.bytes() || (own.is_given && other.is_given) {
            return Err(format!(
                "have {} bits, but {other_name} has {}; compare fingerprints of one length",
                own.bits, other.bits
            ));
        }
        let used = other.bits - 8 * (other.bytes() - 1);
        let last = self.bytes.iter().skip(other.bytes() - 1).step_by(other.bytes());
        if let Some((row, byte)) = last.enumerate().find(|(_, byte)| **byte as usize >> used != 0) {
            let bit = other.bits + (*byte as usize >> used).trailing_zeros() as usize;
            let id = self.id(row);
            return Err(format!("of '{id}' and others set bit {bit}, but {other_name} has num_bits={}", other.bits));
        }
        self.width = other;
        Ok(())
    }

    pub fn id(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.ids[start..self.ends[index]]
    }

    pub fn rows(&self, range: Range<usize>) -> Result<BitRows<'_>, hotloops::Error> {
        rows(&self.bytes, self.bits(), range)
    }

    pub fn row(&self, index: usize) -> &[u8] {
        let row = self.width.bytes();
        &self.bytes[row * index..][..row]
    }

    /// All rows, of whole bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All ids, concatenated, and where each one ends.
    pub fn ids(&self) -> (&str, &[usize]) {
        (&self.ids, &self.ends)
    }

    fn append(&mut self, piece: &Fingerprints) {
        let start = self.ids.len();
        self.bytes.extend_from_slice(&piece.bytes);
        self.ids.push_str(&piece.ids);
        self.ends.extend(piece.ends.iter().map(|end| start + end));
    }
}

/// Rows `range` of the rows in `bytes`.
pub fn rows(bytes: &[u8], bits: usize, range: Range<usize>) -> Result<BitRows<'_>, hotloops::Error> {
    let row = bits.div_ceil(8);
    BitRows::new(&bytes[row * range.start..row * range.end], range.len(), bits, row)
}

/// A decoder. Its errors say that it is one.
struct Expanded<R>(R);

impl<R: Read> Read for Expanded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| io::Error::new(error.kind(), format!("cannot be expanded: {error}")))
    }
}

/// Opens a file, or standard input for the path `-`. Input compressed by gzip or zstd is expanded.
/// Also returns the length of the text, 0 if unknown.
fn open(path: &Path) -> io::Result<(Box<dyn Read>, u64)> {
    let (mut file, length): (Box<dyn Read>, u64) = match path.as_os_str() == "-" {
        true => (Box::new(io::stdin().lock()), 0),
        false => {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            (Box::new(file), length)
        }
    };
    let mut head = Vec::new();
    file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut head)?;
    let (is_gzip, is_zstd) = (head.starts_with(GZIP), head == ZSTD);
    let file = io::Cursor::new(head).chain(file);
    Ok(match (is_gzip, is_zstd) {
        (true, _) => (Box::new(Expanded(MultiGzDecoder::new(BufReader::with_capacity(PIECE, file)))), 0),
        (_, true) => (Box::new(Expanded(zstd::Decoder::new(file)?)), 0),
        _ => (Box::new(file), length),
    })
}

/// Reads a file with the threads of the current pool. The failure names the file and its first
/// wrong line.
pub fn read(path: &Path) -> Result<Fingerprints, Failure> {
    let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
    let (file, length) = open(path).map_err(|error| wrong(error.to_string()))?;
    let bar = progress::bar_at_rate(length, "B", 1.0);
    bar.set_message("reading");
    let result = parse(file, length, &bar);
    bar.finish_and_clear();
    result.map_err(wrong)
}

fn parse(mut file: impl Read, length: u64, bar: &ProgressBar) -> Result<Fingerprints, String> {
    let mut reader = Reader { length, ..Reader::default() };
    let mut text = Vec::with_capacity(BLOCK.min(usize::try_from(length).unwrap_or(BLOCK)) + 64);
    let mut is_begin = true;
    loop {
        let read = file.by_ref().take(BLOCK as u64).read_to_end(&mut text).map_err(|error| error.to_string())?;
        // Some programs begin a file with a byte order mark.
        if std::mem::take(&mut is_begin) && text.starts_with(MARK) {
            text.drain(..MARK.len());
        }
        if reader.lines == 0
            && let Some((_, why)) = FOREIGN.iter().find(|(magic, _)| text.starts_with(magic))
        {
            return Err((*why).to_owned());
        }
        if read == 0 {
            break;
        }
        let end = memchr::memrchr(b'\n', &text).map_or(0, |last| last + 1);
        reader.block(&text[..end])?;
        text.drain(..end);
        if text.len() > LONGEST {
            return Err(format!("line {}: is longer than {LONGEST} characters", reader.lines + 1));
        }
        bar.inc(read as u64);
    }
    if !text.is_empty() {
        text.push(b'\n');
        reader.block(&text)?;
        return Err(format!("line {}: has no line feed at the end; the file may be truncated", reader.lines));
    }
    match reader.found.len() {
        0 => Err("contains no fingerprint".to_owned()),
        _ => Ok(reader.found),
    }
}

#[derive(Default)]
struct Reader {
    /// Length of the file in bytes; 0 if unknown.
    length: u64,
    /// Number of lines read so far.
    lines: usize,
    header: Header,
    found: Fingerprints,
    /// Memory for the pieces of a block.
    parts: Vec<Fingerprints>,
}

impl Reader {
    /// Parses whole lines.
    fn block(&mut self, mut text: &[u8]) -> Result<(), String> {
        while self.found.bits() == 0 && text.first() == Some(&b'#') {
            let (line, rest) = cut(text);
            self.header.add(line, self.lines == 0).map_err(|why| format!("line {}: {why}", self.lines + 1))?;
            self.lines += 1;
            text = rest;
        }
        if text.is_empty() {
            return Ok(());
        }
        let width = self.width(text).map_err(|why| format!("line {}: {why}", self.lines + 1))?;
        if self.found.bits() == 0 {
            let most = (self.length / (width.digits() as u64 + 3)).try_into().unwrap_or(0usize);
            let header = std::mem::take(&mut self.header);
            self.found = Fingerprints { width, header, ..Fingerprints::default() };
            self.found.bytes.reserve(most.saturating_mul(width.digits() / 2));
        }
        let pieces = pieces(text);
        self.parts.resize_with(pieces.len().max(self.parts.len()), Fingerprints::default);
        let parts = self.parts.par_iter_mut().zip(pieces);
        let wrong: Vec<_> = parts.map(|(part, piece)| parse_piece(piece, width, part)).collect();
        for (piece, wrong) in self.parts.iter().zip(wrong) {
            self.lines += piece.len();
            if let Some(why) = wrong {
                return Err(format!("line {}: {why}", self.lines + 1));
            }
            self.found.append(piece);
        }
        Ok(())
    }

    /// The width from the header, or else from the first of these lines.
    fn width(&self, text: &[u8]) -> Result<Width, String> {
        if self.found.bits() != 0 {
            return Ok(self.found.width);
        }
        if let Some(bits) = self.header.num_bits() {
            return Ok(Width { bits, is_given: true });
        }
        let digits = hexadecimals(text);
        let width = Width { bits: 4 * digits, is_given: false };
        match self.header.num_bytes() {
            _ if digits == 0 || !digits.is_multiple_of(2) => Err(explain(cut(text).0, width)),
            Some(bytes) if 2 * bytes != digits => {
                Err(format!("has {digits} hexadecimal digits, but num_bytes={bytes} needs {}", 2 * bytes))
            }
            _ => Ok(width),
        }
    }
}

/// The first line without its end, and the rest.
fn cut(text: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let line = &text[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), &text[text.len().min(end + 1)..])
}

/// Splits the text into pieces of whole lines.
fn pieces(mut text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let least = PIECE.min(text.len()) - 1;
        let length = memchr::memchr(b'\n', &text[least..]).map_or(text.len(), |end| least + end + 1);
        let (piece, rest) = text.split_at(length);
        pieces.push(piece);
        text = rest;
    }
    pieces
}

/// Replaces `piece` with the fingerprints before the first wrong line. Returns the error of that line.
fn parse_piece(mut text: &[u8], width: Width, piece: &mut Fingerprints) -> Option<String> {
    piece.width = width;
    piece.bytes.clear();
    piece.ids.clear();
    piece.ends.clear();
    while !text.is_empty() {
        match parse_line(text, width, piece) {
            Ok(length) => text = &text[length..],
            Err(why) => return Some(why),
        }
    }
    None
}

/// Appends the fingerprint of the first line and returns the length of the line.
fn parse_line(text: &[u8], width: Width, to: &mut Fingerprints) -> Result<usize, String> {
    let digits = width.digits();
    let is_decoded = text.get(..digits).is_some_and(|digits| hex::decode(digits, &mut to.bytes));
    if !is_decoded || text.get(digits) != Some(&b'\t') {
        return Err(explain(cut(text).0, width));
    }
    let (last, used) = (*to.bytes.last().expect("at least one byte"), width.bits % 8);
    if used != 0 && last >> used != 0 {
        let bit = width.bits + (last >> used).trailing_zeros() as usize;
        return Err(format!("bit {bit} is set, but num_bits={} ends before it", width.bits));
    }
    let start = digits + 1;
    let end = memchr::memchr3(b'\t', b'\r', b'\n', &text[start..]).map_or(text.len(), |end| start + end);
    let id = str::from_utf8(&text[start..end]).map_err(|_| "the id is not UTF-8".to_owned())?;
    if id.is_empty() {
        return Err("has no id after the tab".to_owned());
    }
    let length = match &text[end..] {
        [b'\n', ..] => end + 1,
        [b'\r', b'\n', ..] => end + 2,
        [b'\r', ..] => return Err("contains a carriage return before the end of the line".to_owned()),
        rest => end + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1),
    };
    to.ids.push_str(id);
    to.ends.push(to.ids.len());
    Ok(length)
}

/// The number of hexadecimal digits that the text begins with.
fn hexadecimals(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len())
}

/// Why a line does not begin with a fingerprint of this width and a tab.
fn explain(line: &[u8], width: Width) -> String {
    let field = line.split(|&byte| byte == b'\t').next().unwrap_or_default();
    let digits = hexadecimals(field);
    let expected = width.digits();
    match field.get(digits) {
        _ if line.is_empty() => "is blank".to_owned(),
        _ if field.is_empty() => "has no fingerprint before the tab".to_owned(),
        Some(b'#') if digits == 0 => "is a header line after the first fingerprint".to_owned(),
        Some(b' ') if digits > 0 => "has a space after the fingerprint; expected a tab".to_owned(),
        Some(_) => {
            let pair: String = String::from_utf8_lossy(&field[digits / 2 * 2..]).chars().take(2).collect();
            format!(
                "'{}' is not hexadecimal; a line has the digits of a fingerprint, a tab and an id",
                pair.escape_debug()
            )
        }
        None if !digits.is_multiple_of(2) => format!("has an odd number of hexadecimal digits, {digits}"),
        None if digits != expected && width.is_given => {
            format!("has {digits} hexadecimal digits, but num_bits={} needs {expected}", width.bits)
        }
        None if digits != expected => {
            format!("has {digits} hexadecimal digits, but the first fingerprint has {expected}")
        }
        None => "has no id; expected a tab and an id after the fingerprint".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &[u8]) -> Result<Fingerprints, String> {
        parse(text, text.len() as u64, &ProgressBar::hidden())
    }

    fn ids(found: &Fingerprints) -> Vec<&str> {
        (0..found.len()).map(|index| found.id(index)).collect()
    }

    #[test]
    fn reads_headers_ids_and_either_line_end() {
        let text = b"#FPS1\r\n#num_bits=12\n#type=x = y\n#x-note\n\
            ff0F\tfirst\n0001\tthe second\tmore\tand more\r\naB00\tthird\r\n";
        let found = parsed(text).unwrap();
        assert_eq!((found.bits(), ids(&found)), (12, vec!["first", "the second", "third"]));
        assert_eq!(found.bytes, [0xff, 0x0f, 0x00, 0x01, 0xab, 0x00]);
        let found = parsed(b"0180\tx\n").unwrap();
        assert_eq!((found.bits(), ids(&found)), (16, vec!["x"]));
    }

    #[test]
    fn lines_over_the_ends_of_pieces_and_blocks_are_whole() {
        let count = 2 * BLOCK / 20;
        let text: String = (0..count).map(|i| format!("{i:08x}\tid {i} {}\n", "x".repeat(i % 13))).collect();
        assert!(text.len() > 2 * BLOCK);
        let found = parsed(text.as_bytes()).unwrap();
        assert_eq!(found.len(), count);
        for i in 0..count {
            assert_eq!(found.id(i), format!("id {i} {}", "x".repeat(i % 13)));
            assert_eq!(found.bytes[4 * i..][..4], (i as u32).to_be_bytes());
        }
        let end = text.len() - 5;
        let cut_off = parsed(&text.as_bytes()[..end]);
        assert_eq!(cut_off, Err(format!("line {count}: has no line feed at the end; the file may be truncated")));
        let wrong = text.replacen(&format!("\n{:08x}\t", count - 7), "\n00000\t", 1);
        let why = format!("line {}: has an odd number of hexadecimal digits, 5", count - 6);
        assert_eq!(parsed(wrong.as_bytes()), Err(why));
    }
}
