//! Fingerprints to search in: an index file, or FPS text that is indexed in memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::mem::size_of;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hotloops::fingerprints::Index;
use hotloops::hamming::BitRows;
use memmap2::Mmap;
use rayon::prelude::*;

use super::file::{self, Content, Layout, MAGIC};
use super::fps::{self, Fingerprints};
use super::header::{Header, Width};
use crate::failure::Failure;
use crate::signals;

/// Maximum number of rows of a segment, which has an index of its own.
const SEGMENT: usize = 1 << 20;
/// Alignment of images.
const LINE: usize = 64;
const MAX_BITS: usize = 1 << 19;

pub struct Database {
    path: PathBuf,
    source: Source,
}

enum Source {
    /// The images hold the rows from `first` on.
    Built {
        set: Fingerprints,
        images: Vec<Image>,
        first: usize,
    },
    Mapped {
        file: Mmap,
        layout: Layout,
    },
}

/// An image and its number of rows.
struct Image {
    memory: Vec<u8>,
    start: usize,
    rows: usize,
}

impl Image {
    fn build(rows: BitRows) -> Result<Self, hotloops::Error> {
        let length = Index::image_len(rows.len(), rows.bits())?;
        let mut memory = vec![0; length + LINE];
        let start = memory.as_ptr().align_offset(LINE);
        memory.truncate(start + length);
        Index::build(rows, &mut memory[start..])?;
        Ok(Image { memory, start, rows: rows.len() })
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.start..]
    }
}

