//! The first phase on devices.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hotloops::hardround::Test;
use hotloops_gpu::hardround::Tester;
use hotloops_hardround::three_phase::{Device, Strip};
use hotloops_hardround::{Algorithm, Error};

use super::Arguments;
use crate::cluster::Cluster;
use crate::failure::Failure;

/// Devices, each for one thread at a time.
pub struct Devices {
    testers: Vec<Mutex<Tester>>,
    /// Counts the calls.
    calls: AtomicUsize,
}

impl Devices {
    /// Opens the devices of `--device`; None for the CPU.
    pub fn open(a: &Arguments, cluster: &Cluster) -> Result<Option<Self>, Failure> {
        let test = match a.algorithm(!a.device.is_cpu())? {
            Algorithm::ThreePhaseLefevre => Test::Lefevre,
            _ => Test::Regular,
        };
        let queues = a.device.open(cluster)?;
        let testers: Result<Vec<_>, _> =
            queues.into_iter().map(|queue| Tester::new(queue, test).map(Mutex::new)).collect();
        Ok(Some(Devices { testers: testers?, calls: AtomicUsize::new(0) })
            .filter(|devices| !devices.testers.is_empty()))
    }

    /// A device that no thread uses, or else the next one in turn.
    fn free(&self) -> MutexGuard<'_, Tester> {
        let next = self.calls.fetch_add(1, Ordering::Relaxed) % self.testers.len();
        let free = self.testers.iter().find_map(|tester| tester.try_lock().ok());
        free.unwrap_or_else(|| self.testers[next].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Device for Devices {
    fn domains(
        &self,
        coefficients: &[u128; 4],
        first: u64,
        n: u64,
        count: u64,
        strip: &Strip,
        passed: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let begin = passed.len();
        let found = self.free().domains(coefficients, first, n, count, strip.above, strip.width, passed);
        found.map_err(|error| Error::Device(format!("--device: {error}")))?;
        passed[begin..].iter_mut().for_each(|number| *number = first + *number * n);
        Ok(())
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} devices", self.testers.len())
    }
}
