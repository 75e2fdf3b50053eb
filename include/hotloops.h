// hotloops: hand-written assembly and intrinsics kernels with run-time dispatch, the same bits on every CPU.
//
// Kernels are functions whose only possible fault is a bad pointer: they return no status, check nothing, allocate nothing,
// and take arrays of any alignment and of length 0. Functions whose arguments can be wrong in other ways return an
// hl_status; where it is not HL_OK, nothing was written. Their arrays are aligned as C has it, and may be null where
// their length is 0.
//
// Every function may be called from any thread at any time, before main, too; but two threads may not use one handle (what a
// function called .._create makes, and one called .._destroy frees) at once, unless both only read it (a const parameter). The
// library starts no thread and keeps nothing between calls but the choice of instruction set and the sizes of the caches.
//
// The environment variable HOTLOOPS_ISA (scalar, sse2, avx2, avx2gfni, avx512, avx512icl, neon) caps the instruction set; a
// word that is unknown, or that this CPU lacks, ends the process with a message. Results do not depend on it. On Linux, programs that run
// with raised privileges (setuid, setgid, file capabilities) ignore it.
#ifndef HOTLOOPS_H
#define HOTLOOPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this header; hl_version() gives that of the library.
#define HL_VERSION "0.1.0"

// 0, or a negative number: one of the codes below, and in its upper bits the argument in question, where the error has one. Compare a
// status with HL_OK, and its code, hl_status_code(status), with the others:
//
//   hl_status status = hl_matmul_gemm_f32(..);
//   if (status != HL_OK)
//       fprintf(stderr, "%s\n", hl_status_string(status));       // a required pointer is null: workspace
//   if (hl_status_code(status) == HL_ERR_NULL && strcmp(hl_status_argument(status), "workspace") == 0) ..
//
// The codes keep their meaning in later versions; the upper bits are for the functions of the same library alone.
typedef int32_t hl_status;

enum {
    HL_OK = 0,
    HL_ERR_NULL = -1,             // a required pointer is null
    HL_ERR_LENGTH = -2,           // the array has the wrong length
    HL_ERR_TOO_LARGE = -3,        // the size exceeds the maximum that the library supports
    HL_ERR_NO_MEMORY = -4,        // memory allocation failed
    HL_ERR_ISA_UNKNOWN = -5,      // unknown instruction set; use one of the words that `hotloops list` prints
    HL_ERR_ISA_UNAVAILABLE = -6,  // this CPU does not support the instruction set
    HL_ERR_LANES = -7,            // unsupported number of lanes; use 4, 8 or 16 (an ising sweep needs 16)
    HL_ERR_STATE_TRUNCATED = -8,  // the saved state is truncated
    HL_ERR_STATE_FOREIGN = -9,    // the saved state has a foreign format or another version; recreate it with this version
    HL_ERR_STATE_CORRUPT = -10,   // the saved state is corrupt: its checksum does not match
    HL_ERR_LAYERS = -11,          // a layered model needs at least two layers
    HL_ERR_NO_SITES = -12,        // a model needs at least one site per layer
    HL_ERR_SITE_RANGE = -13,      // the site index is out of range
    HL_ERR_SELF_LOOP = -14,       // a coupling joins a site to itself; leave it out, it only shifts the energy
    HL_ERR_DUPLICATE_EDGE = -15,  // duplicate coupling between a pair of sites; add the values up first
    HL_ERR_ASYMMETRIC = -16,      // a coupling differs between its two directions; store the same value at (i, j) and (j, i)
    HL_ERR_ROW_POINTER = -17,     // the row pointers must start at 0 and must not decrease
    HL_ERR_COUPLING = -18,        // the coupling is not finite in f32
    HL_ERR_TAU_COUPLING = -19,    // the coupling between layers is not finite in f32
    HL_ERR_FIELD = -20,           // the field is not finite in f32
    HL_ERR_SPIN = -21,            // a spin must be +1 or -1
    HL_ERR_BETA = -22,            // the inverse temperature must be finite
    HL_ERR_KIND = -23,            // unknown kind of model
    HL_ERR_OPTION = -24,          // invalid value for this option
    HL_ERR_QUANTUM = -25,         // the couplings and field of a site are not multiples of one quantum, at most 127 quanta in sum; use an f32 kind
    HL_ERR_LADDER = -26,          // a temperature ladder needs at least two rungs
    HL_ERR_INDEX = -27,           // the index is out of range
    HL_ERR_ENERGY = -28,          // the energy must be finite
    HL_ERR_ELEMENT_SIZE = -29,    // unsupported element size; use 1, 2, 4 or 8 bytes
    HL_ERR_STRIDE = -30,          // the stride is shorter than a row
    HL_ERR_OVERLAP = -31,         // the output overlaps another array
    HL_ERR_NO_BITS = -32,         // rows need at least one bit
    HL_ERR_PLANES = -33,          // unsupported number of planes; use 1 to 64, and the smallest element type that holds them
    HL_ERR_PACKED = -34,          // the packed data was not made by the matching pack function for these dimensions
    HL_ERR_THRESHOLD = -35,       // the threshold must be between 0 and 1
    HL_ERR_LETTER = -36,          // invalid letter; use A, C, G, T, U or N
    HL_ERR_LETTER_CODE = -37,     // invalid letter code: these three bits encode no letter
    HL_ERR_PLANE_CODE = -38,      // invalid plane code for this class
    HL_ERR_TYPE = -39,            // the prepared object is for another element type (f32 or f64)
    HL_ERR_ORIENTATION = -40,     // the orientation must be a complex number of magnitude at most 1
    HL_ERR_BINS = -41,            // bin edges must be finite, nonnegative and strictly increasing, and at least two
    HL_ERR_COORDINATE = -42,      // the coordinate is not finite or exceeds the supported range
    HL_ERR_PERIODIC = -43,        // the period must be finite and at least twice the largest distance
    HL_ERR_FRAME = -44,           // the two point sets use different grids; create the second one from the first (Points::others, hl_points_create_others)
    HL_ERR_NEIGHBOURS = -45,      // the number of neighbours must be at least 1 and less than the number of points
    HL_ERR_PROOF = -46            // the argument is outside the range for which the search is proved complete
};

// The version of the library, "0.1.0".
const char *hl_version(void);

// The sentence of a status, as beside the constants above, and after a colon the name of the argument, if it carries one; never null.
const char *hl_status_string(hl_status status);

// The code of a status: one of the constants above.
hl_status hl_status_code(hl_status status);

// The name of the argument that a status carries, as in the declarations here: a parameter, a member of a structure, or the matrix (a, b,
// c) whose size or strides are wrong; the empty string where it carries none; never null.
const char *hl_status_argument(hl_status status);

// ---- Instruction sets and variants ---------------------------------------------------------------------------------

// The name of the best instruction set in force; never null.
const char *hl_isa_active(void);

// Caps every kernel at the instruction set called `word`, from the next call on, in place of HOTLOOPS_ISA.
// HL_ERR_NULL, HL_ERR_ISA_UNKNOWN, HL_ERR_ISA_UNAVAILABLE.
hl_status hl_isa_set(const char *word);

// A function of a type that is known from its name; to be cast.
typedef void (*hl_function)(void);

// The number of variants: of each kernel one for every instruction set that gains it something, the one that a call runs there.
size_t hl_variant_count(void);

// Writes the name of variant `index`, such as "exp/fast_f32/avx2_assembly", as a C string into name[0..size].
// HL_ERR_NULL, HL_ERR_INDEX from hl_variant_count() on, HL_ERR_LENGTH where `size` does not suffice (64 does).
hl_status hl_variant_name(size_t index, char *name, size_t size);

// The code of the variant called `name`, to be cast to the type of its kernel (for "exp/fast_f32/avx2_assembly"
// that of hl_exp_fast_f32); null where no variant has this name or this CPU lacks what it needs.
hl_function hl_variant_find(const char *name);

// ---- random: interlaced streams of the Mersenne Twister MT19937 ----------------------------------------------------

// A generator of 4, 8 or 16 lanes, each a Mersenne Twister of its own: number t of lane k is its number t * lanes + k.
typedef struct hl_mt19937 hl_mt19937;

