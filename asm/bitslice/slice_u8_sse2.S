// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_sse2(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rdx, rsi, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles; Zen 3: 34)
// Bound   26 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_slice_u8_sse2
#define LAYOUT "rows_sse2.h"
#include "slice_u8_sse2.h"
