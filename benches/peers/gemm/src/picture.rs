//! Ratios over two sizes, as SVG.

use hotloops_bench_support::machine::cpu;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use time::OffsetDateTime;

const CELL: (i32, i32) = (46, 26);
/// Left and top of the cells.
const CORNER: (i32, i32) = (84, 130);
const MARGIN: i32 = 20;

/// A map of m downwards and n to the right.
pub struct Map<'a> {
    pub title: String,
    pub note: String,
    pub sizes: &'a [usize],
    /// Row by row.
    pub ratios: &'a [Option<f64>],
}

pub fn svg(map: &Map) -> Result<String, String> {
    let mut picture = String::new();
    draw(map, &mut picture).map_err(|error| format!("the picture: {error}"))?;
    Ok(picture)
}

fn draw(map: &Map, picture: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let side = map.sizes.len() as i32;
    let (right, bottom) = (CORNER.0 + side * CELL.0, CORNER.1 + side * CELL.1);
    let size = ((right + MARGIN) as u32, (bottom + MARGIN) as u32);
    let root = SVGBackend::with_string(picture, size).into_drawing_area();
    root.fill(&WHITE)?;
    let machine = format!("{}, {}", cpu(), OffsetDateTime::now_utc().date());
    text(&root, &map.title, 20, HPos::Left, (MARGIN, 24))?;
    text(&root, &machine, 13, HPos::Left, (MARGIN, 50))?;
    text(&root, &map.note, 12, HPos::Left, (MARGIN, 68))?;
    text(&root, "n", 14, HPos::Center, ((CORNER.0 + right) / 2, CORNER.1 - 34))?;
    text(&root, "m", 14, HPos::Left, (MARGIN, (CORNER.1 + bottom) / 2))?;
    for (i, m) in (0..).zip(map.sizes) {
        let middle = CORNER.1 + i * CELL.1 + CELL.1 / 2;
        text(&root, &m.to_string(), 13, HPos::Right, (CORNER.0 - 8, middle))?;
        text(&root, &m.to_string(), 13, HPos::Center, (CORNER.0 + i * CELL.0 + CELL.0 / 2, CORNER.1 - 14))?;
    }
    for (at, ratio) in (0..).zip(map.ratios) {
        let (x, y) = (CORNER.0 + at % side * CELL.0, CORNER.1 + at / side * CELL.1);
        let (colour, figure) = match ratio {
            Some(ratio) => (colour(*ratio), format!("{ratio:.2}")),
            None => (WHITE, "-".into()),
        };
        root.draw(&Rectangle::new([(x, y), (x + CELL.0 - 1, y + CELL.1 - 1)], colour.filled()))?;
        text(&root, &figure, 13, HPos::Center, (x + CELL.0 / 2, y + CELL.1 / 2))?;
    }
    Ok(root.present()?)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn text(root: &Area, text: &str, size: i32, side: HPos, at: (i32, i32)) -> Result<(), Box<dyn std::error::Error>> {
    let style = ("sans-serif", size).into_text_style(root).pos(Pos::new(side, VPos::Center));
    Ok(root.draw_text(text, &style, at)?)
}

/// White at 1, more orange the slower and more blue the faster hotloops is; full colour at 1/2 and
/// at 2. Black text stays readable on all.
fn colour(ratio: f64) -> RGBColor {
    let strength = ratio.log2().clamp(-1.0, 1.0);
    let RGBColor(r, g, b) = if strength < 0.0 { RGBColor(0xf0, 0x80, 0x30) } else { RGBColor(0x5a, 0xa0, 0xe6) };
    let mix = |full: u8| (255.0 - strength.abs() * (255.0 - f64::from(full))) as u8;
    RGBColor(mix(r), mix(g), mix(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_diverge_from_white() {
        assert_eq!(colour(1.0), WHITE);
        let (RGBColor(r, _, b), RGBColor(r_fast, _, b_fast)) = (colour(0.6), colour(1.6));
        assert!(r > b && r_fast < b_fast);
    }

    #[test]
    fn every_ratio_has_its_figure() {
        let ratios = [Some(0.5), Some(1.25), None, Some(3.0)];
        let map = Map { title: "title".into(), note: "note".into(), sizes: &[7, 9], ratios: &ratios };
        let picture = svg(&map).unwrap();
        assert!(["0.50", "1.25", "3.00", "title", "note"].iter().all(|text| picture.contains(text)));
    }
}
