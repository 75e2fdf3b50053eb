// The kernels of hotloops_kernels.h that sweep worldlines. Include that header.
#ifndef HOTLOOPS_KERNELS_WORLDLINE_H
#define HOTLOOPS_KERNELS_WORLDLINE_H

#include "hotloops.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- ising: worldlines of the transverse-field model --------------------------------------------

// Worldlines: a line is one site in L slices, the spin of slice 0 and a row of kinks. Kink k says that the spins of
// slices k and k + 1 differ, or of the last slice and slice 0. Kinks are in ascending order and even in number, and 16
// words of 0x7f7fffff follow them.
typedef struct hl_ising_worldline {
    uint32_t count;        // the number of kinks
    int32_t spin;          // the spin of slice 0
    int32_t magnetisation; // the sum of the spins of all slices
    uint32_t even;         // the sum of kinks 0, 2, 4 .. modulo 2^32, only of hl_ising_worldline_sweep_f64
} hl_ising_worldline;

// The lines that a call visits. It advances first, count, base, break_at, random_at and decided.
typedef struct hl_ising_worldline_run {
    hl_ising_worldline *lines;  // all lines
    int32_t *kinks;             // a row of kinks for each line
    size_t stride;              // words from a row to the next, at least room + 16
    size_t room;                // maximum number of boundaries of a line
    const uint32_t *starts;     // links of line i: starts[i] .. starts[i + 1] - 1
    const uint32_t *neighbours; // the line at the other end of each link
    size_t first;               // the next line
    size_t count;               // the number of lines to visit
    uint32_t base;              // position of slice 0 of line `first`
    uint32_t slices;            // L
    double scale;               // the exponent for a difference of 1
    const uint32_t *breaks;     // positions, ascending, and 16 words of 2^31 - 1
    size_t break_count;
    size_t break_at;        // the next break
    const uint32_t *random; // random numbers, and 16 words of any value
    size_t random_count;
    size_t random_at;    // the next random number
    uint64_t ties;       // seed of the bits that decide ties
    uint64_t decided;    // random numbers that were used with this seed
    int32_t *boundaries; // memory for room + 32 positions
    double *sums;        // memory for room + 32 sums
} hl_ising_worldline_run;

// Draws the positions of `n` breaks after position `start`. With the upper 52 bits w of random numbers 2 k (lower half)
// and 2 k + 1, gap k is 1 + floor(ln((w + 1/2) / 2^52) scale), or 2^31 - 1 if that is less, and breaks[k] is
// min(start + gap 0 + .. + gap k, 2^31 - 1) - 1. `scale` is not positive and no NaN, `start` less than 2^31.
void hl_ising_worldline_breaks(const uint32_t *random, size_t n, double scale, uint32_t start, uint32_t *breaks);

// Redraws the segments of run->count lines from run->first on, in order. Returns 0, or what it lacks for the line
// run->first: 1 for a break behind the line, 2 for room, 3 for random numbers.
//
// The m boundaries b of a line are its kinks and the breaks from base to base + L - 1, less base, ascending; if there
// are none, b = [L - 1]. With the sum P(t) of the spins of a line's slices 0 .. t, F[k] = field (b[k] + 1) + sum over
// the links of coupling P(b[k]), and T is F at L - 1. D[k] is F[k + 1] - F[k], and F[0] + T - F[m - 1] for the last
// one. Segment m - 1 first, then 0 .. m - 2, each becomes +1 with probability p = 1 / (1 + exp(D[k] scale)) by its own
// random number, but if b[k] = b[k + 1], segment k becomes as segment k - 1. The new kinks are the b[k] at which
// segments differ. p is an integer in units of 2^-48; in a tie of a random number with p / 2^16, the upper 16 bits of
// output decided + k, from 0 on, of SplitMix64 with the seed `ties` decide. No line is linked to itself, L times the
// magnitudes of a line's field and couplings is below 2^31, and all positions are at most 2^31 - 2.
uint32_t hl_ising_worldline_sweep_i32(hl_ising_worldline_run *run, const int32_t *fields, const int32_t *couplings);

// hl_ising_worldline_sweep_i32 with real couplings, added in the order of the links. It also uses and sets `even`.
uint32_t hl_ising_worldline_sweep_f64(hl_ising_worldline_run *run, const double *fields, const double *couplings);

// Writes the overlaps of line `row` with `n` others: the sums over the slices of the products of their spins.
void hl_ising_worldline_overlaps(const hl_ising_worldline *lines, const int32_t *kinks, size_t stride, size_t row,
                                 const uint32_t *others, size_t n, int32_t *overlaps);

#ifdef __cplusplus
}
#endif

#endif
