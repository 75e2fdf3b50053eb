//! C functions that belong to no family (version, status texts, instruction sets, variants), and
//! the conversions that all families share.

use alloc::boxed::Box;
use core::ffi::{CStr, c_char, c_int};

use crate::frame::error::{Error, at_least, c_status, status_argument, status_code, status_text};
use crate::frame::isa::{self, Fact, Isa};
use crate::frame::kernel::Code;
use crate::frame::memory;

/// `hl_status`: 0, or a negative number that encodes an [`Error`] and its argument.
pub(crate) type Status = i32;

/// `hl_function`: a type-erased kernel entry point, or null.
type Function = Option<Code>;

pub(crate) fn status(result: Result<(), Error>) -> Status {
    c_status(result)
}

/// `Ok` with a shared reference, or [`Error::Null`].
///
/// # Safety
/// `pointer` is null or valid as a shared reference for `'a`.
pub(crate) unsafe fn non_null<'a, T>(pointer: *const T, argument: &'static str) -> Result<&'a T, Error> {
    // SAFETY: the caller's contract.
    unsafe { pointer.as_ref() }.ok_or(Error::Null { argument })
}

/// `Ok` with a unique reference, or [`Error::Null`].
///
/// # Safety
/// `pointer` is null or valid as a unique reference for `'a`.
pub(crate) unsafe fn non_null_mut<'a, T>(pointer: *mut T, argument: &'static str) -> Result<&'a mut T, Error> {
    // SAFETY: the caller's contract.
    unsafe { pointer.as_mut() }.ok_or(Error::Null { argument })
}

/// [`Error::TooLarge`] if the array would exceed the address space.
fn fits<T>(length: usize, argument: &'static str) -> Result<(), Error> {
    let bytes = length.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
    bytes.map(drop).ok_or(Error::TooLarge { argument })
}

/// A slice of `length` values. The pointer is ignored if `length` is 0.
///
/// # Safety
/// `pointer` is null or points to `length` readable values for `'a`.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, length: usize, argument: &'static str) -> Result<&'a [T], Error> {
    fits::<T>(length, argument)?;
    match length {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(Error::Null { argument }),
        // SAFETY: not null, and the caller's contract.
        _ => Ok(unsafe { core::slice::from_raw_parts(pointer, length) }),
    }
}

/// A mutable slice of `length` values. The pointer is ignored if `length` is 0.
///
/// # Safety
/// `pointer` is null or points to `length` values that nothing else uses for `'a`.
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    length: usize,
    argument: &'static str,
) -> Result<&'a mut [T], Error> {
    fits::<T>(length, argument)?;
    match length {
        0 => Ok(&mut []),
        _ if pointer.is_null() => Err(Error::Null { argument }),
        // SAFETY: not null, and the caller's contract.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(pointer, length) }),
    }
}

/// A range of the caller's memory. It is checked for overlap without being read.
#[derive(Clone, Copy)]
pub(crate) struct Bytes {
    start: *const u8,
    length: usize,
    argument: &'static str,
}

impl Bytes {
    /// `length` bytes. The pointer is ignored if `length` is 0.
    pub(crate) fn of<T>(start: *const T, length: usize, argument: &'static str) -> Result<Self, Error> {
        match length {
            // No object is longer, so the end address cannot overflow.
            _ if length > isize::MAX as usize => Err(Error::TooLarge { argument }),
            1.. if start.is_null() => Err(Error::Null { argument }),
            _ => Ok(Bytes { start: start.cast(), length, argument }),
        }
    }

    pub(crate) fn len(self) -> usize {
        self.length
    }

    /// [`Error::Overlap`] if the two ranges share a byte.
    pub(crate) fn apart(self, other: Bytes) -> Result<(), Error> {
        let (a, b) = (self.start.addr(), other.start.addr());
        let touch = self.length > 0
            && other.length > 0
            && a < b.saturating_add(other.length)
            && b < a.saturating_add(self.length);
        if touch { Err(Error::Overlap { argument: other.argument }) } else { Ok(()) }
    }

    /// # Safety
    /// The bytes are readable for `'a`.
    pub(crate) unsafe fn as_slice<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's contract; the pointer is not null unless the range is empty.
        unsafe { slice(self.start, self.length, self.argument) }.unwrap_or_default()
    }
}

/// Creates an object and stores its pointer in `object`; [`destroy`] frees it.
///
/// # Safety
/// `object` is null or writable.
pub(crate) unsafe fn create<T>(
    object: *mut *mut T,
    argument: &'static str,
    make: impl FnOnce() -> Result<T, Error>,
) -> Status {
    let create = || {
        // SAFETY: the caller's contract.
        let object = unsafe { non_null_mut(object, argument) }?;
        // Like `Box::into_raw(Box::new(value))`, but reports a failed allocation.
        *object = Box::into_raw(memory::collected([make()?].into_iter())?.into_boxed_slice()).cast();
        Ok(())
    };
    status(create())
}

/// # Safety
/// `object` is null or comes from [`create`], and is not used afterwards.
pub(crate) unsafe fn destroy<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: the caller's contract.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// The version of the library, `"0.1.0"`.
#[unsafe(no_mangle)]
pub extern "C" fn hl_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The text of a status, followed by the argument's name if the status carries one. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn hl_status_string(status: Status) -> *const c_char {
    status_text(status).as_ptr()
}

/// The code of a status: one of the `HL_ERR_` constants.
#[unsafe(no_mangle)]
pub extern "C" fn hl_status_code(status: Status) -> Status {
    status_code(status)
}

