//! Libraries of the system, loaded by name.

use std::ffi::{CStr, c_char, c_int};

use libloading::Library;

/// A library with the C interface of BLAS and 32-bit integers, which begins with one thread.
pub struct Blas {
    pub name: String,
    pub build: String,
    prefix: &'static str,
    library: &'static Library,
}

pub type Gemm<T> = unsafe extern "C" fn(
    order: c_int,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    a_stride: c_int,
    b: *const T,
    b_stride: c_int,
    beta: T,
    c: *mut T,
    c_stride: c_int,
);
pub type Syrk<T> = unsafe extern "C" fn(
    order: c_int,
    triangle: c_int,
    transpose: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    a_stride: c_int,
    beta: T,
    c: *mut T,
    c_stride: c_int,
);
pub type Sum<T> = unsafe extern "C" fn(n: c_int, x: *const T, step: c_int) -> T;
pub type Dot<T> = unsafe extern "C" fn(n: c_int, x: *const T, x_step: c_int, y: *const T, y_step: c_int) -> T;

type Text = unsafe extern "C" fn() -> *const c_char;

pub const ROW_MAJOR: c_int = 101;
pub const UPPER: c_int = 121;

pub fn transpose(transposed: bool) -> c_int {
    if transposed { 112 } else { 111 }
}

/// Never closed: its functions are kept.
fn load(path: &str) -> Result<&'static Library, libloading::Error> {
    // SAFETY: a library that the user has named, of numerical functions.
    unsafe { Library::new(path) }.map(|library| &*Box::leak(Box::new(library)))
}

fn symbol<F: Copy>(library: &Library, name: &str) -> Option<F> {
    // SAFETY: the type is that of the library's header.
    unsafe { library.get::<F>(name).ok().map(|found| *found) }
}

fn text(call: Text) -> String {
    // SAFETY: these functions return strings that stay.
    unsafe { CStr::from_ptr(call()) }.to_string_lossy().trim().into()
}

impl Blas {
    pub fn load(path: &str) -> Result<Self, libloading::Error> {
        let library = load(path)?;
        let openblas = |prefix: &str| symbol::<Text>(library, &format!("{prefix}openblas_get_config")).map(text);
        let (name, build, prefix) = if let Some(build) = openblas("") {
            (build.split(' ').take(2).collect::<Vec<_>>().join(" "), build, "")
        } else if let Some(build) = openblas("scipy_") {
            (build.split(' ').take(2).collect::<Vec<_>>().join(" "), build, "scipy_")
        } else if let Some(version) = symbol::<Text>(library, "bli_info_get_version_str").map(text) {
            type Query = unsafe extern "C" fn() -> c_int;
            type Word = unsafe extern "C" fn(c_int) -> *const c_char;
            let query = symbol::<Query>(library, "bli_arch_query_id").zip(symbol::<Word>(library, "bli_arch_string"));
            // SAFETY: as their header has them; the string stays.
            let word = query.map_or("".into(), |(id, word)| unsafe { CStr::from_ptr(word(id())) }.to_string_lossy());
            (format!("BLIS {version}"), format!("{version} {word}"), "")
        } else {
            let name = path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or(path);
            (name.trim_start_matches("lib").into(), "no version known".into(), "")
        };
        Ok(Blas { name, build, prefix, library })
    }

    /// `cblas_` and the name.
    pub fn find<F: Copy>(&self, name: &str) -> Option<F> {
        symbol(self.library, &format!("{}cblas_{name}", self.prefix))
    }

    /// Sets the number of threads. False if the library has no function for it that is known here.
    pub fn set_threads(&self, threads: usize) -> bool {
        let openblas: Option<unsafe extern "C" fn(c_int)> =
            symbol(self.library, &format!("{}openblas_set_num_threads", self.prefix));
        let blis: Option<unsafe extern "C" fn(i64)> = symbol(self.library, "bli_thread_set_num_threads");
        // SAFETY: as their headers have them.
        unsafe {
            match (openblas, blis) {
                (Some(set), _) => set(threads as c_int),
                (_, Some(set)) => set(threads as i64),
                _ => return false,
            }
        }
        true
    }
}

/// Column-major products compiled at run time for their sizes.
pub struct Xsmm {
    pub target: String,
    library: &'static Library,
}

pub type XsmmKernel<T> = unsafe extern "C" fn(a: *const T, b: *const T, c: *mut T);
pub type XsmmDispatch<T> = unsafe extern "C" fn(
    m: c_int,
    n: c_int,
    k: c_int,
    a_stride: *const c_int,
    b_stride: *const c_int,
    c_stride: *const c_int,
    alpha: *const T,
    beta: *const T,
    flags: *const c_int,
    prefetch: *const c_int,
) -> Option<XsmmKernel<T>>;

impl Xsmm {
    pub fn load(path: &str) -> Result<Self, libloading::Error> {
        let library = load(path)?;
        let target = symbol::<Text>(library, "libxsmm_get_target_arch").map_or("unknown".into(), text);
        Ok(Xsmm { target, library })
    }

    /// `libxsmm_smmdispatch` or `libxsmm_dmmdispatch`.
    pub fn dispatch<T>(&self, letter: char) -> Option<XsmmDispatch<T>> {
        symbol(self.library, &format!("libxsmm_{letter}mmdispatch"))
    }
}
