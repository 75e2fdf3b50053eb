//! Results that the items of a kernel append to a list.

use crate::error::Error;
use crate::queue::{Buffer, Queue};

/// A list on a device: room for entries of some words each, and the number of those appended.
pub(crate) struct List {
    entries: Buffer<u32>,
    count: Buffer<u32>,
    /// Words of an entry.
    width: usize,
}

impl List {
    pub(crate) fn new(queue: &Queue, width: usize, room: usize) -> Result<Self, Error> {
        Ok(List { entries: queue.buffer(width * room)?, count: queue.zeros(1)?, width })
    }

    /// Launches a kernel that appends, again with more room if there was too little. `launch` gets the number of
    /// entries that the kernel may write, the list and its count. Returns the words of all entries, in no order.
    pub(crate) fn collect(
        &mut self,
        queue: &Queue,
        launch: impl Fn(u32, &Buffer<u32>, &Buffer<u32>) -> Result<(), Error>,
    ) -> Result<Vec<u32>, Error> {
        Ok(self.collect_within(queue, usize::MAX, launch)?.unwrap_or_default())
    }

    /// The same. None if there are more than `most` entries.
    pub(crate) fn collect_within(
        &mut self,
        queue: &Queue,
        most: usize,
        launch: impl Fn(u32, &Buffer<u32>, &Buffer<u32>) -> Result<(), Error>,
    ) -> Result<Option<Vec<u32>>, Error> {
        loop {
            queue.write(&mut self.count, 0, &[0])?;
            launch((self.entries.len() / self.width) as u32, &self.entries, &self.count)?;
            let mut count = [0];
            queue.read(&self.count, 0, &mut count)?;
            let count = count[0] as usize;
            if count > most {
                return Ok(None);
            }
            if self.width * count <= self.entries.len() {
                let mut words = vec![0; self.width * count];
                queue.read(&self.entries, 0, &mut words)?;
                return Ok(Some(words));
            }
            self.entries = queue.buffer(self.width * count.next_power_of_two())?;
        }
    }
}
