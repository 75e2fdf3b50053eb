// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rcx, rdx, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 12 operations, 5.5 of them on two pipes; bound by all four (24 cycles; Zen 3: 31)
// Bound   24 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_unslice_u8_sse2
#define LAYOUT "rows_sse2.h"
#include "unslice_u8_sse2.h"
