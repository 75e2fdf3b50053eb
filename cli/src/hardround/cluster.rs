//! The search by the processes of `mpirun`: rank 0 distributes units and stores the cases, the
//! other ranks search.
//!
//! Each thread of the other ranks asks for some units, as many as it searches in [`BATCH`]. Before it
//! searches them, it asks for the next ones and hands in the cases of the last ones, so it does not
//! wait for rank 0. If a process fails or dies, `mpirun` ends all others and names the rank. MPI without its
//! fault-tolerance extension offers no more: with `orte_enable_recovery`, Open MPI 4 lets the other
//! ranks continue without notice, and rank 0 would wait forever for the units of the dead rank. The
//! checkpoint of rank 0 holds all units that were handed in; the same command continues with the
//! rest.
//!
//! ```text
//! request  the number of units wanted (0 if it is the thread's last message), then of each unit
//!          handed in: its number, how many words follow, the words of what was found (u64 each)
//! reply    first and end of consecutive units (u64 each), or nothing if all are handed out
//! ```

use std::env;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hotloops_hardround::{Algorithm, Found};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Rank, Threading};

use super::io::{HandIn, Plan, reserve};
use crate::failure::Failure;

/// Environment variables that launchers set: Open MPI, MPICH and its derivatives, Slurm and others
/// with PMIx.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];

/// Time between two requests of a thread.
const BATCH: Duration = Duration::from_millis(100);

/// Time between two probes for a request. A blocking probe would keep a core busy. Threads do not
/// wait for the reply, so it may take a part of [`BATCH`].
const MIN_WAIT: Duration = Duration::from_micros(20);
const MAX_WAIT: Duration = Duration::from_millis(10);

/// The number of units that take [`BATCH`] if the last `count` units took `time`. It at most
/// doubles, so that a few fast units do not lead to a long batch.
fn wanted(count: u64, time: Duration) -> u64 {
    let units = count as f64 * BATCH.as_secs_f64() / time.as_secs_f64().max(1e-9);
    (units as u64).clamp(1, 2 * count)
}

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
        let mut wait = MIN_WAIT;
        let mut next = units.next();
        while asking > 0 {
            let Some(status) = world.any_process().immediate_probe() else {
                thread::sleep(wait);
                wait = MAX_WAIT.min(2 * wait);
                continue;
            };
            wait = MIN_WAIT;
            let rank = world.process_at_rank(status.source_rank());
            let (request, _) = rank.receive_vec::<u64>();
            let (&wanted, mut handed_in) = request.split_first().expect("a request has a number of units");
            if wanted == 0 {
                asking -= 1;
            } else {
                let start = next;
                let mut end = start.unwrap_or(0);
                while next == Some(end) && end - start.unwrap_or(0) < wanted {
                    end += 1;
                    next = units.next();
                }
                // So short a message is sent at once; a longer one may wait until it is received.
                rank.send(start.map(|start| [start, end]).as_slice().as_flattened());
            }
            while let [unit, count, rest @ ..] = handed_in {
                let (words, more) = rest.split_at(*count as usize);
                hand_in(*unit, Found::from_words(words).expect("a rank sends what it found"))?;
                handed_in = more;
            }
        }
        Ok(())
    }

    /// Searches the units that rank 0 distributes, until none are left.
    pub fn search(&self, plan: &Plan, units: &Range<u64>, algorithm: Algorithm) -> Result<(), Failure> {
        const LEADER: Rank = 0;
        let one_at_a_time = Mutex::new(());
        let ask = |request: &[u64]| {
            let _turn = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            SimpleCommunicator::world().process_at_rank(LEADER).send(request);
        };
        // Threads may swap replies: each gets as many as it asked for.
        let receive = || {
            let _turn = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            SimpleCommunicator::world().process_at_rank(LEADER).receive_vec::<u64>().0
        };
        let thread = || {
            let mut request = vec![1];
            ask(&request);
            loop {
                let [start, end] = receive()[..] else {
                    request[0] = 0;
                    ask(&request);
                    return Ok(());
                };
                ask(&request);
                let begun = Instant::now();
                request.truncate(1);
                for unit in start..end {
                    let found = plan.search_checked(units, unit, algorithm)?;
                    reserve(&mut request, 2 + found.words_len())?;
                    request.extend([unit, found.words_len() as u64]);
                    request.extend(found.words());
                }
                request[0] = wanted(end - start, begun.elapsed());
            }
        };
        rayon::broadcast(|_| thread()).into_iter().collect()
    }

    /// Ends MPI after a successful search. The ranks wait for each other.
    pub fn leave(self) {
        drop(ManuallyDrop::into_inner(self.universe));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_to_their_time_and_never_vanish() {
        assert_eq!(wanted(1, Duration::ZERO), 2);
        assert_eq!(wanted(8, BATCH / 100), 16);
        assert_eq!(wanted(8, BATCH / 2), 16);
        assert_eq!(wanted(12, 2 * BATCH), 6);
        assert_eq!(wanted(3, 100 * BATCH), 1);
    }
}
