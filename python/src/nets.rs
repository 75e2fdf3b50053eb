//! Layers with their weights, of any number of dimensions and either type.

use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use hotloops::Error;
use hotloops::clifford::{Conv, ConvWeights, Linear, LinearWeights, Mode, Signature, Window};

use crate::arrays::room;
use crate::clifford::Real;
use crate::threads::{Stop, Watch};

/// A linear layer or a convolution.
trait Kind: Send + Sync + Sized + 'static {
    /// Packed weights.
    type Weights<T: Real>: Send + Sync;

    fn linear(&self) -> &Linear;

    fn packed_len(&self) -> Result<usize, Error>;

    /// Packs weights for the gradient if `is_backward`; these have no bias. Returns `None` if the call was interrupted.
    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        parameters: (&[T], Option<&[T]>),
        memory: &'static mut [T],
        watch: &Watch,
    ) -> Result<Option<Self::Weights<T>>, Error>;

    /// Points of an output in each dimension, for an input of `size` points.
    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error>;

    /// The product with the weights, of `size` points. Returns false if the call was interrupted.
    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        batch: (usize, &[usize]),
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error>;

    /// Adds the gradients with respect to weights and bias. Returns false if the call was interrupted.
    fn add_gradients<T: Real>(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error>;
}

impl Kind for Linear {
    type Weights<T: Real> = LinearWeights<'static, T>;

    fn linear(&self) -> &Linear {
        self
    }

    fn packed_len(&self) -> Result<usize, Error> {
        Linear::packed_len(self)
    }

    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        (weights, bias): (&[T], Option<&[T]>),
        memory: &'static mut [T],
        watch: &Watch,
    ) -> Result<Option<Self::Weights<T>>, Error> {
        match is_backward {
            true => self.pack_backward_while(weights, memory, || watch.goes_on()),
            false => self.pack_while(weights, bias, memory, || watch.goes_on()),
        }
    }

    fn output_size(&self, _: &[usize]) -> Result<Vec<usize>, Error> {
        Ok(Vec::new())
    }

    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        (batch, _): (usize, &[usize]),
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let workspace = &mut room(weights.workspace_len(batch)?, T::ZERO)?;
        match is_backward {
            true => weights.backward_while(batch, data, workspace, || watch.goes_on()),
            false => weights.forward_while(batch, data, workspace, || watch.goes_on()),
        }
    }

    fn add_gradients<T: Real>(
        &self,
        (batch, _): (usize, &[usize]),
        (x, gy): (&[T], &[T]),
        (gw, gbias): (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let Some(workspace) = &mut filled(watch, self.backward_weights_len::<T>(batch)?)? else { return Ok(false) };
        self.backward_weights_while(batch, (x, gy), (gw, Some(gbias)), workspace, || watch.goes_on())
    }
}

/// The `D` elements of a slice.
fn array<const D: usize>(numbers: &[usize]) -> [usize; D] {
    core::array::from_fn(|d| numbers[d])
}

impl<const D: usize> Kind for Conv<D> {
    type Weights<T: Real> = ConvWeights<'static, T, D>;

    fn linear(&self) -> &Linear {
        Conv::linear(self)
    }

    fn packed_len(&self) -> Result<usize, Error> {
        Conv::packed_len(self)
    }

    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        (weights, bias): (&[T], Option<&[T]>),
        memory: &'static mut [T],
        watch: &Watch,
    ) -> Result<Option<Self::Weights<T>>, Error> {
        match is_backward {
            true => self.pack_backward_while(weights, memory, || watch.goes_on()),
            false => self.pack_while(weights, bias, memory, || watch.goes_on()),
        }
    }

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error> {
        self.window().output_size(array(size)).map(Vec::from)
    }

    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        (batch, size): (usize, &[usize]),
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let workspace = &mut room(weights.workspace_len(batch, array(size))?, T::ZERO)?;
        match is_backward {
            true => weights.backward_while((batch, array(size)), data, workspace, || watch.goes_on()),
            false => weights.forward_while((batch, array(size)), data, workspace, || watch.goes_on()),
        }
    }

    fn add_gradients<T: Real>(
        &self,
        (batch, size): (usize, &[usize]),
        data: (&[T], &[T]),
        (gw, gbias): (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let (batch, gradients) = ((batch, array(size)), (gw, Some(gbias)));
        let len = self.backward_weights_len::<T>(batch.0, batch.1)?;
        let Some(workspace) = &mut filled(watch, len)? else { return Ok(false) };
        self.backward_weights_while(batch, data, gradients, workspace, || watch.goes_on())
    }
}

/// Memory that keeps its address until it is dropped.
struct Fixed<T>(NonNull<[T]>);

// SAFETY: it owns its memory and gives no access to them.
unsafe impl<T: Send> Send for Fixed<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Fixed<T> {}

