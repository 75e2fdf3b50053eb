//! The first phase on devices.

use hotloops::hardround::Test;
use hotloops_gpu::Shared;
use hotloops_gpu::hardround::Tester;
use hotloops_hardround::three_phase::{Device, Strip};
use hotloops_hardround::{Algorithm, Error};

use super::Arguments;
use crate::cluster::Cluster;
use crate::failure::Failure;

#[derive(Debug)]
pub struct Devices(Shared<Tester>);

impl Devices {
    /// Opens the devices of `--device`; None for the CPU.
    pub fn open(a: &Arguments, cluster: &Cluster) -> Result<Option<Self>, Failure> {
        let test = match a.algorithm(!a.device.is_cpu())? {
            Algorithm::ThreePhaseLefevre => Test::Lefevre,
            _ => Test::Regular,
        };
        let queues = a.device.open(cluster)?;
        let testers: Result<Vec<_>, _> = queues.into_iter().map(|queue| Tester::new(queue, test)).collect();
        Ok(Shared::new(testers?).map(Devices))
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
        let found = self.0.free().domains(coefficients, first, n, count, strip.above, strip.width, passed);
        found.map_err(|error| Error::Device(format!("--device: {error}")))?;
        passed[begin..].iter_mut().for_each(|number| *number = first + *number * n);
        Ok(())
    }
}
