// hotloops_kernels: the kernels inside the engines of hotloops.h, whose arguments have layouts that only these engines
// prepare. For tests, measurements and programs that replace a part of an engine.
//
// Everything here may change in any version, without a new SONAME. Only the static library (libhotloops.a) has these
// functions; they are not part of the ABI (capi/abi.txt). hl_variant_find returns their variants in both libraries.
//
// The rules of hotloops.h for kernels and for functions that return an hl_status hold here too.
#ifndef HOTLOOPS_KERNELS_H
#define HOTLOOPS_KERNELS_H

#include "hotloops.h"
#include "hotloops_kernels_reduce.h"
#include "hotloops_kernels_worldline.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- bitslice: tiles, transposes and copies -----------------------------------------------------

// Kernels: a tile of 64 elements of `bytes` bytes (1, 2, 4 or 8), and back.
void hl_bitslice_cut_tile(const uint8_t *src, size_t bytes, uint8_t *tile);
void hl_bitslice_join_tile(const uint8_t *tile, size_t bytes, uint8_t *dst);

// Kernel: transposes a 32 x 32 matrix of 64-bit words. This turns the planes of a block into its tiles, and back.
void hl_bitslice_transpose_u64x32x32(const uint64_t *src, uint64_t *dst);

// Kernel: gathers elements indices[0..n] from `count` planes. Element e has index e % 2^block_bits
// in block e >> block_bits, whose plane j is at planes + (e >> block_bits) * block_stride + j *
// stride. If `stride` is 8 and `block_bits` is 6, whole tiles are read.
void hl_bitslice_pick(const uint8_t *planes, size_t stride, size_t count, size_t block_bits, size_t block_stride,
                      const size_t *indices, size_t n, uint8_t *dst);

// Kernels: `stream` copies, bypassing the caches; issue atomic_thread_fence(memory_order_seq_cst) before other threads
// read the copy. `prefetch` requests bytes for the first-level cache; any address is valid.
void hl_bitslice_stream(const uint8_t *src, uint8_t *dst, size_t n);
void hl_bitslice_prefetch(const uint8_t *src, size_t n);

// ---- hamming: packed rows and planes of an index ------------------------------------------------

// Kernel: the distances of hl_hamming_slices_distance_u32x2048, from a block of 32 tiles of 256
// bytes (HL_TILES64).
void hl_hamming_slices(const uint8_t *tiles, uint32_t *distances);

// Kernel: out[i * out_stride + 8 g + l] = number of ones that row i shares with row l of packed group g. Word c of
// packed row 8 g + l is at packed + 64 (g C + c) + 8 l. Row i is `chunks` words at rows + i * stride, followed by
// tails[i] unless `tails` is null. C is the number of words of a row, tail included.
void hl_hamming_intersections(const uint8_t *packed, size_t groups, size_t chunks, const uint8_t *rows, size_t stride,
                              const uint64_t *tails, size_t n, uint32_t *out, size_t out_stride);

// Kernel: counts the misses of a query in n groups of 512 rows with carry-save adders, and returns the number of groups
// with a surviving row, one that is not dead. The state of a group is 4 + levels lines of 64 bytes, a bit for each row:
// ones, twos, fours, dead, and the levels. It is taken from slot i of `states`, or if `fresh` is not null, from
// fresh[line] in each word of a line. For each chunk c the lines at planes + offsets[8 c + k] + 64 groups[i], k = 0 ..
// 7, are added to ones + 2 twos + 4 fours; the carry, of weight 8, is xored with `invert`, then added to the levels; a
// carry out of the last level is put into `dead`. The states and indices of surviving groups are compacted to the front
// of `states` and `groups`, in order.
size_t hl_hamming_misses(const uint8_t *planes, const uint32_t *offsets, size_t chunks, uint64_t invert,
                         uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states, size_t levels);

// ---- matmul: blocks of a product ----------------------------------------------------------------

// Kernels: C = A B, or C + A B if `accumulate` is nonzero. Rows of B and C are contiguous; strides
// are in elements. Unless `packed` is null, B is copied there, row p to packed + p * n. No other
// array overlaps C or `packed`.
void hl_matmul_block_f32(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
                         const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row,
                         uint32_t accumulate);
void hl_matmul_block_f64(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
                         const double *b, ptrdiff_t b_row, double *packed, double *c, ptrdiff_t c_row,
                         uint32_t accumulate);

// Like block, for few columns; rows of A are contiguous.
void hl_matmul_columns_f32(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, const float *b,
                           ptrdiff_t b_row, float *c, ptrdiff_t c_row, uint32_t accumulate);
void hl_matmul_columns_f64(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, const double *b,
                           ptrdiff_t b_row, double *c, ptrdiff_t c_row, uint32_t accumulate);

// c += A x for a few rows of A, one chain of fused multiply-adds per element. Floats: m is 8, 16, 24
// or 32, k at least 16; doubles: m is 4, 8, 12 or 16, k at least 8.
void hl_matmul_vector_f32(size_t m, size_t k, const float *a, ptrdiff_t a_row, const float *x, float *c);
void hl_matmul_vector_f64(size_t m, size_t k, const double *a, ptrdiff_t a_row, const double *x, double *c);

