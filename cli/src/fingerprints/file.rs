//! The index file.
//!
//! ```text
//! header     64 bytes, then 32 bytes for each section:
//!            the magic bytes, version (u32), byte order (u32), CRC-32 of the header with this
//!            field 0 (u32), number of sections (u32), length of the file, bits, rows (u64 each),
//!            zeros; for each section its offset, length, rows (u64 each), CRC-32 (u32), 0 (u32)
//! sections   an image of `hotloops::fingerprints::Index` for each segment of rows, then
//!            all rows of whole bytes; where each id ends (u64 each); all ids; since version 2 the
//!            lines `#key=value` of the FPS text
//! ```
//!
//! The header and the sections begin at multiples of 4096 bytes, with zeros before them. Integers
//! are little-endian, except in images.

use std::io::{self, Write};
use std::mem::size_of;

use crc32fast::hash;
use rayon::prelude::*;

pub const MAGIC: &[u8] = b"\x89hlfp\r\n\x1a";
const VERSION: u32 = 2;
/// The machine's byte order, which is that of images.
const ORDER: [u8; 4] = 0x0403_0201_u32.to_ne_bytes();
const PAGE: usize = 4096;
const FIXED: usize = 64;
const SECTION: usize = 32;
/// The place of the header's CRC.
const CRC: usize = 16;
/// Sections after the images. Version 1 has no header of the text.
const OTHERS: [&str; 4] = ["the rows", "the ends of the ids", "the ids", "the header of the text"];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Section {
    pub offset: usize,
    pub length: usize,
    /// Number of rows of an image.
    pub rows: usize,
    crc: u32,
}

impl Section {
    pub fn of<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        &file[self.offset..][..self.length]
    }
}

/// The content of the header.
#[derive(Debug, PartialEq)]
pub struct Layout {
    pub bits: usize,
    pub rows: usize,
    version: u32,
    sections: Vec<Section>,
}

/// The sections of a file to be written.
pub struct Content<'a> {
    pub bits: usize,
    /// The images with their row counts.
    pub images: Vec<(&'a [u8], usize)>,
    pub rows: Vec<&'a [u8]>,
    pub ends: Vec<u8>,
    pub ids: Vec<&'a [u8]>,
    /// The header of the text.
    pub header: Vec<u8>,
}

/// Writes the file.
pub fn write(content: &Content, to: &mut dyn Write) -> io::Result<()> {
    let images = content.images.iter().map(|(image, rows)| (vec![*image], *rows));
    let others = [content.rows.clone(), vec![&content.ends], content.ids.clone(), vec![&content.header]];
    let sections: Vec<(Vec<&[u8]>, usize)> = images.chain(others.map(|parts| (parts, 0))).collect();
    let rows: usize = content.images.iter().map(|(_, rows)| rows).sum();

    let checked = |(parts, rows): &(Vec<&[u8]>, usize)| {
        let mut crc = crc32fast::Hasher::new();
        parts.iter().for_each(|part| crc.update(part));
        Section { offset: 0, length: parts.iter().map(|part| part.len()).sum(), rows: *rows, crc: crc.finalize() }
    };
    let sizes = sections.par_iter().map(checked).collect();
    let mut layout = Layout { bits: content.bits, rows, version: VERSION, sections: sizes };
    let header = layout.place();
    to.write_all(&header)?;
    let mut at = header.len();
    for (section, (parts, _)) in layout.sections.iter().zip(&sections) {
        to.write_all(&[0; PAGE][..section.offset - at])?;
        parts.iter().try_for_each(|part| to.write_all(part))?;
        at = section.offset + section.length;
    }
    Ok(())
}

/// Number of sections after the images.
fn others(version: u32) -> usize {
    if version == 1 { OTHERS.len() - 1 } else { OTHERS.len() }
}