// Makes a generator of 4, 8 or 16 lanes; lane k is seeded with lane_seeds[k] as by the authors' init_genrand and by
// std::mt19937. To be destroyed. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_NO_MEMORY.
hl_status hl_mt19937_create(uint32_t lanes, const uint32_t *lane_seeds, hl_mt19937 **generator);

// Makes a generator in a saved state. To be destroyed. Errors as for hl_mt19937_set_state, and HL_ERR_NO_MEMORY.
hl_status hl_mt19937_create_from_state(const uint8_t *bytes, size_t size, hl_mt19937 **generator);

// Frees a generator; null is legal.
void hl_mt19937_destroy(hl_mt19937 *generator);

// Fills dst[0..n] with numbers of 32 bits. HL_ERR_NULL.
hl_status hl_mt19937_fill_u32(hl_mt19937 *generator, uint32_t *dst, size_t n);

// Fills dst[0..n] with multiples of 2^-24 in [0, 1): the upper 24 bits of each number. HL_ERR_NULL.
hl_status hl_mt19937_fill_f32(hl_mt19937 *generator, float *dst, size_t n);

// Writes the number of bytes of the saved state. HL_ERR_NULL.
hl_status hl_mt19937_state_size(const hl_mt19937 *generator, size_t *size);

// Saves the state as `size` bytes, the same on every machine; `size` is that of hl_mt19937_state_size.
// HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_mt19937_get_state(const hl_mt19937 *generator, uint8_t *bytes, size_t size);

// Takes over a saved state, and its number of lanes. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED, HL_ERR_STATE_FOREIGN,
// HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH for bytes past the end, HL_ERR_NO_MEMORY where the number of lanes changes.
hl_status hl_mt19937_set_state(hl_mt19937 *generator, const uint8_t *bytes, size_t size);

