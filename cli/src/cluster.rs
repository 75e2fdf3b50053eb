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
//!
//! ```text
//! request  the number of units wanted, or 2^64 - 1 in the rank's last message, then of each unit handed
//!          in: its number, with bit 63 if it failed, the number of bytes of its result (u64 each), the
//!          result or the failure
//! reply    firsts and ends of ranges of units (u64 each), or nothing if all are handed out; only if
//!          units are wanted
//! ```

#[cfg_attr(feature = "mpi", path = "cluster/mpi.rs")]
#[cfg_attr(not(feature = "mpi"), path = "cluster/alone.rs")]
mod link;
pub mod rank;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crc32fast::Hasher;
use rayon::ThreadPool;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::memory;
use link::Link;

/// Time that the units a thread has in stock take, at most.
const STOCK: Duration = Duration::from_millis(100);
/// Ranks above which a stock takes longer, so that rank 0 receives at most a thousand messages a second.
const MANY_RANKS: usize = 100;
/// Units that are handed out and not taken yet if results are taken in order: as many for each thread, or
/// as many as have results of so many bytes.
const WINDOW: usize = 16;
const WINDOW_BYTES: u64 = 16 << 20;
/// Bytes of results that a rank hands in at once.
const RESULTS: usize = 1 << 20;
/// Maximum number of ranges in a reply. So short a message is on its way at once, whether or not the
/// other rank waits for it.
const RANGES: usize = 64;

/// Time between two probes for a message that a rank needs to go on: the first is as short as the system
/// allows, the next ones are a part of the time waited so far.
const MIN_WAIT: Duration = Duration::from_micros(20);
const PART: u32 = 4;
/// Time between two probes while threads have work: it doubles from the first on.
const WITH_STOCK: Duration = Duration::from_millis(1);
const MAX_WAIT: Duration = Duration::from_millis(10);

/// To be called before a failure is reported. All ranks may have found it: then rank 0 reports it, and
/// mpirun ends the others before they do.
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

static VERSION: &str = concat!("version ", env!("CARGO_PKG_VERSION"), " of hotloops");

/// The version, and a hash of the arguments except --threads, which may differ between machines.
fn introduction(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut hash = Hasher::new();
    while let Some(argument) = arguments.next() {
        let bytes = argument.as_encoded_bytes();
        if bytes == b"--threads" {
            arguments.next();
        } else if !bytes.starts_with(b"--threads=") {
            hash.update(bytes);
            hash.update(b"\0");
        }
    }
    format!("{VERSION}\n{:08x}", hash.finalize())
}

/// Fails if a launcher has started several processes that do not find each other. Each would do the whole job
/// and write the same files.
fn check_alone() -> Result<(), Failure> {
    let size = |name: &&str| std::env::var(name).ok()?.parse::<u64>().ok();
    match link::SIZES.iter().find_map(size) {
        Some(size) if size > 1 => Err(Failure::Job(format!("{size} processes were started, but {}", link::WHY_ALONE))),
        _ => Ok(()),
    }
}

