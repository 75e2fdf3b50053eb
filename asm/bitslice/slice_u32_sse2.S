// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_sse2(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8..r11, xmm0..xmm15     Stack  24 bytes
// Loop    64 elements; 16 vectors of 13 operations, 6.5 of them on two pipes; bound by both (52 cycles; Zen 3: 70)
// Bound   52 cycles for 64 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_slice_u32_sse2
#define LAYOUT "rows_sse2.h"
#include "slice_u32_sse2.h"
