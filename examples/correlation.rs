//! g(r) and g6(r) of a polycrystal in an image of 1000 x 1000 pixels, in two accumulators as two
//! threads would use them.
//!
//! `cargo run --release --example correlation`

use hotloops::correlation::{Accumulator, Bins, Image, Psi};

fn main() -> Result<(), hotloops::Error> {
    // Grains of a triangular lattice of 8 pixels, whose angle changes from one square of 250 pixels
    // to the next.
    let (mut x, mut y, mut psi) = (Vec::new(), Vec::new(), Vec::new());
    for grain in 0..16 {
        let angle = 0.9 * f64::from(grain * grain % 7) / 6.0;
        let (sine, cosine) = angle.sin_cos();
        for (i, j) in (-40..40).flat_map(|i| (-40..40).map(move |j| (i, j))) {
            let (u, v) = (8.0 * (f64::from(i) + 0.5 * f64::from(j)), 8.0 * 0.75f64.sqrt() * f64::from(j));
            let (px, py) = (cosine * u - sine * v, sine * u + cosine * v);
            if (-125.0..125.0).contains(&px) && (-125.0..125.0).contains(&py) {
                x.push((px + 125.0) as i32 + 250 * (grain % 4));
                y.push((py + 125.0) as i32 + 250 * (grain / 4));
                psi.push(Psi::from_angle(angle, 6)?);
            }
        }
    }
    let image = Image::new(&x, &y, &psi)?;
    let bins = Bins::uniform(0.0, 400.0, 1.0)?;
    let mut pairs = Accumulator::new(bins.clone())?;
    let mut others = Accumulator::new(bins)?;
    for dy in 0..=image.height() {
        let part = if dy % 2 == 0 { &mut pairs } else { &mut others };
        part.add_image_rows(&image, dy..dy + 1)?;
    }
    pairs.merge(&others)?;

    println!("{} points\n{:>6}{:>10}{:>10}{:>10}", image.len(), "r", "pairs", "g(r)", "g6(r)");
    let density = image.len() as f64 / 1e6;
    for bin in pairs.bins().filter(|bin| bin.lo < 20.0 || bin.lo % 50.0 == 0.0) {
        let ring = std::f64::consts::PI * (bin.hi * bin.hi - bin.lo * bin.lo);
        let expected = 0.5 * image.len() as f64 * density * ring;
        let g6 = bin.g().map_or(String::new(), |g| format!("{g:.4}"));
        println!("{:6.1}{:10}{:10.3}{g6:>10}", bin.middle(), bin.count, bin.count as f64 / expected);
    }
    Ok(())
}