/// The order in which rank 0 takes results.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    Any,
    /// Ascending units.
    Ascending,
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
            check_alone()?;
        }
        rank::set(link.as_ref().map_or(0, Link::rank));
        let cluster = Cluster { link, ..Cluster::of_one() };
        cluster.check_equal()?;
        Ok(cluster)
    }

    /// Fails on rank 0 if a rank runs another version of the command, or with other arguments.
    fn check_equal(&self) -> Result<(), Failure> {
        let Some(link) = &self.link else { return Ok(()) };
        let (tag, own) = (self.next_tag(), introduction(std::env::args_os().skip(1)));
        if !self.leads() {
            send(link, &[(0, own.as_bytes())], tag);
            return Ok(());
        }
        let mut others: Vec<(usize, Vec<u8>)> = (1..self.ranks()).map(|_| wait_for(link, tag)).collect();
        others.sort_unstable();
        let Some((rank, other)) = others.iter().find(|(_, other)| *other != own.as_bytes()) else { return Ok(()) };
        let other = String::from_utf8_lossy(other);
        let version = |text: &str| text.split('\n').next().unwrap_or_default().to_owned();
        Err(match (version(&own), version(&other)) {
            (own, other) if own != other => Failure::Job(format!("rank {rank} runs {other}, but rank 0 runs {own}")),
            _ => Failure::Usage(format!(
                "rank {rank} has other arguments than rank 0; give all ranks the same, except --threads"
            )),
        })
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
        memory::pool(self.threads(given))
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

    /// Does `work` for each of the units, which ascend, on the threads of all ranks. `state` belongs to
    /// a thread. On rank 0, `take` receives the results; the `units` of other ranks are not used.
    pub fn share<S>(
        &self,
        pool: &ThreadPool,
        units: &mut dyn Iterator<Item = u64>,
        order: Order,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, u64) -> Result<Vec<u8>, Failure> + Sync,
        take: Take,
    ) -> Result<(), Failure> {
        let tag = self.next_tag();
        let threads = pool.current_num_threads();
        let desk = Desk::new(threads, STOCK * self.ranks().div_ceil(MANY_RANKS) as u32);
        let (desk, state, work) = (&desk, &state, &work);
        pool.in_place_scope(|scope| {
            for _ in 0..threads {
                scope.spawn(move |_| desk.serve(state, work));
            }
            let _close = Close(desk);
            match &self.link {
                Some(link) if !self.leads() => follow(link, tag, desk),
                link => lead(link.as_ref(), tag, desk, &mut Units::new(units, order, threads, self.ranks()), take),
            }
        })
    }

    /// The messages of all ranks, on rank 0; nothing on others.
    pub fn gather(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(link) = &self.link else { return vec![own] };
        let tag = self.next_tag();
        let mut all = vec![(link.rank(), own)];
        for _ in self.below() {
            let (_, bytes) = wait_for(link, tag);
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (rank, message, after) = framed(rest);
                all.push((rank as usize, message.to_vec()));
                rest = after;
            }
        }
        if link.rank() > 0 {
            let mut bytes = Vec::new();
            all.iter().for_each(|(rank, message)| frame(&mut bytes, *rank as u64, message));
            send(link, &[((link.rank() - 1) / 2, &bytes)], tag);
            return Vec::new();
        }
        all.sort_unstable_by_key(|(rank, _)| *rank);
        all.into_iter().map(|(_, message)| message).collect()
    }

    /// The message of rank 0, on all ranks.
    pub fn broadcast(&self, own: Vec<u8>) -> Vec<u8> {
        let Some(link) = &self.link else { return own };
        let tag = self.next_tag();
        let bytes = if link.rank() > 0 { wait_for(link, tag).1 } else { own };
        let messages: Vec<(usize, &[u8])> = self.below().map(|rank| (rank, &bytes[..])).collect();
        send(link, &messages, tag);
        bytes
    }

    /// The value of rank 0, on all ranks.
    pub fn broadcast_value<T: Serialize + DeserializeOwned>(&self, own: T) -> T {
        match self.ranks() {
            1 => own,
            _ => decoded(&self.broadcast(if self.leads() { encoded(&own) } else { Vec::new() })),
        }
    }

    /// Sends messages to some ranks, and receives one from each of them, which call this too. Does `work`
    /// meanwhile.
    pub fn trade(&self, messages: &[(usize, Vec<u8>)], work: impl FnOnce()) -> Vec<(usize, Vec<u8>)> {
        let tag = self.next_tag();
        let Some(link) = self.link.as_ref().filter(|_| !messages.is_empty()) else {
            work();
            return Vec::new();
        };
        let sent: Vec<(usize, &[u8])> = messages.iter().map(|(rank, message)| (*rank, &message[..])).collect();
        // Half of the last time: each sleep costs some 20 us of CPU time.
        let least = Duration::from_nanos(self.traded.load(Ordering::Relaxed)) / 2;
        let (mut work, mut wait) = (Some(work), Wait::after(least));
        let mut go_on = |received: &mut Vec<_>| match work.take() {
            Some(work) => {
                work();
                wait = Wait::after(least);
            }
            None => match link.receive(tag) {
                Some(message) => received.push(message),
                None => wait.sleep(),
            },
        };
        let mut received = Vec::new();
        link.send(&sent, tag, &mut || go_on(&mut received));
        while received.len() < messages.len() {
            go_on(&mut received);
        }
        self.traded.store(wait.begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        received
    }

    /// The ranks that receive from this one in a broadcast.
    fn below(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, ranks) = (self.rank(), self.ranks());
        [2 * rank + 1, 2 * rank + 2].into_iter().filter(move |&below| below < ranks)
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

/// Takes the result of a unit.
pub type Take<'a> = &'a mut dyn FnMut(u64, Vec<u8>) -> Result<(), Failure>;

/// The number of units wanted in the last message of a rank.
const LAST: u64 = u64::MAX;

/// The bit of a unit whose work has failed. Its result is the failure.
const FAILED: u64 = 1 << 63;

/// A failure as bytes.
fn packed(failure: Failure) -> Vec<u8> {
    let (kind, why) = match failure {
        Failure::Usage(why) => (b'u', why),
        Failure::Input(why) => (b'i', why),
        Failure::Job(why) => (b'j', why),
        Failure::Interrupted(why) => (b's', why),
        Failure::Unread => (b'r', String::new()),
    };
    [&[kind], why.as_bytes()].concat()
}

/// The failure of a unit on a rank. Rank 0 reports it as its own, unless it may be one of that machine.
fn unpacked(rank: usize, bytes: &[u8]) -> Failure {
    let (kind, why) = bytes.split_first().expect("a rank sends the kind");
    let why = String::from_utf8_lossy(why).into_owned();
    match kind {
        b'u' => Failure::Usage(why),
        b's' => Failure::Interrupted(why),
        b'i' => Failure::Input(why),
        b'j' => Failure::Job(format!("rank {rank}: {why}")),
        _ => Failure::Unread,
    }
}

/// Distributes units and takes their results, until all are done.
fn lead(link: Option<&Link>, tag: i32, desk: &Desk, units: &mut Units, take: Take) -> Result<(), Failure> {
    let mut working = link.map_or(0, |link| link.ranks() - 1);
    // Ranks that want units, and how many.
    let mut asking: Vec<(usize, u64)> = Vec::new();
    let mut probes = Probes::new();
    loop {
        let (done, wanted) = desk.collect();
        for (unit, result) in done {
            units.take(unit, result, take)?;
        }
        while let Some((rank, request)) = link.and_then(|link| link.receive(tag)) {
            probes = Probes::new();
            let (wanted, mut rest) = word(&request);
            match wanted {
                LAST => working -= 1,
                0 => {}
                _ => asking.push((rank, wanted)),
            }
            while !rest.is_empty() {
                let (unit, result, after) = framed(rest);
                let result = match unit & FAILED {
                    0 => Ok(result.to_vec()),
                    _ => Err(unpacked(rank, result)),
                };
                units.take(unit & !FAILED, result, take)?;
                rest = after;
            }
        }
        desk.put(&units.next(wanted));
        asking.retain(|&(rank, wanted)| {
            let ranges = units.next(wanted);
            let is_answered = !ranges.is_empty() || units.is_over();
            if is_answered {
                let ends = ranges.iter().flat_map(|range| [range.start, range.end]);
                let reply: Vec<u8> = ends.flat_map(u64::to_le_bytes).collect();
                send(link.expect("it asked"), &[(rank, &reply)], tag);
            }
            !is_answered
        });
        if units.is_over() {
            desk.close();
            if working == 0 && units.are_taken() {
                return Ok(());
            }
        }
        // Messages come without notice.
        desk.wait((working > 0).then(|| probes.pause(desk)));
    }
}

/// Works on the units that rank 0 distributes, until none are left.
fn follow(link: &Link, tag: i32, desk: &Desk) -> Result<(), Failure> {
    const LEADER: usize = 0;
    let mut probes = Probes::new();
    loop {
        if let Some((done, wanted, is_last)) = desk.collect_due() {
            let mut request = if is_last { LAST } else { wanted }.to_le_bytes().to_vec();
            for (unit, result) in done {
                match result {
                    Ok(result) => frame(&mut request, unit, &result),
                    Err(failure) => frame(&mut request, unit | FAILED, &packed(failure)),
                }
            }
            // Rank 0 receives a long message at its next probe.
            probes = Probes::new();
            link.send(&[(LEADER, &request)], tag, &mut || thread::sleep(probes.pause(desk)));
            probes = Probes::new();
            if is_last {
                return Ok(());
            }
        }
        let is_asked = desk.is_asked();
        match is_asked.then(|| link.receive(tag)).flatten() {
            Some((_, reply)) if reply.is_empty() => desk.close(),
            Some((_, reply)) => {
                let words: Vec<u64> = reply.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
                desk.put(&words.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect::<Vec<_>>());
            }
            None => desk.wait(is_asked.then(|| probes.pause(desk))),
        }
    }
}

/// The times between probes for a message of unknown time.
struct Probes {
    begin: Instant,
    with_work: Duration,
}

impl Probes {
    fn new() -> Self {
        Probes { begin: Instant::now(), with_work: WITH_STOCK }
    }

    /// The time until the next probe. A thread without work waits for the message.
    fn pause(&mut self, desk: &Desk) -> Duration {
        let with_work = self.with_work;
        self.with_work = MAX_WAIT.min(2 * with_work);
        if desk.has_idle() { after(self.begin) } else { with_work }
    }
}

/// A value as bytes.
pub fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data")
}

