//! Dot products across pairs.

use super::lanes::Lanes;
use crate::reduce::steps::Step;

/// Products of each element and the other one of its pair.
#[derive(Clone, Copy)]
pub(super) struct Crossed<T>(pub *const T, pub *const T);

impl<V: Lanes> Step<V, 1> for Crossed<V::Element> {
    type Elements = [V; 2];

    #[inline(always)]
    unsafe fn load(self, i: usize) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [V::load(self.0.add(i)), V::load(self.1.add(i)).swap_pairs()] }
    }

    #[inline(always)]
    unsafe fn load_first(self, i: usize, n: usize) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [V::load_first(self.0.add(i), n), V::load_first(self.1.add(i), n).swap_pairs()] }
    }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], [x, y]: [V; 2], _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x.mul(y))] }
    }

    #[inline(always)]
    unsafe fn start(self, [x, y]: [V; 2]) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [x.mul(y)] }
    }
}
