//! AVX-512.

use core::arch::x86_64::{__m512, __m512d};

use super::lanes::{self, export_common};

export_common! { avx512 __m512 __m512d }