/// The value that a rank sent as bytes.
pub fn decoded<T: DeserializeOwned>(message: &[u8]) -> T {
    postcard::from_bytes(message).expect("a rank sends plain data")
}

/// Appends a number, the length of a message, and the message.
fn frame(bytes: &mut Vec<u8>, number: u64, message: &[u8]) {
    bytes.extend(number.to_le_bytes());
    bytes.extend((message.len() as u64).to_le_bytes());
    bytes.extend(message);
}

/// The first number, its message, and the rest.
fn framed(bytes: &[u8]) -> (u64, &[u8], &[u8]) {
    let (number, rest) = word(bytes);
    let (length, rest) = word(rest);
    let (message, rest) = rest.split_at(length as usize);
    (number, message, rest)
}

fn word(bytes: &[u8]) -> (u64, &[u8]) {
    let (word, rest) = bytes.split_first_chunk().expect("a rank sends whole words");
    (u64::from_le_bytes(*word), rest)
}

/// Waits for a message.
fn wait_for(link: &Link, tag: i32) -> (usize, Vec<u8>) {
    let mut wait = Wait::new();
    loop {
        match link.receive(tag) {
            Some(message) => return message,
            None => wait.sleep(),
        }
    }
}

/// The wait for something that a rank needs to go on.
struct Wait {
    begin: Instant,
    /// The next sleep takes at least this time.
    least: Duration,
}

