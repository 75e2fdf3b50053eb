//! The tests of rows: those of full bundles in `f32`, rows that pass in `f64`, and arguments on those exactly.

use super::super::super::{MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects, dual, refine};
use super::{Dual, Piece, SIZES};
use crate::frame::error::Error;
use crate::frame::memory;

/// Number of rows after which those that passed are tested again.
const HITS: usize = 1 << 14;

impl Dual {
    /// Tests the rows of a bundle, and empties it.
    #[inline(never)]
    pub(super) fn test(&mut self, size: usize) -> Result<(), Error> {
        let mut hits = [0; MAX_ROWS];
        let filling = &mut self.fillings[size];
        let used = u32::MAX >> (PIECES - filling.count);
        // SAFETY: a bundle, and words for its rows.
        unsafe { dual(&filling.bundle, 1, hits.as_mut_ptr()) };
        filling.count = 0;
        let filling = &self.fillings[size];
        for (j, &word) in hits[..filling.bundle.rows as usize].iter().enumerate() {
            let mut word = word & used;
            while word != 0 {
                let [arc, from] = filling.origins[word.trailing_zeros() as usize];
                word &= word - 1;
                memory::push(&mut self.hits, [arc, from + j as u32])?;
            }
        }
        if self.hits.len() >= HITS { self.refine() } else { Ok(()) }
    }

    /// Tests the rows that passed again, in `f64`.
    fn refine(&mut self) -> Result<(), Error> {
        // Arcs of a part are together.
        let Dual { hits, sorted, ends, .. } = self;
        memory::resize(sorted, hits.len(), [0; 2])?;
        ends.clear();
        memory::resize(ends, self.chunks.len() + 1, 0)?;
        let of = |arc: u32| arc as usize / MAX_ARCS;
        hits.iter().for_each(|&[arc, _]| ends[of(arc) + 1] += 1);
        for chunk in 0..self.chunks.len() {
            ends[chunk + 1] += ends[chunk];
        }
        for &hit in hits.iter() {
            let end = &mut ends[of(hit[0])];
            sorted[*end as usize] = hit;
            *end += 1;
        }
        hits.clear();

        let (mut suspects, mut places, mut count) = (Suspects::EMPTY, Places::default(), 0);
        for (at, &[arc, j]) in self.sorted.iter().enumerate() {
            let (chunk, i) = (&self.chunks[of(arc)], arc as usize % MAX_ARCS);
            suspects.u[count] = chunk.denominators[i + 1];
            suspects.v[count] = chunk.denominators[i + 2];
            suspects.differences[count] = chunk.differences[i];
            suspects.rows[count] = f64::from(j);
            count += 1;
            let is_last = self.sorted.get(at + 1).is_none_or(|next| self.chunks[of(next[0])].piece != chunk.piece);
            if count < MAX_ARCS && !is_last {
                continue;
            }
            let Piece { curve, middle, range } = &self.pieces[chunk.piece as usize];
            // SAFETY: whole vectors of suspects, and as many places.
            unsafe { refine(curve, &suspects, count.next_multiple_of(8), &mut places) };
            for (first, counts) in places.first.iter().zip(&places.counts) {
                for i in 0..count {
                    for step in 0..counts[i] {
                        let x = middle + (first[i] + f64::from(step) * suspects.u[i]) as i64;
                        if range.contains(&x) {
                            memory::push(&mut self.candidates, x)?;
                        }
                    }
                }
            }
            count = 0;
        }
        Ok(())
    }

    /// Tests the rows that are left, and returns the cases in ascending order: the candidates
    /// that `is_case` confirms.
    pub(in super::super) fn finish(&mut self, mut is_case: impl FnMut(i64) -> bool) -> Result<&[i64], Error> {
        // Move pieces to bundles of more rows, until these are full.
        for size in (1..SIZES).rev() {
            let (few, many) = self.fillings.split_at_mut(size);
            let (few, many) = (&mut few[size - 1], &mut many[0]);
            while 0 < many.count && many.count < PIECES && few.count > 0 {
                few.count -= 1;
                let (from, to) = (few.count, many.count);
                let (a, b) = (&few.bundle, &mut many.bundle);
                b.scale[to] = a.scale[from];
                b.height[to] = a.height[from];
                b.base[to] = a.base[from];
                b.step[to] = a.step[from];
                b.limit[to] = a.limit[from];
                b.extra[to] = a.extra[from];
                b.first[to] = a.first[from];
                many.origins[to] = few.origins[from];
                many.count += 1;
            }
            if many.count > 0 && (few.count > 0 || many.count == PIECES) {
                self.test(size)?;
            }
        }
        for size in 0..SIZES {
            if self.fillings[size].count > 0 {
                self.test(size)?;
            }
        }
        self.refine()?;
        self.pieces.clear();
        self.chunks.clear();
        self.candidates.sort_unstable();
        for &x in &self.candidates {
            if is_case(x) {
                memory::push(&mut self.found, x)?;
            }
        }
        self.candidates.clear();
        self.found.sort_unstable();
        self.found.dedup();
        Ok(&self.found)
    }
}
