#![no_main]

use arbitrary::Arbitrary;
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    points: Vec<(i16, i16, i16, i16)>,
    width: u8,
    bins: u8,
    edges: Vec<u16>,
    periods: Option<(u16, u16)>,
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let points = &input.points[..input.points.len().min(300)];
    let uniform =
        Bins::uniform(0.0, f64::from(input.bins) * f64::from(input.width) / 8.0, f64::from(input.width) / 8.0);
    let mut edges: Vec<f64> = input.edges.iter().take(40).map(|&edge| f64::from(edge) / 16.0).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let psi: Vec<Psi> =
        points.iter().map(|p| Psi::from_angle(f64::from(p.2) / 100.0, u32::from(p.3 as u16) % 12).unwrap()).collect();
    let [x, y]: [Vec<i32>; 2] =
        [points.iter().map(|p| (p.0 / 64).into()).collect(), points.iter().map(|p| (p.1 / 64).into()).collect()];
    let [u, v]: [Vec<f32>; 2] = [
        points.iter().map(|p| f32::from(p.0) / 16.0).collect(),
        points.iter().map(|p| f32::from(p.1) / 16.0).collect(),
    ];
    let boundary = match input.periods {
        Some((a, b)) => Boundary::Periodic([f64::from(a) / 4.0, f64::from(b) / 4.0]),
        None => Boundary::Open,
    };
    for bins in [uniform, Bins::from_edges(&edges)].into_iter().flatten() {
        _ = alike(|| {
            let mut tally = Accumulator::new(bins.clone()).unwrap();
            let image = tally.add_image(&Image::new(&x, &y, &psi).unwrap());
            let cloud = Points::new(&u, &v, &psi, boundary, bins.r_max()).and_then(|points| tally.add_points(&points));
            (image, cloud, tally)
        });
    }
});