impl Wait {
    fn new() -> Self {
        Wait::after(MIN_WAIT)
    }

    /// A wait that probably takes longer than some time.
    fn after(time: Duration) -> Self {
        Wait { begin: Instant::now(), least: time }
    }

    fn sleep(&mut self) {
        let least = std::mem::replace(&mut self.least, MIN_WAIT);
        thread::sleep(after(self.begin).max(least).min(MAX_WAIT));
    }
}

/// The time between two probes by a rank that has waited since `begin`.
fn after(begin: Instant) -> Duration {
    (begin.elapsed() / PART).clamp(MIN_WAIT, MAX_WAIT)
}

/// Sends messages and sleeps until they are on their way.
fn send(link: &Link, messages: &[(usize, &[u8])], tag: i32) {
    let mut wait = Wait::new();
    link.send(messages, tag, &mut || wait.sleep());
}

/// The units to hand out, and those handed out whose results are to be taken in order.
struct Units<'a> {
    units: &'a mut dyn Iterator<Item = u64>,
    next: Option<u64>,
    order: Order,
    threads: usize,
    ranks: usize,
    /// Units handed out, with their results, from the first one on whose result has not been taken. Empty
    /// if they are taken in any order.
    open: VecDeque<(u64, Option<Outcome>)>,
    /// Number of units handed out whose results are not here yet.
    missing: u64,
    /// Number of results so far and their bytes.
    results: [u64; 2],
}

impl<'a> Units<'a> {
    fn new(units: &'a mut dyn Iterator<Item = u64>, order: Order, threads: usize, ranks: usize) -> Self {
        let next = units.next();
        Units { units, next, order, threads, ranks, open: VecDeque::new(), missing: 0, results: [0; 2] }
    }

    /// Whether all are handed out.
    fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// Whether the results of all that are handed out have been taken.
    fn are_taken(&self) -> bool {
        self.missing == 0
    }

