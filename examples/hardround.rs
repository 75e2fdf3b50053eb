//! Hard-to-round cases of exp among the 2^36 doubles from 1 on: those nearer to a number or a
//! midpoint than 2^-36 ulp.
//!
//! `cargo run --release --example hardround`

use hotloops::hardround::{Scan, Series};

/// F(x) = 2^52 exp(1 + x 2^-52): breakpoints, multiples of half an ulp, are the integers. f_k =
/// 2^52 e 2^-52k / k! mod 1, in units of 2^-256.
const TAYLOR: [[u64; 4]; 6] = [
    [0xfef3_24e7_7389_26d0, 0xa56a_784d_9045_190c, 0x3c76_2e71_60f3_8b4d, 0xa6ab_f715_8809_cf4f],
    [0xa784_d904_5190_cfef, 0x62e7_160f_38b4_da56, 0xbf71_5880_9cf4_f3c7, 0xb7e1_5162_8aed_2a6a],
    [0x38b0_79c5_a6d2_b53c, 0x8ac4_04e7_a79e_3b17, 0x0a8b_1457_6953_55fb, 0x15bf],
    [0xc01a_28d3_4be5_d12e, 0xe5c1_d231_bc75_3d8e, 0x73_fae2, 0],
    [0x0748_c6f1_d4f6_3b00, 0x1_cfeb_8b97, 0, 0],
    [0x5cc_8b58_49b1, 0, 0, 0],
];

const LOG2_BLOCK: u32 = 25;
const BLOCKS: i64 = 1 << 11;

fn main() -> Result<(), hotloops::Error> {
    let series = Series::new(&TAYLOR, LOG2_BLOCK)?;
    // In half ulps, plus the errors of the blocks' polynomials and of the series, so that no case
    // is missed.
    let bound = 2f64.powi(-35);
    let rest = 2f64.powi(52) * 3.0 * 2f64.powi(-16 * 6) / 720.0;
    let within = (bound + series.error(BLOCKS as u64) + rest) * 2f64.powi(64);
    let mut scan = Scan::new(within.ceil() as u64)?;
    for j in 0..BLOCKS {
        let block = series.block(j);
        scan.block(&block, 1 << LOG2_BLOCK, |x| {
            let k = ((j as u64) << LOG2_BLOCK) + x;
            let distance = (block.at(x) >> 64) as i64 as f64 / 2f64.powi(64);
            println!("{:.17} {distance:+.3e} half ulps", f64::from_bits(1f64.to_bits() + k));
        })?;
    }
    Ok(())
}
