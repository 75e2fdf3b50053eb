//! The C functions of plans and of packed weights.

use super::signature;
use crate::clifford::connected::{ConnectedProduct, ConnectedWeights};
use crate::clifford::conv::{Conv, ConvWeights, Window};
use crate::clifford::grade::{GradeLinear, GradeMaps, GradeWeights};
use crate::clifford::linear::{Linear, LinearWeights, Mode};
use crate::frame::error::Error;
use crate::frame::ffi::{Bytes, Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::matmul::Element;

/// `hl_clifford_plan`.
pub enum CliffordPlan {
    /// A linear layer.
    Linear(Linear),
    /// A convolution in one dimension.
    Conv1(Conv<1>),
    /// In two.
    Conv2(Conv<2>),
    /// In three.
    Conv3(Conv<3>),
    /// A grade-wise linear layer.
    Grades(GradeLinear),
    /// A connected product.
    Connected(ConnectedProduct),
}

/// Packed weights of a plan.
pub(super) enum Weights<T: 'static> {
    Linear(LinearWeights<'static, T>),
    Conv1(ConvWeights<'static, T, 1>),
    Conv2(ConvWeights<'static, T, 2>),
    Conv3(ConvWeights<'static, T, 3>),
    Grades(GradeWeights<'static, T>),
    Connected(ConnectedWeights<'static, T>),
}

/// `hl_clifford_packed`: weights for one of the types, with the plan, which outlives them.
pub enum CliffordPacked {
    /// For `f32`.
    F32(PackedOf<f32>),
    /// For `f64`.
    F64(PackedOf<f64>),
}

/// Weights and their plan.
pub struct PackedOf<T: 'static> {
    pub(super) plan: &'static CliffordPlan,
    pub(super) weights: Weights<T>,
}

/// `hl_clifford_window`.
#[repr(C)]
pub struct CliffordWindow {
    dimensions: usize,
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
}

impl CliffordWindow {
    fn window<const D: usize>(&self) -> Window<D> {
        let [kernel, stride, padding, dilation] =
            [self.kernel, self.stride, self.padding, self.dilation].map(|all| array(&all[..D]));
        Window { kernel, stride, padding, dilation }
    }
}

/// A slice of length `D` as an array.
pub(super) fn array<const D: usize>(numbers: &[usize]) -> [usize; D] {
    let mut all = [0; D];
    all.copy_from_slice(numbers);
    all
}

/// Evaluates an expression with what a plan, or weights, holds: one for layers without a size, one for
/// convolutions of `$size` points, and one for connected products.
macro_rules! on {
    ($of:ident, $value:expr, $size:expr,
     $plain:ident => $layer:expr, $conv:ident $points:ident => $convolution:expr,
     $product:ident => $connected:expr) => {
        match $value {
            $of::Linear($plain) => $layer,
            $of::Grades($plain) => $layer,
            $of::Connected($product) => $connected,
            $of::Conv1($conv) => {
                let $points = $crate::clifford::ffi::plan::array::<1>($size);
                $convolution
            }
            $of::Conv2($conv) => {
                let $points = $crate::clifford::ffi::plan::array::<2>($size);
                $convolution
            }
            $of::Conv3($conv) => {
                let $points = $crate::clifford::ffi::plan::array::<3>($size);
                $convolution
            }
        }
    };
}
pub(super) use on;

impl CliffordPlan {
    fn dimensions(&self) -> usize {
        match self {
            CliffordPlan::Conv1(_) => 1,
            CliffordPlan::Conv2(_) => 2,
            CliffordPlan::Conv3(_) => 3,
            _ => 0,
        }
    }

    /// The points of an input in each dimension of a convolution; nothing for other plans.
    ///
    /// # Safety
    /// `size` is null or points to a number for each dimension.
    pub(super) unsafe fn size<'a>(&self, size: *const usize) -> Result<&'a [usize], Error> {
        // SAFETY: the caller's contract.
        unsafe { slice(size, self.dimensions(), "size") }
    }

    /// Elements of x and of y.
    pub(super) fn lengths(&self, batch: usize, size: &[usize]) -> Result<[usize; 2], Error> {
        on!(CliffordPlan, self, size,
            layer => layer.lengths(batch), conv points => conv.lengths(batch, points),
            product => product.lengths(batch))
    }

    /// Elements of the weights and of the bias. Both counts fit the address space.
    pub(super) fn parameters(&self) -> [usize; 2] {
        let size = &[0; 3][..self.dimensions()];
        on!(CliffordPlan, self, size,
            layer => layer.parameters(), conv _points => conv.linear().parameters(),
            product => [product.weights_len(), 0])
    }

    fn packed_len(&self) -> Result<usize, Error> {
        let size = &[0; 3][..self.dimensions()];
        on!(CliffordPlan, self, size,
            layer => layer.packed_len(), conv _points => conv.packed_len(), product => product.packed_len())
    }

    /// Packs weights, and a bias if there is one; those for the gradient with respect to the input if
    /// `is_backward`.
    fn pack<T: Element>(
        &'static self,
        (weights, bias): (&[T], Option<&[T]>),
        memory: &'static mut [T],
        is_backward: bool,
    ) -> Result<Weights<T>, Error> {
        macro_rules! pack {
            ($layer:ident) => {
                match is_backward {
                    true => $layer.pack_backward(weights, memory)?,
                    false => $layer.pack(weights, bias, memory)?,
                }
            };
        }
        Ok(match self {
            CliffordPlan::Linear(layer) => Weights::Linear(pack!(layer)),
            CliffordPlan::Conv1(conv) => Weights::Conv1(pack!(conv)),
            CliffordPlan::Conv2(conv) => Weights::Conv2(pack!(conv)),
            CliffordPlan::Conv3(conv) => Weights::Conv3(pack!(conv)),
            CliffordPlan::Grades(layer) => Weights::Grades(pack!(layer)),
            CliffordPlan::Connected(product) if is_backward => {
                Weights::Connected(product.pack_backward(weights, memory)?)
            }
            CliffordPlan::Connected(product) => Weights::Connected(product.pack(weights, memory)?),
        })
    }
}

/// # Safety
/// The contract of [`hl_clifford_packed_create_f32`].
unsafe fn pack<T: Element>(
    plan: *const CliffordPlan,
    (weights, bias): (*const T, *const T),
    (memory, length): (*mut T, usize),
    is_backward: bool,
) -> Result<PackedOf<T>, Error> {
    // SAFETY: the caller's contract.
    unsafe {
        let plan: &'static CliffordPlan = non_null(plan, "plan")?;
        let [weights_len, bias_len] = plan.parameters();
        let bias_len = if bias.is_null() { 0 } else { bias_len };
        let range = |at: *const T, length: usize, argument| {
            Bytes::of(at, length.checked_mul(size_of::<T>()).ok_or(Error::TooLarge { argument })?, argument)
        };
        let written = range(memory.cast_const(), length, "memory")?;
        range(weights, weights_len, "weights")?.apart(written)?;
        range(bias, bias_len, "bias")?.apart(written)?;
        let bias_values = slice(bias, bias_len, "bias")?;
        let parameters = (slice(weights, weights_len, "weights")?, (!bias.is_null()).then_some(bias_values));
        let weights = plan.pack(parameters, slice_mut(memory, length, "memory")?, is_backward)?;
        Ok(PackedOf { plan, weights })
    }
}

/// Creates the plan of a linear layer: [`Linear`].
///
/// # Safety
/// `squares` is null or points to `generators` readable values; `plan` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_create_linear(
    squares: *const i8,
    generators: usize,
    inputs: usize,
    outputs: usize,
    mode: i32,
    plan: *mut *mut CliffordPlan,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let signature = unsafe { signature(squares, generators) }?;
        Ok(CliffordPlan::Linear(Linear::new(signature, inputs, outputs, mode_of(mode)?)?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(plan, "plan", || make().map_err(named)) }
}

/// Creates the plan of a convolution: [`Conv`].
///
/// # Safety
/// `squares` is null or points to `generators` readable values; `window` is null or readable; `plan` is
/// null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_create_conv(
    squares: *const i8,
    generators: usize,
    inputs: usize,
    outputs: usize,
    window: *const CliffordWindow,
    mode: i32,
    plan: *mut *mut CliffordPlan,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let (signature, window) = unsafe { (signature(squares, generators)?, non_null(window, "window")?) };
        let mode = mode_of(mode)?;
        Ok(match window.dimensions {
            1 => CliffordPlan::Conv1(Conv::new(signature, inputs, outputs, window.window(), mode)?),
            2 => CliffordPlan::Conv2(Conv::new(signature, inputs, outputs, window.window(), mode)?),
            3 => CliffordPlan::Conv3(Conv::new(signature, inputs, outputs, window.window(), mode)?),
            value => {
                let value = i32::try_from(value).unwrap_or(i32::MAX);
                return Err(Error::Option { argument: "dimensions", value });
            }
        })
    };
    // SAFETY: the caller's contract.
    unsafe { create(plan, "plan", || make().map_err(named)) }
}

/// Creates the plan of a grade-wise linear layer: [`GradeLinear`].
///
/// # Safety
/// As for [`hl_clifford_plan_create_linear`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_create_grades(
    squares: *const i8,
    generators: usize,
    inputs: usize,
    outputs: usize,
    maps: i32,
    plan: *mut *mut CliffordPlan,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let signature = unsafe { signature(squares, generators) }?;
        let maps = match maps {
            0 => GradeMaps::Grades,
            1 => GradeMaps::WithNull,
            value => return Err(Error::Option { argument: "maps", value }),
        };
        Ok(CliffordPlan::Grades(GradeLinear::new(signature, inputs, outputs, maps)?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(plan, "plan", || make().map_err(named)) }
}

/// Creates the plan of a connected product: [`ConnectedProduct`].
///
/// # Safety
/// As for [`hl_clifford_plan_create_linear`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_create_connected(
    squares: *const i8,
    generators: usize,
    inputs: usize,
    outputs: usize,
    plan: *mut *mut CliffordPlan,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let signature = unsafe { signature(squares, generators) }?;
        Ok(CliffordPlan::Connected(ConnectedProduct::new(signature, inputs, outputs)?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(plan, "plan", || make().map_err(named)) }
}

/// The error of a constructor with the names that its arguments have in C: the weights are too large
/// because of the channels.
fn named(error: Error) -> Error {
    match error {
        Error::TooLarge { argument: "weights" } => Error::TooLarge { argument: "inputs" },
        error => error,
    }
}

fn mode_of(value: i32) -> Result<Mode, Error> {
    match value {
        0 => Ok(Mode::Exact),
        1 => Ok(Mode::Fast),
        2 => Ok(Mode::Auto),
        value => Err(Error::Option { argument: "mode", value }),
    }
}

/// Frees a plan.
///
/// # Safety
/// `plan` is null or comes from one of the functions above, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_destroy(plan: *mut CliffordPlan) {
    // SAFETY: the caller's contract.
    unsafe { destroy(plan) }
}

/// Elements of x, of y, of the weights, of the bias and of the packed weights.
///
/// # Safety
/// `plan` is null or valid; `size` is null or points to a number for each dimension; `lengths` is null or
/// points to 5 writable values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_plan_lengths(
    plan: *const CliffordPlan,
    batch: usize,
    size: *const usize,
    lengths: *mut usize,
) -> Status {
    let find = || {
        // SAFETY: the caller's contract.
        let (plan, lengths) = unsafe { (non_null(plan, "plan")?, slice_mut(lengths, 5, "lengths")?) };
        // SAFETY: the caller's contract.
        let [x, y] = plan.lengths(batch, unsafe { plan.size(size) }?)?;
        let [weights, bias] = plan.parameters();
        lengths.copy_from_slice(&[x, y, weights, bias, plan.packed_len()?]);
        Ok(())
    };
    status(find())
}

/// Frees packed weights, but not their memory.
///
/// # Safety
/// `packed` is null or comes from one of the functions that create it, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_packed_destroy(packed: *mut CliffordPacked) {
    // SAFETY: the caller's contract.
    unsafe { destroy(packed) }
}

