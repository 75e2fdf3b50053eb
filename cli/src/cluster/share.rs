//! [`Cluster::share`]: rank 0 hands out units of work, the threads of all ranks do them.

use std::thread;
use std::time::Duration;

use rayon::ThreadPool;

use super::Cluster;
use super::desk::{Close, Desk};
use super::link::Link;
use super::messages::send;
use super::units::{Order, Take, Units};
use super::wait::Probes;
use super::wire::{FAILED, LAST, frame, framed, packed, unpacked, word};
use crate::failure::Failure;

/// Time that the units a thread has in stock take, at most.
const STOCK: Duration = Duration::from_millis(100);
/// Ranks above which a stock takes longer, so that rank 0 receives at most a thousand messages a second.
const MANY_RANKS: usize = 100;

impl Cluster {
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
        desk.wait((working > 0).then(|| probes.pause(desk.has_idle())));
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
            link.send(&[(LEADER, &request)], tag, &mut || thread::sleep(probes.pause(desk.has_idle())));
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
            None => desk.wait(is_asked.then(|| probes.pause(desk.has_idle()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::job::threads;

    fn share(units: u64, order: Order, threads: u16, work: impl Fn(u64) -> Result<u64, Failure> + Sync) -> Vec<u64> {
        let mut taken = Vec::new();
        let pool = threads::pool(Some(threads)).ok().unwrap();
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
        let pool = threads::pool(Some(2)).ok().unwrap();
        let take = &mut |unit, _| if unit == 70 { Err(Failure::Unread) } else { Ok(()) };
        let work = |(): &mut (), _| Ok(Vec::new());
        let shared = Cluster::of_one().share(&pool, &mut (0..1000), Order::Ascending, || (), work, take);
        assert!(matches!(shared, Err(Failure::Unread)));
    }
}
