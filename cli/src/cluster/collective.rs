//! Messages that all ranks or pairs of ranks exchange, for work whose parts depend on each other.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Cluster;
use super::messages::{send, wait_for};
use super::wait::Wait;
use super::wire::{decoded, encoded, frame, framed};

impl Cluster {
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
        self.traded.store(wait.elapsed().as_nanos() as u64, Ordering::Relaxed);
        received
    }

    /// The ranks that receive from this one in a broadcast.
    fn below(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, ranks) = (self.rank(), self.ranks());
        [2 * rank + 1, 2 * rank + 2].into_iter().filter(move |&below| below < ranks)
    }
}
