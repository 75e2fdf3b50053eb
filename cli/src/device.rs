//! The option `--device`: where the kernels of a job run.

use std::str::FromStr;

use hotloops_gpu::{Device, Error, Form, Queue, selftest};

use crate::cluster::Cluster;
use crate::failure::{Failure, say};

/// Where to run kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Choice {
    #[default]
    Cpu,
    /// GPUs if there are any, else the CPU.
    Auto,
    /// All GPUs, or all devices if none is one.
    All,
    /// One device, by its number in `hotloops devices`.
    Number(usize),
}

#[derive(clap::Args)]
pub struct Argument {
    /// Run the kernels on OpenCL devices: cpu, auto, all, or a number of `hotloops devices`. `auto` takes all GPUs, or
    /// the CPU if there is none. The output is the same
    #[arg(long, value_name = "DEVICE", default_value = "cpu", allow_negative_numbers = true)]
    device: Choice,
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

impl Argument {
    /// The option of a job that describes it in other words.
    pub fn of(device: Choice) -> Self {
        Argument { device }
    }

    /// Whether the CPU alone is wanted.
    pub fn is_cpu(&self) -> bool {
        self.device == Choice::Cpu
    }

    /// Opens the devices of this rank, each with its self-test. None for the CPU. Ranks divide several devices among
    /// them: each rank has one.
    pub fn open(&self, cluster: &Cluster) -> Result<Vec<Queue>, Failure> {
        let devices = match self.device {
            Choice::Cpu => return Ok(Vec::new()),
            Choice::Number(number) => Device::numbered(number).map(|device| vec![device]),
            Choice::All | Choice::Auto => Device::all().map(|devices| own(devices, cluster)),
        };
        let has_wanted = |devices: &Vec<Device>| self.device != Choice::Auto || devices.iter().any(is_gpu);
        let opened = match devices {
            Ok(devices) if has_wanted(&devices) => devices.iter().map(selftest::open).collect(),
            Ok(_) => Err(Error::NoDevice),
            Err(error) => Err(error),
        };
        opened.or_else(|error| match error {
            Error::NoSuchDevice { .. } => Err(Failure::Usage(format!("--device: {error}"))),
            Error::NoDevice if self.device == Choice::Auto => self.none("there is no GPU".to_owned()),
            error => self.none(error.to_string()),
        })
    }

    /// The same for a job that devices may not be able to do, for a reason.
    pub fn open_if(&self, cluster: &Cluster, unfit: Option<String>) -> Result<Vec<Queue>, Failure> {
        match unfit.filter(|_| !self.is_cpu()) {
            Some(why) => self.none(why).map_err(|failure| match failure {
                Failure::Job(why) => Failure::Usage(why),
                failure => failure,
            }),
            None => self.open(cluster),
        }
    }

    /// No device, for a reason: a note if the CPU may do the work.
    fn none(&self, why: String) -> Result<Vec<Queue>, Failure> {
        if self.device != Choice::Auto {
            return Err(Failure::Job(format!("--device {}: {why}", self.device)));
        }
        say(format_args!("hotloops: --device auto: {why}; the CPU runs the kernels"));
        Ok(Vec::new())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Library(error) => error.into(),
            error => Failure::Job(format!("--device: {error}")),
        }
    }
}

fn is_gpu(device: &Device) -> bool {
    device.form == Form::Gpu
}

/// The GPUs, or all devices if none is one; of several ranks, the one that this rank takes.
fn own(devices: Vec<Device>, cluster: &Cluster) -> Vec<Device> {
    let has_gpu = devices.iter().any(is_gpu);
    let all: Vec<Device> = devices.into_iter().filter(|device| is_gpu(device) || !has_gpu).collect();
    match cluster.ranks() {
        1 => all,
        _ => vec![all[rank_of_node(cluster) % all.len()].clone()],
    }
}

/// The number of this rank among those of its machine, as launchers tell it.
fn rank_of_node(cluster: &Cluster) -> usize {
    let names = ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];
    let told = names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok());
    told.unwrap_or(cluster.rank())
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Choice::Cpu => f.write_str("cpu"),
            Choice::Auto => f.write_str("auto"),
            Choice::All => f.write_str("all"),
            Choice::Number(number) => write!(f, "{number}"),
        }
    }
}