    /// The next units for a rank, at most as many as `wanted`. None if all are handed out or others must
    /// be taken first.
    fn next(&mut self, wanted: u64) -> Vec<Range<u64>> {
        let ranks = self.ranks as u64;
        // Near the end, all ranks get some.
        let left = self.units.size_hint().1.map_or(u64::MAX, |left| left as u64);
        let mut most = wanted.min((left / (2 * ranks)).max(self.threads as u64));
        if self.order == Order::Ascending {
            let [count, bytes] = self.results;
            let small = WINDOW_BYTES.saturating_mul(count) / bytes.max(1);
            let window = small.max(WINDOW as u64 * self.threads as u64 * ranks);
            most = most.min(window / (2 * ranks)).min(window.saturating_sub(self.open.len() as u64));
        }
        let mut ranges: Vec<Range<u64>> = Vec::new();
        while most > 0
            && let Some(unit) = self.next
        {
            if ranges.last().is_none_or(|range| range.end != unit) {
                if ranges.len() == RANGES {
                    break;
                }
                ranges.push(unit..unit);
            }
            ranges.last_mut().expect("not empty").end += 1;
            if self.order == Order::Ascending {
                self.open.push_back((unit, None));
            }
            self.missing += 1;
            most -= 1;
            self.next = self.units.next();
        }
        ranges
    }

    /// Takes the result of a unit; in order, or keeps it until the units before it are taken. So the failure
    /// that ends the work in order does not depend on the number of ranks.
    fn take(&mut self, unit: u64, result: Outcome, take: Take) -> Result<(), Failure> {
        self.missing -= 1;
        self.results[0] += 1;
        self.results[1] += result.as_ref().map_or(0, Vec::len) as u64;
        if self.order == Order::Any {
            return take(unit, result?);
        }
        let place = self.open.binary_search_by_key(&unit, |(unit, _)| *unit).expect("it is handed out");
        self.open[place].1 = Some(result);
        while let Some((_, Some(_))) = self.open.front() {
            let (unit, result) = self.open.pop_front().expect("not empty");
            take(unit, result.expect("it is here")?)?;
        }
        Ok(())
    }
}

/// The units that this rank's threads have in stock, and what they have done.
struct Desk {
    stock: Mutex<Stock>,
    /// There are units, or there will be none.
    filled: Condvar,
    /// [`Stock::is_due`] may have become true.
    news: Condvar,
}

/// A unit and its result.
type Done = (u64, Outcome);
type Outcome = Result<Vec<u8>, Failure>;

struct Stock {
    units: VecDeque<u64>,
    done: Vec<Done>,
    /// Bytes of the results in `done`.
    bytes: usize,
    threads: usize,
    /// Threads that work on a unit.
    busy: usize,
    /// Time that the units of a thread may take.
    time: Duration,
    /// Mean seconds of the last units; 0 at first.
    mean: f64,
    /// Units in stock for each thread.
    size: u64,
    /// More units have been asked for.
    is_asked: bool,
    /// Rank 0 has units, but cannot hand them out before some results are taken.
    is_blocked: bool,
    /// No units will follow.
    is_closed: bool,
}

impl Stock {
    fn note(&mut self, time: Duration) {
        const WEIGHT: f64 = 0.1;
        let weight = if self.mean == 0.0 { 1.0 } else { WEIGHT };
        self.mean += weight * (time.as_secs_f64() - self.mean);
        let fitting = self.time.as_secs_f64() / self.mean.max(1e-9);
        self.size = (fitting as u64).min(2 * self.size.max(1));
    }

    /// The number of units that fill the stock, once half of it is used, or that keep all threads busy.
    fn wanted(&self) -> u64 {
        let (stock, idle) = (self.units.len() as u64, (self.threads - self.busy) as u64);
        let full = self.size * self.threads as u64;
        if self.is_closed || self.is_asked || (stock >= idle && (2 * stock > full || full == 0)) {
            return 0;
        }
        full.max(idle).saturating_sub(stock)
    }

    /// Whether the thread that communicates has to do something.
    fn is_due(&self) -> bool {
        let hurries = self.is_closed || self.is_blocked;
        self.bytes >= RESULTS || (hurries && !self.done.is_empty()) || (!self.is_blocked && self.wanted() > 0)
    }

    /// Whether everything is done and handed in.
    fn is_finished(&self) -> bool {
        self.is_closed && self.busy == 0 && self.units.is_empty()
    }

    fn collect(&mut self) -> Vec<Done> {
        self.bytes = 0;
        std::mem::take(&mut self.done)
    }
}