impl Database {
    /// Maps an index file, or reads another file as FPS text and indexes it with the threads of the
    /// current pool.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::open_part(path, |rows| 0..rows)
    }

    /// The same, but of the rows of FPS text, whose number `part` receives, indexes a part only.
    pub fn open_part(path: &Path, part: impl Fn(usize) -> Range<usize>) -> Result<Self, Failure> {
        Self::mapped(path)?.map_or_else(|| Self::build_part(path, part), Ok)
    }

    /// Maps an index file. `None` if the file is none.
    pub fn mapped(path: &Path) -> Result<Option<Self>, Failure> {
        let database = |(file, layout)| Database { path: path.to_owned(), source: Source::Mapped { file, layout } };
        Ok(mapped(path)?.map(database))
    }

    /// Opens fingerprints all of which are used: an index file is compared with its checksums first.
    pub fn open_whole(path: &Path) -> Result<Self, Failure> {
        let database = Self::open(path)?;
        database.verify()?;
        Ok(database)
    }

    fn build_part(path: &Path, part: impl Fn(usize) -> Range<usize>) -> Result<Self, Failure> {
        Self::build(path, fps::read(path)?, part)
    }

    /// Indexes a part of the fingerprints of `path`.
    pub fn build(path: &Path, set: Fingerprints, part: impl Fn(usize) -> Range<usize>) -> Result<Self, Failure> {
        if set.bits() > MAX_BITS {
            let why = format!("the fingerprints have {} bits; the maximum is {MAX_BITS}", set.bits());
            return Err(Failure::Input(format!("{}: {why}", path.display())));
        }
        let part = part(set.len());
        let first = part.start;
        let images = segments(part).into_par_iter().map(|segment| Image::build(set.rows(segment)?));
        let images = images.collect::<Result<_, hotloops::Error>>()?;
        Ok(Database { path: path.to_owned(), source: Source::Built { set, images, first } })
    }

    pub fn len(&self) -> usize {
        match &self.source {
            Source::Built { set, .. } => set.len(),
            Source::Mapped { layout, .. } => layout.rows,
        }
    }

    pub fn bits(&self) -> usize {
        match &self.source {
            Source::Built { set, .. } => set.bits(),
            Source::Mapped { layout, .. } => layout.bits,
        }
    }

    /// The header lines of the text. An index of version 1 has none.
    pub fn header(&self) -> Header {
        match &self.source {
            Source::Built { set, .. } => set.header().clone(),
            Source::Mapped { file, layout } => Header::of_text(layout.others()[3].of(file)),
        }
    }

    pub fn width(&self) -> Width {
        match &self.source {
            Source::Built { set, .. } => set.width(),
            Source::Mapped { layout, .. } => {
                let is_given = self.header().num_bits().is_some() || !layout.bits.is_multiple_of(8);
                Width { bits: layout.bits, is_given }
            }
        }
    }

    /// The rows of whole bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.source {
            Source::Built { set, .. } => set.bytes(),
            Source::Mapped { file, layout } => layout.others()[0].of(file),
        }
    }

    pub fn rows(&self, range: Range<usize>) -> Result<BitRows<'_>, hotloops::Error> {
        fps::rows(self.bytes(), self.bits(), range)
    }

    /// The images and their row counts.
    fn images(&self) -> Vec<(&[u8], usize)> {
        match &self.source {
            Source::Built { images, .. } => images.iter().map(|image| (image.bytes(), image.rows)).collect(),
            Source::Mapped { file, layout } => {
                layout.images().iter().map(|image| (image.of(file), image.rows)).collect()
            }
        }
    }

    /// The first row of the indexes of FPS text, which may be those of a part. `None` for an index file.
    pub fn first(&self) -> Option<usize> {
        match &self.source {
            Source::Built { first, .. } => Some(*first),
            Source::Mapped { .. } => None,
        }
    }

    /// The index of each segment.
    pub fn indexes(&self) -> Result<Vec<Index<'_>>, Failure> {
        let index = |(image, rows)| {
            let shape = |index: &Index| index.len() == rows && (rows == 0 || index.bits() == self.bits());
            Index::new(image).ok().filter(shape)
        };
        let indexes: Option<_> = self.images().into_iter().map(index).collect();
        indexes.ok_or_else(|| self.wrong("is damaged: a segment is not an index"))
    }

    /// The number of a row that a search found. A segment that was changed may name rows that do not
    /// exist.
    pub fn found(&self, row: u64) -> io::Result<usize> {
        usize::try_from(row)
            .ok()
            .filter(|&row| row < self.len())
            .ok_or_else(|| self.damaged(&format!("a segment names row {row}")))
    }

    /// An id. Those of a file that was changed may be no text.
    pub fn id(&self, row: usize) -> io::Result<&str> {
        match &self.source {
            Source::Built { set, .. } => Ok(set.id(row)),
            Source::Mapped { file, layout } => {
                mapped_id(file, layout, row).ok_or_else(|| self.damaged(&format!("the id of row {row} is no text")))
            }
        }
    }

    /// The failure of an input file, found while the output is written.
    fn damaged(&self, why: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: is damaged: {why}", self.path.display()))
    }

    fn wrong(&self, why: &str) -> Failure {
        Failure::Input(format!("{}: {why}", self.path.display()))
    }

    /// Compares every section of an index file with its checksum. FPS text has none.
    pub fn verify(&self) -> Result<(), Failure> {
        let Source::Mapped { file, layout } = &self.source else { return Ok(()) };
        let damaged = layout.damaged(file);
        if !damaged.is_empty() {
            return Err(self.wrong(&format!("is damaged: wrong checksum of {}", damaged.join(", "))));
        }
        self.indexes()?;
        match (0..self.len()).into_par_iter().find_first(|&row| self.id(row).is_err()) {
            Some(row) => Err(self.wrong(&format!("is damaged: the id of row {row} is no text"))),
            None => Ok(()),
        }
    }

    /// A checksum of all rows and ids.
    pub fn checksum(&self) -> Result<u32, Failure> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(self.bytes());
        for row in 0..self.len() {
            crc.update(self.id(row)?.as_bytes());
            crc.update(b"\n");
        }
        Ok(crc.finalize())
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.images().len()
    }

    /// Writes an index file of these rows and `more`. Small segments at the end are merged with
    /// `more`.
    pub fn write(
        &self,
        more: Option<&Database>,
        write: impl FnOnce(&Content) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let sets: Vec<&Database> = [Some(self), more].into_iter().flatten().collect();
        let mut images: Vec<_> = self.images();
        let mut bytes = Vec::new();
        let mut merged = Vec::new();
        if let Some(more) = more {
            // Segments at the end that are not larger than all rows after them.
            let mut tail = more.len();
            while let Some(&(_, rows)) = images.last()
                && rows <= tail
                && rows + tail <= SEGMENT
            {
                tail += rows;
                images.pop();
            }
            if tail == more.len() {
                images.extend(more.images());
            } else {
                let kept: usize = images.iter().map(|(_, rows)| rows).sum();
                let row = self.bits().div_ceil(8);
                bytes.extend_from_slice(&self.bytes()[row * kept..]);
                bytes.extend_from_slice(more.bytes());
                merged.push(Image::build(fps::rows(&bytes, self.bits(), 0..tail)?)?);
                images.extend(merged.iter().map(|image| (image.bytes(), image.rows)));
            }
        }
        let (mut ends, mut end) =
            (Vec::with_capacity(size_of::<u64>() * sets.iter().map(|set| set.len()).sum::<usize>()), 0);
        let mut ids = Vec::new();
        for set in &sets {
            for row in 0..set.len() {
                end += set.id(row)?.len() as u64;
                ends.extend(end.to_le_bytes());
            }
            ids.push(match &set.source {
                Source::Built { set, .. } => set.ids().0.as_bytes(),
                Source::Mapped { file, layout } => layout.others()[2].of(file),
            });
        }
        let rows = sets.iter().map(|set| set.bytes()).collect();
        let header = match more {
            Some(more) => self.header().joined(&more.header()),
            None => self.header(),
        };
        write(&Content { bits: self.bits(), images, rows, ends, ids, header: header.text().into_bytes() })
    }
}