// y = A x for 4 or more rows of A, each the sum of 16 (float) or 8 (double) lanes.
void hl_matmul_dots_f32(size_t m, size_t k, const float *a, ptrdiff_t a_row, const float *x, float *y);
void hl_matmul_dots_f64(size_t m, size_t k, const double *a, ptrdiff_t a_row, const double *x, double *y);

// Outer product: row i of C becomes a[i * a_row] times b, or that added to it, by fused multiply-add.
// n is at least 16 (float) or 8 (double).
void hl_matmul_outer_f32(size_t m, size_t n, const float *a, ptrdiff_t a_row, const float *b, float *c,
                         ptrdiff_t c_row, uint32_t accumulate);
void hl_matmul_outer_f64(size_t m, size_t n, const double *a, ptrdiff_t a_row, const double *b, double *c,
                         ptrdiff_t c_row, uint32_t accumulate);

// Tiny product: C = A B, or C + A B if `accumulate` is nonzero. m, n and k are 1 to 8. Strides of a
// layout are in bytes; rows of B and C are contiguous.
typedef struct hl_matmul_layout {
    size_t m;
    size_t n;
    size_t k;
    ptrdiff_t a_row;
    ptrdiff_t a_column;
    ptrdiff_t b_row;
    ptrdiff_t c_row;
} hl_matmul_layout;
void hl_matmul_tiny_f32(const hl_matmul_layout *layout, const float *a, const float *b, float *c, uint32_t accumulate);
void hl_matmul_tiny_f64(const hl_matmul_layout *layout, const double *a, const double *b, double *c,
                        uint32_t accumulate);

// Transposes an m x n matrix: b[j * b_row + i] = a[i * a_row + j]. The two must not overlap.
void hl_matmul_transpose_f32(size_t m, size_t n, const float *a, ptrdiff_t a_row, float *b, ptrdiff_t b_row);
void hl_matmul_transpose_f64(size_t m, size_t n, const double *a, ptrdiff_t a_row, double *b, ptrdiff_t b_row);

// ---- clifford: terms, forms and gates -----------------------------------------------------------

// Kernels: products of `count` multivectors of 4, 8 or 16 blades, whose coefficients are sums of terms
// x[p] y[q] and -x[p] y[q]. `terms` has a width (1, 4 or 8), and then for each group of as many
// coefficients of z: the number of its blades p, at least 1; for each of these, 8 p, and then for each
// coefficient 8 q, or 8 (q + blades) for the negative of y[q]; for each coefficient, its index times 8.
void hl_clifford_multiply_f32(const uint16_t *terms, size_t blades, const float *x, const float *y, size_t count,
                              float *z);
void hl_clifford_multiply_f64(const uint16_t *terms, size_t blades, const double *x, const double *y, size_t count,
                              double *z);

// Kernels: products of `count` multivectors of a common algebra: 0 for the squares (1, 1), 1 for (1, 1, 1), 2
// for (0, 1, 1, 1). z = x y; z = r x ~r; z = x y with a weight for each path, where multivector i takes column
// i modulo `channels`. z overlaps no other argument.
void hl_clifford_common_product_f32(size_t algebra, const float *x, const float *y, size_t count, float *z);
void hl_clifford_common_product_f64(size_t algebra, const double *x, const double *y, size_t count, double *z);
void hl_clifford_common_sandwich_f32(size_t algebra, const float *r, const float *x, size_t count, float *z);
void hl_clifford_common_sandwich_f64(size_t algebra, const double *r, const double *x, size_t count, double *z);
void hl_clifford_common_weighted_f32(size_t algebra, size_t channels, const float *weights, const float *x,
                                     const float *y, size_t count, float *z);
void hl_clifford_common_weighted_f64(size_t algebra, size_t channels, const double *weights, const double *x,
                                     const double *y, size_t count, double *z);

// Kernel: activations of `count` multivectors of 4, 8 or 16 blades: z = x times a gate, a function of x. The gate is
// S(a) = 1 / (1 + exp(-a)) with, for `kind` 0, a = bias + the sum of weights times coefficients; for 1 the sum of all
// coefficients; for 2 their mean. For 3 it is x[0] S(a), or 0 where S(a) is 0, with a = 1.5957691 (x[0] + 0.044715
// x[0]^3). For 4 each grade has a gate S(weight n + bias), where n is x[0] for grade 0, else the sum of signs[p] x[p]^2
// over the blades of the grade. Multivector i has channel i modulo `channels`. For kind 0, `weights` holds `blades`
// numbers for each channel, `bias` one; for kind 4, both hold one for each grade. z overlaps no other argument.
void hl_clifford_gate_f32(size_t kind, size_t blades, size_t channels, const float *weights, const float *bias,
                          const float *signs, const float *x, size_t count, float *z);

