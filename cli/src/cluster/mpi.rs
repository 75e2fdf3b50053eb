//! Messages between the processes of `mpirun`.

use std::env;
use std::mem::ManuallyDrop;

use mpi::environment::Universe;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use mpi::{Rank, Threading};

use super::wait::Wait;
use crate::failure::Failure;

/// Environment variables that launchers set: Open MPI, MPICH and its derivatives, Slurm and others
/// with PMIx.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];

/// Variables in which launchers give the number of processes; the first one counts.
pub const SIZES: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
pub const WHY_ALONE: &str = "MPI does not connect them; start them by the mpirun of the MPI that the command was built \
                             with, or by srun with an option that this MPI supports, such as --mpi=pmix";

/// Keeps Open MPI from looking for networks, which takes 0.3 s, where all ranks are on one machine. A choice of the
/// user stays.
///
/// # Safety
/// No other thread uses the environment.
unsafe fn skip_networks() {
    const TRANSPORT: &str = "OMPI_MCA_pml";
    let here = env::var_os("OMPI_COMM_WORLD_LOCAL_SIZE");
    if here.is_some() && here == env::var_os("OMPI_COMM_WORLD_SIZE") && env::var_os(TRANSPORT).is_none() {
        // SAFETY: the caller's contract.
        unsafe { env::set_var(TRANSPORT, "ob1") };
    }
}

/// The connection to the other processes.
pub struct Link {
    /// A process that ends without [`Link::leave`] has failed. It must not wait for the others, as
    /// MPI_Finalize would.
    universe: ManuallyDrop<Universe>,
    rank: usize,
    ranks: usize,
}

impl Link {
    /// Joins the other processes. `None` if there are none.
    pub fn join() -> Result<Option<Self>, Failure> {
        if LAUNCHED.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(None);
        }
        // SAFETY: the command joins before it starts threads; the thread that started this one waits for its end.
        unsafe { skip_networks() };
        // Threads take turns: only one shares work at a time, but not always the same one.
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).expect("MPI is initialised only here");
        let (rank, ranks) = (universe.world().rank() as usize, universe.world().size() as usize);
        let link = Link { universe: ManuallyDrop::new(universe), rank, ranks };
        if ranks == 1 {
            link.leave();
            return Ok(None);
        }
        match threading >= Threading::Serialized {
            true => Ok(Some(link)),
            false => {
                Err(Failure::Job("this MPI does not support processes with threads (MPI_THREAD_SERIALIZED)".to_owned()))
            }
        }
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// A message that has arrived, and the rank that sent it.
    pub fn receive(&self, tag: i32) -> Option<(usize, Vec<u8>)> {
        let (message, status) = SimpleCommunicator::world().any_process().immediate_matched_probe_with_tag(tag)?;
        let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
        request::scope(|scope| {
            let mut request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
            // The sender of a long message may sleep before it sends more.
            let mut wait = Wait::new();
            while let Err(unfinished) = request.test() {
                request = unfinished;
                wait.sleep();
            }
        });
        Some((status.source_rank() as usize, bytes))
    }

    /// Sends messages. Calls `meanwhile` again and again until all of them are on their way.
    pub fn send(&self, messages: &[(usize, &[u8])], tag: i32, meanwhile: &mut dyn FnMut()) {
        let world = SimpleCommunicator::world();
        request::multiple_scope(messages.len(), |scope, requests| {
            for &(rank, bytes) in messages {
                let to = world.process_at_rank(rank as Rank);
                requests.add(to.immediate_send_with_tag(scope, bytes, tag));
            }
            let mut sent = Vec::new();
            while !requests.test_all(&mut sent) {
                meanwhile();
            }
        });
    }

    /// Ends MPI. The ranks wait for each other.
    pub fn leave(self) {
        drop(ManuallyDrop::into_inner(self.universe));
    }
}
