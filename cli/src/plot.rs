//! Pictures, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::failure::Failure;
use crate::ladder::Outcome;
use crate::machine;

const WIDTH: u32 = 960;
const BAR: u32 = 26;
const LABELS: u32 = 250;
const ONE: RGBColor = RGBColor(0x2b, 0x6c, 0xb0);
const ALL: RGBColor = RGBColor(0xdd, 0x8a, 0x26);

/// A bar for each row: how many times as fast as A.1 on one thread.
pub fn svg(outcome: &Outcome, title: &str) -> Result<String, Failure> {
    let mut picture = String::new();
    draw(outcome, title, &mut picture).map_err(|error| Failure::Job(format!("the picture: {error}")))?;
    Ok(picture)
}

fn draw(outcome: &Outcome, title: &str, picture: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let rows = &outcome.rows;
    let root = SVGBackend::with_string(picture, (WIDTH, BAR * rows.len() as u32 + 150)).into_drawing_area();
    root.fill(&WHITE)?;
    let text = |size: u32| ("sans-serif", size).into_text_style(&root);
    root.draw_text("Speed-up of the Ising sweep over A.1 on one thread", &text(20), (20, 14))?;
    root.draw_text(&format!("{}; {title}", machine::cpu()), &text(13), (20, 42))?;

    let longest = rows.iter().map(|row| outcome.speed_up(row, "A.1")).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .margin_top(64)
        .margin_right(24)
        .margin_bottom(8)
        .x_label_area_size(48)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(0.0..1.22 * longest, rows.len() as f64..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13))
        .x_desc("times as fast as A.1 (beside the bars: nanoseconds per attempted update)")
        .draw()?;
    for (index, row) in rows.iter().enumerate() {
        let (top, bottom) = (index as f64 + 0.14, index as f64 + 0.86);
        let length = outcome.speed_up(row, "A.1");
        let colour = if row.threads == 1 { ONE } else { ALL };
        chart.draw_series([Rectangle::new([(0.0, top), (length, bottom)], colour.filled())])?;
        let (end, middle) = chart.backend_coord(&(length, index as f64 + 0.5));
        let value = format!("{length:.1}x, {:.2} ns", row.time);
        root.draw_text(&value, &text(13).pos(Pos::new(HPos::Left, VPos::Center)), (end + 6, middle))?;
        let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
        let label = format!("{}: {} {}{threads}", row.level, row.isa, row.form);
        let style = text(13).pos(Pos::new(HPos::Right, VPos::Center));
        root.draw_text(&label, &style, (LABELS as i32 - 8, middle))?;
    }
    root.present()?;
    Ok(())
}
