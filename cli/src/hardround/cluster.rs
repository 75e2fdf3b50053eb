//! The search by the processes of `mpirun`: rank 0 distributes units and stores the cases, the
//! other ranks search.
//!
//! Each thread of the other ranks asks for a unit, and hands in its cases when it asks for the next
//! one. If a process fails or dies, `mpirun` ends all others and names the rank. MPI without its
//! fault-tolerance extension offers no more: with `orte_enable_recovery`, Open MPI 4 lets the other
//! ranks continue without notice, and rank 0 would wait forever for the unit of the dead rank. The
//! checkpoint of rank 0 holds all units that were handed in; the same command continues with the
//! rest.

use std::env;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hotloops_hardround::{Algorithm, Plan};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Rank, Threading};

use super::io::HandIn;
use crate::failure::Failure;

/// Environment variables that launchers set: Open MPI, MPICH and its derivatives, Slurm and others
/// with PMIx.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];

/// Several processes that search together.
pub struct Cluster {
    /// A process that ends without [`Cluster::leave`] has failed. It must not wait for the others,
    /// as MPI_Finalize would.
    universe: ManuallyDrop<Universe>,
    /// Threads of each searching rank.
    threads: usize,
}

impl Cluster {
    /// Joins the other processes. `None` if there are none.
    pub fn join(threads: usize) -> Result<Option<Self>, Failure> {
        if LAUNCHED.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(None);
        }
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Serialized).expect("MPI is initialised only here");
        let cluster = Cluster { universe: ManuallyDrop::new(universe), threads };
        if cluster.universe.world().size() == 1 {
            cluster.leave();
            return Ok(None);
        }
        match threading >= Threading::Serialized {
            true => Ok(Some(cluster)),
            false => {
                Err(Failure::Job("this MPI does not support processes with threads (MPI_THREAD_SERIALIZED)".to_owned()))
            }
        }
    }

    pub fn leads(&self) -> bool {
        self.universe.world().rank() == 0
    }

    /// Distributes the units to the other ranks and passes their cases to `hand_in`.
    pub fn hand_out(&self, units: &mut dyn Iterator<Item = u64>, hand_in: HandIn) -> Result<(), Failure> {
        let world = self.universe.world();
        let mut asking = self.threads * (world.size() - 1) as usize;
        while asking > 0 {
            // A blocking probe would keep a core busy.
            let Some(status) = world.any_process().immediate_probe() else {
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            let rank = world.process_at_rank(status.source_rank());
            let (handed_in, _) = rank.receive_vec::<u64>();
            if let Some((&unit, cases)) = handed_in.split_first() {
                hand_in(unit, cases.to_vec())?;
            }
            let next = units.next();
            asking -= usize::from(next.is_none());
            rank.send(next.as_slice());
        }
        Ok(())
    }

    /// Searches the units that rank 0 distributes, until none are left.
    pub fn search(&self, plan: &Plan, algorithm: Algorithm) -> Result<(), Failure> {
        const LEADER: Rank = 0;
        let one_at_a_time = Mutex::new(());
        let ask = |handed_in: &[u64]| {
            let _turn = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            let world = SimpleCommunicator::world();
            let leader = world.process_at_rank(LEADER);
            leader.send(handed_in);
            leader.receive_vec::<u64>().0.first().copied()
        };
        let thread = || {
            let mut handed_in = Vec::new();
            while let Some(unit) = ask(&handed_in) {
                handed_in = plan.search(unit, algorithm)?;
                handed_in.insert(0, unit);
            }
            Ok(())
        };
        rayon::broadcast(|_| thread()).into_iter().collect()
    }

    /// Ends MPI after a successful search. The ranks wait for each other.
    pub fn leave(self) {
        drop(ManuallyDrop::into_inner(self.universe));
    }
}