// Kernels: signed sums of the blades of m x n multivectors. The terms of sum f begin where those of sum f - 1 end,
// and end before term ends[f]. Term 2 p adds number p, 2 p + 1 subtracts it. The first `kept` numbers, at most 16,
// are the first `kept` sums, the others the blades; a sum has terms of sums before it only. Terms are added in their
// order, each addition rounded; a sum without terms is +0. The blades of multivector (i, l) begin at x + i * x_outer
// + l * x_inner, its sum kept + f goes to y + i * y_outer + f * y_plane + l. If `algebra` is not 0, the sums are the
// forms of a matrix algebra: 1 for the squares (1, 1), 2 for (1, -1), 3 for (1, 1, 1), 4 for (1, 1, -1), 5 for
// (0, 1, 1, 1), 6 for (1, -1, -1, -1), 7 for (-1).
void hl_clifford_forms_f32(size_t algebra, size_t m, size_t n, size_t blades, const float *x, size_t x_outer,
                           size_t x_inner, float *y, size_t y_outer, size_t y_plane, const uint32_t *terms,
                           const uint32_t *ends, size_t kept, size_t sums);
void hl_clifford_forms_f64(size_t algebra, size_t m, size_t n, size_t blades, const double *x, size_t x_outer,
                           size_t x_inner, double *y, size_t y_outer, size_t y_plane, const uint32_t *terms,
                           const uint32_t *ends, size_t kept, size_t sums);

// Kernels: blades of m x n multivectors from signed sums of numbers. Blade j is sum kept + j as above, with planes for
// blades; the number of plane p for multivector (i, l) is at x + i * x_outer + p * x_plane + l. If `start` is not
// null, the sum begins at start[j * n + l] if `inner` is not 0, else at start[j * m + i]. It goes to y + i * y_outer +
// l * y_inner + j. `algebra` says as above that the sums are the blades of a layer's output.
void hl_clifford_blades_f32(size_t algebra, size_t m, size_t n, size_t blades, const float *x, size_t x_outer,
                            size_t x_plane, const float *start, uint32_t inner, float *y, size_t y_outer,
                            size_t y_inner, const uint32_t *terms, const uint32_t *ends, size_t kept);
void hl_clifford_blades_f64(size_t algebra, size_t m, size_t n, size_t blades, const double *x, size_t x_outer,
                            size_t x_plane, const double *start, uint32_t inner, double *y, size_t y_outer,
                            size_t y_inner, const uint32_t *terms, const uint32_t *ends, size_t kept);

// ---- ising: sweeps of one group of layers or of one system --------------------------------------

// One element of the graph as the kernels read it: for each site a header {degree, field}, then
// `degree` links {byte offset of the neighbour's row in its group (64 for each row), coupling}.
typedef struct hl_ising_link {
    uint32_t word;
    float value;
} hl_ising_link;

// Kernels: visit `count` sites of one group of 16 interlaced layers in order; hl_ising_sweep does this for all groups.
// A row is one site in 16 layers: 16 floats. `below`, `above` and `random` point to `count` rows, the first of which
// belongs to site `first`; `links` points to the header of that site; flips[k] counts the flips in lane k of 16.

// Gather: `spins` holds the rows of the group, +1 and -1. Metropolis with the fast exponential.
void hl_ising_sweep_fast_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// Like hl_ising_sweep_fast_f32, with the polynomial exponential.
void hl_ising_sweep_poly_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// Heat bath instead of Metropolis, with either exponential.
void hl_ising_sweep_heat_fast_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                                  const hl_ising_link *links, float beta_space, float beta_tau,
                                  const uint32_t *random, uint32_t *flips);
void hl_ising_sweep_heat_poly_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                                  const hl_ising_link *links, float beta_space, float beta_tau,
                                  const uint32_t *random, uint32_t *flips);

// Scatter: local fields are stored and updated. `state` holds rows of 4 s + s_below + s_above, `fields` rows of h_i +
// sum J_ij s_j. `below` and `above` are rows of `state` in the neighbouring groups, or zeros that collect the
// increments for them. Metropolis with the fast exponential.
void hl_ising_scatter_fast_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

// Like hl_ising_scatter_fast_f32, with the polynomial exponential.
void hl_ising_scatter_poly_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

// Heat bath instead of Metropolis, with either exponential.
void hl_ising_scatter_heat_fast_f32(float *state, float *fields, size_t first, size_t count, float *below,
                                    float *above, const hl_ising_link *links, float beta_space, float beta_tau,
                                    const uint32_t *random, uint32_t *flips);
void hl_ising_scatter_heat_poly_f32(float *state, float *fields, size_t first, size_t count, float *below,
                                    float *above, const hl_ising_link *links, float beta_space, float beta_tau,
                                    const uint32_t *random, uint32_t *flips);

// Writes the 864 thresholds of hl_ising_sweep_i8. A flip against a local field of `m` quanta, with `c` (0, 1 or 2) of
// the two bonds to the adjacent layers unsatisfied, has probability
//   min(1, exp(-(space * m + tau * (1 - c)))), except 1/2 if both `space` and the exponent are 0
// `space` = 2 * beta_space * quantum >= 0 and `tau` = 4 * beta_tau * tau_coupling; both are finite. HL_ERR_NULL,
// HL_ERR_BETA.
hl_status hl_ising_thresholds(double space, double tau, uint16_t *thresholds);

