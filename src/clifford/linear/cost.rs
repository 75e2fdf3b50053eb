//! Cost model of [`Mode::Auto`](super::Mode::Auto), and block sizes of [`Mode::Fast`](super::Mode::Fast).

use super::Linear;
use crate::clifford::transform::{Transform, is_common};

/// `Mode::Auto` picks `Mode::Fast` if it saves at least this many multiplications per element of intermediate
/// memory traffic: [straight-line transforms, table-driven transforms].
const SAVED: [f64; 2] = [6.0, 12.0];

/// Transforming one batch row costs as much as this many extra channels.
const CHANNELS: usize = 6;

/// Minimum and maximum batch rows of a block: whole vectors.
const ROWS: [usize; 2] = [16, 48];

/// Elements of a block's operands, which stay in the level 2 cache with the weights.
const BLOCK: usize = 40 << 10;

impl Linear {
    /// Whether the multiplications that the passes save outweigh the memory traffic of their operands.
    pub(super) fn saves_time(&self) -> bool {
        let blades = self.signature.blades();
        let saved = (blades * blades).saturating_sub(self.multiplications()) as f64;
        let channels = [self.inputs, self.outputs];
        let of_side = |(transform, channels): (&Transform, _)| (transform.planes[0] * (channels + CHANNELS)) as f64;
        let numbers: f64 = self.transforms.iter().zip(channels).map(of_side).sum();
        saved * self.inputs as f64 * self.outputs as f64 > SAVED[usize::from(!is_common(&self.signature))] * numbers
    }

    /// Batch rows of a block.
    pub(super) fn block_rows(&self) -> usize {
        let [factors, units] = self.transforms.first().map_or([0; 2], |transform| transform.planes);
        let numbers = (factors * self.inputs + units * self.outputs).max(1);
        (BLOCK / numbers / ROWS[0] * ROWS[0]).clamp(ROWS[0], ROWS[1])
    }
}
