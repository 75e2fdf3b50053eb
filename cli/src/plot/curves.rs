//! Series as curves.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

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

/// Curves in the coordinates of the picture: logarithms on logarithmic axes.
fn draw(curves: &[Curve], [across, up]: [&str; 2], logarithmic: [bool; 2], root: &Area) -> Drawn {
    let label = |value: f64, logarithmic: bool| match logarithmic {
        true => format!("{:.3e}", 10f64.powf(value)),
        false => value.to_string(),
    };
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let right = points().map(|point| point.0).fold(0.0, f64::max);
    let left = if logarithmic[0] { points().map(|point| point.0).fold(right, f64::min) } else { 0.0 };
    let low = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    // Positive even if all values are equal.
    let margin = (0.05 * (high - low)).max(1e-6 * high.abs()).max(1e-30);
    let longest = curves.iter().map(|curve| curve.name.len()).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(root)
        .margin_top(HEAD)
        .margin_right(24 + LETTER * longest as u32)
        .margin_bottom(8)
        .x_label_area_size(FOOT - 8)
        .y_label_area_size(64)
        .build_cartesian_2d(left..right, low - margin..high + margin)?;
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