// Writes the 864 thresholds of hl_ising_sweep_heat_i8, in which this flip has probability
//   1 / (1 + exp(space * m + tau * (1 - c)))
// HL_ERR_NULL, HL_ERR_BETA.
hl_status hl_ising_heat_thresholds(double space, double tau, uint16_t *thresholds);

// Kernel: visits up to `count` sites of one group of 64 interlaced layers in order, with exact acceptance, and returns
// the number of sites visited. It stops before a site for which 16 random bits do not decide.
//
// A spin is a bit, 1 for -1: word i of `spins` is site i of the group's `sites`; its bit k is the layer in lane k.
// `below` and `above` point to `count` such words, `random` to 32 words for each of `count` sites, `links` to the
// header of site `first`. Couplings and fields are in units of one quantum. F is the field of a site plus its couplings
// (magnitudes at most 127 in sum), and F = 2 * b + parity:
//   header  b modulo 2^8 | degree << 8 | parity << 16
//   link    coupling modulo 2^8 | index of the neighbour's word << 8, `degree` of them
//   v = b - sum of the couplings to neighbours with bit 1; k = v if the spin's own bit is 0, else -v - parity
//   c = number of bits in `below` and `above` that differ from the spin's own bit
// The random number of a lane is 256 * (its byte in the first 64 bytes of the site's words) + (its byte in the other 64
// bytes), in little-endian memory order. It is compared with thresholds[432 * parity + 128 * c + (k & 127)], from
// hl_ising_thresholds. If it is less, the bit flips. If it is equal in a lane of `live`, the site is left unchanged and
// the call ends. *flips is increased by the number of flips in the lanes of `live`. If thresholds[428] is not 0, the
// magnitudes at every site add up to at most this number.
//
// `bytes` provides 64 bytes for each of `sites`. A call with `first` 0 begins a group; later calls continue with later
// sites of it. If a word of `spins` has changed since, set its 64 bytes to 255 where the bit is 1 and to 0 elsewhere.
size_t hl_ising_sweep_i8(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
                         const uint64_t *below, const uint64_t *above, const uint32_t *links,
                         const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);

// Like hl_ising_sweep_i8, with the heat bath: thresholds come from hl_ising_heat_thresholds.
size_t hl_ising_sweep_heat_i8(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
                              const uint64_t *below, const uint64_t *above, const uint32_t *links,
                              const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);

// Writes the 72 factors of hl_ising_sweep_i16. `space` and `tau` are those of hl_ising_thresholds, and so are the
// probabilities. HL_ERR_NULL, HL_ERR_BETA.
hl_status hl_ising_factors(double space, double tau, uint16_t *factors);

// Writes the 72 factors of hl_ising_sweep_heat_i16, for the probabilities of hl_ising_heat_thresholds. HL_ERR_NULL,
// HL_ERR_BETA.
hl_status hl_ising_heat_factors(double space, double tau, uint16_t *factors);

// One element of the graph as the 16-bit kernels read it: for each site a header {degree, sum of the field and the
// couplings}, then `degree` links {byte offset of the neighbour's row in its group (64 for each row), twice the
// coupling}. Values are in quanta; both halves of `pair` hold them modulo 2^16.
typedef struct hl_ising_wide_link {
    uint32_t word;
    uint32_t pair;
} hl_ising_wide_link;

// Kernel: visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit factors, and returns
// how many: it stops after a site where a lane is in doubt.
//
// A row has 32 lanes: 0 for spin +1, -1 for spin -1. `below` and `above` point to `count` rows, `random` to 16 words
// for each of `count` sites, `links` to the header of site `first`. At each site (magnitudes of at most 32766 in sum),
// for each lane with spin s:
//   m = s * (field + sum of coupling * neighbour)
//   c = number of spins in `below` and `above` that differ from s
//   d = m - factors[64 + c]
//   p = factors[d % 16] x factors[16 + d / 16 % 16] x (factors[32 + d / 256 % 16] x factors[48 + d / 4096])
//       x factors[68 + c], where a x b is a * b / 2^16, rounded down; 65535 if m < factors[64 + c]
// The random number r of a lane is its half of the site's words, lower halves first. If r < p, the spin flips. If p <=
// r <= p + 8, the lane is in doubt. After a site with such lanes among `live` the call ends, with their bits in *doubt;
// else *doubt is 0. *flips is increased by the number of flips in the lanes of `live`.
size_t hl_ising_sweep_i16(int16_t *spins, size_t first, size_t count, const int16_t *below, const int16_t *above,
                          const hl_ising_wide_link *links, const uint16_t *factors, const uint32_t *random,
                          uint32_t live, uint64_t *flips, uint32_t *doubt);

// Like hl_ising_sweep_i16, with the heat bath: factors come from hl_ising_heat_factors. Where m < factors[64 + c], -m,
// 2 - c and 65535 - r replace m, c and r. Then with q = (65535 - r) x p, lanes with q <= r <= q + 10 are in doubt. Any
// other lane flips if r < q, or if r > q where the substitution above applied.
size_t hl_ising_sweep_heat_i16(int16_t *spins, size_t first, size_t count, const int16_t *below, const int16_t *above,
                               const hl_ising_wide_link *links, const uint16_t *factors, const uint32_t *random,
                               uint32_t live, uint64_t *flips, uint32_t *doubt);