/// Ranges of rows for segments.
fn segments(rows: Range<usize>) -> Vec<Range<usize>> {
    rows.clone().step_by(SEGMENT).map(|first| first..rows.end.min(first + SEGMENT)).collect()
}

fn mapped_id<'a>(file: &'a [u8], layout: &Layout, row: usize) -> Option<&'a str> {
    let [_, ends, ids, _] = layout.others();
    let ends = ends.of(file).as_chunks::<{ size_of::<u64>() }>().0;
    let end = |row: usize| usize::try_from(u64::from_le_bytes(*ends.get(row)?)).ok();
    let start = if row == 0 { 0 } else { end(row - 1)? };
    str::from_utf8(ids.of(file).get(start..end(row)?)?).ok()
}

/// An index file, or `None` if the file is none.
fn mapped(path: &Path) -> Result<Option<(Mmap, Layout)>, Failure> {
    let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::OutOfMemory => Failure::Job(format!("out of memory: {} cannot be mapped", path.display())),
        _ => wrong(error.to_string()),
    };
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    // A pipe can be opened once only: closing it would take its first bytes away.
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(unread)?;
    let mut head = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head).map_err(unread)?;
    if head != MAGIC {
        return Ok(None);
    }
    // SAFETY: index files are replaced by renaming, not changed. If another program does change
    // the file, searches return wrong rows; if it truncates the file, the process ends with a message.
    let file = unsafe { Mmap::map(&file) }.map_err(unread)?;
    signals::name_mapped(&file, path.display().to_string());
    let layout = file::Layout::read(&file).map_err(wrong)?;
    Ok(Some((file, layout)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Opening a pipe waits for its writer, and closing it again loses its first bytes.
    #[test]
    fn a_pipe_is_not_opened_to_look_for_an_index() {
        let path = std::env::temp_dir().join(format!("hotloops-pipe-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (send, receive) = mpsc::channel();
        let pipe = path.clone();
        std::thread::spawn(move || send.send(Database::mapped(&pipe).is_ok_and(|found| found.is_none())));
        let is_none = receive.recv_timeout(Duration::from_secs(20));
        fs::remove_file(&path).unwrap();
        assert_eq!(is_none, Ok(true));
    }
}
