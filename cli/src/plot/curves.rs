//! Series as curves.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ticks::{self, Axis};
use super::{Area, BLUE, Drawn, HEAD, ORANGE, picture};
use crate::failure::Failure;

const HEIGHT: u32 = 560;
/// Height below the curves.
const FOOT: u32 = 52;
/// Height of a name, and width of a letter.
const LINE: i32 = 15;
const LETTER: u32 = 8;
/// Maximum points of a curve; longer curves are averaged.
const POINTS: usize = 800;

pub struct Curve {
    pub name: String,
    /// From 0, blue, to 1, orange.
    pub shade: f64,
    pub points: Vec<(f64, f64)>,
}

/// Curves with their names beside their ends.
pub fn svg(curves: &[Curve], heading: &str, title: &str, axes: [&str; 2]) -> Result<String, Failure> {
    picture(HEIGHT, heading, title, |root| draw(curves, axes, [false; 2], root))
}

/// As [`svg`], each axis logarithmic or not. Values on a logarithmic axis are positive; others are left out.
pub fn scaled_svg(
    curves: &[Curve],
    heading: &str,
    title: &str,
    axes: [&str; 2],
    logarithmic: [bool; 2],
) -> Result<String, Failure> {
    let at = |value: f64, logarithmic: bool| if logarithmic { value.log10() } else { value };
    let place = |&(x, y): &(f64, f64)| (at(x, logarithmic[0]), at(y, logarithmic[1]));
    let placed = |curve: &Curve| Curve {
        name: curve.name.clone(),
        shade: curve.shade,
        points: curve.points.iter().map(place).filter(|(x, y)| x.is_finite() && y.is_finite()).collect(),
    };
    let curves: Vec<_> = curves.iter().map(placed).collect();
    picture(HEIGHT, heading, title, |root| draw(&curves, axes, logarithmic, root))
}

/// An axis in the coordinates of the picture.
fn axis(begin: f64, end: f64, logarithmic: bool) -> Axis {
    let powers = || ticks::logarithmic(10f64.powf(begin), 10f64.powf(end)).into_iter().map(f64::log10).collect();
    Axis::new(begin..end, logarithmic.then(powers))
}

/// Curves in the coordinates of the picture: logarithms on logarithmic axes.
fn draw(curves: &[Curve], [across, up]: [&str; 2], logarithmic: [bool; 2], root: &Area) -> Drawn {
    let label = |value: f64, logarithmic: bool| match logarithmic {
        true => ticks::label(value),
        false => value.to_string(),
    };
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let least = |of: fn(&(f64, f64)) -> f64| points().map(of).reduce(f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).reduce(f64::max);
    let (Some(first), Some(last), Some(low), Some(high)) =
        (least(|point| point.0), most(|point| point.0), least(|point| point.1), most(|point| point.1))
    else {
        root.draw_text("no points", &("sans-serif", 13).into_text_style(root), (80, HEAD as i32))?;
        return Ok(());
    };
    let (left, right) = match logarithmic[0] {
        true if first == last => (first - 0.1, last + 0.1),
        true => (first, last),
        false => (first.min(0.0), last.max(0.0)),
    };
    // Positive even if all values are equal.
    let margin = (0.05 * (high - low)).max(1e-6 * high.abs()).max(1e-30);
    let longest = curves.iter().map(|curve| curve.name.len()).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(root)
        .margin_top(HEAD)
        .margin_right(24 + LETTER * longest as u32)
        .margin_bottom(8)
        .x_label_area_size(FOOT - 8)
        .y_label_area_size(64)
        .build_cartesian_2d(axis(left, right, logarithmic[0]), axis(low - margin, high + margin, logarithmic[1]))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .label_style(("sans-serif", 13))
        .x_label_formatter(&|&x| label(x, logarithmic[0]))
        .y_label_formatter(&|&y| label(y, logarithmic[1]))
        .x_desc(across)
        .y_desc(up)
        .draw()?;
    let mut names = Vec::new();
    for curve in curves {
        let colour = colour(curve.shade);
        let thinned = thinned(&curve.points);
        names.extend(thinned.last().map(|last| (chart.backend_coord(last), &curve.name, colour)));
        chart.draw_series(LineSeries::new(thinned, colour.stroke_width(1)))?;
    }
    // From top to bottom: a name that would touch the one above it moves down. If the last one
    // would leave the picture, all move up.
    names.sort_by_key(|((_, y), ..)| *y);
    let mut heights: Vec<i32> = names.iter().map(|((_, y), ..)| *y).collect();
    for index in 1..heights.len() {
        heights[index] = heights[index].max(heights[index - 1] + LINE);
    }
    let mut floor = (HEIGHT - FOOT) as i32 - LINE / 2;
    for height in heights.iter_mut().rev() {
        *height = floor.min(*height);
        floor = *height - LINE;
    }
    for (((x, _), name, colour), height) in names.into_iter().zip(heights) {
        if height > HEAD as i32 {
            let style = ("sans-serif", 13).into_text_style(root).color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw_text(name, &style, (x + 8, height))?;
        }
    }
    Ok(())
}