// Kernels: draw `n` numbers of 32 bits, or `n` floats in [0, 1), from the interlaced streams. `state` holds
// 624 * lanes words, word i of lane k at [i * lanes + k]; `lanes` is 4, 8 or 16; `*position`, below 624 * lanes, is
// the index of the next word to renew. State, position and dst do not overlap.
void hl_random_mt19937_u32(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
void hl_random_mt19937_f32(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);

// ---- exp: approximations of exp over arrays ------------------------------------------------------------------------

// Kernels: y[i] = exp(x[i]) for i in 0..n; `y` is `x` or does not overlap it. NaN gives NaN; no result is denormal.

// Fast: relative error -3.91 % to +2.00 % for -87.3 <= x < 128 ln 2; below as -87.3, above as the end; 0.961 at 0.
void hl_exp_fast_f32(const float *x, float *y, size_t n);

// Accurate: relative error -0.993 % to +0.496 % for -31.5 ln 2 <= x < 32 ln 2; 0 below, above as the end; 0.990 at 0.
void hl_exp_accurate_f32(const float *x, float *y, size_t n);

// Polynomial: relative error at most 4.3e-6 for -126 ln 2 <= x < 128 ln 2; 0 below, infinity above; 1 at 0.
void hl_exp_poly_f32(const float *x, float *y, size_t n);

// ---- bitslice: bit planes of integers --------------------------------------------------------------------------------

// Plane j holds bit j of every element: bit i of byte o of plane j is that of element 8 o + i, on every machine. Elements
// have `elem_bytes` = 1, 2, 4 or 8 bytes (HL_ERR_ELEMENT_SIZE), at any alignment; there are P = 8 * elem_bytes planes.
// Plane j begins at planes + j * stride, in bytes, which is not less than a plane (HL_ERR_STRIDE). Sources and results may not
// overlap (HL_ERR_OVERLAP); where an array is not empty its pointer may not be null (HL_ERR_NULL); sizes beyond memory are
// HL_ERR_TOO_LARGE.

// Cuts elements into planes of ceil(n_elems / 8) bytes. The unused high bits of a plane's last byte are written 0, the bytes
// between planes not at all.
hl_status hl_bitslice(const void *src, size_t n_elems, uint32_t elem_bytes, uint8_t *planes, size_t stride);

// The inverse. Bits past the last element are ignored.
hl_status hl_bitunslice(const uint8_t *planes, size_t stride, size_t n_elems, uint32_t elem_bytes, void *dst);

// Layouts of long arrays.
enum {
    // Blocks of 2048 elements, P rows of 256 bytes each: the bytes of bitshuffle and Blosc at this size of block. A short
    // last block has its full size, and zeros where it has no elements.
    HL_ROWS2048 = 0,
    // Tiles of 64 elements, P words of 8 bytes each: written and read in order, quick to gather from. A short last tile
    // has its full size.
    HL_TILES64 = 1
};

// How long results are written: past the caches from 16 MiB on; always; never.
enum { HL_STORE_AUTO = 0, HL_STORE_STREAM = 1, HL_STORE_CACHED = 2 };

// Writes the bytes that `n_elems` elements take in a layout. HL_ERR_OPTION for another layout.
hl_status hl_bitslice_blocks_size(size_t n_elems, uint32_t elem_bytes, uint32_t layout, size_t *bytes);

// Cuts a long array into planes, block by block; `flags` is one of HL_STORE_*. HL_ERR_OPTION for others.
hl_status hl_bitslice_blocks(const void *src, size_t n_elems, uint32_t elem_bytes, uint8_t *dst, uint32_t layout,
                             uint32_t flags);

// The inverse.
hl_status hl_bitunslice_blocks(const uint8_t *src, size_t n_elems, uint32_t elem_bytes, void *dst, uint32_t layout,
                               uint32_t flags);

// Replaces each block of 2048 integers by its 32 rows of 256 bytes, and back.
hl_status hl_bitslice_inplace_u32x2048(uint32_t *block, size_t n_blocks);
hl_status hl_bitunslice_inplace_u32x2048(uint32_t *block, size_t n_blocks);

// dst[i] = element indices[i] of what hl_bitslice wrote, from `n_planes` planes, 1 to 64 (HL_ERR_PLANES); `dst` holds
// uint8_t, uint16_t, uint32_t or uint64_t, the smallest that has n_planes bits. HL_ERR_INDEX from 8 * stride on.
hl_status hl_bitslice_gather(const uint8_t *planes, size_t stride, uint32_t n_planes, const size_t *indices, size_t n,
                             void *dst);

// The same from what hl_bitslice_blocks wrote of `n_elems` elements. HL_ERR_INDEX from n_elems on.
hl_status hl_bitslice_gather_blocks(const uint8_t *blocks, size_t n_elems, uint32_t elem_bytes, uint32_t layout,
                                    const size_t *indices, size_t n, void *dst);

// counts[j], j in 0..8 * elem_bytes, = the number of elements whose bit j is 1.
hl_status hl_popcount_positional(const void *src, size_t n_elems, uint32_t elem_bytes, uint64_t *counts);

// Says of each of the 32 planes of a block of n <= 2048 elements (HL_ERR_TOO_LARGE) how it follows from later ones, given the
// 32 x 32 distances that hl_slices_distance_u32x2048 writes: code[i] = class | j << 3, j > i, where the class is 0 plain, 1 all zeros,
// 2 all ones, 3 equal to plane j, 4 nearer to plane j than to zeros and ones, 5 the complement of plane j.
hl_status hl_planes_classify(const uint32_t *distances, size_t n, uint16_t *code);

// Writes the bytes that hl_planes_reduce keeps of `n_planes` planes of `n` bits. HL_ERR_PLANES, HL_ERR_PLANE_CODE.
hl_status hl_planes_reduced_size(size_t n, uint32_t n_planes, const uint16_t *code, size_t *bytes);

// Keeps planes of class 0, and the differences of those of class 4, one after the other; `size` is that of
// hl_planes_reduced_size (HL_ERR_LENGTH). hl_planes_restore is the inverse; bits past `n` become 0. HL_ERR_PLANES,
// HL_ERR_PLANE_CODE.
hl_status hl_planes_reduce(const uint8_t *planes, size_t stride, size_t n, uint32_t n_planes, const uint16_t *code,
                           uint8_t *reduced, size_t size);
hl_status hl_planes_restore(const uint8_t *reduced, size_t size, uint32_t n_planes, const uint16_t *code, size_t n,
                            uint8_t *planes, size_t stride);

// Writes the three planes of letters A C G T U N, large or small: bits 1, 2, 3 of their ASCII codes. HL_ERR_LETTER.
hl_status hl_dna_encode(const uint8_t *letters, size_t n, uint8_t *planes, size_t stride);

// Writes the letters of three planes, large, T for U. HL_ERR_LETTER_CODE for bits that stand for none.
hl_status hl_dna_decode(const uint8_t *planes, size_t stride, size_t n, uint8_t *letters);

// Kernels, for chunks of 512 elements of 1 or 4 bytes, 64 bytes of each plane: elements to rows and back, to tiles and back.
// Rows: plane j is the 64 * chunks bytes at planes + j * stride. Tiles: tile t, of 64 elements, is the 8 or 32 words of 8 bytes
// at tiles + t * stride.
void hl_bitslice_slice_u8(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_slice_u32(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_unslice_u8(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
void hl_bitslice_unslice_u32(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
void hl_bitslice_tile_u8(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_tile_u32(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_untile_u8(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
void hl_bitslice_untile_u32(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);

// Kernel: exchanges rows and columns of a 32 x 32 matrix of words; so planes of a block become its tiles, and back.
void hl_bitslice_transpose_u64x32x32(const uint64_t *src, uint64_t *dst);

// Kernel: elements indices[0..n] of `count` planes. Element e is number e % 2^block_bits of block e >> block_bits, whose plane j is
// at planes + (e >> block_bits) * block_stride + j * stride; where `stride` is 8 and `block_bits` 6, whole tiles are read.
void hl_bitslice_pick(const uint8_t *planes, size_t stride, size_t count, size_t block_bits, size_t block_stride,
                      const size_t *indices, size_t n, uint8_t *dst);

// Kernel: adds to counts[0..64] the number of words that have this bit.
void hl_bitslice_count_positions(const uint64_t *src, size_t n, uint64_t *counts);

// Kernels: copies past the caches, to be followed by a fence (atomic_thread_fence(memory_order_seq_cst)) before other threads
// read the bytes; asks for bytes to be brought into the first cache, at any address.
void hl_bitslice_stream(const uint8_t *src, uint8_t *dst, size_t n);
void hl_bitslice_prefetch(const uint8_t *src, size_t n);

// ---- hamming: distances and similarities of bit rows -----------------------------------------------------------------

// Bit k of a row is bit k % 8 of its byte k / 8; bits past `bits` in its last byte are ignored. Rows have 1 to 2^32 - 1 bits
// (HL_ERR_NO_BITS, HL_ERR_TOO_LARGE), similarities less than 2^30; strides of rows are in bytes, those of results in
// elements, and not less than a row (HL_ERR_STRIDE). Results may not overlap rows (HL_ERR_OVERLAP). HL_ERR_NULL as above.

// counts[i] = the number of ones of row i.
hl_status hl_popcount_rows(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, uint32_t *counts);

// distances[32 i + j], i < j, = the number of integers of a block of 2048 whose bits i and j differ; distances[33 i] of those
// whose bit i is 1. What is below the diagonal is not written. The second takes the planes of the block, 32 rows of 256 bytes.
hl_status hl_slices_distance_u32x2048(const uint32_t *block, uint32_t *distances);
hl_status hl_planes_distance_u32x2048(const uint8_t *planes, uint32_t *distances);

// Parts of a matrix of distances: right of the diagonal, and the diagonal; or whole rows.
enum { HL_HAMMING_UPPER = 0, HL_HAMMING_FULL = 1 };

// out[(i - row_begin) * out_stride + j] = the number of bits in which rows i and j differ, for i in row_begin .. row_begin + row_count
// (HL_ERR_INDEX past n_rows); 0 on the diagonal. `out` points to row `row_begin` of the results. `flags` is one of HL_HAMMING_*
// (HL_ERR_OPTION). Threads may each take a range.
hl_status hl_hamming_self(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, uint32_t *out,
                          size_t out_stride, size_t row_begin, size_t row_count, uint32_t flags);

// The bytes that packed rows take; 0 where there cannot be such rows.
size_t hl_fp_packed_bytes(size_t n_rows, size_t bits);

// Packs rows for comparison with many others: a header, the ones of each row, groups of 8 rows interleaved by 8 bytes.
// `packed` has hl_fp_packed_bytes(n_rows, bits) bytes; it stays the caller's, and threads may share it.
hl_status hl_fp_pack(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, void *packed);

// out[i * out_stride + j] = the number of bits in which row i and packed row j differ; rows have as many bits as packed ones.
// HL_ERR_PACKED where `packed` was not packed by hl_fp_pack.
hl_status hl_hamming_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, uint32_t *out,
                           size_t out_stride);

// out[i * out_stride + j] = the similarity of row i, with a ones, and packed row j, with b, c in common: c / (a + b - c),
// 2 c / (a + b), or c / sqrt(a b), the nearest float; `empty` where neither has a one (RDKit: 1, chemfp: 0).
hl_status hl_tanimoto_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty, float *out,
                            size_t out_stride);
hl_status hl_dice_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty, float *out,
                        size_t out_stride);
hl_status hl_cosine_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty, float *out,
                          size_t out_stride);

// A pair that is similar enough.
typedef struct hl_fp_hit {
    uint64_t row;
    uint32_t packed_row;
    float similarity;
} hl_fp_hit;

// Finds the pairs whose Tanimoto similarity is at least `threshold`, 0 to 1 (HL_ERR_THRESHOLD), row by row: writes at most
// `capacity` of them and their number. *cursor is 0 at first, and n_rows times the packed rows when all pairs have been seen;
// until then the next call goes on from there. HL_ERR_INDEX past that, HL_ERR_LENGTH where `capacity` is 0.
hl_status hl_tanimoto_threshold(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float threshold,
                                float empty, uint64_t *cursor, hl_fp_hit *hits, size_t capacity, size_t *found);

// Kernel: distances of the 32 planes of a block in tiles, 32 of 256 bytes, as above.
void hl_hamming_slices(const uint8_t *tiles, uint32_t *distances);

// Kernel: out[i * out_stride + 8 g + l] = the ones that row i has in common with row l of packed group g. Word c of packed row
// 8 g + l is at packed + 64 (g C + c) + 8 l; row i is `chunks` words at rows + i * stride and then, unless `tails` is null,
// tails[i]; C counts that word too.
void hl_hamming_intersections(const uint8_t *packed, size_t groups, size_t chunks, const uint8_t *rows, size_t stride,
                              const uint64_t *tails, size_t n, uint32_t *out, size_t out_stride);

// Kernel: counts[i] = the ones of row i.
void hl_hamming_counts(const uint8_t *rows, size_t n, size_t bits, size_t stride, uint32_t *counts);

// Kernels: distances and similarities from a row's ones, those of n others, and those in common; `out` may be `common`.
void hl_hamming_distances(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, uint32_t *out);
void hl_hamming_tanimoto(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty, float *out);
void hl_hamming_dice(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty, float *out);
void hl_hamming_cosine(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty, float *out);

// ---- reduce: sums and dot products ----------------------------------------------------------------------------------

// The order of additions is fixed, so that bits are the same on every CPU: element i goes to lane i mod L, each lane is
// added from its first element to its last, and lanes are halved, lane l + half to lane l, until one is left. Lanes begin
// at -0; the sum of nothing is +0; a NaN result is the quiet one without payload.

// Kernels: L = 64 (float) or 32 (double). Sum; sum of magnitudes; dot product, its products rounded before they are added.
float hl_reduce_sum_f32(const float *x, size_t n);
float hl_reduce_asum_f32(const float *x, size_t n);
float hl_reduce_dot_f32(const float *x, const float *y, size_t n);
double hl_reduce_sum_f64(const double *x, size_t n);
double hl_reduce_asum_f64(const double *x, size_t n);
double hl_reduce_dot_f64(const double *x, const double *y, size_t n);

// Kernels, compensated: sum and dot product of Ogita, Rump and Oishi, as if in twice the precision (half as many lanes);
// Kahan's sum (twice as many). Where a correction is NaN, the result is that of the plain function.
float hl_reduce_sum2_f32(const float *x, size_t n);
float hl_reduce_dot2_f32(const float *x, const float *y, size_t n);
float hl_reduce_kahan_f32(const float *x, size_t n);
double hl_reduce_sum2_f64(const double *x, size_t n);
double hl_reduce_dot2_f64(const double *x, const double *y, size_t n);
double hl_reduce_kahan_f64(const double *x, size_t n);

// The same sums of n elements `stride` apart; a negative stride begins at the last of them, as in BLAS, so that `x` is the
// least address of all. HL_ERR_NULL, HL_ERR_TOO_LARGE.
hl_status hl_reduce_sum_strided_f32(const float *x, size_t n, ptrdiff_t stride, float *result);
hl_status hl_reduce_asum_strided_f32(const float *x, size_t n, ptrdiff_t stride, float *result);
hl_status hl_reduce_dot_strided_f32(const float *x, ptrdiff_t x_stride, const float *y, ptrdiff_t y_stride, size_t n,
                                       float *result);
hl_status hl_reduce_sum_strided_f64(const double *x, size_t n, ptrdiff_t stride, double *result);
hl_status hl_reduce_asum_strided_f64(const double *x, size_t n, ptrdiff_t stride, double *result);
hl_status hl_reduce_dot_strided_f64(const double *x, ptrdiff_t x_stride, const double *y, ptrdiff_t y_stride, size_t n,
                                       double *result);

// Kernels: cut numbers into integers. Adds to sums[0] the integers nearest to x / 2^(exponent + 40), and to sums[1] those
// nearest to what is left / 2^exponent, ties to zero, and returns 1; or, if a magnitude is not below 2^(exponent + 79),
// writes nothing and returns 0. n is at most 8192, the exponent in -1074..931.
uint32_t hl_reduce_binned_f32(const float *x, size_t n, int32_t exponent, int64_t *sums);
uint32_t hl_reduce_binned_f64(const double *x, size_t n, int32_t exponent, int64_t *sums);

// The sum of x[0..n], whose bits depend on no order: numbers are rounded to multiples of a quantum, at most 2^-39 of the
// largest magnitude, and those are added as integers. `x` may be anything where n is 0.
float hl_reduce_sum_repro_f32(const float *x, size_t n);
double hl_reduce_sum_repro_f64(const double *x, size_t n);

// Such a sum under way: neither order, nor pieces, nor the number of sums that are merged change its bits.
typedef struct hl_repro hl_repro;

// Bytes of a saved state.
#define HL_REPRO_STATE_SIZE 64

// Makes the sum of nothing. To be destroyed. HL_ERR_NULL, HL_ERR_NO_MEMORY.
hl_status hl_repro_create(hl_repro **repro);

// Makes a sum in a saved state. To be destroyed. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED, HL_ERR_STATE_FOREIGN,
// HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH, HL_ERR_NO_MEMORY.
hl_status hl_repro_create_from_state(const uint8_t *bytes, size_t size, hl_repro **repro);

// Frees a sum; null is legal.
void hl_repro_destroy(hl_repro *repro);

// Adds x[0..n]; up to 2^48 numbers in all. HL_ERR_NULL.
hl_status hl_repro_add_f32(hl_repro *repro, const float *x, size_t n);
hl_status hl_repro_add_f64(hl_repro *repro, const double *x, size_t n);

// Adds what was added to `other`. HL_ERR_NULL.
hl_status hl_repro_merge(hl_repro *repro, const hl_repro *other);

// Writes the sum, rounded once. HL_ERR_NULL.
hl_status hl_repro_sum(const hl_repro *repro, double *sum);

// Saves the state as HL_REPRO_STATE_SIZE bytes, the same on every machine. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_repro_get_state(const hl_repro *repro, uint8_t *bytes, size_t size);

// ---- matmul: matrix multiplication ----------------------------------------------------------------------------------

// C = alpha A B + beta C. A has m rows and k columns, B k and n, C m and n; each has a stride of rows and one of columns,
// in elements: element (i, j) is at c + i * c_row + j * c_column. Row-major matrices have columns 1 apart, column-major
// ones rows, and a transposed one has its strides exchanged. Strides of A and B may be negative or 0, those of C may be
// negative, and keep its elements apart (HL_ERR_STRIDE). C may not overlap A or B (HL_ERR_OVERLAP).
//
// Each element of C is one chain of fused multiply-adds over ascending k, c = fma(alpha * a, b, c), that begins at beta * c: its
// bits depend on nothing else. Only x86-64 without FMA rounds products: c = c + alpha * a * b.
// Where beta is 0, C is not read. Where alpha, m, n or k is 0, A and B are not read: their pointers may be null, and if m or n is 0 every
// size of the others is legal.

enum {
    HL_MATMUL_STRICT = 0,  // by ascending k
    HL_MATMUL_FAST = 1     // in any order: faster for few elements of many products
};

// Options of a product.
typedef struct hl_matmul_opts {
    int32_t order;  // HL_MATMUL_STRICT, HL_MATMUL_FAST
    size_t l1;      // bytes of the caches that blocks are cut for, or 0 for those of this CPU; no bits depend on them
    size_t l2;
    size_t l3;
} hl_matmul_opts;

// Multiplies. `opts` may be null: strict, the caches of this CPU. With a workspace of as many bytes as a plan tells nothing
// is allocated (HL_ERR_LENGTH if it is shorter); it may be null. HL_ERR_NULL, HL_ERR_STRIDE, HL_ERR_OVERLAP,
// HL_ERR_TOO_LARGE, HL_ERR_OPTION, HL_ERR_NO_MEMORY.
hl_status hl_matmul_gemm_f32(size_t m, size_t n, size_t k, float alpha, const float *a, ptrdiff_t a_row,
                             ptrdiff_t a_column, const float *b, ptrdiff_t b_row, ptrdiff_t b_column, float beta, float *c,
                             ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                             size_t workspace_bytes);
hl_status hl_matmul_gemm_f64(size_t m, size_t n, size_t k, double alpha, const double *a, ptrdiff_t a_row,
                             ptrdiff_t a_column, const double *b, ptrdiff_t b_row, ptrdiff_t b_column, double beta, double *c,
                             ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                             size_t workspace_bytes);

// The shape and layout of a product, resolved once for many calls, from any threads at once.
typedef struct hl_matmul_plan hl_matmul_plan;

// Makes a plan. To be destroyed. HL_ERR_NULL, HL_ERR_STRIDE, HL_ERR_TOO_LARGE, HL_ERR_OPTION, HL_ERR_NO_MEMORY.
hl_status hl_matmul_plan_create_f32(size_t m, size_t n, size_t k, ptrdiff_t a_row, ptrdiff_t a_column, ptrdiff_t b_row,
                                    ptrdiff_t b_column, ptrdiff_t c_row, ptrdiff_t c_column,
                                    const hl_matmul_opts *opts, hl_matmul_plan **plan);
hl_status hl_matmul_plan_create_f64(size_t m, size_t n, size_t k, ptrdiff_t a_row, ptrdiff_t a_column, ptrdiff_t b_row,
                                    ptrdiff_t b_column, ptrdiff_t c_row, ptrdiff_t c_column,
                                    const hl_matmul_opts *opts, hl_matmul_plan **plan);

// Frees a plan; null is legal.
void hl_matmul_plan_destroy(hl_matmul_plan *plan);

// Writes the bytes of workspace that runs of a plan need, at most 4 MiB; 0 for small products. HL_ERR_NULL.
hl_status hl_matmul_plan_workspace_bytes(const hl_matmul_plan *plan, size_t *bytes);

// Multiplies by a plan; allocates nothing. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_OVERLAP, HL_ERR_TYPE for a plan of the other
// type.
hl_status hl_matmul_plan_run_f32(const hl_matmul_plan *plan, float alpha, const float *a, const float *b, float beta,
                                 float *c, void *workspace, size_t workspace_bytes);
hl_status hl_matmul_plan_run_f64(const hl_matmul_plan *plan, double alpha, const double *a, const double *b, double beta,
                                 double *c, void *workspace, size_t workspace_bytes);

// B as packed for many products; it points to the caller's values.
typedef struct hl_matmul_packed {
    const void *values;
    size_t k;
    size_t n;
    size_t kc;     // rows and
    size_t nr;     // columns of a sliver
    size_t bytes;  // of an element
} hl_matmul_packed;

// Packs B into values[0..k * n], and writes `packed`. HL_ERR_NULL, HL_ERR_TOO_LARGE, HL_ERR_OVERLAP, HL_ERR_OPTION.
hl_status hl_matmul_pack_b_f32(size_t k, size_t n, const float *b, ptrdiff_t b_row, ptrdiff_t b_column,
                               const hl_matmul_opts *opts, float *values, hl_matmul_packed *packed);
hl_status hl_matmul_pack_b_f64(size_t k, size_t n, const double *b, ptrdiff_t b_row, ptrdiff_t b_column,
                               const hl_matmul_opts *opts, double *values, hl_matmul_packed *packed);

// As hl_matmul_gemm_f32 and hl_matmul_gemm_f64, with the same bits; and HL_ERR_TYPE, HL_ERR_PACKED.
hl_status hl_matmul_gemm_packed_f32(size_t m, float alpha, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                    const hl_matmul_packed *packed, float beta, float *c, ptrdiff_t c_row,
                                    ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                                    size_t workspace_bytes);
hl_status hl_matmul_gemm_packed_f64(size_t m, double alpha, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                    const hl_matmul_packed *packed, double beta, double *c, ptrdiff_t c_row,
                                    ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                                    size_t workspace_bytes);

// Kernels. m rows and n columns of C become A B, or C + A B where `accumulate` is not 0; rows of B and C are contiguous,
// strides are in elements. `packed`, if not null, receives B, row p at packed + p * n. Nothing overlaps C or `packed`.
void hl_matmul_block_f32(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column, const float *b,
                         ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row, uint32_t accumulate);
void hl_matmul_block_f64(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, ptrdiff_t a_column, const double *b,
                         ptrdiff_t b_row, double *packed, double *c, ptrdiff_t c_row, uint32_t accumulate);

// The same with products that are rounded; each element of A stands 4 (float) or 2 (double) times, one after the other.
void hl_matmul_block_unfused_f32(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                 const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row,
                                 uint32_t accumulate);
void hl_matmul_block_unfused_f64(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                 const double *b, ptrdiff_t b_row, double *packed, double *c, ptrdiff_t c_row,
                                 uint32_t accumulate);

// The first for few columns, rows of A contiguous.
void hl_matmul_columns_f32(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, const float *b, ptrdiff_t b_row,
                           float *c, ptrdiff_t c_row, uint32_t accumulate);
void hl_matmul_columns_f64(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, const double *b, ptrdiff_t b_row,
                           double *c, ptrdiff_t c_row, uint32_t accumulate);

// Transposes m rows of n: a[i * a_row + j] goes to b[j * b_row + i]; the two do not overlap.
void hl_matmul_transpose_f32(size_t m, size_t n, const float *a, ptrdiff_t a_row, float *b, ptrdiff_t b_row);
void hl_matmul_transpose_f64(size_t m, size_t n, const double *a, ptrdiff_t a_row, double *b, ptrdiff_t b_row);

// ---- ising: Metropolis and heat-bath sweeps of layered Ising models ------------------------------------------------

// `layers` equal layers of `sites` spins, +1 or -1, stacked into a ring. Inside a layer any graph couples the spins;
// between layers every spin is coupled to its copies in the layers below and above. A configuration has the weight
// exp(beta_space * Es + beta_tau * Et), where
//   Es = sum over layers of (sum over edges J_ij s_i s_j  +  sum over sites h_i s_i)
//   Et = tau_coupling * sum over sites and layers of s_i(layer) s_i(layer + 1)
typedef struct hl_ising_model hl_ising_model;

// How a model computes, and what stands for exp in the acceptance of a flip. Each kind walks a trajectory of its own.
enum {
    HL_ISING_F32_FAST = 0,  // in f32, hl_exp_fast_f32: Metropolis wrong by up to 4 %, the heat bath by up to 1 %
    HL_ISING_F32_POLY = 1,  // in f32, hl_exp_poly_f32: right to a few units in the sixth digit, for any couplings
    HL_ISING_I8_EXACT = 2,  // in integers, exact to 2^-48: the fastest; see HL_ERR_QUANTUM for the couplings and fields
    HL_ISING_AUTO = 3       // HL_ISING_I8_EXACT where the couplings and fields allow it, else HL_ISING_F32_POLY
};

// In which order the sites of a layer are visited.
enum {
    HL_ISING_COLOURED = 0,  // one colour of the graph after another: the fastest
    HL_ISING_NATURAL = 1    // by index
};

// The probability with which a spin flips whose flip multiplies the weight by exp(v). Every choice samples the same
// distribution.
enum {
    HL_ISING_ACCEPT_AUTO = 0,  // the heat bath where Metropolis would flip nearly every spin in every sweep, else
                               // Metropolis; hl_ising_acceptance tells which
    HL_ISING_METROPOLIS = 1,   // min(1, exp(v)): the fastest, except at high temperatures
    HL_ISING_HEAT_BATH = 2     // 1 / (1 + exp(-v)): the new spin does not depend on the old one
};

// How local fields are computed, in f32; with exact sums both give the same spins.
enum {
    HL_ISING_GATHER = 0,  // read the neighbours at each visit: the fastest, nothing drifts
    HL_ISING_SCATTER = 1  // keep the sums and update those of the neighbours of a flipped spin
};

// The graph of one layer in compressed sparse rows: the neighbours of site i and the couplings to them stand at
// row_pointers[i] .. row_pointers[i + 1], every edge at both of its sites.
typedef struct hl_ising_graph {
    uint32_t layers;               // at least 2
    uint32_t sites;                // at least 1
    const uint32_t *row_pointers;  // sites + 1 values, ascending from 0
    const uint32_t *neighbours;    // row_pointers[sites] values
    const double *couplings;       // row_pointers[sites] values, positive for parallel spins, finite as floats
    const double *fields;          // sites values, finite as floats, or null for none
} hl_ising_graph;

// Options of a model.
typedef struct hl_ising_opts {
    double tau_coupling;  // between a spin and its copies in the layers below and above
    int32_t order;        // HL_ISING_COLOURED, HL_ISING_NATURAL
    int32_t update;       // HL_ISING_GATHER, HL_ISING_SCATTER
    int32_t acceptance;   // HL_ISING_ACCEPT_AUTO, HL_ISING_METROPOLIS, HL_ISING_HEAT_BATH
} hl_ising_opts;

// What a model is.
typedef struct hl_ising_info {
    uint32_t layers;
    uint32_t sites;
    uint32_t lanes;     // layers that are updated together: 16 (HL_ISING_I8_EXACT: 64), or the largest smaller power of
                        // two of which `layers` is a multiple twice at least
    uint32_t is_exact;  // 1 where all sums over neighbours are exact, so that both updates give the same spins
    int32_t kind;       // what it computes with, never HL_ISING_AUTO
    double quantum;     // what couplings and fields are counted in, for HL_ISING_I8_EXACT; 0 for the others
    size_t heap_bytes;  // memory of the model, fixed at its creation
} hl_ising_info;

// Makes a model of a kind (HL_ISING_F32_FAST .. HL_ISING_AUTO), all spins +1, from `graph`, which is not needed
// afterwards. `opts` may be null: tau_coupling 1, coloured, gather, HL_ISING_ACCEPT_AUTO. To be destroyed. HL_ERR_NULL,
// HL_ERR_KIND, HL_ERR_OPTION, HL_ERR_NO_MEMORY, HL_ERR_TOO_LARGE (above 2^26 sites, 2^24 for HL_ISING_I8_EXACT),
// HL_ERR_LAYERS .. HL_ERR_FIELD for what is wrong with the model, and HL_ERR_QUANTUM where couplings and fields are not
// those of HL_ISING_I8_EXACT: integers times one quantum (within the rounding of double), 127 quanta at most in sum at
// each site.
hl_status hl_ising_create(const hl_ising_graph *graph, int32_t kind, const hl_ising_opts *opts, hl_ising_model **model);

// Frees a model; null is legal.
void hl_ising_destroy(hl_ising_model *model);

// Sets all spins: spins[layer * sites + site] is +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_set_spins(hl_ising_model *model, const int8_t *spins);

// Writes all spins: spins[layer * sites + site] becomes +1 or -1. HL_ERR_NULL.
hl_status hl_ising_get_spins(const hl_ising_model *model, int8_t *spins);

// Visits every spin `sweeps` times at the inverse temperatures `beta_space` and `beta_tau`; the number of flips
// goes to `*flips` unless it is null. `rng` has 16 lanes. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_BETA.
hl_status hl_ising_sweep(hl_ising_model *model, hl_mt19937 *rng, float beta_space, float beta_tau,
                         uint64_t sweeps, uint64_t *flips);

// Writes the acceptance of a sweep at these inverse temperatures: HL_ISING_METROPOLIS or HL_ISING_HEAT_BATH. If it is
// left to the library, that is the heat bath where, with M for the mean over the sites of h_i^2 + sum over j of J_ij^2,
//   sqrt(beta_space^2 M + 2 beta_tau^2 tau_coupling^2) < atanh(0.1)   (4 for 2, if there are two layers)
//   or |beta_space| sqrt(M) < 0.01
// HL_ERR_NULL.
hl_status hl_ising_acceptance(const hl_ising_model *model, float beta_space, float beta_tau, int32_t *acceptance);

// Writes Es and Et of the present spins, in double precision of couplings and fields as they were given. HL_ERR_NULL.
hl_status hl_ising_energy(const hl_ising_model *model, double *space, double *tau);

// Writes the sum of all spins. HL_ERR_NULL.
hl_status hl_ising_magnetisation(const hl_ising_model *model, int64_t *magnetisation);

// Writes for each of the `layers` layers the sum over its sites of the products of its spins and of those of another
// configuration, spins[layer * sites + site], +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_overlaps(const hl_ising_model *model, const int8_t *spins, int64_t *overlaps);

// Writes the `sites` sites of a layer in the order in which they are visited. HL_ERR_NULL.
hl_status hl_ising_order(const hl_ising_model *model, uint32_t *order);

// Writes what a model is. HL_ERR_NULL.
hl_status hl_ising_describe(const hl_ising_model *model, hl_ising_info *info);

// One element of the graph as the kernels read it: for each site a header {degree, field}, then `degree` links
// {byte offset of the neighbour's row in its group (64 for each row), coupling}.
typedef struct hl_ising_link {
    uint32_t word;
    float value;
} hl_ising_link;

// Kernels: visit `count` sites of one group of 16 interlaced layers in order, which hl_ising_sweep does for all groups.
// A row holds one site in 16 layers: 16 floats. `below`, `above` and `random` point to `count` rows, of which row 0
// belongs to site `first`; `links` points to the header of that site; flips[k] counts the flips in lane k of 16.

// Neighbours are read: `spins` holds the rows of the group, +1 and -1. Acceptance by the fast exponential.
void hl_ising_sweep_fast_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// The same with acceptance by the polynomial exponential.
void hl_ising_sweep_poly_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// The same with acceptance by the heat bath of either exponential.
void hl_ising_sweep_heat_fast_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                                  const hl_ising_link *links, float beta_space, float beta_tau,
                                  const uint32_t *random, uint32_t *flips);
void hl_ising_sweep_heat_poly_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                                  const hl_ising_link *links, float beta_space, float beta_tau,
                                  const uint32_t *random, uint32_t *flips);

// Sums are kept up to date: `state` holds rows of 4 s + s_below + s_above, `fields` rows of h_i + sum J_ij s_j; `below`
// and `above` are rows of `state` of the neighbouring groups, or zeros that collect what is to be added to them.
// Acceptance by the fast exponential.
void hl_ising_scatter_fast_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

// The same with acceptance by the polynomial exponential.
void hl_ising_scatter_poly_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

// The same with acceptance by the heat bath of either exponential.
void hl_ising_scatter_heat_fast_f32(float *state, float *fields, size_t first, size_t count, float *below,
                                    float *above, const hl_ising_link *links, float beta_space, float beta_tau,
                                    const uint32_t *random, uint32_t *flips);
void hl_ising_scatter_heat_poly_f32(float *state, float *fields, size_t first, size_t count, float *below,
                                    float *above, const hl_ising_link *links, float beta_space, float beta_tau,
                                    const uint32_t *random, uint32_t *flips);

// Writes the 864 thresholds of hl_ising_sweep_i8, where a flip in the field of `m` quanta, with `c` (0, 1 or 2) of the
// two bonds to the layers beside it unsatisfied, has the probability
//   min(1, exp(-(space * m + tau * (1 - c)))), but 1/2 where the exponent is 0 because `space` is
// `space` is 2 * beta_space * quantum, not negative, and `tau` is 4 * beta_tau * tau_coupling; both are finite.
// HL_ERR_NULL, HL_ERR_BETA.
hl_status hl_ising_thresholds(double space, double tau, uint16_t *thresholds);

// Writes the 864 thresholds of hl_ising_sweep_heat_i8, where the same flip has the probability
//   1 / (1 + exp(space * m + tau * (1 - c)))
// HL_ERR_NULL, HL_ERR_BETA.
hl_status hl_ising_heat_thresholds(double space, double tau, uint16_t *thresholds);

// Kernel: visits up to `count` sites of one group of 64 interlaced layers in order, with exact acceptance, and returns
// how many: it stops before a site where 16 random bits do not suffice.
//
// A spin is a bit, 1 for -1: word i of `spins` is site i of the group's `sites`, bit k the layer in lane k. `below`
// and `above` point to `count` such words, `random` to 32 words for each of `count` sites, `links` to the header of
// site `first`. With couplings and fields in units of one quantum, F the field of a site plus its couplings (their
// magnitudes add up to 127 at most), and F = 2 * b + parity:
//   header  b modulo 2^8 | degree << 8 | parity << 16
//   link    coupling modulo 2^8 | index of the neighbour's word << 8, `degree` of them
//   v = b - sum over neighbours with bit 1 of their couplings; k = v where the own bit is 0, else -v - parity
//   c = number of the bits in `below` and `above` that differ from the own one
// The random number of lane k, byte k (times 256) and byte 64 + k of the site's 32 words as they lie in a
// little-endian memory, is compared with thresholds[432 * parity + 128 * c + (k & 127)], 864 values of
// hl_ising_thresholds. Where it is less, the bit changes; where it is equal in a lane of `live`, the site is left as
// it is, and the call ends. *flips is increased by the number of changes in the lanes of `live`.
//
// `bytes` is room of 64 bytes for each of `sites`: a call with `first` 0 begins a group, and the next calls go on with
// later sites of it; where a word of `spins` was changed since, set its 64 bytes to 255 where the bit is 1, else to 0.
size_t hl_ising_sweep_i8(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
                         const uint64_t *below, const uint64_t *above, const uint32_t *links,
                         const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);

// The same with acceptance by the heat bath: the thresholds are those of hl_ising_heat_thresholds.
size_t hl_ising_sweep_heat_i8(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
                              const uint64_t *below, const uint64_t *above, const uint32_t *links,
                              const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);

// ---- replica exchange: models at several temperatures that change places -------------------------------------------

// Equal models, the replicas, walk over a ladder of temperatures (parallel tempering): each goes on being swept at the
// inverse temperatures that hl_replica_exchange_beta tells, and between sweeps hl_replica_exchange_step swaps the
// temperatures of some of them; spins stay where they are. Temperatures are counted along the ladder; pair p is that
// of p and p + 1. The same seed and the same energies give the same swaps on every machine.
typedef struct hl_replica_exchange hl_replica_exchange;

// The two inverse temperatures.
typedef struct hl_ising_beta {
    float space;
    float tau;
} hl_ising_beta;

// Es and Et of all layers together.
typedef struct hl_ising_energies {
    double space;
    double tau;
} hl_ising_energies;

// Makes an exchange of as many replicas as temperatures, replica r at temperature r. To be destroyed.
// HL_ERR_NULL, HL_ERR_LADDER below two temperatures, HL_ERR_TOO_LARGE from 2^32 on, HL_ERR_BETA, HL_ERR_NO_MEMORY.
hl_status hl_replica_exchange_create(const hl_ising_beta *ladder, size_t temperatures, uint32_t seed,
                                     hl_replica_exchange **exchange);

// Makes an exchange in a saved state. To be destroyed. Errors as for hl_replica_exchange_set_state, and
// HL_ERR_NO_MEMORY.
hl_status hl_replica_exchange_create_from_state(const uint8_t *bytes, size_t size, hl_replica_exchange **exchange);

// Frees an exchange; null is legal.
void hl_replica_exchange_destroy(hl_replica_exchange *exchange);

// Goes one round over the pairs 0, 2, 4, .. of temperatures, the next time over 1, 3, 5, .., and so on in turn. With a
// and b for the replicas now at the temperatures of pair p, these are swapped with the probability min(1, exp(x)),
//   x = (space_p - space_p+1) (Es_b - Es_a) + (tau_p - tau_p+1) (Et_b - Et_a)
// which keeps the weights of the models. The number of swaps goes to `*swaps` unless it is null. `n` is the number of
// replicas, and energies[replica] are those of all layers together. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_ENERGY.
hl_status hl_replica_exchange_exchange(hl_replica_exchange *exchange, const hl_ising_energies *energies, size_t n,
                                       size_t *swaps);

// The same with the energies of models[replica], measured where they are needed; the models are only read.
// HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_replica_exchange_step(hl_replica_exchange *exchange, hl_ising_model *const *models, size_t n,
                                   size_t *swaps);

// Writes the number of temperatures, which is that of replicas. HL_ERR_NULL.
hl_status hl_replica_exchange_len(const hl_replica_exchange *exchange, size_t *temperatures);

// Writes the inverse temperatures at which a replica is to be swept now. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_replica_exchange_beta(const hl_replica_exchange *exchange, size_t replica, hl_ising_beta *beta);

// Writes the temperature at which a replica is now. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_replica_exchange_temperature_of(const hl_replica_exchange *exchange, size_t replica, size_t *temperature);

// Writes the replica that is now at a temperature. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_replica_exchange_replica_at(const hl_replica_exchange *exchange, size_t temperature, size_t *replica);

// Writes how many swaps of a pair were attempted, and how many were made. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_replica_exchange_attempts(const hl_replica_exchange *exchange, size_t pair, uint64_t *attempts);
hl_status hl_replica_exchange_swaps(const hl_replica_exchange *exchange, size_t pair, uint64_t *swaps);

// Writes how many round trips all replicas, or one of them, have completed: a replica does so when it comes to
// temperature 0 after it was at the last one after it was at temperature 0. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_replica_exchange_round_trips(const hl_replica_exchange *exchange, uint64_t *trips);
hl_status hl_replica_exchange_round_trips_of(const hl_replica_exchange *exchange, size_t replica, uint64_t *trips);

// Writes the number of bytes of the saved state. HL_ERR_NULL.
hl_status hl_replica_exchange_state_size(const hl_replica_exchange *exchange, size_t *size);

// Saves everything, ladder and statistics included, as `size` bytes, the same on every machine; `size` is that of
// hl_replica_exchange_state_size. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_replica_exchange_get_state(const hl_replica_exchange *exchange, uint8_t *bytes, size_t size);

// Takes over a saved state, and its ladder. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED, HL_ERR_STATE_FOREIGN,
// HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH for bytes past the end, HL_ERR_NO_MEMORY where the number of temperatures
// changes.
hl_status hl_replica_exchange_set_state(hl_replica_exchange *exchange, const uint8_t *bytes, size_t size);

// ---- correlation: pair correlation functions of points in the plane -------------------------------------------------

// Counts the pairs of points at each distance and adds up the products Re(psi_i* psi_j) of their orientations, exactly.
// An accumulator (hl_pairs) collects the pairs of an image, whose points have integer coordinates (hl_image), or of points
// with real coordinates (hl_points). Threads can count parts of the pairs, each in an accumulator of its own, and merge them.
typedef struct hl_pairs hl_pairs;
typedef struct hl_image hl_image;
typedef struct hl_points hl_points;

// One bin: pairs from the edge `lo` on, below `hi`. The sum of their products is sum_hi 2^64 + sum_lo, in units of 2^-28, and
// g the mean of the products, NaN where there is no pair.
typedef struct hl_pairs_bin {
    double lo;
    double hi;
    double g;
    uint64_t count;
    int64_t sum_hi;
    uint64_t sum_lo;
} hl_pairs_bin;

// Writes orientations, numbers psi[2 k] + i psi[2 k + 1] in units of 2^-14: re[k] + i im[k], of magnitude 1 at most, or
// exp(i fold theta[k]) of angles in radians. HL_ERR_NULL, HL_ERR_ORIENTATION.
hl_status hl_psi(const double *re, const double *im, size_t n, int16_t *psi);
hl_status hl_psi_from_angles(const double *theta, size_t n, uint32_t fold, int16_t *psi);

// Writes the bond-orientational order of each point (x[i], y[i]): the mean of exp(i fold theta) over the directions theta to
// the `k` nearest other points, psi_6 where k and fold are 6. Of points equally far away those with smaller indices are
// nearer. A neighbour at the same place counts as one of the k and adds nothing. The plane is open where `periods` is null;
// else it repeats itself after those two lengths, and each other point counts once, at its nearest image. HL_ERR_NULL,
// HL_ERR_NEIGHBOURS if k is 0, or not less than an n above 0, HL_ERR_COORDINATE for a coordinate that is not finite, or above
// 10^300 in an open plane, HL_ERR_PERIODIC for a period outside 10^-290 .. 10^290, HL_ERR_NO_MEMORY.
hl_status hl_psi_of_neighbours(const double *x, const double *y, size_t n, const double *periods, size_t k, uint32_t fold,
                               int16_t *psi);

// Makes an accumulator of the n - 1 bins between n edges, or of bins of one width: edge k is lo + k width, and the last edge
// is at most `hi`. To be destroyed. At most 65536 bins (HL_ERR_TOO_LARGE). HL_ERR_NULL, HL_ERR_BINS, HL_ERR_NO_MEMORY.
hl_status hl_pairs_create(const double *edges, size_t n, hl_pairs **pairs);
hl_status hl_pairs_create_uniform(double lo, double hi, double width, hl_pairs **pairs);

// Frees an accumulator; null is legal.
void hl_pairs_destroy(hl_pairs *pairs);

// Writes the number of bins. HL_ERR_NULL.
hl_status hl_pairs_len(const hl_pairs *pairs, size_t *bins);

// Writes all n bins. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_pairs_get(const hl_pairs *pairs, hl_pairs_bin *bins, size_t n);

// Adds what another accumulator counted. HL_ERR_NULL, HL_ERR_BINS unless the bins are the same, HL_ERR_OVERLAP for itself.
hl_status hl_pairs_merge(hl_pairs *pairs, const hl_pairs *other);

// Sorts the points (x[i], y[i]) of an image, with orientations as hl_psi writes them; where `psi` is null, pairs are only
// counted, which is faster. To be destroyed. Points are at most 2^20 apart in x and in y (HL_ERR_TOO_LARGE). HL_ERR_NULL,
// HL_ERR_ORIENTATION, HL_ERR_NO_MEMORY.
hl_status hl_image_create(const int32_t *x, const int32_t *y, const int16_t *psi, size_t n, hl_image **image);

// Frees an image; null is legal.
void hl_image_destroy(hl_image *image);

// Writes the largest difference of y. HL_ERR_NULL.
hl_status hl_image_height(const hl_image *image, uint32_t *height);

// Pairs by their difference: counts[reach + dx] is the number of pairs whose second point is `dy` above the first and dx to
// the right of it (dx from 0 on for dy = 0), sums[reach + dx] the sum of their products in units of 2^-28, for dx from -reach
// to reach. HL_ERR_NULL, HL_ERR_TOO_LARGE for a reach above 2^20 or a sum above 2^63, HL_ERR_NO_MEMORY.
hl_status hl_image_map_row(const hl_image *image, uint32_t dy, size_t reach, uint64_t *counts, int64_t *sums);

// Adds the pairs of an image, each once; or only those whose difference of y is in begin..end, without the end: the ranges of
// 0 .. height are all pairs; or the pairs of a point of one image and one of another. HL_ERR_NULL, HL_ERR_NO_MEMORY.
hl_status hl_pairs_add_image(hl_pairs *pairs, const hl_image *image);
hl_status hl_pairs_add_image_rows(hl_pairs *pairs, const hl_image *image, uint32_t begin, uint32_t end);
hl_status hl_pairs_add_image_cross(hl_pairs *pairs, const hl_image *image, const hl_image *other);

// Sorts points with real coordinates and orientations as hl_psi writes them, for pairs up to the distance r_max. The plane is
// open where `periods` is null; else it repeats itself after those two lengths, and pairs have the distance of their nearest
// images. Distances are computed to within 2^-18 r_max, wherever the points are; differences of coordinates that are multiples
// of one power of two, at least 2^-20 r_max, are exact. To be destroyed. HL_ERR_NULL, HL_ERR_ORIENTATION, HL_ERR_COORDINATE for a
// coordinate that is not finite, or in an open plane above 10^300 or 10^300 r_max, HL_ERR_PERIODIC for a period that is
// less than 2 r_max, or outside 10^-290 .. 10^290, HL_ERR_BINS for an r_max that is not positive and finite, HL_ERR_NO_MEMORY.
hl_status hl_points_create(const double *x, const double *y, const int16_t *psi, size_t n, const double *periods,
                           double r_max, hl_points **points);

// Sorts other points of the same plane, for pairs of a point of each set. To be destroyed. Errors as above.
hl_status hl_points_create_others(const hl_points *points, const double *x, const double *y, const int16_t *psi,
                                  size_t n, hl_points **others);

// Frees points; null is legal.
void hl_points_destroy(hl_points *points);

// Writes the number of cells, the parts of the work. HL_ERR_NULL.
hl_status hl_points_cells(const hl_points *points, size_t *cells);

// Adds the pairs of points, each once; or only those that belong to the cells begin..end, without the end: those of all cells are
// all pairs; or the pairs of a point of one set and one of another made for it (HL_ERR_FRAME). HL_ERR_NULL,
// HL_ERR_PERIODIC if a period is less than twice the largest distance of the bins, HL_ERR_BINS if that distance and the distances of
// points exceed 10^18 r_max, HL_ERR_NO_MEMORY.
hl_status hl_pairs_add_points(hl_pairs *pairs, const hl_points *points);
hl_status hl_pairs_add_points_of_cells(hl_pairs *pairs, const hl_points *points, size_t begin, size_t end);
hl_status hl_pairs_add_points_cross(hl_pairs *pairs, const hl_points *points, const hl_points *others);

// Kernel: for each i < n and j < m, words[other_x[j] - x[i]] gets 2^47 and psi[2 i] other_psi[2 j] + psi[2 i + 1] other_psi[2 j + 1],
// of integers in -16384..=16384. `words` points to the word of difference 0, the others are before and after it.
void hl_correlation_offsets(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
                            const int16_t *other_psi, size_t m, int64_t *words);

// Kernel: for each i < n and j < m, words[(bins + 1) (j mod 4) + b] gets 2^47 and the product as above, rounded to
// multiples of 2^8, ties up, and divided by that: b is the integer part of sqrt(dx dx + dy dy) * inverse_width, at most `bins`,
// where dx = (other_x[j] - x[i]) + shift[0] and dy likewise. Each operation is rounded, none fused. The floats are finite, `bins`
// is at most 65536.
void hl_correlation_scatter(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
                            const float *other_y, const int16_t *other_psi, size_t m, const float *shift,
                            float inverse_width, size_t bins, int64_t *words);

// Kernel: for each i < n, j < m, e < k, if dx dx + dy dy as above is not less than edges[e], words[e] gets 2^47 and
// the rounded product as above.
void hl_correlation_edges(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
                          const float *other_y, const int16_t *other_psi, size_t m, const float *shift,
                          const float *edges, size_t k, int64_t *words);

// ---- hardround: hard-to-round cases of elementary functions ----------------------------------------------------------

// A function is searched on a grid of arguments x = 0, 1, 2, .., scaled so that breakpoints of rounding are the integers: x is a
// case if |F(x) mod 1| < e. Fractions are integers, in units of 2^-64, 2^-128 or 2^-256, negative ones as their complement.

// A block: F(x) mod 1 = c0 + c1 x + c2 x^2 + c3 x^3, in units of 2^-128, the lower word of each first.
typedef struct hl_hardround_block {
    uint64_t c[4][2];
} hl_hardround_block;

// Makes the polynomials of `count` blocks of 2^log2_length arguments, from number `first` on, of the series f0 + f1 x + f2 x^2 + ..
// whose degree + 1 coefficients are in units of 2^-256, four words each, the lowest first. HL_ERR_NULL, HL_ERR_PROOF for a degree
// above 12 or blocks above 2^32, HL_ERR_NO_MEMORY.
hl_status hl_hardround_blocks(const uint64_t *taylor, size_t degree, uint32_t log2_length, int64_t first, size_t count,
                              hl_hardround_block *blocks);

// Finds all x < length with |F(x) mod 1| < within 2^-64: writes the first `capacity` of them, ascending, and the number of all. What
// is found is exact for the polynomial. HL_ERR_NULL, HL_ERR_PROOF for a length above 2^32 or `within` above 2^61, HL_ERR_NO_MEMORY.
hl_status hl_hardround_scan(const hl_hardround_block *block, uint64_t length, uint64_t within, uint64_t *found,
                            size_t capacity, size_t *count);

// Tells which domains may hold a case: bit i mod 8 of bits[i / 8] is 0 if no x < n has b[i] - a[i] x mod 2^64 < w. `test` is 0 for the
// regular test, 1 for Lefevre's. An n below 3 counts as 3. HL_ERR_NULL, HL_ERR_OPTION, HL_ERR_OVERLAP, HL_ERR_PROOF for n above 2^32.
hl_status hl_hardround_exists(uint32_t test, const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w,
                              uint8_t *bits);

// Kernels: the regular test and Lefevre's, as above.
void hl_hardround_regular(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w, uint8_t *bits);
void hl_hardround_lefevre(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w, uint8_t *bits);

// Kernel: the least x < n with d[0] + d[1] x + d[2] x (x - 1) / 2 + d[3] x (x - 1) (x - 2) / 6 mod 2^64 < w, or n.
uint64_t hl_hardround_exhaust(const uint64_t *d, uint64_t n, uint64_t w);

// Domains of a block whose lines share the neighbours of a Farey sequence: coordinates of the strip with first and second
// differences, in units of 2^-32, the gap y with its difference, and what turns it into the limits of a row.
typedef struct hl_hardround_cell {
    uint32_t z[3];
    uint32_t h[3];
    int32_t y[2];
    float per;
    float ratio;
    float least;
    float reach;
    float most;
    float width;
    float slack;
    uint32_t count;
} hl_hardround_cell;

// Kernel: bit i mod 64 of hits[2 c + i / 64] is 1 if domain i of cell c may hold a case. With Z = 1 + z and H = 1 + h from the upper 23
// bits, y at least `least`, t = per / y, r = t - ratio, s0 = (Z - 1) r + H, s1 = s0 + r, each operation rounded, none fused:
// Z - 1 <= reach y + most and frac(s0) <= width t + slack, or Z <= reach y + most and frac(s1) <= width t + slack.
// A cell has 128 domains at most; `least` is positive, s0 and s1 are below 2^31.
void hl_hardround_rows(const hl_hardround_cell *cells, size_t count, uint64_t *hits);

#ifdef __cplusplus
}
#endif

#endif
