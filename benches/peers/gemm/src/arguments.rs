//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::error::{Error, ErrorKind};
use clap::{CommandFactory, Parser, ValueEnum};

use crate::cells::{self, Cell, Group};

/// A size that a walk varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// Only walks over m
    M,
    /// Only walks over n
    N,
    /// Only walks over k
    K,
}

/// Times hotloops against other libraries.
#[derive(Parser)]
pub struct Arguments {
    /// Types and parts to run; without a type both, without a part all up to `sums`
    words: Vec<Word>,
    /// Only cells whose name has this in it, such as `512x512x512 NT`
    #[arg(long)]
    cell: Option<String>,
    /// A library with the C interface of BLAS
    #[arg(long, default_values = ["libopenblas.so.0", "libblis.so.4"])]
    pub blas: Vec<String>,
    /// libxsmm as a shared library
    #[arg(long, default_value = "libxsmm.so")]
    pub xsmm: String,
    /// For a row of a table [default: 0.5, 0.03 for a size of walk, 0.1 for a shape of heat]
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,
    /// A directory for the pictures of heat
    #[arg(long)]
    pub svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    F32,
    F64,
    Size(Axis),
    Cells(Group),
    Sums,
    Walk,
    Heat,
    Threads,
    Epilogues,
}

/// Words select among those of their kind.
#[derive(PartialEq, Eq)]
enum Kind {
    Type,
    Size,
    Part,
}

impl Word {
    fn kind(self) -> Kind {
        match self {
            Word::F32 | Word::F64 => Kind::Type,
            Word::Size(_) => Kind::Size,
            _ => Kind::Part,
        }
    }

    /// Whether it holds if no word of its kind is given.
    fn is_default(self) -> bool {
        !matches!(self, Word::Walk | Word::Heat | Word::Threads | Word::Epilogues)
    }
}

impl ValueEnum for Word {
    fn value_variants<'a>() -> &'a [Self] {
        use Word::*;
        &[
            F32,
            F64,
            Cells(Group::Squares),
            Cells(Group::Odd),
            Cells(Group::Transposed),
            Cells(Group::Strides),
            Cells(Group::Thin),
            Cells(Group::Real),
            Sums,
            Walk,
            Size(Axis::M),
            Size(Axis::N),
            Size(Axis::K),
            Heat,
            Threads,
            Epilogues,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = |name, help| Some(PossibleValue::new(name).help(help));
        match self {
            Word::F32 => Some(PossibleValue::new("f32")),
            Word::F64 => Some(PossibleValue::new("f64")),
            Word::Cells(group) => group.to_possible_value(),
            Word::Sums => help("sums", "Sums and dot products"),
            Word::Walk => help("walk", "Sizes at which hotloops is slower than at sizes nearby"),
            Word::Size(axis) => axis.to_possible_value(),
            Word::Heat => help("heat", "Ratios to the strongest library over m and n, for k = 64 and 1024"),
            Word::Threads => help("threads", "Products on two threads"),
            Word::Epilogues => help("epilogues", "The price of a bias and ReLU"),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|error| format!("{error}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| format!("{error}"))
}

impl Arguments {
    /// The arguments of the process. Ends it if they are wrong.
    pub fn read() -> Self {
        let arguments = Self::parse();
        arguments.check().unwrap_or_else(|error| error.exit());
        arguments
    }

    fn check(&self) -> Result<(), Error> {
        let fail = |kind, text: &str| Err(Self::command().error(kind, text));
        let has = |word| self.words.contains(&word);
        if self.words.iter().any(|word| word.kind() == Kind::Size) && !has(Word::Walk) {
            return fail(ErrorKind::MissingRequiredArgument, "m, n and k need the part `walk`");
        }
        if self.svg.is_some() && !has(Word::Heat) {
            return fail(ErrorKind::MissingRequiredArgument, "--svg needs the part `heat`");
        }
        if let Some(path) = self.svg.as_deref().filter(|path| !path.is_dir()) {
            return fail(ErrorKind::InvalidValue, &format!("--svg: `{}` is not a directory", path.display()));
        }
        if let Some(part) = self.cell.as_deref()
            && self.cells().is_empty()
            && self.symmetric_cells().is_empty()
        {
            return fail(ErrorKind::InvalidValue, &format!("no cell of these parts has `{part}` in its name"));
        }
        Ok(())
    }

    pub fn wants(&self, word: Word) -> bool {
        let mut alike = self.words.iter().filter(|other| other.kind() == word.kind()).peekable();
        match alike.peek() {
            None => word.is_default(),
            Some(_) => alike.any(|other| *other == word),
        }
    }

    fn wants_cell(&self, group: Group, cell: &Cell) -> bool {
        self.wants(Word::Cells(group)) && self.cell.as_ref().is_none_or(|part| cell.to_string().contains(part))
    }

    pub fn cells(&self) -> Vec<Cell> {
        cells::all().into_iter().filter(|(group, cell)| self.wants_cell(*group, cell)).map(|(_, cell)| cell).collect()
    }

    pub fn symmetric_cells(&self) -> Vec<Cell> {
        cells::symmetric().into_iter().filter(|cell| self.wants_cell(Group::Real, cell)).collect()
    }

    /// Whether a part without named cells is wanted.
    pub fn wants_part(&self, word: Word) -> bool {
        self.wants(word) && self.cell.is_none()
    }

    /// Time for a row, by default `seconds`.
    pub fn budget(&self, seconds: f64) -> Duration {
        self.seconds.unwrap_or(Duration::from_secs_f64(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, Error> {
        let arguments = Arguments::try_parse_from(["gemm"].into_iter().chain(line.split_whitespace()))?;
        arguments.check().map(|()| arguments)
    }

    fn message(line: &str) -> String {
        read(line).err().expect("an error").to_string()
    }

    #[test]
    fn words_select_among_their_kind() {
        let all = read("").unwrap();
        assert!(all.wants(Word::F32) && all.wants(Word::F64) && all.wants(Word::Sums));
        assert!(all.wants(Word::Cells(Group::Real)) && !all.wants(Word::Walk) && !all.wants(Word::Heat));
        let walk = read("walk f64 k").unwrap();
        assert!(walk.wants(Word::Walk) && walk.wants(Word::F64) && walk.wants(Word::Size(Axis::K)));
        assert!(!walk.wants(Word::F32) && !walk.wants(Word::Size(Axis::M)) && !walk.wants(Word::Sums));
        assert!(read("walk").unwrap().wants(Word::Size(Axis::M)));
    }

    #[test]
    fn errors_name_the_argument() {
        assert!(message("wallk").contains("'walk'"));
        assert!(message("f16").contains("f32"));
        assert!(message("f32 m").contains("`walk`"));
        assert!(message("threads --svg src").contains("`heat`"));
        assert!(message("heat --svg nowhere").contains("`nowhere`") && read("heat --svg src").is_ok());
        assert!(message("squares --cell 9x9x9").contains("`9x9x9`"));
        assert!(message("--seconds=-1").contains("--seconds"));
        assert!(message("--seconds soon").contains("soon"));
    }
}
