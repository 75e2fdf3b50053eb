//! Several quantities against the same argument, one chart each.

use plotters::prelude::*;

use super::{Area, BLUE, Drawn, HEAD, picture};
use crate::failure::Failure;

const COLUMNS: usize = 3;
const HEIGHT: u32 = 220;

pub struct Panel {
    pub name: String,
    /// Argument, value and error.
    pub points: Vec<(f64, f64, Option<f64>)>,
}

/// The panels from left to right and from top to bottom, with one logarithmic axis of arguments.
pub fn svg(panels: &[Panel], heading: &str, title: &str, across: &str) -> Result<String, Failure> {
    let rows = panels.len().div_ceil(COLUMNS);
    picture(HEAD + rows as u32 * HEIGHT, heading, title, |root| {
        let (_, below) = root.split_vertically(HEAD);
        below.split_evenly((rows, COLUMNS)).iter().zip(panels).try_for_each(|(area, panel)| draw(panel, across, area))
    })
}

fn draw(panel: &Panel, across: &str, area: &Area) -> Drawn {
    let points: Vec<_> = panel.points.iter().filter(|(_, value, _)| value.is_finite()).collect();
    let ends = |point: &(f64, f64, Option<f64>)| [-1.0, 1.0].map(|sign| point.1 + sign * point.2.unwrap_or(0.0));
    let fold = |of: fn(f64, f64) -> f64, start: f64, values: &mut dyn Iterator<Item = f64>| values.fold(start, of);
    let arguments = || panel.points.iter().map(|point| point.0);
    let left = fold(f64::min, f64::INFINITY, &mut arguments());
    let right = fold(f64::max, 0.0, &mut arguments());
    let low = fold(f64::min, f64::INFINITY, &mut points.iter().flat_map(|point| ends(point)));
    let high = fold(f64::max, f64::NEG_INFINITY, &mut points.iter().flat_map(|point| ends(point)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    // Positive even if all values are equal.
    let margin = (0.05 * (high - low)).max(1e-6 * high.abs()).max(1e-30);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .caption(&panel.name, ("sans-serif", 15))
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d((left / 1.05..right * 1.05).log_scale(), low - margin..high + margin)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .label_style(("sans-serif", 12))
        .x_labels(5)
        .y_labels(5)
        .x_label_formatter(&|x| x.to_string())
        .y_label_formatter(&|y| format!("{y:.6}").trim_end_matches('0').trim_end_matches('.').to_owned())
        .x_desc(across)
        .draw()?;
    chart.draw_series(LineSeries::new(points.iter().map(|point| (point.0, point.1)), BLUE.stroke_width(1)))?;
    for point in points {
        let [low, high] = ends(point);
        let bar = PathElement::new([(point.0, low), (point.0, high)], BLUE.stroke_width(1));
        chart.draw_series([bar])?;
        chart.draw_series([Circle::new((point.0, point.1), 2, BLUE.filled())])?;
    }
    Ok(())
}
