//! Heat maps: hotloops' planned product against the strongest of the others, over m and n.

use std::path::Path;

use crate::arguments::Arguments;
use crate::cells::Cell;
use crate::clock::Cores;
use crate::libraries::Libraries;
use crate::operands::Scalar;
use crate::peers::{self, Peer};
use crate::picture::{self, Map};
use crate::products::{shares, strongest};

const SIZES: [usize; 20] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
const DEPTHS: [usize; 2] = [64, 1024];
/// The column of the planned call among the libraries.
const PLANNED: usize = 1;

/// Prints the ratios as CSV. Draws them too, if `--svg` names a directory.
pub fn run<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) -> Result<(), String> {
    let peers = peers::all::<T>(&libraries.blas, libraries.xsmm.as_ref());
    println!("\ntype,k,m,n,share_of_peak,strongest,ratio,steady");
    for k in DEPTHS {
        let ratios = SIZES.map(|m| SIZES.map(|n| measured(arguments, &peers, [m, n, k], peak)));
        if let Some(directory) = &arguments.svg {
            let map = Map {
                title: format!("matmul, {}, k = {k}: speed over the fastest other library", T::NAME),
                note: format!("blue: hotloops is faster; orange: slower. Planned calls against {}", libraries.names()),
                sizes: &SIZES,
                ratios: &ratios.concat(),
            };
            write(&directory.join(format!("matmul-peers-{}-k{k}.svg", T::NAME)), &picture::svg(&map)?)?;
        }
    }
    Ok(())
}

/// A ratio, printed too. `None` if no other library supports the shape.
fn measured<T: Scalar>(arguments: &Arguments, peers: &[Peer<T>], [m, n, k]: [usize; 3], peak: f64) -> Option<f64> {
    let cell = Cell::new([m, n, k], "NN");
    let (shares, steady) = shares(peers, &cell, peak, arguments.budget(0.1), Cores::One);
    let (planned, (other, share)) = (shares[PLANNED]?, strongest(&shares, peers::OURS)?);
    let ratio = planned / share;
    println!("{},{k},{m},{n},{planned:.1},{},{ratio:.3},{steady}", T::NAME, peers[other].name);
    Some(ratio)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