impl<T> Drop for Fixed<T> {
    fn drop(&mut self) {
        // SAFETY: from a box; no reference is left.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Packed weights. The fields are dropped in this order: the weights borrow the others.
struct Packed<K: Kind, T: Real> {
    weights: K::Weights<T>,
    _memory: Fixed<T>,
    _kind: Arc<K>,
}

impl<K: Kind, T: Real> Packed<K, T> {
    fn new(kind: &Arc<K>, is_backward: bool, parameters: (&[T], Option<&[T]>), watch: &Watch) -> Result<Self, Stop> {
        let memory = filled(watch, kind.packed_len()?)?.ok_or(Stop::Interrupted)?;
        let memory = Fixed(NonNull::from(Box::leak(memory.into_boxed_slice())));
        // SAFETY: both live, in their places, until the weights are dropped; nothing else uses the memory.
        let (borrowed, numbers) = unsafe { (&*Arc::as_ptr(kind), &mut *memory.0.as_ptr()) };
        let weights = borrowed.pack(is_backward, parameters, numbers, watch)?.ok_or(Stop::Interrupted)?;
        Ok(Packed { weights, _memory: memory, _kind: Arc::clone(kind) })
    }
}

/// A layer with its weights, and those for the gradient once it is computed.
struct Trained<K: Kind, T: Real> {
    kind: Arc<K>,
    weights: Vec<T>,
    bias: Option<Vec<T>>,
    forward: Packed<K, T>,
    backward: OnceLock<Packed<K, T>>,
}

/// A layer whose number of dimensions is not known.
pub trait Net<T>: Send + Sync {
    fn linear(&self) -> &Linear;

    /// Weights and bias.
    fn parameters(&self) -> (&[T], Option<&[T]>);

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error>;

    /// Products of `batch` inputs of `size` points, or of gradients, `rows` of them together.
    fn run(
        &self,
        is_backward: bool,
        batch: (usize, &[usize]),
        rows: usize,
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop>;

    fn add_gradients(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop>;
}

impl<K: Kind, T: Real> Net<T> for Trained<K, T> {
    fn linear(&self) -> &Linear {
        self.kind.linear()
    }

    fn parameters(&self) -> (&[T], Option<&[T]>) {
        (&self.weights, self.bias.as_deref())
    }

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error> {
        self.kind.output_size(size)
    }

    fn run(
        &self,
        is_backward: bool,
        (batch, size): (usize, &[usize]),
        rows: usize,
        (from, to): (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop> {
        let packed = match (is_backward, self.backward.get()) {
            (false, _) => &self.forward,
            (true, Some(packed)) => packed,
            (true, None) => {
                let packed = Packed::new(&self.kind, true, (&self.weights, None), watch)?;
                self.backward.get_or_init(|| packed)
            }
        };
        if rows >= batch {
            return finished(K::run(&packed.weights, is_backward, (batch, size), (from, to), watch));
        }
        let [each, each_result] = [from.len() / batch * rows, to.len() / batch * rows];
        watch.each(from.chunks(each).zip(to.chunks_mut(each_result)), |part, data| {
            let some = rows.min(batch - part * rows);
            finished(K::run(&packed.weights, is_backward, (some, size), data, watch))
        })?;
        Ok(())
    }

    fn add_gradients(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop> {
        finished(self.kind.add_gradients(batch, data, gradients, watch))
    }
}

/// An interruption, of work that has returned false.
fn finished(is_done: Result<bool, Error>) -> Result<(), Stop> {
    if is_done? { Ok(()) } else { Err(Stop::Interrupted) }
}

/// Numbers that are filled or copied between two looks for signals.
const PART: usize = 1 << 20;

/// Zeros, or `None` if the call was interrupted.
fn filled<T: Real>(watch: &Watch, len: usize) -> Result<Option<Vec<T>>, Error> {
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| Error::NoMemory)?;
    for end in (0..len).step_by(PART).map(|start| len.min(start.saturating_add(PART))) {
        if !watch.goes_on() {
            return Ok(None);
        }
        all.resize(end, T::ZERO);
    }
    Ok(Some(all))
}

/// A layer for one of the types.
pub enum Nets {
    Single(Box<dyn Net<f32>>),
    Double(Box<dyn Net<f64>>),
}

/// A new layer of `dimensions` and a window, from its weights.
pub fn net<T: Real>(
    of: Signature,
    ([outputs, inputs], window): ([usize; 2], (usize, Window<3>)),
    mode: Mode,
    parameters: (&[T], Option<&[T]>),
    watch: &Watch,
) -> Result<Box<dyn Net<T>>, Stop> {
    fn trained<K: Kind, T: Real>(
        kind: K,
        (weights, bias): (&[T], Option<&[T]>),
        watch: &Watch,
    ) -> Result<Box<dyn Net<T>>, Stop> {
        let kind = Arc::new(kind);
        let forward = Packed::new(&kind, false, (weights, bias), watch)?;
        let copied = |values: &[T]| {
            let mut copy = filled(watch, values.len())?.ok_or(Stop::Interrupted)?;
            for (copy, values) in copy.chunks_mut(PART).zip(values.chunks(PART)) {
                watch.check()?;
                copy.copy_from_slice(values);
            }
            Ok::<_, Stop>(copy)
        };
        let (weights, bias) = (copied(weights)?, bias.map(copied).transpose()?);
        Ok(Box::new(Trained { kind, weights, bias, forward, backward: OnceLock::new() }))
    }
    fn first<const D: usize>(window: &Window<3>) -> Window<D> {
        let [kernel, stride, padding, dilation] =
            [&window.kernel, &window.stride, &window.padding, &window.dilation].map(|all| array(all));
        Window { kernel, stride, padding, dilation }
    }
    let (dimensions, window) = window;
    match dimensions {
        0 => trained(Linear::new(of, inputs, outputs, mode)?, parameters, watch),
        1 => trained(Conv::new(of, inputs, outputs, first::<1>(&window), mode)?, parameters, watch),
        2 => trained(Conv::new(of, inputs, outputs, first::<2>(&window), mode)?, parameters, watch),
        _ => trained(Conv::new(of, inputs, outputs, first::<3>(&window), mode)?, parameters, watch),
    }
}
