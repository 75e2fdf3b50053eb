//! Spins in and out of a model.

use super::engine::Engine;
use super::model::{LayeredIsing, natural};
use crate::frame::error::{Error, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};

impl LayeredIsing {
    /// Sets all spins: `spins[layer * sites + site]` is +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `layers * sites` spins, [`Error::Spin`] for the first one
    /// that is neither +1 nor -1.
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        whole(|pieces| self.set(spins, pieces))
    }

    /// Like [`set_spins`](Self::set_spins). Returns false as soon as `go_on`, called some times in a millisecond,
    /// returns false; the spins are then unknown, and must be set before the model is used.
    ///
    /// ```
    /// use hotloops::ising::{Kind, LayeredIsing};
    /// let mut model = LayeredIsing::builder(2, 1).build(Kind::Auto)?;
    /// assert!(!model.set_spins_while(&[1, -1], || false)?);
    /// assert!(model.set_spins_while(&[1, -1], || true)?);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`set_spins`](Self::set_spins).
    pub fn set_spins_while(&mut self, spins: &[i8], mut go_on: impl FnMut() -> bool) -> Result<bool, Error> {
        Ok(unless_ended(self.set(spins, &Pieces::new(&mut go_on)))?.is_some())
    }

    fn set(&mut self, spins: &[i8], pieces: &Pieces) -> Result<(), Ended> {
        self.check_spins(spins, pieces)?;
        for index in 0..self.shape.rows() {
            let lanes = self.live_lanes(index);
            pieces.before(2 * lanes)?;
            let order = self.order();
            let place = |lane| natural(self.shape, order, index, lane);
            let word = (0..lanes).fold(0, |word, lane| word | u64::from(spins[place(lane)] < 0) << lane);
            self.set_word(index, word);
        }
        self.engine.refresh_while(pieces)
    }

    /// Writes all spins: `spins[layer * sites + site]` becomes +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`] unless `spins` has exactly `layers * sites` elements.
    pub fn spins(&self, spins: &mut [i8]) -> Result<(), Error> {
        exactly("spins", self.layers() * self.sites(), spins.len())?;
        let order = self.order();
        for index in 0..self.shape.rows() {
            let word = self.word(index);
            for lane in 0..self.live_lanes(index) {
                spins[natural(self.shape, order, index, lane)] = 1 - 2 * (word >> lane & 1) as i8;
            }
        }
        Ok(())
    }

    /// Writes the spins of one layer: `spins[site]` becomes +1 or -1.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such layer, [`Error::Length`] unless there are `sites` spins.
    pub fn copy_layer(&self, layer: usize, spins: &mut [i8]) -> Result<(), Error> {
        self.check_layer(layer, spins.len())?;
        let (strips, order) = (self.shape.strips(), self.order());
        for (strip, (group, lane)) in self.shape.lanes_of(layer).enumerate() {
            for row in 0..self.shape.sites {
                let word = self.word(group * self.shape.sites + row);
                spins[order[row * strips + strip] as usize] = 1 - 2 * (word >> lane & 1) as i8;
            }
        }
        Ok(())
    }

    /// Sets the spins of one layer: `spins[site]` is +1 or -1.
    ///
    /// # Errors
    /// As for [`copy_layer`](Self::copy_layer), and [`Error::Spin`] for the first spin that is
    /// neither +1 nor -1.
    pub fn set_layer(&mut self, layer: usize, spins: &[i8]) -> Result<(), Error> {
        self.check_layer(layer, spins.len())?;
        if let Some(site) = spins.iter().position(|spin| !matches!(spin, 1 | -1)) {
            return Err(Error::Spin { layer, site, value: spins[site] });
        }
        let strips = self.shape.strips();
        for (strip, (group, lane)) in self.shape.lanes_of(layer).enumerate() {
            for row in 0..self.shape.sites {
                let index = group * self.shape.sites + row;
                let is_down = spins[self.order()[row * strips + strip] as usize] < 0;
                let word = self.word(index) & !(1 << lane) | u64::from(is_down) << lane;
                self.set_word(index, word);
            }
        }
        self.refresh();
        Ok(())
    }

    /// Checks that there is a layer, and the number of its spins.
    fn check_layer(&self, layer: usize, spins: usize) -> Result<(), Error> {
        if layer >= self.layers() {
            return Err(Error::Index { argument: "layer", index: layer, count: self.layers() });
        }
        exactly("spins", self.sites(), spins)
    }

    /// Checks that there are `layers * sites` spins, each +1 or -1.
    pub(super) fn check_spins(&self, spins: &[i8], pieces: &Pieces) -> Result<(), Ended> {
        exactly("spins", self.layers() * self.sites(), spins.len())?;
        let mut wrong = None;
        pieces.each(spins.len(), |piece| {
            let found = spins[piece.clone()].iter().position(|spin| !matches!(spin, 1 | -1));
            wrong = wrong.or(found.map(|found| piece.start + found));
        })?;
        wrong.map_or(Ok(()), |index| {
            let (layer, site) = (index / self.sites(), index % self.sites());
            Err(Error::Spin { layer, site, value: spins[index] }.into())
        })
    }
}
