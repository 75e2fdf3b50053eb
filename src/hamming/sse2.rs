//! SSE2.

use core::arch::x86_64::*;
