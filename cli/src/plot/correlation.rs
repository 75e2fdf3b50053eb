//! Correlations as functions of distance, in panels one above the other.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::{Area, BLUE, Drawn, HEAD, ORANGE, picture};
use crate::failure::Failure;

const HEIGHT: u32 = 360;

/// Values by distance.
pub struct Panel {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Both axes are logarithmic, and a line shows r^-1/4, the decay at the transition from hexatic
    /// to liquid.
    pub logarithmic: bool,
}

pub fn svg(panels: &[Panel], heading: &str, title: &str) -> Result<String, Failure> {
    picture(HEAD + HEIGHT * panels.len() as u32, heading, title, |root| {
        let (_, below) = root.split_vertically(HEAD);
        for (panel, area) in panels.iter().zip(below.split_evenly((panels.len(), 1))) {
            panel.draw(&area)?;
        }
        Ok(())
    })
}

impl Panel {
    fn draw(&self, area: &Area) -> Drawn {
        let points: Vec<(f64, f64)> = match self.logarithmic {
            true => self.points.iter().copied().filter(|&(r, value)| r > 0.0 && value > 0.0).collect(),
            false => self.points.clone(),
        };
        let bound = |pick: fn(&(f64, f64)) -> f64, of: fn(f64, f64) -> f64| points.iter().map(pick).reduce(of);
        let (Some(left), Some(right)) = (bound(|p| p.0, f64::min), bound(|p| p.0, f64::max)) else {
            area.draw_text("no pairs", &("sans-serif", 13).into_text_style(area), (80, 20))?;
            return Ok(());
        };
        let high = bound(|p| p.1, f64::max).unwrap_or(1.0);
        if self.logarithmic {
            let low = bound(|p| p.1, f64::min).unwrap_or(1.0).max(1e-6);
            let right = if right > left { right } else { 2.0 * left };
            let axes = ((left..right).log_scale(), (0.8 * low..1.25 * high.max(2.0 * low)).log_scale());
            // The power law goes through the largest value.
            let peak = points.iter().copied().fold(points[0], |a, b| if b.1 > a.1 { b } else { a });
            let power = (0..=100).map(|step| left * (right / left).powf(f64::from(step) / 100.0));
            let power = power.map(|r| (r, peak.1 * (r / peak.0).powf(-0.25))).filter(|&(_, y)| y >= low && y <= high);
            self.chart(area, axes, &points, &power.collect::<Vec<_>>())
        } else {
            self.chart(area, (0.0..right, 0.0..1.05 * high.max(1e-9)), &points, &[(0.0, 1.0), (right, 1.0)])
        }
    }

    fn chart<X, Y>(&self, area: &Area, (x, y): (X, Y), points: &[(f64, f64)], line: &[(f64, f64)]) -> Drawn
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.1))
            .label_style(("sans-serif", 13))
            .x_label_formatter(&|x| format!("{}", (x * 1e6).round() / 1e6))
            .y_label_formatter(&|y| format!("{}", (y * 1e6).round() / 1e6))
            .x_desc(if self.logarithmic { "r (line: r^-1/4)" } else { "r" })
            .y_desc(self.name.as_str())
            .draw()?;
        chart.draw_series(LineSeries::new(line.iter().copied(), ORANGE.stroke_width(1)))?;
        chart.draw_series(LineSeries::new(points.iter().copied(), BLUE.stroke_width(1)))?;
        Ok(())
    }
}
