//! Speed-ups as bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Area, Drawn, HEAD, picture};
use crate::failure::Failure;

const BAR: u32 = 20;
const LABELS: u32 = 250;

/// Bars, one below the other. The common name, if any, is to the left of their labels.
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

pub struct Bar {
    pub label: String,
    pub length: f64,
    /// Text beside the end of the bar.
    pub value: String,
    pub colour: RGBColor,
}

/// The quantity of the lengths. On a logarithmic scale bars begin at 1.
pub struct Axis<'a> {
    pub name: &'a str,
    pub logarithmic: bool,
}

pub fn svg(groups: &[Group], axis: &Axis, heading: &str, title: &str) -> Result<String, Failure> {
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = BAR * bars as u32 + BAR / 2 * groups.len() as u32 + 140;
    picture(height, heading, title, |root| draw(groups, axis, root))
}

fn draw(groups: &[Group], axis: &Axis, root: &Area) -> Drawn {
    let text = ("sans-serif", 13).into_text_style(root);
    let at = |length: f64| if axis.logarithmic { length.log2() } else { length };
    let lengths = || groups.iter().flat_map(|group| &group.bars).map(|bar| bar.length);
    let longest = at(lengths().fold(1.0, f64::max));
    // A logarithmic axis begins and ends at powers of two, which are its labels.
    let (left, right) = match axis.logarithmic {
        true => (at(lengths().fold(1.0, f64::min)).floor(), (1.22 * longest).ceil().max(2.0)),
        false => (0.0, 1.22 * longest),
    };
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let bottom = bars as f64 + 0.5 * groups.len() as f64;
    let mut chart = ChartBuilder::on(root)
        .margin_top(HEAD)
        .margin_right(24)
        .margin_bottom(8)
        .x_label_area_size(48)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(left..right, bottom..0.0)?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_y_mesh()
        .disable_y_axis()
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13))
        .x_desc(axis.name);
    match axis.logarithmic {
        true => mesh.x_labels((right - left) as usize + 1).x_label_formatter(&|x| x.exp2().to_string()).draw()?,
        false => mesh.draw()?,
    }
    let mut top = 0.0;
    for Group { name, bars } in groups {
        let (_, middle) = chart.backend_coord(&(0.0, top + 0.5));
        root.draw_text(name, &text.pos(Pos::new(HPos::Left, VPos::Center)), (20, middle))?;
        for Bar { label, length, value, colour } in bars {
            let length = at(*length);
            let bar = Rectangle::new([(0.0, top + 0.14), (length, top + 0.86)], colour.filled());
            chart.draw_series([bar])?;
            let (end, middle) = chart.backend_coord(&(length.max(0.0), top + 0.5));
            root.draw_text(value, &text.pos(Pos::new(HPos::Left, VPos::Center)), (end + 6, middle))?;
            root.draw_text(label, &text.pos(Pos::new(HPos::Right, VPos::Center)), (LABELS as i32 - 8, middle))?;
            top += 1.0;
        }
        top += 0.5;
    }
    Ok(())
}
