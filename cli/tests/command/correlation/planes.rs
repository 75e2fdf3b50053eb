//! Periodic planes, points far from the others, and units at the ends of the range.

use super::{columns, printed, write};
use crate::support::folder;

#[test]
fn stray_points_periods_and_extents() {
    let folder = folder("g6_range");
    let counts = |text: &str| columns(text).into_iter().map(|line| line.0).collect::<Vec<u64>>();
    // Points at multiples of 1/4, which have exact distances.
    let points: Vec<(f64, f64)> =
        (0..400).map(|i| (f64::from(i * i % 401) / 4.0, f64::from(i * 7 % 399) / 4.0)).collect();
    let lines = |unit: f64, laps: f64| -> String {
        let line = |(i, (x, y)): (usize, &(f64, f64))| {
            format!("{},{}\n", x * unit, y * unit + laps * (i % 3) as f64 * 100.0 * unit)
        };
        points.iter().enumerate().map(line).collect()
    };
    let path = folder.join("points.csv");
    let of = |text: String, bins: &str, extra: &[&str]| {
        let points = write(&path, &format!("x,y\n{text}"));
        counts(&printed(&[&["correlation", points.as_str(), "--bins", bins, "--rdf"], extra].concat()))
    };
    for (bins, width) in [("0:30:1", 1.0), ("0:50:5", 5.0)] {
        let mut expected = vec![0; if width == 1.0 { 30 } else { 10 }];
        for (i, a) in points.iter().enumerate() {
            for b in &points[..i] {
                let bin = ((a.0 - b.0).hypot(a.1 - b.1) / width) as usize;
                expected.get_mut(bin).into_iter().for_each(|count| *count += 1);
            }
        }
        assert_eq!(of(lines(1.0, 0.0), bins, &[]), expected);
        for stray in ["-1e6,3", "-1000000000,0.1", "1e30,-1e30"] {
            assert_eq!(of(lines(1.0, 0.0) + stray + "\n", bins, &[]), expected, "stray point {stray}");
        }
    }
    // Bins up to half of the box, in units whose squares overflow f32, and points shifted by whole
    // periods.
    let expected = of(lines(1.0, 0.0), "0:50:0.5", &["--box", "100.5,100"]);
    assert_eq!(of(lines(1.0, 1e6), "0:50:0.5", &["--box", "100.5,100"]), expected);
    let unit = 2f64.powi(-100);
    let (bins, lengths) = (format!("0:{}:{}", 50.0 * unit, 0.5 * unit), format!("{},{}", 100.5 * unit, 100.0 * unit));
    assert_eq!(of(lines(unit, -3.0), &bins, &["--box", &lengths]), expected);
    // The last edge of 1001 bins is 50.05, half of the box.
    assert_eq!(of(lines(1.0, 0.0), "0:50.05:0.05", &["--box", "100.1,100.1"]).len(), 1001);
}
