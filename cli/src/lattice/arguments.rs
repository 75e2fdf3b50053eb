//! The arguments of the job.

use std::path::PathBuf;

use crate::device;
use crate::ising::choices::FlipRule;
use crate::whole::whole;

/// Sample one large square Ising lattice at some temperatures: energy, magnetisation and their fluctuations
///
/// SIZE spins s = +1 or -1 with periodic boundaries and the energy E = - J sum s s' over nearest neighbours: J = 1, or
/// J = -1 with --antiferromagnet. There is no field. (`hotloops ising` samples any couplings and fields, from a file.)
/// Each temperature has a lattice of its own, which is visited --sweeps times: all even sites, then all odd ones,
/// with random numbers from the counter-based generator Philox4x32-10. The page of hotloops::ising::SquareLattice
/// defines every bit of it.
///
/// All threads sweep one lattice, or several if there are more temperatures than large lattices need; with
/// --device, each device has a lattice of its own.
///
/// Standard errors come from the autocorrelation of the series (window of Wolff 2004). A mean without a reliable error
/// is reported as not converged, with the reason. Near the critical point, beta = ln(1 + sqrt 2) / 2 = 0.440687, the
/// autocorrelation time grows as the square of the size.
///
/// Results and files depend only on the arguments, not on the number of threads, the instruction set, devices or
/// interruptions; only the text names the time.
#[derive(clap::Args)]
#[command(after_help = "Means per spin, with N spins, after the warm-up:\n  \
    E      energy_per_spin = <E> / N\n  \
    |m|    absolute_magnetisation = <|m|>, with m = sum s / N; of an antiferromagnet the staggered one,\n         \
    in which the spins of odd sites count as -s\n  \
    C      heat_capacity = beta^2 (<E^2> - <E>^2) / N\n  \
    chi    susceptibility = beta N (<m^2> - <|m|>^2)\n  \
    U_m    binder_cumulant = 1 - <m^4> / (3 <m^2>^2)\n  \
    tau    integrated autocorrelation time, in sweeps\n\n\
    Example:\n  hotloops lattice 1024x1024 --betas 0.40,0.44,0.48 --sweeps 10000 --checkpoint tc.checkpoint")]
pub struct Arguments {
    /// ROWSxCOLUMNS, both even, such as 4096x4096; one number for a square
    #[arg(value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub(super) size: Size,

    /// Inverse temperatures, each with a lattice and a random stream of its own
    #[arg(long, value_name = "B1,B2,..", value_delimiter = ',', value_parser = positive, required = true,
        allow_negative_numbers = true)]
    pub(super) betas: Vec<f64>,

    /// Favour opposite neighbours: the coupling J = -1
    #[arg(long)]
    pub(super) antiferromagnet: bool,

    /// Number of sweeps (visits of each spin) [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) sweeps: Option<u64>,

    /// Sweeps between measurements; the end is measured as well [default: 10]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) every: Option<u64>,

    /// Equilibration: initial sweeps that the means exclude [default: a fifth of --sweeps]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) warm_up: Option<u64>,

    /// Spins before the first sweep
    #[arg(long, value_enum, default_value_t)]
    pub(super) start: Start,

    /// Acceptance probability of a spin flip
    #[arg(long, value_enum, default_value_t)]
    pub(super) acceptance: FlipRule,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    pub(super) seed: u32,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub(super) device: device::Argument,

    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,

    /// Write the time series, one line per measurement and model. A line has sweep, beta, energy and magnetisation,
    /// both per spin; the magnetisation has a sign, and is the staggered one of an antiferromagnet
    #[arg(long, value_name = "FILE")]
    pub(super) series: Option<PathBuf>,

    /// Write the final spins for numpy (.npy): +1 or -1 as int8, an array of temperatures x rows x columns
    #[arg(long = "final", value_name = "FILE")]
    pub(super) spins: Option<PathBuf>,

    /// Save finished work to FILE; continue from FILE if it exists. It is saved periodically, when interrupted, and at
    /// the end. A run continues with the same options, or with more --sweeps if it ended at a multiple of --every; its
    /// means still begin after the first run's warm-up, unless --warm-up is given
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,

    /// Seconds between checkpoints [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "checkpoint",
        value_parser = whole::<u32>(0..=1_000_000), allow_negative_numbers = true)]
    pub(super) checkpoint_seconds: Option<u32>,
}

/// Spins of a lattice before its first sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub enum Start {
    /// A ground state: equal spins, of an antiferromagnet alternating ones
    #[default]
    Ordered,
    /// Independent random spins
    Random,
}

#[derive(Clone, Copy, Default, PartialEq, clap::ValueEnum)]
pub enum Form {
    /// A table to read
    #[default]
    Text,
    /// All figures as JSON
    Json,
    /// A line for each temperature
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub rows: usize,
    pub columns: usize,
}

/// Maximum number of blocks of 8 rows and 128 columns, which the generator counts in 32 bits.
const MAX_BLOCKS: u128 = 1 << 32;

fn size(word: &str) -> Result<Size, String> {
    let number = |word: &str| {
        let value = word.parse::<usize>().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()));
        value.ok_or("expected ROWSxCOLUMNS, two even numbers such as 4096x4096, or one for a square")
    };
    let (rows, columns) = word.split_once(['x', 'X']).unwrap_or((word, word));
    let size = Size { rows: number(rows)?, columns: number(columns)? };
    for (name, value) in [("rows", size.rows), ("columns", size.columns)] {
        if value == 0 || value % 2 != 0 {
            return Err(format!(
                "{value} {name}: expected an even number from 2, such as {}",
                (value + value % 2).max(2)
            ));
        }
    }
    let blocks = size.rows.div_ceil(8) as u128 * size.columns.div_ceil(128) as u128;
    if blocks > MAX_BLOCKS {
        return Err("expected at most 2^32 blocks of 8 rows and 128 columns, such as 2097152x2097152".to_owned());
    }
    Ok(size)
}

fn positive(word: &str) -> Result<f64, String> {
    match word.trim().parse::<f64>() {
        Ok(value) if (1e-30..=1e30).contains(&value) => Ok(value),
        _ => Err("expected positive numbers from 1e-30 to 1e30, such as 0.4,0.44".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_even_numbers() {
        assert_eq!(size("4096x128"), Ok(Size { rows: 4096, columns: 128 }));
        assert_eq!(size("6"), Ok(Size { rows: 6, columns: 6 }));
        assert!(size("2097152x2097152").is_ok());
        for (word, message) in [
            ("", "expected ROWSxCOLUMNS"),
            ("x", "expected ROWSxCOLUMNS"),
            ("4x4x4", "expected ROWSxCOLUMNS"),
            ("-4x4", "expected ROWSxCOLUMNS"),
            ("+4x4", "expected ROWSxCOLUMNS"),
            ("5x4", "5 rows: expected an even number from 2, such as 6"),
            ("4x7", "7 columns: expected an even number from 2, such as 8"),
            ("0x4", "0 rows: expected an even number from 2"),
            ("2097160x2097152", "expected at most 2^32 blocks"),
            ("18446744073709551614", "expected at most 2^32 blocks"),
        ] {
            assert!(size(word).is_err_and(|found| found.starts_with(message)), "{word}: {:?}", size(word));
        }
    }
}
