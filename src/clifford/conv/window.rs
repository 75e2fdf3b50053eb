//! How a convolution places its kernel.

use crate::frame::error::Error;

/// How a convolution of `D` dimensions, 1 to 3, places its kernel.
///
/// ```
/// use hotloops::clifford::Window;
/// let window = Window { padding: [1, 1], ..Window::new([3, 3]) };
/// assert_eq!(window.output_size([5, 6])?, [5, 6]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<const D: usize> {
    /// The number of taps in each dimension.
    pub kernel: [usize; D],
    /// The distance of adjacent outputs, in points of the input.
    pub stride: [usize; D],
    /// Zeros at either end of the input.
    pub padding: [usize; D],
    /// The distance of adjacent taps, in points of the input.
    pub dilation: [usize; D],
}

impl<const D: usize> Window<D> {
    /// A window of stride 1 and dilation 1, without padding.
    #[must_use]
    pub const fn new(kernel: [usize; D]) -> Self {
        Window { kernel, stride: [1; D], padding: [0; D], dilation: [1; D] }
    }

    /// Points of the output in each dimension, for an input of `size` points.
    ///
    /// # Errors
    /// [`Error::Extent`] if the padded input is shorter than the dilated kernel, or if the kernel, the
    /// stride or the dilation is 0; [`Error::TooLarge`] if a number exceeds the address space.
    pub fn output_size(&self, size: [usize; D]) -> Result<[usize; D], Error> {
        let mut output = [0; D];
        for (index, points) in output.iter_mut().enumerate() {
            let extents =
                [("kernel", self.kernel[index]), ("stride", self.stride[index]), ("dilation", self.dilation[index])];
            for (argument, extent) in extents {
                if extent == 0 {
                    return Err(Error::Extent { argument, index, extent });
                }
            }
            let too_large = Error::TooLarge { argument: "size" };
            let fits = |n: &usize| *n <= isize::MAX as usize / 64;
            let padded = self.padding[index].checked_mul(2).and_then(|all| all.checked_add(size[index])).filter(fits);
            let reach = (self.kernel[index] - 1).checked_mul(self.dilation[index]).filter(fits);
            let (padded, reach) = (padded.ok_or(too_large)?, reach.ok_or(too_large)?);
            if padded <= reach {
                return Err(Error::Extent { argument: "size", index, extent: size[index] });
            }
            *points = (padded - reach - 1) / self.stride[index] + 1;
        }
        Ok(output)
    }

    pub(super) fn taps(&self) -> Result<usize, Error> {
        let product = self.kernel.iter().try_fold(1usize, |all, &taps| all.checked_mul(taps));
        product.ok_or(Error::TooLarge { argument: "kernel" })
    }
}