// Kernel: visits up to `count` blocks of one system in order, with exact acceptance, and returns the number of blocks
// visited. It stops before a block for which 16 random bits do not decide.
//
// A block is 64 sites, one in each lane, that are not neighbours of each other. A spin is a byte, 0 for +1 and 255 for
// -1; block b is bytes 64 b .. 64 b + 64 of `spins`. Couplings and fields are in units of one quantum. `links` begins
// with block `first` and holds, for each block:
//   number of diagonals, number of slots, the sites: bit k is set if lane k has one (2 words, the lower first)
//   for each diagonal  its base
//   for each slot      number of its entries, then the entries, 64 * position + lane; or 64, then the position for
//                      each lane
// `couplings` holds a line of 64 bytes, one for each lane, for the block, for each diagonal and for each slot. The
// first line is the sum of field and couplings, the others are twice the coupling, modulo 2^8. The spin of lane k on a
// diagonal is spins[base + k]; the 64 bytes from each base on (a signed number) must be readable. In a slot it is the
// byte at the position of the lane's entry; the coupling of a lane without an entry is 0.
//   field = first line - sum over diagonals and slots of (line where the spin is -1)
//   m = field * spin, whose magnitude is at most 127 and below 16 * levels
// `thresholds` holds 128 upper bytes, then 128 lower bytes, each minus 128. The random number of lane k is byte k and
// byte 64 + k of the block's 32 words in little-endian memory order, as signed numbers. If the pair is less than the
// pair of index max(m, 0), the spin changes sign. If it is equal in a lane that has a site, the block is left unchanged
// and the call ends. *flips is increased by the number of flips in the lanes that have a site.
size_t hl_ising_sweep_blocks_i8(uint8_t *spins, size_t first, size_t count, const uint32_t *links,
                                const uint8_t *couplings, const int8_t *thresholds, size_t levels,
                                const uint32_t *random, uint64_t *flips);

// Like hl_ising_sweep_blocks_i8, with the heat bath: the threshold is that of |m|; where m < 0, the random number is
// complemented, and the spin changes sign if it is not less than the threshold.
size_t hl_ising_sweep_heat_blocks_i8(uint8_t *spins, size_t first, size_t count, const uint32_t *links,
                                     const uint8_t *couplings, const int8_t *thresholds, size_t levels,
                                     const uint32_t *random, uint64_t *flips);

// Kernels: visit `count` blocks of one system in order, with sums in f32. Blocks, positions and `links` are as for
// hl_ising_sweep_blocks_i8, but a spin is a float, +1 or -1, and the lines of `couplings` hold 64 floats: the fields,
// then the couplings of each diagonal and of each slot. `random` points to 64 words for each block. Metropolis or heat
// bath with the polynomial exponential.
void hl_ising_sweep_blocks_f32(float *spins, size_t first, size_t count, const uint32_t *links,
                               const float *couplings, float beta_space, const uint32_t *random, uint64_t *flips);
void hl_ising_sweep_heat_blocks_f32(float *spins, size_t first, size_t count, const uint32_t *links,
                                    const float *couplings, float beta_space, const uint32_t *random,
                                    uint64_t *flips);

// The same with sums in 64-bit fixed point: spins as for hl_ising_sweep_blocks_i8, lines of 64 int64_t (the first one
// as there). `units` points to a unit of the local field for each lane of each block.
void hl_ising_sweep_blocks_i64(int64_t *spins, size_t first, size_t count, const uint32_t *links,
                               const int64_t *couplings, const double *units, double beta_space,
                               const uint32_t *random, uint64_t *flips);
void hl_ising_sweep_heat_blocks_i64(int64_t *spins, size_t first, size_t count, const uint32_t *links,
                                    const int64_t *couplings, const double *units, double beta_space,
                                    const uint32_t *random, uint64_t *flips);

// Kernel: computes the bounds of 64 random numbers for Metropolis flips. A flip against a local
// field of m quanta, of probability exp(-m / scale), is accepted if m <= bounds[i]. Returns which
// bounds are in doubt, a bit for each: those of numbers near 0, and those within `margin` (plus 4e-7
// of its size) of where `scale * -ln(random / 2^32)` crosses an integer. `scale` is positive and
// finite, `margin` is not NaN.
uint64_t hl_ising_dense_bounds(const uint32_t *random, float scale, float margin, int16_t *bounds);

// Like hl_ising_dense_bounds, with probability 1 / (1 + exp(m / scale)).
uint64_t hl_ising_dense_heat_bounds(const uint32_t *random, float scale, float margin, int16_t *bounds);

// Kernel: decides 64 sites one after the other, and returns which of them flip, a bit for each. Bit i
// of `spins` is 1 for a spin of -1. Site i flips if its spin times fields[i] is at most bounds[i].
// Then the field of every later site j changes by -2 * old spin * couplings[i * stride + j].
// Arithmetic is modulo 2^16; `fields` is not written.
uint64_t hl_ising_dense_flips(uint64_t spins, const int16_t *fields, const int16_t *bounds, const int8_t *couplings,
                              size_t stride);