impl Desk {
    fn new(threads: usize, time: Duration) -> Self {
        let stock = Stock {
            units: VecDeque::new(),
            done: Vec::new(),
            bytes: 0,
            threads,
            busy: 0,
            time,
            mean: 0.0,
            size: 0,
            is_asked: false,
            is_blocked: false,
            is_closed: false,
        };
        Desk { stock: Mutex::new(stock), filled: Condvar::new(), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on units in stock until no more will follow.
    fn serve<S>(&self, state: &impl Fn() -> S, work: &impl Fn(&mut S, u64) -> Result<Vec<u8>, Failure>) {
        let mut own = state();
        let mut stock = self.lock();
        loop {
            let Some(unit) = stock.units.pop_front() else {
                if stock.is_closed {
                    return;
                }
                stock = self.filled.wait(stock).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            stock.busy += 1;
            self.tell(&stock);
            drop(stock);
            let mut finish = Finish { desk: self, unit, begun: Instant::now(), result: None };
            finish.result = Some(work(&mut own, unit));
            drop(finish);
            stock = self.lock();
        }
    }

    fn tell(&self, stock: &Stock) {
        if stock.is_due() {
            self.news.notify_one();
        }
    }

    /// The results that threads have finished, and the number of units that they want next.
    fn collect(&self) -> (Vec<Done>, u64) {
        let mut stock = self.lock();
        (stock.collect(), stock.wanted())
    }

    /// The results and the number of units of `collect` if something is due, and whether it is the
    /// last time. From then on these units count as asked for.
    fn collect_due(&self) -> Option<(Vec<Done>, u64, bool)> {
        let mut stock = self.lock();
        let is_last = stock.is_finished();
        (is_last || stock.is_due()).then(|| {
            let wanted = stock.wanted();
            stock.is_asked |= wanted > 0;
            (stock.collect(), wanted, is_last)
        })
    }

    fn is_asked(&self) -> bool {
        self.lock().is_asked
    }

    /// Whether a thread has nothing to do.
    fn has_idle(&self) -> bool {
        let stock = self.lock();
        stock.units.len() + stock.busy < stock.threads
    }

    /// Adds units to the stock.
    fn put(&self, units: &[Range<u64>]) {
        let mut stock = self.lock();
        stock.is_asked = false;
        stock.units.extend(units.iter().cloned().flatten());
        stock.is_blocked = stock.wanted() > 0 && units.is_empty();
        if !units.is_empty() {
            self.filled.notify_all();
        }
    }

    /// No units will follow.
    fn close(&self) {
        let mut stock = self.lock();
        (stock.is_closed, stock.is_asked) = (true, false);
        self.filled.notify_all();
    }

    /// Waits until something is due, or for a time.
    fn wait(&self, time: Option<Duration>) {
        let stock = self.lock();
        if stock.is_due() || stock.is_finished() && time.is_none() {
            return;
        }
        match time {
            Some(time) => drop(self.news.wait_timeout(stock, time)),
            None => drop(self.news.wait(stock)),
        }
    }
}

/// Hands in the result of a unit, also that of a thread that panicked.
struct Finish<'a> {
    desk: &'a Desk,
    unit: u64,
    begun: Instant,
    result: Option<Result<Vec<u8>, Failure>>,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        let result = self.result.take().unwrap_or_else(|| Err(Failure::Job("a thread failed".to_owned())));
        let mut stock = self.desk.lock();
        stock.busy -= 1;
        stock.note(self.begun.elapsed());
        stock.bytes += result.as_ref().map_or(RESULTS, Vec::len);
        stock.done.push((self.unit, result));
        self.desk.tell(&stock);
    }
}

/// Ends the threads of a job, also of one that fails.
struct Close<'a>(&'a Desk);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.lock().units.clear();
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn share(units: u64, order: Order, threads: u16, work: impl Fn(u64) -> Result<u64, Failure> + Sync) -> Vec<u64> {
        let mut taken = Vec::new();
        let pool = memory::pool(Some(threads)).ok().unwrap();
        let work = |(): &mut (), unit| Ok(work(unit)?.to_le_bytes().to_vec());
        let take = &mut |unit, result: Vec<u8>| {
            assert_eq!(word(&result).0, unit * unit);
            taken.push(unit);
            Ok(())
        };
        let shared = Cluster::of_one().share(&pool, &mut (0..units), order, || (), work, take);
        shared.map_err(|_| "failed").unwrap();
        taken
    }

    #[test]
    fn ranks_are_introduced() {
        let of = |words: &str| introduction(words.split(' ').map(OsString::from));
        assert!(of("g6 a.csv").starts_with(VERSION));
        assert_ne!(of("g6 a.csv"), of("g6 a .csv"));
        assert_ne!(of("g6 a.csv --average"), of("g6 a.csv"));
        assert_eq!(of("g6 --threads 2 a.csv"), of("g6 a.csv --threads=3"));
    }

    #[test]
    fn each_unit_is_done_once() {
        for (units, threads) in [(0, 1), (0, 3), (1, 3), (2, 3), (5000, 1), (5000, 3)] {
            let square = |unit| {
                if unit % 1000 == 3 {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(unit * unit)
            };
            let all: Vec<u64> = (0..units).collect();
            assert_eq!(share(units, Order::Ascending, threads, square), all);
            let mut taken = share(units, Order::Any, threads, square);
            taken.sort_unstable();
            assert_eq!(taken, all);
        }
    }

    #[test]
    fn a_failed_unit_ends_the_work() {
        let fails = |unit| if unit == 70 { Err(Failure::Job(String::new())) } else { Ok(unit * unit) };
        let panics = |unit| if unit == 70 { panic!("on purpose") } else { Ok(unit * unit) };
        assert!(catch_unwind(AssertUnwindSafe(|| share(1000, Order::Any, 2, fails))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| share(1000, Order::Ascending, 2, panics))).is_err());
        // The result of a unit cannot be taken.
        let pool = memory::pool(Some(2)).ok().unwrap();
        let take = &mut |unit, _| if unit == 70 { Err(Failure::Unread) } else { Ok(()) };
        let work = |(): &mut (), _| Ok(Vec::new());
        let shared = Cluster::of_one().share(&pool, &mut (0..1000), Order::Ascending, || (), work, take);
        assert!(matches!(shared, Err(Failure::Unread)));
    }

    #[test]
    fn a_stock_grows_to_its_time() {
        let desk = Desk::new(2, Duration::from_millis(100));
        let mut stock = desk.lock();
        // A unit for each thread, which shows how long units take.
        assert_eq!(stock.wanted(), 2);
        let mut sizes = Vec::new();
        for _ in 0..6 {
            stock.note(Duration::from_millis(10));
            sizes.push(stock.size);
        }
        assert_eq!(sizes, [2, 4, 8, 10, 10, 10]);
        stock.busy = 2;
        assert_eq!(stock.wanted(), 20);
        stock.units.extend(0..11);
        assert_eq!(stock.wanted(), 0);
        stock.units.pop_front();
        assert_eq!(stock.wanted(), 10);
        // Units that take longer are asked for when a thread has none.
        stock.mean = 0.0;
        stock.note(Duration::from_secs(1));
        stock.units.clear();
        assert_eq!((stock.size, stock.wanted()), (0, 0));
        stock.busy = 1;
        assert_eq!(stock.wanted(), 1);
    }

    #[test]
    fn units_near_the_end_are_left_for_others() {
        let mut numbers = 0..1000;
        let mut units = Units::new(&mut numbers, Order::Any, 1, 10);
        let first = units.next(500);
        assert_eq!((first.len(), first[0].clone()), (1, 0..49));
        for _ in 0..1000 {
            units.next(500);
        }
        assert!(units.is_over() && !units.are_taken());
        // In order, results in memory are limited.
        let mut numbers = (0..1000).filter(|unit| unit % 3 > 0);
        let mut units = Units::new(&mut numbers, Order::Ascending, 1, 2);
        assert_eq!(units.next(6), [1..3, 4..6, 7..9]);
        while !units.next(500).is_empty() {}
        assert_eq!(units.open.len(), 2 * WINDOW);
        units.take(2, Ok(Vec::new()), &mut |_, _| unreachable!("unit 1 comes first")).ok().unwrap();
        let mut taken = Vec::new();
        units
            .take(1, Ok(Vec::new()), &mut |unit, _| {
                taken.push(unit);
                Ok(())
            })
            .ok()
            .unwrap();
        assert_eq!(taken, [1, 2]);
    }

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
        let mut bytes = Vec::new();
        frame(&mut bytes, 5, b"five");
        frame(&mut bytes, 6, b"");
        let (number, message, rest) = framed(&bytes);
        assert_eq!((number, message, framed(rest)), (5, &b"five"[..], (6, &b""[..], &b""[..])));
    }
}
