//! Work that the processes of `mpirun` share, the ranks. Each job of the command uses this module,
//! also in a process without others; only `cluster/mpi.rs` speaks to MPI (feature `mpi`).
//!
//! [`Cluster::share`] hands out units of work: rank 0 distributes them to the threads of all ranks, its
//! own included, and receives the results. A rank asks for units before its threads run out of them,
//! so it does not wait. [`Cluster::gather`], [`Cluster::broadcast`] and [`Cluster::trade`] are for work
//! whose parts depend on each other. All ranks call these functions in the same order.
//!
//! No rank waits in MPI, which would keep a core busy: one thread of each rank probes for messages and
//! sleeps meanwhile, for a fraction of the time that it has waited.
//!
//! If a process fails or dies, `mpirun` ends all others and names the rank. MPI without its
//! fault-tolerance extension offers no more: with `orte_enable_recovery`, Open MPI 4 lets the other
//! ranks continue without notice, and rank 0 would wait forever for the dead one. The checkpoint of
//! rank 0 holds all work that was handed in; the same command continues with the rest.

mod collective;
mod desk;
mod introduction;
#[cfg_attr(feature = "mpi", path = "cluster/mpi.rs")]
#[cfg_attr(not(feature = "mpi"), path = "cluster/alone.rs")]
mod link;
mod messages;
pub mod rank;
mod share;
pub mod units;
mod wait;
pub mod wire;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rayon::ThreadPool;

use crate::failure::Failure;
use crate::job::threads;
use link::Link;

/// Call before reporting a failure. If every rank hit it, only rank 0 reports: the others wait 2 s for mpirun to kill
/// them.
pub fn own(failure: Failure) -> Failure {
    const OTHERS_END: Duration = Duration::from_secs(2);
    match (rank::become_first(), failure) {
        (0, failure) => failure,
        (rank, failure) => {
            thread::sleep(OTHERS_END);
            failure.map(|why| format!("rank {rank}: {why}"))
        }
    }
}

/// The processes that work together.
pub struct Cluster {
    /// `None` in a process without others.
    link: Option<Link>,
    /// The tag of the next messages: a rank that is ahead does not disturb the others.
    tag: AtomicI32,
    /// Nanoseconds of the last [`trade`](Self::trade).
    traded: AtomicU64,
}

impl Cluster {
    /// Joins the other processes, if there are any.
    pub fn join() -> Result<Self, Failure> {
        let link = Link::join()?;
        if link.is_none() {
            introduction::check_alone()?;
        }
        rank::set(link.as_ref().map_or(0, Link::rank));
        let cluster = Cluster { link, ..Cluster::of_one() };
        cluster.check_equal()?;
        Ok(cluster)
    }

    /// This process without others.
    pub fn of_one() -> Self {
        Cluster { link: None, tag: AtomicI32::new(0), traded: AtomicU64::new(0) }
    }

    pub fn rank(&self) -> usize {
        self.link.as_ref().map_or(0, Link::rank)
    }

    pub fn ranks(&self) -> usize {
        self.link.as_ref().map_or(1, Link::ranks)
    }

    /// Whether this process writes the output.
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// The threads of this process: as given, or else one of a rank and one per core of a process
    /// without others.
    pub fn threads(&self, given: Option<u16>) -> Option<u16> {
        given.or(self.link.as_ref().map(|_| 1))
    }

    pub fn pool(&self, given: Option<u16>) -> Result<ThreadPool, Failure> {
        threads::pool(self.threads(given))
    }

    /// Refuses standard input, which mpirun gives to rank 0 only.
    pub fn check_input(&self, name: &str, path: &Path) -> Result<(), Failure> {
        match self.link.is_some() && path.as_os_str() == "-" {
            true => {
                Err(Failure::Usage(format!("{name}: the ranks of mpirun cannot share standard input; give a file")))
            }
            false => Ok(()),
        }
    }

    /// The part of `0..count` that belongs to a rank.
    pub fn part_of(&self, rank: usize, count: usize) -> Range<usize> {
        part(rank, self.ranks(), count)
    }

    /// The part of `0..count` that belongs to this rank.
    pub fn part(&self, count: usize) -> Range<usize> {
        self.part_of(self.rank(), count)
    }

    fn next_tag(&self) -> i32 {
        const TAGS: i32 = 1 << 14;
        self.tag.fetch_add(1, Ordering::Relaxed) % TAGS
    }

    /// The rank to whose part an index below `count` belongs.
    pub fn owner(&self, index: usize, count: usize) -> Option<usize> {
        (0..self.ranks()).find(|&rank| self.part_of(rank, count).contains(&index))
    }

    /// Ends a successful job, also one of rank 0 alone. The ranks wait for each other.
    pub fn leave(self) {
        // Before the others wait in MPI, rank 0 has written its files.
        self.broadcast(Vec::new());
        self.link.into_iter().for_each(Link::leave);
    }
}

/// The part of `0..count` that belongs to one of `ranks` ranks.
fn part(rank: usize, ranks: usize, count: usize) -> Range<usize> {
    let at = |rank: usize| (count as u128 * rank as u128 / ranks as u128) as usize;
    at(rank)..at(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_almost_one_size() {
        let cluster = Cluster::of_one();
        assert_eq!((cluster.part(7), cluster.owner(6, 7), cluster.owner(7, 7)), (0..7, Some(0), None));
        for (ranks, count) in [(1, 0), (3, 10), (4, 3), (7, 7), (16, 1000), (5, usize::MAX)] {
            let parts: Vec<_> = (0..ranks).map(|rank| part(rank, ranks, count)).collect();
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranks} ranks");
            assert_eq!((parts[0].start, parts[ranks - 1].end), (0, count), "{ranks} ranks");
            let lengths = || parts.iter().map(ExactSizeIterator::len);
            assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1, "{ranks} ranks");
        }
    }
}
