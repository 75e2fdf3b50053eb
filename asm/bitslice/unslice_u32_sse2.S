// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, xmm0..xmm15     Stack  24 bytes
// Loop    64 elements; 16 vectors of 13 operations, 6.5 of them on two pipes; bound by both (52 cycles; Zen 3: 70)
// Bound   52 cycles for 64 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_unslice_u32_sse2
#define LAYOUT "rows_sse2.h"
#include "unslice_u32_sse2.h"
