//! The devices of a job, as its caller chooses them.

use std::fmt;
use std::str::FromStr;

use crate::device::{Device, Form};
use crate::error::Error;
use crate::queue::Queue;
use crate::selftest;

/// Where to run kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    #[default]
    Cpu,
    /// GPUs if there are any, else the CPU.
    Auto,
    /// All GPUs, or all devices if none is one.
    All,
    /// One device, by its number.
    Number(usize),
}

/// The devices of a choice, open.
pub struct Opened {
    /// Empty for the CPU.
    pub queues: Vec<Queue>,
    /// Why [`Choice::Auto`] takes the CPU, for a note to the user.
    pub note: Option<String>,
}

impl Choice {
    /// Opens the devices, each with its self-test. Processes that share a machine divide several devices among them:
    /// with its number among them as `rank`, each has one.
    ///
    /// # Errors
    /// Fails if a device that is wanted cannot be opened, and unless [`Choice::All`] finds one. [`Choice::Auto`] takes
    /// the CPU instead.
    pub fn open(self, rank: Option<usize>) -> Result<Opened, Error> {
        let opened = match self {
            Choice::Cpu => return Ok(Opened { queues: Vec::new(), note: None }),
            Choice::Number(number) => Device::numbered(number).map(|device| vec![device]),
            Choice::All => Device::all().map(|devices| own(devices, rank)),
            // On a CPU, the library's kernels are faster than those that OpenCL compiles for it.
            Choice::Auto => Device::all().map(|devices| own(devices, rank).into_iter().filter(is_gpu).collect()),
        };
        match opened.and_then(|devices| devices.iter().map(selftest::open).collect::<Result<Vec<_>, _>>()) {
            Ok(queues) if queues.is_empty() => Ok(Opened { queues, note: Some("there is no GPU".to_owned()) }),
            Ok(queues) => Ok(Opened { queues, note: None }),
            Err(error) if self == Choice::Auto => Ok(Opened { queues: Vec::new(), note: Some(error.to_string()) }),
            Err(error) => Err(error),
        }
    }
}

fn is_gpu(device: &Device) -> bool {
    device.form == Form::Gpu
}

/// The GPUs, or all devices if none is one; of several processes, the one that this one takes.
fn own(devices: Vec<Device>, rank: Option<usize>) -> Vec<Device> {
    let has_gpu = devices.iter().any(is_gpu);
    let mut all: Vec<Device> = devices.into_iter().filter(|device| is_gpu(device) || !has_gpu).collect();
    match rank {
        None => all,
        Some(rank) => vec![all.swap_remove(rank % all.len())],
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "cpu" => Ok(Choice::Cpu),
            "auto" => Ok(Choice::Auto),
            "all" => Ok(Choice::All),
            _ => match word.parse() {
                Ok(number) if word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Choice::Number(number)),
                _ => Err("expected cpu, auto, all, or a number that `hotloops devices` lists".to_owned()),
            },
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Cpu => f.write_str("cpu"),
            Choice::Auto => f.write_str("auto"),
            Choice::All => f.write_str("all"),
            Choice::Number(number) => write!(f, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for choice in [Choice::Cpu, Choice::Auto, Choice::All, Choice::Number(7)] {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for word in ["", "+1", "-1", "gpu", "CPU", "1.0", "99999999999999999999999"] {
            assert!(word.parse::<Choice>().is_err(), "{word}");
        }
    }
}
