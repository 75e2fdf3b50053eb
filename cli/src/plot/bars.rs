//! Speed-ups as bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ticks::{self, Axis};
use super::{Area, Drawn, HEAD, picture};
use crate::failure::Failure;

const BAR: u32 = 20;
/// Width of names and labels of usual length.
const LABELS: u32 = 250;
/// Letters of a label of usual length, and the width of two letters.
const LETTERS: usize = 24;
const TWO: u32 = 13;
/// Powers of two that are labels; wider ranges have powers of ten.
const POWERS: f64 = 16.0;

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

/// Bars from 1 on on a logarithmic scale, which `axis` names.
pub fn svg(groups: &[Group], axis: &str, heading: &str, title: &str) -> Result<String, Failure> {
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = BAR * bars as u32 + BAR / 2 * groups.len() as u32 + 140;
    picture(height, heading, title, |root| draw(groups, axis, root))
}

/// Width of the names of groups and the labels of their bars.
fn width(groups: &[Group]) -> u32 {
    let longest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let labels = longest(&mut groups.iter().flat_map(|group| &group.bars).map(|bar| &bar.label));
    let names = longest(&mut groups.iter().map(|group| &group.name));
    if labels > LETTERS { 44 + TWO * (labels + names) as u32 / 2 } else { LABELS }
}

fn draw(groups: &[Group], axis: &str, root: &Area) -> Drawn {
    let text = ("sans-serif", 13).into_text_style(root);
    let lengths = || groups.iter().flat_map(|group| &group.bars).map(|bar| bar.length);
    let longest = lengths().fold(1.0, f64::max).log2();
    // The axis begins and ends at powers of two.
    let (left, right) = (lengths().fold(1.0, f64::min).log2().floor(), (1.22 * longest).ceil().max(2.0));
    let labels = width(groups);
    let is_wide = right - left > POWERS;
    let decades = || ticks::logarithmic(left.exp2(), right.exp2()).into_iter().map(f64::log2).collect();
    let across = Axis::new(left..right, is_wide.then(decades));
    let label = |x: &f64| if is_wide { ticks::label(x * 2f64.log10()) } else { x.exp2().to_string() };
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let bottom = bars as f64 + 0.5 * groups.len() as f64;
    let mut chart = ChartBuilder::on(root)
        .margin_top(HEAD)
        .margin_right(24)
        .margin_bottom(8)
        .x_label_area_size(48)
        .y_label_area_size(labels)
        .build_cartesian_2d(across, bottom..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13))
        .x_desc(axis)
        .x_labels((right - left) as usize + 1)
        .x_label_formatter(&label)
        .draw()?;
    let mut top = 0.0;
    for Group { name, bars } in groups {
        let (_, middle) = chart.backend_coord(&(0.0, top + 0.5));
        root.draw_text(name, &text.pos(Pos::new(HPos::Left, VPos::Center)), (20, middle))?;
        for Bar { label, length, value, colour } in bars {
            let length = length.log2();
            let bar = Rectangle::new([(0.0, top + 0.14), (length, top + 0.86)], colour.filled());
            chart.draw_series([bar])?;
            let (end, middle) = chart.backend_coord(&(length.max(0.0), top + 0.5));
            root.draw_text(value, &text.pos(Pos::new(HPos::Left, VPos::Center)), (end + 6, middle))?;
            root.draw_text(label, &text.pos(Pos::new(HPos::Right, VPos::Center)), (labels as i32 - 8, middle))?;
            top += 1.0;
        }
        top += 0.5;
    }
    Ok(())
}