impl Layout {
    /// Places the sections and returns the header.
    fn place(&mut self) -> Vec<u8> {
        let mut at = FIXED + SECTION * self.sections.len();
        for section in &mut self.sections {
            section.offset = at.next_multiple_of(PAGE);
            at = section.offset + section.length;
        }
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(ORDER);
        header.extend([0; 4]);
        header.extend((self.sections.len() as u32).to_le_bytes());
        [at, self.bits, self.rows].iter().for_each(|&value| header.extend((value as u64).to_le_bytes()));
        header.resize(FIXED, 0);
        for section in &self.sections {
            let values = [section.offset, section.length, section.rows];
            values.iter().for_each(|&value| header.extend((value as u64).to_le_bytes()));
            header.extend(u64::from(section.crc).to_le_bytes());
        }
        let crc = hash(&header);
        header[CRC..][..4].copy_from_slice(&crc.to_le_bytes());
        header
    }

    /// Reads the header of a file and compares its sizes with the length of the file.
    pub fn read(file: &[u8]) -> Result<Self, String> {
        const TORN: &str = "is torn: it ends within the header";
        const AGAIN: &str = "make it again with `hotloops fingerprints index`";
        if !file.starts_with(MAGIC) {
            return Err("is not an index by `hotloops fingerprints index`".to_owned());
        }
        let fixed = file.get(..FIXED).ok_or(TORN)?;
        let half = |at: usize| u32::from_le_bytes(fixed[at..at + 4].try_into().expect("4 bytes"));
        let version = half(8);
        if !(1..=VERSION).contains(&version) {
            let why = format!("has version {version} of the format; this command reads versions 1 to {VERSION}");
            return Err(format!("{why}: {AGAIN}"));
        }
        if fixed[12..16] != ORDER {
            return Err(format!("was written by a machine of another byte order: {AGAIN}"));
        }
        let count = half(20) as usize;
        let header = file.get(..FIXED + SECTION * count).ok_or(TORN)?;
        let mut unsigned = header.to_vec();
        unsigned[CRC..][..4].fill(0);
        if hash(&unsigned) != half(CRC) || count < others(version) {
            return Err(format!("is damaged: the header has another checksum; {AGAIN}"));
        }
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let size = |at: usize| usize::try_from(word(&header[at..at + size_of::<u64>()])).unwrap_or(usize::MAX);
        let [length, bits, rows] = [24, 32, 40].map(size);
        if file.len() != length {
            return Err(format!("is torn: it has {} bytes instead of {length}", file.len()));
        }
        let section = |at: usize| Section {
            offset: size(at),
            length: size(at + 8),
            rows: size(at + 16),
            crc: size(at + 24) as u32,
        };
        let sections: Vec<_> = (0..count).map(|index| section(FIXED + SECTION * index)).collect();
        let layout = Layout { bits, rows, version, sections };
        if layout.is_sound(length) { Ok(layout) } else { Err(format!("is damaged: its sizes are wrong; {AGAIN}")) }
    }

    /// Whether sections lie in the file and have the lengths that the rows need.
    fn is_sound(&self, file: usize) -> bool {
        let within = |section: &Section| section.offset.checked_add(section.length).is_some_and(|end| end <= file);
        let rows = self.images().iter().try_fold(0usize, |sum, image| sum.checked_add(image.rows));
        let [bytes, ends, ..] = self.others();
        self.rows > 0
            && self.sections.iter().all(within)
            && rows == Some(self.rows)
            && Some(bytes.length) == self.rows.checked_mul(self.bits.div_ceil(8))
            && Some(ends.length) == self.rows.checked_mul(size_of::<u64>())
    }

    pub fn images(&self) -> &[Section] {
        &self.sections[..self.sections.len() - others(self.version)]
    }

    /// The rows, the ends of ids, the ids, the header of the text (empty if there is none).
    pub fn others(&self) -> [Section; OTHERS.len()] {
        let mut found = [Section::default(); OTHERS.len()];
        let sections = &self.sections[self.images().len()..];
        found[..sections.len()].copy_from_slice(sections);
        found
    }

    /// The names of sections that differ from their checksums.
    pub fn damaged(&self, file: &[u8]) -> Vec<String> {
        let images = self.images().len();
        let name = |index: usize| match index.checked_sub(images) {
            None => format!("segment {} of {images}", index + 1),
            Some(other) => OTHERS[other].to_owned(),
        };
        let is_damaged = |(_, section): &(usize, &Section)| hash(section.of(file)) != section.crc;
        self.sections.par_iter().enumerate().filter(is_damaged).map(|(index, _)| name(index)).collect()
    }
}
