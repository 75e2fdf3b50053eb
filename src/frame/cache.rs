//! The sizes of this CPU's caches.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Sizes in bytes of the data caches that a core uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First level.
    pub l1: usize,
    /// Second level.
    pub l2: usize,
    /// Third level, shared with other cores.
    pub l3: usize,
}

impl Default for Caches {
    /// The caches of this CPU; 32 KiB, 512 KiB and 8 MiB where CPUID does not report them.
    fn default() -> Self {
        // In KiB; 0 until queried. Racing threads store the same values.
        static FOUND: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
        let mut found = FOUND.each_ref().map(|kib| kib.load(Relaxed));
        if found.contains(&0) {
            found = detect().map(|bytes| (bytes >> 10).clamp(1, 1 << 21) as u32);
            FOUND.iter().zip(found).for_each(|(kib, found)| kib.store(found, Relaxed));
        }
        let [l1, l2, l3] = found.map(|kib| (kib as usize) << 10);
        Caches { l1, l2, l3 }
    }
}

/// Requests the line of `at`, which need not be readable.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    // SAFETY: a hint touches no memory that the program can see.
    #[cfg(sse2)]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    // SAFETY: as for x86-64.
    #[cfg(all(neon, not(miri)))]
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) at, options(nostack, readonly, preserves_flags))
    }
    #[cfg(not(any(sse2, all(neon, not(miri)))))]
    let _ = at;
}

const UNKNOWN: [u64; 3] = [32 << 10, 512 << 10, 8 << 20];

#[cfg(sse2)]
fn detect() -> [u64; 3] {
    use crate::frame::level::cpuid;
    // AMD's leaf 0x8000001d has the format of Intel's leaf 4.
    let highest = |base| cpuid(base, 0).eax;
    let leaf = match highest(0x8000_0000) >= 0x8000_001d && cpuid(0x8000_001d, 0).eax & 31 != 0 {
        true => 0x8000_001d,
        false if highest(0) >= 4 => 4,
        false => return UNKNOWN,
    };
    let mut caches = [0; 3];
    for index in 0..16 {
        let cache = cpuid(leaf, index);
        let (kind, level) = (cache.eax & 31, (cache.eax >> 5 & 7) as usize);
        if kind == 0 {
            break;
        }
        // Type 2 is an instruction cache. The size is ways x partitions x line size x sets.
        if kind != 2 && (1..=3).contains(&level) {
            let (ways, partitions, line) = (cache.ebx >> 22, cache.ebx >> 12 & 0x3ff, cache.ebx & 0xfff);
            caches[level - 1] =
                [ways, partitions, line, cache.ecx].into_iter().map(|field| u64::from(field) + 1).product();
        }
    }
    for (cache, unknown) in caches.iter_mut().zip(UNKNOWN) {
        *cache = if *cache == 0 { unknown } else { *cache };
    }
    caches
}

#[cfg(not(sse2))]
fn detect() -> [u64; 3] {
    UNKNOWN
}
