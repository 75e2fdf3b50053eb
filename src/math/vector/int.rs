//! Vectors of integers.

/// A vector of `LANES` integers. Arithmetic wraps.
///
/// # Safety
/// As for [`Vector`](super::Vector).
pub(crate) trait Int: Copy {
    type Element: Copy;
    /// A set of lanes; the type is shared with the vector of floats that has as many lanes.
    type Mask: Copy;
    const LANES: usize;

    unsafe fn splat(x: Self::Element) -> Self;
    /// Reads `LANES` elements.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Writes `LANES` elements.
    unsafe fn store(self, to: *mut Self::Element);
    /// Reads the first `n` elements, less than `LANES`; the others are 0.
    unsafe fn load_first(from: *const Self::Element, n: usize) -> Self;
    /// Writes the first `n` elements, less than `LANES`.
    unsafe fn store_first(self, to: *mut Self::Element, n: usize);
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    unsafe fn shl<const N: i32>(self) -> Self;
    unsafe fn shr<const N: i32>(self) -> Self;
    unsafe fn equals(self, b: Self) -> Self::Mask;
    /// Whether `self` is greater than `b`, both as signed integers.
    unsafe fn exceeds(self, b: Self) -> Self::Mask;
    /// `a` in the lanes of the mask, else `b`.
    unsafe fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// Defines a type around a vector of `core::arch` and implements [`Int`] for it, with a block for
/// each method. Partial loads and stores go through memory, unless they have blocks.
macro_rules! int {
    ($name:ident($vector:ty) $element:ident $lanes:literal $mask:ty;
     splat($x:ident) $splat:block
     load($from:ident) $load:block
     store($value:ident, $to:ident) $store:block
     add $($rest:tt)+) => {
        crate::math::vector::int! { $name($vector) $element $lanes $mask;
            splat($x) $splat
            load($from) $load
            store($value, $to) $store
            load_first(from, n) {
                let mut all = [0; $lanes];
                core::ptr::copy_nonoverlapping(from.cast::<u8>(), all.as_mut_ptr().cast(), n * size_of::<$element>());
                <Self as crate::math::vector::Int>::load(all.as_ptr()).0
            }
            store_first(value, to, n) {
                let mut all = [0; $lanes];
                crate::math::vector::Int::store($name(value), all.as_mut_ptr());
                core::ptr::copy_nonoverlapping(all.as_ptr().cast::<u8>(), to.cast(), n * size_of::<$element>());
            }
            add $($rest)+
        }
    };
    ($name:ident($vector:ty) $element:ident $lanes:literal $mask:ty;
     splat($x:ident) $splat:block
     load($from:ident) $load:block
     store($value:ident, $to:ident) $store:block
     load_first($from_first:ident, $n:ident) $load_first:block
     store_first($value_first:ident, $to_first:ident, $m:ident) $store_first:block
     add $add:ident sub $sub:ident and $and:ident or $or:ident xor $xor:ident
     shl::<$left:ident>($c:ident) $shl:block
     shr::<$right:ident>($d:ident) $shr:block
     equals $equals:ident exceeds($e:ident, $f:ident) $exceeds:block
     select($selector:ident, $g:ident, $h:ident) $select:block) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(pub(crate) $vector);

        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::math::vector::Int for $name {
            type Element = $element;
            type Mask = $mask;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat($x: $element) -> Self {
                $name($splat)
            }
            #[inline(always)]
            unsafe fn load($from: *const $element) -> Self {
                $name($load)
            }
            #[inline(always)]
            unsafe fn store(self, $to: *mut $element) {
                let $value = self.0;
                $store
            }
            #[inline(always)]
            unsafe fn load_first($from_first: *const $element, $n: usize) -> Self {
                $name($load_first)
            }
            #[inline(always)]
            unsafe fn store_first(self, $to_first: *mut $element, $m: usize) {
                let $value_first = self.0;
                $store_first
            }
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                $name($add(self.0, b.0))
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                $name($sub(self.0, b.0))
            }
            #[inline(always)]
            unsafe fn and(self, b: Self) -> Self {
                $name($and(self.0, b.0))
            }
            #[inline(always)]
            unsafe fn or(self, b: Self) -> Self {
                $name($or(self.0, b.0))
            }
            #[inline(always)]
            unsafe fn xor(self, b: Self) -> Self {
                $name($xor(self.0, b.0))
            }
            #[inline(always)]
            unsafe fn shl<const $left: i32>(self) -> Self {
                let $c = self.0;
                $name($shl)
            }
            #[inline(always)]
            unsafe fn shr<const $right: i32>(self) -> Self {
                let $d = self.0;
                $name($shr)
            }
            #[inline(always)]
            unsafe fn equals(self, b: Self) -> $mask {
                $equals(self.0, b.0)
            }
            #[inline(always)]
            unsafe fn exceeds(self, b: Self) -> $mask {
                let ($e, $f) = (self.0, b.0);
                $exceeds
            }
            #[inline(always)]
            unsafe fn select($selector: $mask, a: Self, b: Self) -> Self {
                let ($g, $h) = (a.0, b.0);
                $name($select)
            }
        }
    };
}
pub(crate) use int;