/// Elements of the workspace of a product with packed weights.
///
/// # Safety
/// `packed` is null or valid; `size` is null or points to a number for each dimension; `length` is null
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_clifford_packed_workspace(
    packed: *const CliffordPacked,
    batch: usize,
    size: *const usize,
    length: *mut usize,
) -> Status {
    /// # Safety
    /// `size` is null or points to a number for each dimension.
    unsafe fn needed<T: Element>(packed: &PackedOf<T>, batch: usize, size: *const usize) -> Result<usize, Error> {
        // SAFETY: the caller's contract.
        let size = unsafe { packed.plan.size(size) }?;
        on!(Weights, &packed.weights, size,
            weights => weights.workspace_len(batch), conv points => conv.workspace_len(batch, points),
            product => product.workspace_len(batch))
    }
    let find = || {
        // SAFETY: the caller's contract.
        let (packed, length) = unsafe { (non_null(packed, "packed")?, non_null_mut(length, "length")?) };
        // SAFETY: the caller's contract.
        *length = unsafe {
            match packed {
                CliffordPacked::F32(packed) => needed(packed, batch, size)?,
                CliffordPacked::F64(packed) => needed(packed, batch, size)?,
            }
        };
        Ok(())
    };
    status(find())
}

macro_rules! export_for_type {
    ($type:ident $of:ident $create:ident $create_backward:ident) => {
        /// Packs weights, and a bias unless it is null, in the caller's memory.
        ///
        /// # Safety
        /// `plan` is null or valid; `weights` and `bias` are null or point to as many elements as the plan has;
        /// `memory` is null or points to `length` numbers that nothing else writes while `packed` is used;
        /// the plan outlives `packed`, which is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create(
            plan: *const CliffordPlan,
            weights: *const $type,
            bias: *const $type,
            memory: *mut $type,
            length: usize,
            packed: *mut *mut CliffordPacked,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe {
                create(packed, "packed", || {
                    Ok(CliffordPacked::$of(pack(plan, (weights, bias), (memory, length), false)?))
                })
            }
        }

        /// Packs weights for gradients with respect to the input.
        ///
        /// # Safety
        /// As for the function without `backward`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_backward(
            plan: *const CliffordPlan,
            weights: *const $type,
            memory: *mut $type,
            length: usize,
            packed: *mut *mut CliffordPacked,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe {
                create(packed, "packed", || {
                    let parameters = (weights, core::ptr::null());
                    Ok(CliffordPacked::$of(pack(plan, parameters, (memory, length), true)?))
                })
            }
        }
    };
}
export_for_type! { f32 F32 hl_clifford_packed_create_f32 hl_clifford_packed_create_backward_f32 }
export_for_type! { f64 F64 hl_clifford_packed_create_f64 hl_clifford_packed_create_backward_f64 }