// Kernel: adds the rows of up to 64 flipped spins to `columns` local fields, a multiple of 64: for
// each bit i of `flips`, fields[j] changes by -2 * old spin i (bit i of `spins`) * couplings[i *
// stride + j], modulo 2^16. No magnitude of a coupling times `depth` exceeds 127; `depth` is at
// least 1.
void hl_ising_dense_update(int16_t *fields, size_t columns, const int8_t *couplings, size_t stride, uint64_t spins,
                           uint64_t flips, size_t depth);

// Kernel: computes the levels of 64 random numbers for Metropolis flips, in 32 bits: levels[i] is
// scales[i] * -ln(random[i] / 2^32), with the logarithm of hl_ising_dense_bounds, rounded down and at
// most 2147483520. The scales are positive and finite.
void hl_ising_dense_levels(const uint32_t *random, const float *scales, int32_t *levels);

// Like hl_ising_dense_levels, for the heat bath: the logarithm is that of (1 - u) / u with
// u = random[i] / 2^32.
void hl_ising_dense_heat_levels(const uint32_t *random, const float *scales, int32_t *levels);

// Kernel: decides 64 sites one after the other in 32 bits, and returns which of them flip, a bit for
// each. Bit i of `spins` is 1 for a spin of -1. Site i flips if its field is at most levels[i] or,
// with a spin of -1, at least -levels[i] (never, if the level is -2^31). Then the field of every
// later site j changes by minus the old spin times couplings[64 * i + j], modulo 2^32. `fields` is
// not written.
uint64_t hl_ising_dense_flips_i32(uint64_t spins, const int32_t *fields, const int32_t *levels,
                                  const int32_t *couplings);

// Kernel: adds rows of 64 couplings to the local fields of a block, and subtracts others: adds row r
// of `couplings` to fields[0..64] for each r of up[0..ups], and subtracts it for each one of
// down[0..downs], modulo 2^32.
void hl_ising_dense_update_i32(int32_t *fields, const int32_t *couplings, const uint32_t *up, size_t ups,
                               const uint32_t *down, size_t downs);

// Kernel: visits up to `blocks` blocks of sites of one group of 512 copies in order, with exact
// acceptance, and returns the number of blocks visited. It stops before a block that needs more
// random planes than are left.
//
// A row is 64 bytes with a bit for each copy. `spins` holds rows of spins, 1 for -1; site 0 of the
// first block is row `first`, and the sites of a block have consecutive rows. For each block,
// `links` has a header, then two words for each bond of its sites: the row of the neighbour in
// `spins` and a row of `signs`, 1 for a negative coupling.
//   header  number of sites (1 to 8) | degree << 8 (0 to 8)
// No two sites of a block are linked. Let u be the number of bonds of a spin for which spin,
// neighbour and sign have an odd sum. A spin with 2 * u > degree flips. If 2 * u = degree, it flips
// if the first bit of its random number is 0. Any other spin flips if its random number of 48 bits
// is less than the threshold of class u. Bit j of codes[48 * degree + k] is
// bit 47 - k of the threshold of class j, other bits are 0; there are 432 codes.
//
// Bits of random numbers come from planes of 64 bytes, the most significant bit first. The first
// five bits of each site are its own planes, site by site. The rest of the block is decided in
// rounds: in each, a copy with undecided spins continues with the first of these, from bit k = 5 on;
// one plane serves all copies, until all of them are decided or 48 bits are equal, in which case the
// spin stays. Copies without a bit in the row `live` are never undecided and never flip.
//
// *planes is the number of planes in `random`; it is set to the number that the visited blocks used.
// *flips is increased by the number of flips.
size_t hl_ising_sweep_bits(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links, const uint64_t *signs,
                           const uint8_t *codes, const uint32_t *random, size_t *planes, const uint64_t *live,
                           uint64_t *flips);

// Like hl_ising_sweep_bits, with the heat bath. The class of a spin is min(u, degree - u). A spin
// with 2 * u > degree flips unless its random number is less than the threshold of its class; one
// with 2 * u < degree flips if it is.
size_t hl_ising_sweep_heat_bits(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
                                const uint64_t *signs, const uint8_t *codes, const uint32_t *random, size_t *planes,
                                const uint64_t *live, uint64_t *flips);