/// The name of the argument that a status carries, or the empty string. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn hl_status_argument(status: Status) -> *const c_char {
    status_argument(status).as_ptr()
}

/// The best instruction set in force. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn hl_isa_active() -> *const c_char {
    isa::active().c_word().as_ptr()
}

/// Caps every kernel at the instruction set `word`, effective from the next call; `"auto"` removes
/// the cap.
///
/// # Safety
/// `word` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_isa_set(word: *const c_char) -> Status {
    let set = |word: &[u8]| match word {
        isa::AUTO => {
            isa::reset();
            Ok(())
        }
        word => Isa::from_word(word).and_then(isa::set),
    };
    // SAFETY: the caller's contract.
    status(unsafe { c_bytes(word, "word") }.and_then(set))
}

/// Whether kernels may run the instruction set `word` now: 1 or 0. 0 for an unknown word and null.
///
/// # Safety
/// `word` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_isa_usable(word: *const c_char) -> c_int {
    // SAFETY: the caller's contract.
    let isa = unsafe { c_bytes(word, "word") }.and_then(Isa::from_word);
    c_int::from(isa.is_ok_and(isa::usable))
}

/// Whether the CPU has the fact `word`: 1 or 0. 0 for an unknown word and null.
///
/// # Safety
/// `word` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_isa_holds(word: *const c_char) -> c_int {
    // SAFETY: the caller's contract.
    let word = unsafe { c_bytes(word, "word") };
    let is_it = |fact: &&Fact| word.is_ok_and(|word| fact.word().as_bytes() == word);
    c_int::from(Fact::ALL.iter().find(is_it).is_some_and(|fact| isa::holds(*fact)))
}

/// A copy of an option structure, whose first member is its size in bytes. Later versions may append
/// members; in this one, they must be 0.
///
/// # Safety
/// `opts` is null, for the default, or points to as many readable bytes as its first member says.
pub(crate) unsafe fn options<T: Copy>(opts: *const T) -> Result<Option<T>, Error> {
    if opts.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's contract.
    let size = unsafe { opts.cast::<usize>().read_unaligned() };
    at_least("size", size_of::<T>(), size)?;
    // SAFETY: the caller's contract.
    let later = unsafe { slice(opts.cast::<u8>().wrapping_add(size_of::<T>()), size - size_of::<T>(), "size") }?;
    if later.iter().any(|&byte| byte != 0) {
        return Err(Error::TooLarge { argument: "size" });
    }
    // SAFETY: the caller's contract.
    Ok(Some(unsafe { opts.read_unaligned() }))
}

/// The number of variants of all kernels.
#[unsafe(no_mangle)]
pub extern "C" fn hl_variant_count() -> usize {
    crate::kernels().map(|kernel| kernel.variants.len()).sum()
}

/// Writes the name of variant `index`, `"exp/fast_f32/avx2_assembly"`, as a C string into
/// `name[0..size]`.
///
/// # Safety
/// `name` is null or points to `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_variant_name(index: usize, name: *mut c_char, size: usize) -> Status {
    let write = || {
        // SAFETY: the caller's contract; `c_char` and `u8` are both bytes.
        let name = unsafe { slice_mut(name.cast::<u8>(), size, "name") }?;
        let past = Error::Index { argument: "index", index, count: hl_variant_count() };
        let parts = variants().nth(index).ok_or(past)?.0;
        let needed = parts.iter().map(|part| part.len()).sum::<usize>() + 1;
        at_least("name", needed, size)?;
        let text = parts.iter().flat_map(|part| part.bytes()).chain([0]);
        name.iter_mut().zip(text).for_each(|(slot, byte)| *slot = byte);
        Ok(())
    };
    status(write())
}

/// Whether a call of its kernel runs variant `index` now: 1 or 0. 0 for an index that is too large.
#[unsafe(no_mangle)]
pub extern "C" fn hl_variant_is_chosen(index: usize) -> c_int {
    let mut first = 0;
    for kernel in crate::kernels() {
        if let Some(row) = index.checked_sub(first).filter(|row| *row < kernel.variants.len()) {
            return c_int::from(row == kernel.chosen());
        }
        first += kernel.variants.len();
    }
    0
}

/// The entry point of the variant `name`; cast it to the kernel's type. Null if there is no such
/// variant or this CPU cannot run it.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_variant_find(name: *const c_char) -> Function {
    // SAFETY: the caller's contract.
    let name = unsafe { c_bytes(name, "name") }.ok()?;
    let called = |parts: &Name| parts.iter().flat_map(|part| part.bytes()).eq(name.iter().copied());
    let (_, _, function) = variants().find(|(parts, isa, _)| called(parts) && isa::detected(*isa))?;
    Some(function)
}

/// The pieces that make up `family/kernel/isa_form`.
type Name = [&'static str; 7];

fn variants() -> impl Iterator<Item = (Name, Isa, Code)> {
    crate::kernels().flat_map(|kernel| {
        let (family, name) = kernel.name();
        kernel.variants.iter().map(move |row| {
            let parts = [family, "/", name, "/", row.isa.word(), "_", row.form.word()];
            (parts, row.isa, row.function)
        })
    })
}

/// # Safety
/// `text` is null or a C string that is valid for `'a`.
unsafe fn c_bytes<'a>(text: *const c_char, argument: &'static str) -> Result<&'a [u8], Error> {
    if text.is_null() {
        return Err(Error::Null { argument });
    }
    // SAFETY: not null, and the caller's contract.
    Ok(unsafe { CStr::from_ptr(text) }.to_bytes())
}
