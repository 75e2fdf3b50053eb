//! The option `--device`: where the kernels of a job run.

use hotloops_gpu::{Choice, Error, Opened, Queue};

use crate::cluster::Cluster;
use crate::failure::{Failure, say};

#[derive(clap::Args)]
pub struct Argument {
    /// Run the kernels on OpenCL devices: cpu, auto, all, or a number of `hotloops devices`. `auto` takes all GPUs, or
    /// the CPU if there is none. The output is the same
    #[arg(long, value_name = "DEVICE", default_value = "cpu", allow_negative_numbers = true)]
    device: Choice,
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
        let rank = if cluster.ranks() == 1 { None } else { Some(rank_of_node(cluster)) };
        match self.device.open(rank) {
            Ok(Opened { queues, note }) => {
                note.into_iter().for_each(|why| note_of_auto(&why));
                Ok(queues)
            }
            Err(error @ Error::NoSuchDevice { .. }) => Err(Failure::Usage(format!("--device: {error}"))),
            Err(error) => Err(Failure::Job(self.refusal(&error.to_string()))),
        }
    }

    /// The same for a job that devices may not be able to do, for a reason.
    pub fn open_if(&self, cluster: &Cluster, unfit: Option<String>) -> Result<Vec<Queue>, Failure> {
        match (self.device, unfit) {
            (Choice::Auto, Some(why)) => {
                note_of_auto(&why);
                Ok(Vec::new())
            }
            (Choice::Cpu, _) | (_, None) => self.open(cluster),
            (_, Some(why)) => Err(Failure::Usage(self.refusal(&why))),
        }
    }

    fn refusal(&self, why: &str) -> String {
        format!("--device {}: {why}", self.device)
    }
}

fn note_of_auto(why: &str) {
    say(format_args!("hotloops: --device auto: {why}; the CPU runs the kernels"));
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Library(error) => error.into(),
            error => Failure::Job(format!("--device: {error}")),
        }
    }
}

/// The number of this rank among those of its machine, as launchers tell it.
fn rank_of_node(cluster: &Cluster) -> usize {
    let names = ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];
    let told = names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok());
    told.unwrap_or(cluster.rank())
}