// Visits the sites of one colour of a square lattice in `count` rows from row `first` on, and returns the number of
// flips.
//
// The lattice has `rows` rows of `columns` sites, both even and periodic. Row i of a colour has the sites j with i + j
// even, or odd for the odd colour; they are bits m = floor(j / 2) of its words, 64 in each, 1 for -1. With w =
// ceil(columns / 128), a row is s = w + 2 words, w rounded up to a multiple of 8: a ghost, the spins, and the rest. The
// last bit of the ghost is the last spin, and the bit after the last spin is the first spin. The kernel reads these of
// `others` and writes those of `spins`. `first` is a multiple of 8, and first + count is one or `rows`.
//
// `flags` is a sum of 1 for the odd colour, 2 if neighbours prefer opposite spins, and 4 for the heat bath. Let u be
// the number of a spin's unsatisfied bonds. Bit c of codes[k] is bit 47 - k of the probability p[c], in units of 2^-48,
// c = 0 or 1; there are 48 codes. With a random number r of 48 bits a spin with u = 2 flips if r < 2^47, one with u < 2
// if r < p[u], one with u > 2 always, but unless r < p[4 - u] with the heat bath.
//
// Random numbers are those of Philox4x32-10 with the key `seed`, lower half first. Block w floor(i / 8) + floor(m / 64)
// has the counters (block, 2 call + colour, lower and upper half of `sweep`). Bit m mod 64 of (o0 << 32 | o1) and of
// (o2 << 32 | o3) are bits k and k + 1 of r, 0 the most significant one. For k = 0 and 2 the call is 2 (i mod 8) + k /
// 2. For other even k it is 16 + 22 n + (k - 4) / 2 for the n-th spin, from 0 on and by rows, of the same block and m
// whose first four bits equal those of its probability, where u = 2 and certain flips have none.
uint64_t hl_ising_sweep_lattice(uint64_t *spins, const uint64_t *others, size_t rows, size_t columns, size_t first,
                                size_t count, uint32_t flags, const uint8_t *codes, uint64_t seed, uint64_t sweep);

// ---- correlation: pairs of two sets of points, and transforms -----------------------------------

// Kernel: for each i < n and j < m, adds 2^47 + psi[2 i] other_psi[2 j] + psi[2 i + 1] other_psi[2
// j + 1] to words[other_x[j] - x[i]]. The parts of psi are in -16384 ..= 16384. `words` points to
// the word of difference 0; indices may be negative.
void hl_correlation_offsets(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
                            const int16_t *other_psi, size_t m, int64_t *words);

// Kernel: for each i < n and j < m, adds 2^47 + p to words[(bins + 1) (j mod 4) + b], where p is
// the product of hl_correlation_offsets. The bin b is the integer part of t - start, 0 if t is less
// than start, and at most `bins`, with t = sqrt(dx dx + dy dy) * inverse_width, dx = (other_x[j] -
// x[i]) + shift[0] and dy likewise, each operation rounded, none fused. All floats are finite; bins
// <= 2^24.
void hl_correlation_scatter(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
                            const float *other_y, const int16_t *other_psi, size_t m, const float *shift,
                            float inverse_width, float start, size_t bins, int64_t *words);

// Kernel: of the pairs with dx dx + dy dy less than `limit`, in the order of i < n and then j < m,
// pair k (from 0 on) adds 2^47 + p to words[(bins + 1) (k mod 4) + b], with dx, dy, p and b as for
// hl_correlation_scatter. `limit` may be any float.
void hl_correlation_scatter_below(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
                                  const float *other_y, const int16_t *other_psi, size_t m, const float *shift,
                                  float limit, float inverse_width, float start, size_t bins, int64_t *words);

// Kernel: for each i < n, j < m, e < k: if dx dx + dy dy is at least edges[e], adds 2^47 + p to
// words[e], with dx, dy and p as for hl_correlation_scatter.
void hl_correlation_edges(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
                          const float *other_y, const int16_t *other_psi, size_t m, const float *shift,
                          const float *edges, size_t k, int64_t *words);

// Kernel: for each i < n, j < m, e < k: if dx dx + dy dy, as for hl_correlation_scatter, is at least
// edges[e], adds 1 to words[e]. n m < 2^32.
void hl_correlation_counts(const float *x, const float *y, size_t n, const float *other_x, const float *other_y,
                           size_t m, const float *shift, const float *edges, size_t k, int64_t *words);

// Kernels: 16 number-theoretic transforms modulo a prime p < 2^28. A row is 16 numbers; a node has 4
// quarter rows, with numbers a, b, c, d in rows i, quarter + i, 2 quarter + i, 3 quarter + i; a root is two
// numbers, w and floor(2^32 w / p). With w, w1 and w2 of roots v, 2 v and 2 v + 1, node v becomes
//   forward: e + g, e - g, f + h, f - h with e = a + c w, f = a - c w, g = (b + d w) w1, h = (b - d w) w2,
//            from and to numbers below 4 p;
//   inverse: e + g, f + h, (e - g) w, (f - h) w with e = a + b, f = (a - b) w1, g = c + d, h = (c - d) w2,
//            from and to numbers below 2 p.
void hl_correlation_ntt_forward(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots, uint32_t p);
void hl_correlation_ntt_inverse(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots, uint32_t p);

// Kernel: for each i < n and r < outputs, row r n + i of to gets the sum over s < inputs (at most 15) of
// row s n + i of from (below 2 p) times factors[(i outputs + r) inputs + s] (below p), divided by 2^32
// modulo p, below 2 p. inverse p is -1 modulo 2^32.
void hl_correlation_ntt_combine(const uint32_t *from, uint32_t *to, size_t n, size_t inputs, size_t outputs,
                                const uint32_t *factors, uint32_t p, uint32_t inverse);

