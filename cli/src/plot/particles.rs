//! Particles in the plane, coloured by the magnitude of their orientation.

use plotters::prelude::*;

use super::{HEAD, WIDTH, picture};
use crate::failure::Failure;

const MARGIN: u32 = 20;
/// Width of the bar that explains the colours.
const SCALE: u32 = 60;

/// `particles` are x, y and a magnitude from 0 to 1.
pub fn svg(particles: &[[f64; 3]], heading: &str, title: &str) -> Result<String, Failure> {
    let range = |axis: usize| {
        let values = particles.iter().map(|particle| particle[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if low <= high { (low, high - low) } else { (0.0, 0.0) }
    };
    let ((left, width), (bottom, height)) = (range(0), range(1));
    let inner = f64::from(WIDTH - 2 * MARGIN - SCALE);
    let longest = width.max(height);
    let per_unit = if longest > 0.0 { inner / longest } else { 1.0 };
    let tall = (height * per_unit).max(100.0) as u32 + 1;
    // About half of the mean spacing.
    let area = (width * height * per_unit * per_unit).max(inner);
    let radius = (0.5 * (area / particles.len().max(1) as f64).sqrt()).clamp(1.0, 8.0) as u32;
    picture(HEAD + tall + 2 * MARGIN, heading, title, |root| {
        for &[x, y, magnitude] in particles {
            let at = (
                (f64::from(MARGIN) + (x - left) * per_unit) as i32,
                (f64::from(HEAD + MARGIN + tall) - (y - bottom) * per_unit) as i32,
            );
            root.draw(&Circle::new(at, radius, colour(magnitude).filled()))?;
        }
        let right = (WIDTH - SCALE + 10) as i32;
        for step in 0..50 {
            let top = (HEAD + MARGIN) as i32 + 2 * step;
            let bar = [(right, top), (right + 14, top + 2)];
            root.draw(&Rectangle::new(bar, colour(1.0 - f64::from(step) / 49.0).filled()))?;
        }
        for (text, top) in [("1", 0), ("0", 88)] {
            root.draw_text(
                text,
                &("sans-serif", 13).into_text_style(root),
                (right + 20, (HEAD + MARGIN) as i32 + top),
            )?;
        }
        Ok(())
    })
}

/// From dark blue by green to yellow; readable without colour, because it grows lighter.
fn colour(magnitude: f64) -> RGBColor {
    const STOPS: [[f64; 3]; 4] = [[50.0, 20.0, 90.0], [40.0, 95.0, 140.0], [50.0, 165.0, 120.0], [250.0, 220.0, 60.0]];
    let at = 3.0 * magnitude.clamp(0.0, 1.0);
    let stop = (at as usize).min(2);
    let part = |channel: usize| {
        let [a, b] = [STOPS[stop][channel], STOPS[stop + 1][channel]];
        (a + (b - a) * (at - stop as f64)).round() as u8
    };
    RGBColor(part(0), part(1), part(2))
}