fn colour(shade: f64) -> RGBColor {
    let mix = |from: u8, to: u8| (f64::from(from) + shade * (f64::from(to) - f64::from(from))) as u8;
    RGBColor(mix(BLUE.0, ORANGE.0), mix(BLUE.1, ORANGE.1), mix(BLUE.2, ORANGE.2))
}

/// Averages neighbouring points.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |points: &[(f64, f64)]| {
        let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (sum.0 / points.len() as f64, sum.1 / points.len() as f64)
    };
    points.chunks(points.len().div_ceil(POINTS).max(1)).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(svg: &str) -> Vec<&str> {
        svg.lines().filter(|line| !line.starts_with('<')).collect()
    }

    #[test]
    fn logarithmic_axes_have_round_labels() {
        let points = vec![(8.0, 0.0034), (109.0, 1.7), (1100.0, 64.0)];
        let curve = Curve { name: "curve".to_owned(), shade: 0.0, points };
        let svg = scaled_svg(&[curve], "heading", "title", ["n", "flops"], [true, true]).ok().unwrap();
        let texts = texts(&svg);
        for label in ["10", "20", "50", "100", "200", "500", "1000", "0.01", "0.1", "1"] {
            assert!(texts.contains(&label), "{label}: {texts:?}");
        }
        let numbers = texts.iter().filter_map(|text| text.parse::<f64>().ok());
        assert!(numbers.map(|number| format!("{number:e}")).all(|text| "125".contains(&text[..1])), "{texts:?}");
    }

    /// All points may be void, and one is no range.
    #[test]
    fn few_points_are_a_picture() {
        for points in [vec![], vec![(2.0, 0.5)], vec![(-1.0, 0.0)]] {
            for logarithmic in [[false; 2], [true; 2]] {
                let curve = Curve { name: "curve".to_owned(), shade: 0.0, points: points.clone() };
                let svg = scaled_svg(&[curve], "heading", "title", ["x", "y"], logarithmic).ok().unwrap();
                let has_none = points.is_empty() || (logarithmic[0] && points[0].0 < 0.0);
                assert_eq!(texts(&svg).contains(&"no points"), has_none, "{points:?}");
            }
        }
    }

    /// The error of an exponential is given for negative arguments too.
    #[test]
    fn linear_axes_hold_all_points() {
        let curve = Curve { name: "curve".to_owned(), shade: 0.0, points: vec![(-4.0, 1.0), (4.0, 2.0)] };
        let svg = svg(&[curve], "heading", "title", ["x", "y"]).ok().unwrap();
        assert!(texts(&svg).iter().any(|text| text.starts_with("-4")), "{svg}");
    }
}