// Kernel: for each i < n, row i of a gets the sum over f < fields (1 or 2) of row i of a + f stride times
// row -i of b + f stride, divided by 2^32 modulo p, below 2 p. Operands are below 4 p.
void hl_correlation_ntt_multiply(uint32_t *a, const uint32_t *b, size_t n, size_t fields, size_t stride,
                                 uint32_t p, uint32_t inverse);

// ---- hardround: domains, cells and arcs ---------------------------------------------------------

// Kernels: the regular test and Lefevre's, as for hl_hardround_exists.
void hl_hardround_regular(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w, uint8_t *bits);
void hl_hardround_lefevre(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w, uint8_t *bits);

// Kernel: the smallest x < n with d[0] + d[1] x + d[2] x (x - 1) / 2 + d[3] x (x - 1) (x - 2) / 6
// mod 2^64 < w, or n if there is none.
uint64_t hl_hardround_exhaust(const uint64_t *d, uint64_t n, uint64_t w);

// A cell: domains of a block whose slopes lie between the same two neighbours of a Farey sequence.
// z and h are coordinates of the strip with their first and second differences, in units of 2^-32;
// y is the gap with its difference; the floats convert it to the limits of a row.
typedef struct hl_hardround_cell {
    uint32_t z[3];
    uint32_t h[3];
    int32_t y[2];
    float per;
    float ratio;
    float min_y;
    float row_slope;
    float row_offset;
    float width;
    float slack;
    uint32_t count;
} hl_hardround_cell;

// Kernel: bit i mod 64 of hits[2 c + i / 64] is 1 if domain i of cell c may contain a case, that
// is, if Z - 1 <= limit and frac(s0) <= width t + slack, or Z <= limit and frac(s1) <= width t +
// slack, with Z = 1 + z and H = 1 + h from the upper 23 bits, y clamped to at least `min_y`, limit =
// row_slope y + row_offset, t = per / y, r = t - ratio, s0 = (Z - 1) r + H, s1 = s0 + r, each
// operation rounded, none fused. A cell has at most 128 domains; `min_y` is positive, and s0 and s1
// are below 2^31.
void hl_hardround_rows(const hl_hardround_cell *cells, size_t count, uint64_t *hits);

// A quartic, y counted from the middle of a part of a block, with the constants of its search by
// arcs; the Rust documentation of `Curve` and `Arcs` names the fields.
typedef struct hl_hardround_curve {
    double c0;
    double c2;
    double c3;
    double c4;
    double triple;
    double half;
    double rest;
    double inverse;
    double ratio;
    double within;
    double rise;
    double reach;
    double slack;
    double shift;
    double rounding;
    double fine;
} hl_hardround_curve;

// 64 rows of arcs.
typedef struct hl_hardround_suspects {
    double u[64];
    double v[64];
    double differences[64];
    double rows[64];
} hl_hardround_suspects;

// The arguments that may be on 64 rows of arcs: the first one before and behind the vertex, and
// their numbers. The others follow at distances of the denominator.
typedef struct hl_hardround_places {
    double first[2][64];
    uint32_t counts[2][64];
} hl_hardround_places;

// The parameters of 64 arcs. Positions are in units of the denominator, modulo 1, as integers in units
// of 2^-32.
typedef struct hl_hardround_arcs_of_curve {
    float scale[64];
    float height[64];
    uint32_t base[64];
    uint32_t step[64];
    uint32_t limit[64];
    uint32_t extra[64];
    uint32_t first[64];
    uint32_t rows[64];
} hl_hardround_arcs_of_curve;

// 32 pieces of arcs that have the same number of rows, at most 32.
typedef struct hl_hardround_bundle {
    float scale[32];
    float height[32];
    uint32_t base[32];
    uint32_t step[32];
    uint32_t limit[32];
    uint32_t extra[32];
    uint32_t first[32];
    uint32_t rows;
} hl_hardround_bundle;

// Kernel: the arcs of a curve: their vertices, first rows and tolerances. Arc i has the
// denominator denominators[i + 1], its neighbours in a Farey sequence before and after it, and the
// fraction's numerator less the denominator times the slope in differences[i]. Denominators are
// integers up to 2^21. `count` is a multiple of 8, at most 64.
void hl_hardround_arcs(const hl_hardround_curve *curve, const double *denominators, const double *differences,
                       size_t count, hl_hardround_arcs_of_curve *arcs);

// Kernel: the rows of pieces of arcs that may hold a case: bit i of hits[32 b + j] is 1 for row j of
// piece i of bundle b if b + S or b - S is at most `limit` as signed integers, with s = scale
// sqrt(height + j), each operation rounded, S = 2^18 times s rounded to an integer, and b = base - j
// step. For row 0, b is base + extra, and the limit is `first`.
void hl_hardround_dual(const hl_hardround_bundle *bundles, size_t count, uint32_t *hits);

// Kernel: the arguments that may be on rows of arcs: those near enough in double precision. `count`
// is a multiple of 8, at most 64.
void hl_hardround_refine(const hl_hardround_curve *curve, const hl_hardround_suspects *suspects, size_t count,
                         hl_hardround_places *places);

#ifdef __cplusplus
}
#endif

#endif
