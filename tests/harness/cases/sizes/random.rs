use hotloops::random::*;

use super::{alike, noise};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

type Draw<T> = unsafe extern "C" fn(*mut u32, usize, *mut usize, *mut T, usize);

fn all<T: Copy + Default + 'static>() -> Vec<Sizes<Draw<T>>> {
    const ROWS: i64 = 624;
    let call = |kernel: Draw<T>, v: &Values| {
        let [lanes, position, n] = ["lanes", "position", "n"].map(|name| v.size(name));
        let state = Room::of(ROWS as usize * lanes, noise)?;
        let (at, to) = (Room::copy(&[position])?, Room::of(n, |_| T::default())?);
        // SAFETY: a state of these lanes, a position in it, n numbers.
        unsafe { kernel(state.ptr(), lanes, at.ptr(), to.ptr(), n) };
        Some([state.contents(), at.contents(), to.contents()].concat())
    };
    let base = [("lanes", 4), ("position", 3), ("n", 7)];
    vec![Sizes::new(&base, call).bound("lanes", 16).bound("position", 4 * ROWS - 1)]
}
alike! { mt19937_u32::Function: mt19937_u32 = all::<u32>() }
alike! { mt19937_f32::Function: mt19937_f32 = all::<f32>() }
