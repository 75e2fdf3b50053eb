//! Pictures, as SVG.

pub mod bars;
pub mod correlation;
pub mod curves;
pub mod panels;
pub mod particles;
mod ticks;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::failure::Failure;

const WIDTH: u32 = 960;
/// Height of the heading and the line below it.
const HEAD: u32 = 64;
pub const BLUE: RGBColor = RGBColor(0x2b, 0x6c, 0xb0);
pub const ORANGE: RGBColor = RGBColor(0xdd, 0x8a, 0x26);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn picture(height: u32, heading: &str, title: &str, draw: impl FnOnce(&Area) -> Drawn) -> Result<String, Failure> {
    let mut picture = String::new();
    let drawn = || -> Drawn {
        let root = SVGBackend::with_string(&mut picture, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw_text(heading, &("sans-serif", 20).into_text_style(&root), (20, 14))?;
        root.draw_text(title, &("sans-serif", 13).into_text_style(&root), (20, 42))?;
        draw(&root)?;
        Ok(root.present()?)
    };
    drawn().map_err(|error| Failure::Job(format!("the picture: {error}")))?;
    Ok(picture)
}
