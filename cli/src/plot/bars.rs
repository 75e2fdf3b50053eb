//! Speed-ups as bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Area, BLUE, Drawn, HEAD, ORANGE, picture};
use crate::failure::Failure;
use crate::ladder::Outcome;
use crate::machine;

const BAR: u32 = 26;
const LABELS: u32 = 250;

/// A bar for each row: how many times as fast as A.1 on one thread.
pub fn svg(outcome: &Outcome, title: &str) -> Result<String, Failure> {
    let height = BAR * outcome.rows.len() as u32 + 150;
    let heading = "Speed-up of the Ising sweep over A.1 on one thread";
    picture(height, heading, &format!("{}; {title}", machine::cpu()), |root| draw(outcome, root))
}

fn draw(outcome: &Outcome, root: &Area) -> Drawn {
    let rows = &outcome.rows;
    let text = ("sans-serif", 13).into_text_style(root);
    let longest = rows.iter().map(|row| outcome.speed_up(row, "A.1")).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(root)
        .margin_top(HEAD)
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
        let colour = if row.threads == 1 { BLUE } else { ORANGE };
        chart.draw_series([Rectangle::new([(0.0, top), (length, bottom)], colour.filled())])?;
        let (end, middle) = chart.backend_coord(&(length, index as f64 + 0.5));
        let value = format!("{length:.1}x, {:.2} ns", row.time);
        root.draw_text(&value, &text.pos(Pos::new(HPos::Left, VPos::Center)), (end + 6, middle))?;
        let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
        let label = format!("{}: {} {}{threads}", row.level, row.isa, row.form);
        root.draw_text(&label, &text.pos(Pos::new(HPos::Right, VPos::Center)), (LABELS as i32 - 8, middle))?;
    }
    Ok(())
}
