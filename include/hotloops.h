// hotloops: hand-written assembly and intrinsics kernels with run-time dispatch, the same bits on every CPU. This
// header needs C99 or C++98, with <stdint.h>. C90 would refuse only its comments.
//
// The bits are promised for the floating-point environment in which programs start: rounding to nearest, exceptions
// masked, denormal numbers neither flushed (FTZ) nor read as zero (DAZ) in MXCSR (x86-64) or FPCR (AArch64). No
// function reads or changes these registers.
//
// Kernels check nothing and return no status: a bad pointer or length is undefined behaviour. They never allocate, and
// accept arrays of any alignment and of length 0. All other functions check their arguments and return an hl_status;
// unless it is HL_OK, nothing has been written. Their arrays need the natural alignment of the element type, and may
// be null if their length is 0.
//
// Arguments come in one order: an object; input arrays, each with its counts and then its strides; options; outputs,
// each with its stride or capacity. In matmul, as in BLAS, and in clifford sizes come first. Kernels have their own
// order.
//
// Every function may be called from any thread at any time, even before main. A handle (created by a function
// .._create, freed by .._destroy) must not be used by two threads at once unless both only read it (a const
// parameter). The library starts no threads. The only state that it keeps between calls is the choice of instruction
// set and the sizes of the caches. No call can be ended before it returns: Rust's functions `.._while` have no C form.
// Divide long work into calls, or give it a thread; preparing the largest objects takes some seconds.
//
// The environment variable HOTLOOPS_ISA (scalar, sse2, avx2, avx2gfni, avx512, avx512icl, neon) caps the instruction
// set. An unknown word, or one that this CPU lacks, ends the process with a message. Results do not depend on it. On
// Linux, programs with raised privileges (setuid, setgid, file capabilities) ignore it.
#ifndef HOTLOOPS_H
#define HOTLOOPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this header; hl_version() returns the version of the library.
#define HL_VERSION "0.1.0"

// 0, or a negative number: one of the codes below, with the offending argument encoded in the upper bits if the error
// has one. Compare a status itself only with HL_OK; compare hl_status_code(status) with the error codes:
//
//   hl_status status = hl_matmul_gemm_f32(..);
//   if (status != HL_OK)
//       fprintf(stderr, "%s\n", hl_status_string(status));       // a required pointer is null: workspace
//   if (hl_status_code(status) == HL_ERR_NULL && strcmp(hl_status_argument(status), "workspace") == 0) ..
//
// Codes keep their meaning in later versions. The upper bits are meaningful only to the library
// that returned them.
typedef int32_t hl_status;

enum {
    HL_OK = 0,
    HL_ERR_NULL = -1,             // a required pointer is null
    HL_ERR_LENGTH = -2,           // the array has the wrong length
    HL_ERR_TOO_LARGE = -3,        // the size exceeds the supported maximum; reduce it
    HL_ERR_NO_MEMORY = -4,        // memory allocation failed
    HL_ERR_ISA_UNKNOWN = -5,      // unknown instruction set
    HL_ERR_ISA_UNAVAILABLE = -6,  // this CPU does not support the instruction set
    HL_ERR_LANES = -7,            // unsupported number of lanes; use 4, 8 or 16 (an ising sweep needs 16)
    HL_ERR_STATE_TRUNCATED = -8,  // the saved state is truncated; pass all of its bytes
    HL_ERR_STATE_FOREIGN = -9,    // the saved state has an unknown format or version; save it again with this version
    HL_ERR_STATE_CORRUPT = -10,   // the saved state is corrupt: its checksum does not match; use another copy
    HL_ERR_LAYERS = -11,          // a layered model needs at least two layers
    HL_ERR_NO_SITES = -12,        // a model needs at least one site per layer
    HL_ERR_SITE_RANGE = -13,      // the site index must be less than the number of sites
    HL_ERR_SELF_LOOP = -14,       // a coupling joins a site to itself; leave it out, it only shifts the energy
    HL_ERR_DUPLICATE_EDGE = -15,  // two couplings join the same pair of sites; add their values up first
    HL_ERR_ASYMMETRIC = -16,      // a coupling differs between (i, j) and (j, i); store the same value at both
    HL_ERR_ROW_POINTER = -17,     // the row pointers must start at 0 and must not decrease
    HL_ERR_COUPLING = -18,        // the coupling must be finite after rounding to f32
    HL_ERR_TAU_COUPLING = -19,    // the coupling between layers must be finite after rounding to f32
    HL_ERR_FIELD = -20,           // the field must be finite after rounding to f32
    HL_ERR_SPIN = -21,            // a spin must be +1 or -1
    HL_ERR_BETA = -22,            // the inverse temperature must be finite
    HL_ERR_KIND = -23,            // unknown kind of model; use F32Fast, F32Poly, I8Exact, Auto, Single, I16Exact, Bits, Dense or Fixed (0 to 8)
    HL_ERR_OPTION = -24,          // invalid value for this option; use one of its named constants
    HL_ERR_QUANTUM = -25,         // site values are not multiples of one quantum, or exceed 127 (8 for Bits) in sum; use an f32 kind
    HL_ERR_LADDER = -26,          // a temperature ladder needs at least two rungs
    HL_ERR_INDEX = -27,           // the index is out of range
    HL_ERR_ENERGY = -28,          // the energy must be finite
    HL_ERR_ELEMENT_SIZE = -29,    // unsupported element size; use 1, 2, 4 or 8 bytes
    HL_ERR_STRIDE = -30,          // the stride is too small: rows or elements would overlap
    HL_ERR_OVERLAP = -31,         // the output overlaps another array; use separate memory
    HL_ERR_NO_BITS = -32,         // rows need at least one bit
    HL_ERR_PLANES = -33,          // unsupported number of planes; use 1 to 64 and the smallest type that holds them
    HL_ERR_PACKED = -34,          // the packed data does not belong to this function and these dimensions; pack again
    HL_ERR_THRESHOLD = -35,       // the threshold must be between 0 and 1, or at least 0 for a distance
    HL_ERR_LETTER = -36,          // invalid letter; use A, C, G, T, U or N
    HL_ERR_LETTER_CODE = -37,     // invalid letter code: these three bits encode no letter
    HL_ERR_PLANE_CODE = -38,      // invalid plane code for this class; use the codes that the classification wrote
    HL_ERR_TYPE = -39,            // the prepared object has the other element type; use f32 or f64 throughout
    HL_ERR_ORIENTATION = -40,     // the orientation must be a complex number of magnitude at most 1
    HL_ERR_BINS = -41,            // use at least two bin edges, finite, nonnegative and strictly increasing
    HL_ERR_COORDINATE = -42,      // the coordinate must be finite and within the supported range
    HL_ERR_PERIODIC = -43,        // the period must be finite and at least twice the largest distance
    HL_ERR_FRAME = -44,           // the point sets use different grids; create one from the other (others)
    HL_ERR_NEIGHBOURS = -45,      // the number of neighbours must be at least 1 and less than the number of points
    HL_ERR_PROOF = -46,           // the argument is outside the range for which the search is proved complete
    HL_ERR_EXTENT = -47,          // the extent is too small; a grid needs at least 1, a torus 3
    HL_ERR_WEIGHT = -48,          // a weight must be finite and not negative
    HL_ERR_SIGNATURE = -49,       // a signature has at most 4 generators, with squares of +1, -1 or 0
    HL_ERR_CHANNELS = -50,        // a layer needs at least one channel
    HL_ERR_UNEQUAL = -51,         // magnitudes at the site differ too much for the sums of any kind; scale penalties down or name a kind, which rounds
    HL_ERR_EVEN = -52,            // the number must be even and at least 2
    HL_ERR_RANGE = -53            // the value must be from 0 to 3.4e38; pass one in this range
};

// The version of the library, "0.1.0".
const char *hl_version(void);

// The sentence of a status, as given beside the constants, followed by a colon and the argument's
// name if the status carries one. Never null.
const char *hl_status_string(hl_status status);

// The code of a status: one of the constants above.
hl_status hl_status_code(hl_status status);

// The name of the argument that a status carries, as in the declarations below: a parameter, a structure member, or the
// matrix (a, b, c) whose size or strides are wrong. The empty string if it carries none. Never null.
const char *hl_status_argument(hl_status status);

// ---- Instruction sets and variants --------------------------------------------------------------

// The best instruction set in force. Never null.
const char *hl_isa_active(void);

// Caps every kernel at the instruction set `word`, effective from the next call, instead of HOTLOOPS_ISA; "auto" goes
// back to HOTLOOPS_ISA, or to the best that the CPU has. HL_ERR_NULL, HL_ERR_ISA_UNKNOWN, HL_ERR_ISA_UNAVAILABLE.
hl_status hl_isa_set(const char *word);

// Whether kernels may run the instruction set `word` now: 1 or 0. 0 for an unknown word and null.
int hl_isa_usable(const char *word);

// Whether the CPU has the fact `word`, where calls skip the variants that name it: 1 or 0. 0 for an unknown word and
// null. "narrow_256" and "narrow_512": operations of this width run as two halves; "gfni": avx2gfni can run.
int hl_isa_holds(const char *word);

// A type-erased entry point; cast it to the type of its kernel before calling.
typedef void (*hl_function)(void);

// The number of variants of all kernels. A kernel has one or two for each instruction set that speeds it up: the one
// that a call runs there, and where calls on some CPUs skip that one, the next. The last is the reference, `scalar`.
size_t hl_variant_count(void);

// Writes the name of variant `index`, such as "exp/fast_f32/avx2_assembly", as a C string into
// name[0..size]. HL_ERR_NULL; HL_ERR_INDEX unless index < hl_variant_count(); HL_ERR_LENGTH if
// `size` is too small (64 always suffices).
hl_status hl_variant_name(size_t index, char *name, size_t size);

// Whether a call of its kernel runs variant `index` now: 1 or 0. 0 unless index < hl_variant_count().
int hl_variant_is_chosen(size_t index);

// The entry point of the variant `name`, or null if there is no such variant or this CPU cannot run it. Cast it to the
// type of its kernel before calling: "exp/fast_f32/avx2_assembly" has the type of hl_exp_fast_f32.
hl_function hl_variant_find(const char *name);

// ---- random: interlaced streams of the Mersenne Twister MT19937 ---------------------------------

// A generator with 4, 8 or 16 lanes, each an independent Mersenne Twister. Output t * lanes + k is output t of lane k.
typedef struct hl_random_mt19937 hl_random_mt19937;

// Creates a generator with 4, 8 or 16 lanes. Lane k is seeded with lane_seeds[k], like the authors' init_genrand and
// std::mt19937. Free it with hl_random_mt19937_destroy. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_NO_MEMORY.
hl_status hl_random_mt19937_create(const uint32_t *lane_seeds, uint32_t lanes, hl_random_mt19937 **generator);

// Creates a generator from a saved state. Errors as for hl_random_mt19937_set_state, and HL_ERR_NO_MEMORY.
hl_status hl_random_mt19937_create_from_state(const uint8_t *bytes, size_t size, hl_random_mt19937 **generator);

// Frees a generator. Null is ignored.
void hl_random_mt19937_destroy(hl_random_mt19937 *generator);

// Fills dst[0..n] with 32-bit numbers. HL_ERR_NULL.
hl_status hl_random_mt19937_fill_u32(hl_random_mt19937 *generator, uint32_t *dst, size_t n);

// Fills dst[0..n] with multiples of 2^-24 in [0, 1): the upper 24 bits of each number. HL_ERR_NULL.
hl_status hl_random_mt19937_fill_f32(hl_random_mt19937 *generator, float *dst, size_t n);

// Writes the size of the saved state in bytes. HL_ERR_NULL.
hl_status hl_random_mt19937_state_size(const hl_random_mt19937 *generator, size_t *size);

// Saves the state as `size` bytes, where `size` comes from hl_random_mt19937_state_size. The bytes are the
// same on every machine. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_random_mt19937_get_state(const hl_random_mt19937 *generator, uint8_t *bytes, size_t size);

// Restores a saved state, including its number of lanes. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED, HL_ERR_STATE_FOREIGN,
// HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH for trailing bytes, HL_ERR_NO_MEMORY if the number of lanes changes.
hl_status hl_random_mt19937_set_state(hl_random_mt19937 *generator, const uint8_t *bytes, size_t size);

// Kernels: draw `n` 32-bit numbers, or `n` floats in [0, 1), from the interlaced streams. `state` holds 624 * lanes
// words, word i of lane k at index i * lanes + k; `lanes` is 4, 8 or 16; `*position` < 624 * lanes is the index of the
// next word to update. State, position and dst must not overlap.
void hl_random_mt19937_u32(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
void hl_random_mt19937_f32(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);

// ---- exp: approximations of exp over arrays -----------------------------------------------------

// Kernels: y[i] = exp(x[i]) for i in 0..n. `y` equals `x` or does not overlap it. NaN gives NaN;
// results are never denormal.

// Fast: relative error -3.91 % to +2.00 % for -87.3 <= x < 128 ln 2. Arguments outside are clamped
// to this range. exp(0) gives 0.961.
void hl_exp_fast_f32(const float *x, float *y, size_t n);

// Accurate: relative error -0.993 % to +0.496 % for -31.5 ln 2 <= x < 32 ln 2. Gives 0 below;
// clamps above. exp(0) gives 0.990.
void hl_exp_accurate_f32(const float *x, float *y, size_t n);

// Polynomial: relative error at most 4.3e-6 for -126 ln 2 <= x < 128 ln 2. Gives 0 below and
// infinity above. exp(0) gives 1.
void hl_exp_poly_f32(const float *x, float *y, size_t n);

// ---- bitslice: bit planes of integers -----------------------------------------------------------

// Plane j holds bit j of every element: bit i of byte o of plane j belongs to element 8 o + i, on every machine.
// Elements have `elem_bytes` = 1, 2, 4 or 8 bytes (else HL_ERR_ELEMENT_SIZE) and any alignment; there are P = 8 *
// elem_bytes planes. Plane j begins at planes + j * stride; the stride is in bytes, at least the size of a plane (else
// HL_ERR_STRIDE). Source and result must not overlap (HL_ERR_OVERLAP). The pointer of a nonempty array must not be null
// (HL_ERR_NULL). Sizes beyond the address space give HL_ERR_TOO_LARGE.

// Slices elements into planes of ceil(n_elems / 8) bytes. Writes 0 to the unused high bits of a
// plane's last byte, and nothing to the bytes between planes.
hl_status hl_bitslice_slice(const void *src, size_t n_elems, uint32_t elem_bytes, uint8_t *planes, size_t stride);

// Inverse of hl_bitslice_slice. Bits past the last element are ignored.
hl_status hl_bitslice_unslice(const uint8_t *planes, size_t n_elems, uint32_t elem_bytes, size_t stride, void *dst);

// Layouts for long arrays.
enum {
    // Blocks of 2048 elements: P rows of 256 bytes each, the format of bitshuffle and Blosc at this
    // block size. A short last block is padded with zeros to its full size.
    HL_ROWS2048 = 0,
    // Tiles of 64 elements: P words of 8 bytes each. Sequential to write and read, fast to gather
    // from. A short last tile is padded to its full size.
    HL_TILES64 = 1
};

// Whether results bypass the caches: from 16 MiB on (auto), always (stream), never (cached).
enum { HL_STORE_AUTO = 0, HL_STORE_STREAM = 1, HL_STORE_CACHED = 2 };

// Writes the number of bytes that `n_elems` elements take in a layout. HL_ERR_OPTION for an unknown
// layout.
hl_status hl_bitslice_blocks_size(size_t n_elems, uint32_t elem_bytes, uint32_t layout, size_t *bytes);

// Slices a long array block by block. `flags` is one of HL_STORE_*, else HL_ERR_OPTION.
hl_status hl_bitslice_slice_blocks(const void *src, size_t n_elems, uint32_t elem_bytes, uint32_t layout,
                                   uint32_t flags, uint8_t *dst);

// Inverse of hl_bitslice_slice_blocks.
hl_status hl_bitslice_unslice_blocks(const uint8_t *src, size_t n_elems, uint32_t elem_bytes, uint32_t layout,
                                     uint32_t flags, void *dst);

// Transposes each block of 2048 integers in place into its 32 planes of 256 bytes, and back.
hl_status hl_bitslice_slice_inplace_u32x2048(uint32_t *block, size_t n_blocks);
hl_status hl_bitslice_unslice_inplace_u32x2048(uint32_t *block, size_t n_blocks);

// dst[i] = element indices[i], gathered from `n_planes` planes in the layout of hl_bitslice_slice;
// n_planes is 1 to 64 (else HL_ERR_PLANES). `dst` holds the smallest of uint8_t, uint16_t, uint32_t
// and uint64_t that has n_planes bits. HL_ERR_INDEX unless every index is below 8 * stride.
hl_status hl_bitslice_gather(const uint8_t *planes, uint32_t n_planes, size_t stride, const size_t *indices, size_t n,
                             void *dst);

// Gathers elements from the output of hl_bitslice_slice_blocks for `n_elems` elements. HL_ERR_INDEX
// unless every index is below n_elems.
hl_status hl_bitslice_gather_blocks(const uint8_t *blocks, size_t n_elems, uint32_t elem_bytes, const size_t *indices,
                                    size_t n, uint32_t layout, void *dst);

// Positional population count: counts[j] = number of elements whose bit j is 1, for j in 0..8 *
// elem_bytes.
hl_status hl_bitslice_positional_popcount(const void *src, size_t n_elems, uint32_t elem_bytes, uint64_t *counts);

// Classifies each of the 32 planes of a block of n <= 2048 elements (else HL_ERR_TOO_LARGE) by its relation to a later
// plane j > i. `distances` is the 32 x 32 matrix that hl_hamming_slices_distance_u32x2048 writes. code[i] = class | j
// << 3, with class 0: plain, 1: all zeros, 2: all ones, 3: equal to plane j, 4: closer to plane j than to all zeros or
// all ones, 5: complement of plane j.
hl_status hl_bitslice_classify_planes(const uint32_t *distances, size_t n, uint16_t *code);

// Writes the number of bytes that hl_bitslice_reduce_planes writes for `n_planes` planes of `n`
// bits. HL_ERR_PLANES, HL_ERR_PLANE_CODE.
hl_status hl_bitslice_reduced_size(size_t n, uint32_t n_planes, const uint16_t *code, size_t *bytes);

// Concatenates the planes of class 0 and, for class 4, the differences to plane j. `size` comes
// from hl_bitslice_reduced_size (else HL_ERR_LENGTH). hl_bitslice_restore_planes is the inverse;
// bits past `n` become 0. HL_ERR_PLANES, HL_ERR_PLANE_CODE.
hl_status hl_bitslice_reduce_planes(const uint8_t *planes, size_t n, uint32_t n_planes, size_t stride,
                                    const uint16_t *code, uint8_t *reduced, size_t size);
hl_status hl_bitslice_restore_planes(const uint8_t *reduced, size_t size, size_t n, uint32_t n_planes,
                                     const uint16_t *code, uint8_t *planes, size_t stride);

// Writes three planes for the letters A C G T U N in either case: bits 1, 2 and 3 of their ASCII
// codes. HL_ERR_LETTER.
hl_status hl_bitslice_encode_dna(const uint8_t *letters, size_t n, uint8_t *planes, size_t stride);

// Decodes three planes to upper-case letters, with T for U. HL_ERR_LETTER_CODE for bits that encode
// no letter.
hl_status hl_bitslice_decode_dna(const uint8_t *planes, size_t n, size_t stride, uint8_t *letters);

// Kernels for chunks of 512 elements, that is, 64 bytes of each plane: elements to rows and back, and
// to tiles and back. Rows: plane j is the 64 * chunks bytes at planes + j * stride. Tiles: tile t (64
// elements) is the 8, 16, 32 or 64 words of 8 bytes at tiles + t * stride.
void hl_bitslice_slice_u8(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_slice_u16(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_slice_u32(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_slice_u64(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
void hl_bitslice_unslice_u8(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
void hl_bitslice_unslice_u16(const uint8_t *planes, size_t stride, size_t chunks, uint16_t *dst);
void hl_bitslice_unslice_u32(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
void hl_bitslice_unslice_u64(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
void hl_bitslice_tile_u8(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_tile_u16(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_tile_u32(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_tile_u64(const uint64_t *src, size_t chunks, uint8_t *tiles, size_t stride);
void hl_bitslice_untile_u8(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
void hl_bitslice_untile_u16(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
void hl_bitslice_untile_u32(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
void hl_bitslice_untile_u64(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);

// Kernel: adds to counts[j], j in 0..64, the number of words whose bit j is 1.
void hl_bitslice_count_positions(const uint64_t *src, size_t n, uint64_t *counts);

// ---- hamming: distances and similarities of bit rows --------------------------------------------

// Bit k of a row is bit k % 8 of its byte k / 8; bits past `bits` in the last byte are ignored. Rows have 1 to 2^32 - 1
// bits (HL_ERR_NO_BITS, HL_ERR_TOO_LARGE); for similarities, fewer than 2^30. Strides of rows are in bytes, strides of
// results in elements; both are at least a row (else HL_ERR_STRIDE). Results must not overlap rows (HL_ERR_OVERLAP).
// The pointer of a nonempty array must not be null (HL_ERR_NULL).

// counts[i] = popcount of row i.
hl_status hl_hamming_popcount_rows(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, uint32_t *counts);

// Distances between the 32 bit planes of a block of 2048 integers: distances[32 i + j], i < j, = number of integers
// whose bits i and j differ; distances[33 i] = number whose bit i is 1. Entries below the diagonal are not written. The
// second function takes the planes of the block, 32 rows of 256 bytes.
hl_status hl_hamming_slices_distance_u32x2048(const uint32_t *block, uint32_t *distances);
hl_status hl_hamming_planes_distance_u32x2048(const uint8_t *planes, uint32_t *distances);

// Which part of the distance matrix to write: the diagonal and everything to its right, or whole rows.
enum { HL_HAMMING_UPPER = 0, HL_HAMMING_FULL = 1 };

// out[(i - row_begin) * out_stride + j] = Hamming distance of rows i and j, for i in row_begin .. row_begin + row_count
// (HL_ERR_INDEX past n_rows); 0 on the diagonal. `out` points to row `row_begin` of the results. `flags` is one of
// HL_HAMMING_*, else HL_ERR_OPTION. Threads may take separate ranges.
hl_status hl_hamming_self(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, size_t row_begin,
                          size_t row_count, uint32_t flags, uint32_t *out, size_t out_stride);

// Size in bytes of packed rows; 0 if the arguments are invalid.
size_t hl_hamming_packed_bytes(size_t n_rows, size_t bits);

// Packs rows for comparison with many others: a header, the popcount of each row, and groups of 8
// rows interleaved in units of 8 bytes. `packed` has hl_hamming_packed_bytes(n_rows, bits) bytes
// and remains the caller's; threads may share it.
hl_status hl_hamming_pack(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, void *packed);

// out[i * out_stride + j] = Hamming distance of row i and packed row j. Rows have as many bits as
// the packed rows. HL_ERR_PACKED if `packed` was not written by hl_hamming_pack.
hl_status hl_hamming_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, uint32_t *out,
                           size_t out_stride);

// out[i * out_stride + j] = similarity of row i and packed row j, rounded to the nearest float. With popcounts a and b,
// and c bits in common: Tanimoto c / (a + b - c), Dice 2 c / (a + b), cosine c / sqrt(a b). If both rows are zero the
// result is `empty`: 0 by default in the command and the Python package, and in chemfp; 1 in RDKit.
hl_status hl_hamming_tanimoto_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty,
                                    float *out, size_t out_stride);
hl_status hl_hamming_dice_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty,
                                float *out, size_t out_stride);
hl_status hl_hamming_cosine_cross(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride, float empty,
                                  float *out, size_t out_stride);

// A pair of rows that reaches the threshold.
typedef struct hl_hamming_hit {
    uint64_t row;
    uint32_t packed_row;
    float similarity;
} hl_hamming_hit;

// Finds the pairs whose similarity is at least `threshold`, 0 to 1 (else HL_ERR_THRESHOLD), row by
// row. Writes at most `capacity` hits and their number. Set *cursor to 0 before the first call; each
// call continues from there, and all pairs have been seen when *cursor is n_rows times the number of
// packed rows. HL_ERR_INDEX past that; HL_ERR_LENGTH if `capacity` is 0.
hl_status hl_hamming_tanimoto_threshold(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride,
                                        float threshold, float empty, uint64_t *cursor, hl_hamming_hit *hits,
                                        size_t capacity, size_t *found);
hl_status hl_hamming_dice_threshold(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride,
                                    float threshold, float empty, uint64_t *cursor, hl_hamming_hit *hits,
                                    size_t capacity, size_t *found);
hl_status hl_hamming_cosine_threshold(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride,
                                      float threshold, float empty, uint64_t *cursor, hl_hamming_hit *hits,
                                      size_t capacity, size_t *found);

// A pair within the distance.
typedef struct hl_hamming_near {
    uint64_t row;
    uint32_t packed_row;
    uint32_t distance;
} hl_hamming_near;

// Finds the pairs whose Hamming distance is at most `max_distance`, like the functions above.
hl_status hl_hamming_distance_threshold(const void *packed, const uint8_t *rows, size_t n_rows, size_t stride,
                                        uint32_t max_distance, uint64_t *cursor, hl_hamming_near *hits,
                                        size_t capacity, size_t *found);

// One row against rows that are not packed: out[i] = Hamming distance or similarity of row i and the
// query.
hl_status hl_hamming_distances_to(const uint8_t *query, const uint8_t *rows, size_t n_rows, size_t bits, size_t stride,
                                  uint32_t *out);
hl_status hl_hamming_tanimoto_to(const uint8_t *query, const uint8_t *rows, size_t n_rows, size_t bits, size_t stride,
                                 float empty, float *out);
hl_status hl_hamming_dice_to(const uint8_t *query, const uint8_t *rows, size_t n_rows, size_t bits, size_t stride,
                             float empty, float *out);
hl_status hl_hamming_cosine_to(const uint8_t *query, const uint8_t *rows, size_t n_rows, size_t bits, size_t stride,
                               float empty, float *out);

// One of the rows nearest to a query.
typedef struct hl_hamming_neighbour {
    uint64_t row;
    uint32_t distance;
} hl_hamming_neighbour;

// Finds the `k` nearest rows of each query by Hamming distance. The rows of query q are out[q * k ..], ordered by
// distance, then by row; of equal distances the first rows are taken. `out` has n_queries * k elements. *found = number
// of rows for each query, the smaller of k and n_rows; elements past it are not written. Rows have fewer than 2^31
// bits. Calls with 8 queries or more cut the rows into bit planes first, which pays for many queries and may cost time
// for a few; they use temporary memory, 64 bytes for each bit of a row and 2 for each bit of at most 128 queries. If
// that is refused, the call compares row by row.
hl_status hl_hamming_nearest(const uint8_t *queries, size_t n_queries, size_t query_stride, const uint8_t *rows,
                             size_t n_rows, size_t bits, size_t stride, size_t k, hl_hamming_neighbour *out,
                             size_t *found);

// Kernel: counts[i] = popcount of row i.
void hl_hamming_counts(const uint8_t *rows, size_t n, size_t bits, size_t stride, uint32_t *counts);

// Kernels: out[i] = number of the first `bits` bits that are 1 in the query and in row i (shared),
// or in which they differ (differing).
void hl_hamming_shared(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits, size_t stride, uint32_t *out);
void hl_hamming_differing(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits, size_t stride,
                          uint32_t *out);

// Kernels: distances and similarities of one row with popcount `ones` to n rows with popcounts
// `others`, given the counts of common ones. `out` may be `common`.
void hl_hamming_distances(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, uint32_t *out);
void hl_hamming_tanimoto(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty,
                         float *out);
void hl_hamming_dice(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty, float *out);
void hl_hamming_cosine(const uint32_t *common, const uint32_t *others, size_t n, uint32_t ones, float empty,
                       float *out);

// ---- fingerprints: exact similarity search in bit rows ------------------------------------------

// An index: rows of hamming stored as bit planes for exact similarity search. Its image is one piece of the caller's
// memory, which may be written to a file and mapped, on machines of the same byte order. The searches below take
// several images as one set, whose rows are numbered on from image to image: build another image to append rows. All
// images have the same number of bits.
typedef struct hl_fingerprints_image {
    const void *memory;
    size_t size;
} hl_fingerprints_image;

// Measures of a query with b ones and a row with a ones, c of them in common: a + b - 2 c; c / (a + b - c);
// 2 c / (a + b); c / sqrt(a b); c / (c + alpha (b - c) + beta (a - c)); c / b.
enum {
    HL_FINGERPRINTS_HAMMING = 0,
    HL_FINGERPRINTS_TANIMOTO = 1,
    HL_FINGERPRINTS_DICE = 2,
    HL_FINGERPRINTS_COSINE = 3,
    HL_FINGERPRINTS_TVERSKY = 4,
    HL_FINGERPRINTS_CONTAINMENT = 5
};

// The measure and the threshold that a match must meet: at least the similarity `threshold`, 0 to 1, or at most that
// distance, else HL_ERR_THRESHOLD. `empty` is the similarity of two rows without ones (and of a query without ones, for
// containment). `alpha` and `beta` are for HL_FINGERPRINTS_TVERSKY, finite and at least 0, else HL_ERR_WEIGHT.
// `measure` is one of the constants above, else HL_ERR_OPTION.
typedef struct hl_fingerprints_condition {
    int32_t measure;
    float threshold;
    float empty;
    double alpha;
    double beta;
} hl_fingerprints_condition;

// A row that a search found: its number, ones in common with the query, its ones, the similarity or the distance.
typedef struct hl_fingerprints_match {
    uint64_t row;
    uint32_t common;
    uint32_t ones;
    float score;
} hl_fingerprints_match;

// A query and a row that it found; or two rows of a set, `query` less than `row`.
typedef struct hl_fingerprints_pair_match {
    uint64_t query;
    uint64_t row;
    uint32_t common;
    uint32_t query_ones;
    uint32_t ones;
    float score;
} hl_fingerprints_pair_match;

// Size in bytes of the image of an index; 0 if the arguments are invalid: more than 2^19 bits, 2^32 rows or more.
size_t hl_fingerprints_bytes(size_t n_rows, size_t bits);

// Writes the image of rows. `size` is hl_fingerprints_bytes(n_rows, bits), else HL_ERR_LENGTH. HL_ERR_NO_MEMORY.
hl_status hl_fingerprints_build(const uint8_t *rows, size_t n_rows, size_t bits, size_t stride, void *memory,
                                size_t size);

// Checks the header and the table of counts of an image, and reports its shape. HL_ERR_PACKED if it is not an image,
// HL_ERR_LENGTH if it is cut off. Searches check it too.
hl_status hl_fingerprints_check(const void *memory, size_t size, size_t *n_rows, size_t *bits);

// Finds the rows that satisfy `condition`, image by image, ordered by their number of ones, then by row. `query` is a
// row of the images' number of bits. Writes at most `capacity` matches and their number. Set *cursor to 0 before the
// first call; each call continues from there, and all rows have been seen when *cursor is their number. HL_ERR_INDEX
// past that, HL_ERR_LENGTH if `capacity` is 0 or the images differ in their number of bits, HL_ERR_NO_MEMORY.
hl_status hl_fingerprints_search(const hl_fingerprints_image *images, size_t n_images, const uint8_t *query,
                                 const hl_fingerprints_condition *condition, uint64_t *cursor,
                                 hl_fingerprints_match *hits, size_t capacity, size_t *found);

// Finds the `capacity` best rows that satisfy `condition`: by score, best first, equal scores by row. Writes their
// number, which is less if fewer satisfy it. HL_ERR_LENGTH, HL_ERR_NO_MEMORY.
hl_status hl_fingerprints_top(const hl_fingerprints_image *images, size_t n_images, const uint8_t *query,
                              const hl_fingerprints_condition *condition, hl_fingerprints_match *hits, size_t capacity,
                              size_t *found);

// Finds, for each of many queries, the rows that satisfy `condition`. Works in sets of up to 1024 queries, in each set
// by tiles of rows, in each tile by query. The cursor ends at n_queries times the number of rows; otherwise like
// hl_fingerprints_search. HL_ERR_TOO_LARGE for 2^64 pairs or more. Threads may take separate queries.
hl_status hl_fingerprints_batch(const hl_fingerprints_image *images, size_t n_images, const uint8_t *queries,
                                size_t n_queries, size_t stride, const hl_fingerprints_condition *condition,
                                uint64_t *cursor, hl_fingerprints_pair_match *hits, size_t capacity, size_t *found);

// Finds the pairs of rows that satisfy `condition`, each once. `rows` are the rows that the images were built from, all
// in one set. The first row of a pair, in the order of hl_fingerprints_search, is number row_begin .. row_begin +
// row_count in that order (HL_ERR_INDEX past the rows). The cursor ends at row_count times n_rows; otherwise like
// hl_fingerprints_batch. HL_ERR_OPTION if the measure depends on the order of its arguments:
// HL_FINGERPRINTS_CONTAINMENT, and HL_FINGERPRINTS_TVERSKY with different weights. Threads may take separate ranges.
hl_status hl_fingerprints_pairs(const hl_fingerprints_image *images, size_t n_images, const uint8_t *rows,
                                size_t n_rows, size_t stride, size_t row_begin, size_t row_count,
                                const hl_fingerprints_condition *condition, uint64_t *cursor,
                                hl_fingerprints_pair_match *hits, size_t capacity, size_t *found);

// ---- reduce: sums and dot products --------------------------------------------------------------

// The order of additions is fixed, so the bits are the same on every CPU: element i is added to lane i mod L, in
// ascending order; then the lanes are added in halves, lane l + half to lane l, until one is left. Lanes start at -0.
// The sum of no elements is +0. A NaN result is the quiet NaN without payload.

// Kernels, L = 64 (float) or 32 (double): sum; sum of magnitudes; dot product, with each product
// rounded before it is added.
float hl_reduce_sum_f32(const float *x, size_t n);
float hl_reduce_asum_f32(const float *x, size_t n);
float hl_reduce_dot_f32(const float *x, const float *y, size_t n);
double hl_reduce_sum_f64(const double *x, size_t n);
double hl_reduce_asum_f64(const double *x, size_t n);
double hl_reduce_dot_f64(const double *x, const double *y, size_t n);

// Kernels, compensated: sum2 and dot2 of Ogita, Rump and Oishi, as accurate as if computed in twice
// the precision, with half as many lanes; Kahan's sum, with twice as many. If a compensation term
// is NaN, the result is the uncompensated one.
float hl_reduce_sum2_f32(const float *x, size_t n);
float hl_reduce_dot2_f32(const float *x, const float *y, size_t n);
float hl_reduce_kahan_f32(const float *x, size_t n);
double hl_reduce_sum2_f64(const double *x, size_t n);
double hl_reduce_dot2_f64(const double *x, const double *y, size_t n);
double hl_reduce_kahan_f64(const double *x, size_t n);

// Sums and dot products, uncompensated, of n elements `stride` apart. As in BLAS, a negative stride
// starts at the last element, and `x` is always the lowest address. HL_ERR_NULL, HL_ERR_TOO_LARGE.
hl_status hl_reduce_sum_strided_f32(const float *x, size_t n, ptrdiff_t stride, float *result);
hl_status hl_reduce_asum_strided_f32(const float *x, size_t n, ptrdiff_t stride, float *result);
hl_status hl_reduce_dot_strided_f32(const float *x, const float *y, size_t n, ptrdiff_t x_stride, ptrdiff_t y_stride,
                                    float *result);
hl_status hl_reduce_sum_strided_f64(const double *x, size_t n, ptrdiff_t stride, double *result);
hl_status hl_reduce_asum_strided_f64(const double *x, size_t n, ptrdiff_t stride, double *result);
hl_status hl_reduce_dot_strided_f64(const double *x, const double *y, size_t n, ptrdiff_t x_stride, ptrdiff_t y_stride,
                                    double *result);

// The sum of each of m rows of n elements: sums[i] adds the elements at x + i * row + j * column, with
// the bits of hl_reduce_sum_f32 and hl_reduce_sum_f64. For sums of columns, exchange m and n, and the
// strides. HL_ERR_NULL, HL_ERR_TOO_LARGE.
hl_status hl_reduce_row_sums_f32(const float *x, size_t m, size_t n, ptrdiff_t row, ptrdiff_t column, float *sums);
hl_status hl_reduce_row_sums_f64(const double *x, size_t m, size_t n, ptrdiff_t row, ptrdiff_t column, double *sums);

// Kernels: sums of the n columns of a matrix with m rows, `row` elements apart: sums[j] adds
// x[i * row + j] for i < m, with the bits of hl_reduce_sum_f32 and hl_reduce_sum_f64.
void hl_reduce_column_sums_f32(size_t m, size_t n, const float *x, ptrdiff_t row, float *sums);
void hl_reduce_column_sums_f64(size_t m, size_t n, const double *x, ptrdiff_t row, double *sums);

// The sum of x[0..n], with bits independent of the order: numbers are rounded to multiples of a quantum, at most 2^-79
// of the largest magnitude, and added as integers. So the error is at most n 2^-80 of the largest magnitude, beside the
// final rounding; of 1e16, 1 and -1e16 the sum is 1. `x` is ignored if n is 0.
float hl_reduce_sum_repro_f32(const float *x, size_t n);
double hl_reduce_sum_repro_f64(const double *x, size_t n);

// The dot product of x[0..n] and y[0..n], with bits independent of the order of the pairs: products
// are added exactly, as two numbers each, by the accumulator below. The error is at most n 2^-79 of the
// largest magnitude of a product, beside the final rounding. `x` and `y` are ignored if n is 0.
float hl_reduce_dot_repro_f32(const float *x, const float *y, size_t n);
double hl_reduce_dot_repro_f64(const double *x, const double *y, size_t n);

// Accumulator of a reproducible sum. Its bits depend neither on the order of the numbers nor on how
// they are split into pieces and merged.
typedef struct hl_reduce_repro hl_reduce_repro;

// Size of a saved state in bytes.
#define HL_REDUCE_REPRO_STATE_SIZE 80

// Creates an empty accumulator. HL_ERR_NULL, HL_ERR_NO_MEMORY.
hl_status hl_reduce_repro_create(hl_reduce_repro **repro);

// Creates an accumulator from a saved state. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED,
// HL_ERR_STATE_FOREIGN, HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH, HL_ERR_NO_MEMORY.
hl_status hl_reduce_repro_create_from_state(const uint8_t *bytes, size_t size, hl_reduce_repro **repro);

// Frees an accumulator. Null is ignored.
void hl_reduce_repro_destroy(hl_reduce_repro *repro);

// Adds x[0..n]; at most 2^48 numbers in total. HL_ERR_NULL.
hl_status hl_reduce_repro_add_f32(hl_reduce_repro *repro, const float *x, size_t n);
hl_status hl_reduce_repro_add_f64(hl_reduce_repro *repro, const double *x, size_t n);

// Adds the products x[i] * y[i] for i < n; at most 2^47 in total. HL_ERR_NULL.
hl_status hl_reduce_repro_add_products_f32(hl_reduce_repro *repro, const float *x, const float *y, size_t n);
hl_status hl_reduce_repro_add_products_f64(hl_reduce_repro *repro, const double *x, const double *y, size_t n);

// Adds all numbers that `other` holds. HL_ERR_NULL.
hl_status hl_reduce_repro_merge(hl_reduce_repro *repro, const hl_reduce_repro *other);

// Writes the sum, rounded once. HL_ERR_NULL.
hl_status hl_reduce_repro_sum(const hl_reduce_repro *repro, double *sum);

// Saves the state as HL_REDUCE_REPRO_STATE_SIZE bytes, the same on every machine. HL_ERR_NULL,
// HL_ERR_LENGTH.
hl_status hl_reduce_repro_get_state(const hl_reduce_repro *repro, uint8_t *bytes, size_t size);

// ---- matmul: matrix multiplication --------------------------------------------------------------

// C = alpha A B + beta C, with A of m x k, B of k x n and C of m x n. Each matrix has a row stride
// and a column stride, in elements: element (i, j) is at c + i * c_row + j * c_column. Row-major
// matrices have column stride 1, column-major matrices row stride 1; exchanging the two strides
// transposes a matrix. Strides of A and B may be negative or 0. Strides of C may be negative, but
// no two of its elements may coincide (HL_ERR_STRIDE). C must not overlap A or B (HL_ERR_OVERLAP).
//
// Each element of C is one chain of fused multiply-adds over ascending k, c = fma(alpha * a, b, c), starting from beta
// * c. Its bits depend on nothing else. If beta is 0, C is not read. If alpha, m, n or k is 0, A and B are not read and
// their pointers may be null. If m or n is 0, the other sizes may have any value.

enum {
    HL_MATMUL_STRICT = 0,  // ascending k
    HL_MATMUL_FAST = 1     // any order: faster if C is small and k is large
};

// Options of a product, to be initialised by HL_MATMUL_OPTS. `size` is the size of this structure, so
// that later versions can add members. HL_ERR_LENGTH if it is smaller, HL_ERR_TOO_LARGE if it is larger
// and an unknown member is not 0.
typedef struct hl_matmul_opts {
    size_t size;
    int32_t order;  // HL_MATMUL_STRICT, HL_MATMUL_FAST
    size_t l1;      // cache sizes in bytes for blocking, or 0 for those of this CPU; they do not affect results
    size_t l2;
    size_t l3;
} hl_matmul_opts;

// The default.
#define HL_MATMUL_OPTS {sizeof(hl_matmul_opts), HL_MATMUL_STRICT, 0, 0, 0}

// Multiplies. Null `opts` means strict order and the caches of this CPU. With null `workspace` the function allocates
// what it needs; otherwise the workspace must have the size that hl_matmul_plan_workspace_bytes gives (else
// HL_ERR_LENGTH). HL_ERR_NULL, HL_ERR_STRIDE, HL_ERR_OVERLAP, HL_ERR_TOO_LARGE, HL_ERR_OPTION, HL_ERR_NO_MEMORY.
hl_status hl_matmul_gemm_f32(size_t m, size_t n, size_t k, float alpha, const float *a, ptrdiff_t a_row,
                             ptrdiff_t a_column, const float *b, ptrdiff_t b_row, ptrdiff_t b_column, float beta,
                             float *c, ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                             size_t workspace_bytes);
hl_status hl_matmul_gemm_f64(size_t m, size_t n, size_t k, double alpha, const double *a, ptrdiff_t a_row,
                             ptrdiff_t a_column, const double *b, ptrdiff_t b_row, ptrdiff_t b_column, double beta,
                             double *c, ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts,
                             void *workspace, size_t workspace_bytes);

enum {
    HL_MATMUL_UPPER = 0,  // elements (i, j) with i <= j
    HL_MATMUL_LOWER = 1   // elements (i, j) with i >= j
};

// One triangle of C = alpha A A^T + beta C, with A of n x k and C of n x n; exchange the strides of A
// for A^T A. The other triangle is neither read nor written. Each element has the bits that
// hl_matmul_gemm_f32 and hl_matmul_gemm_f64 give it. A workspace of 4 MiB is enough. Errors as there.
hl_status hl_matmul_syrk_f32(size_t n, size_t k, float alpha, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
                             float beta, float *c, ptrdiff_t c_row, ptrdiff_t c_column, int32_t triangle,
                             const hl_matmul_opts *opts, void *workspace, size_t workspace_bytes);
hl_status hl_matmul_syrk_f64(size_t n, size_t k, double alpha, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
                             double beta, double *c, ptrdiff_t c_row, ptrdiff_t c_column, int32_t triangle,
                             const hl_matmul_opts *opts, void *workspace, size_t workspace_bytes);

// A plan: the shape and layout of a product, analysed once for many calls, from any number of
// threads.
typedef struct hl_matmul_plan hl_matmul_plan;

// Creates a plan. HL_ERR_NULL, HL_ERR_STRIDE, HL_ERR_TOO_LARGE, HL_ERR_OPTION, HL_ERR_NO_MEMORY.
hl_status hl_matmul_plan_create_f32(size_t m, size_t n, size_t k, ptrdiff_t a_row, ptrdiff_t a_column, ptrdiff_t b_row,
                                    ptrdiff_t b_column, ptrdiff_t c_row, ptrdiff_t c_column,
                                    const hl_matmul_opts *opts, hl_matmul_plan **plan);
hl_status hl_matmul_plan_create_f64(size_t m, size_t n, size_t k, ptrdiff_t a_row, ptrdiff_t a_column, ptrdiff_t b_row,
                                    ptrdiff_t b_column, ptrdiff_t c_row, ptrdiff_t c_column,
                                    const hl_matmul_opts *opts, hl_matmul_plan **plan);

// Frees a plan. Null is ignored.
void hl_matmul_plan_destroy(hl_matmul_plan *plan);

// Writes the workspace size in bytes for runs of a plan: at most 4 MiB, 0 for small products.
// HL_ERR_NULL.
hl_status hl_matmul_plan_workspace_bytes(const hl_matmul_plan *plan, size_t *bytes);

// Multiplies by a plan, without allocating. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_OVERLAP, HL_ERR_TYPE
// if the plan is for the other element type.
hl_status hl_matmul_plan_run_f32(const hl_matmul_plan *plan, float alpha, const float *a, const float *b, float beta,
                                 float *c, void *workspace, size_t workspace_bytes);
hl_status hl_matmul_plan_run_f64(const hl_matmul_plan *plan, double alpha, const double *a, const double *b,
                                 double beta, double *c, void *workspace, size_t workspace_bytes);

// Multiplies `count` times by a plan: product i takes A at a + i * a_step, B at b + i * b_step and C
// at c + i * c_step, in elements. A step of 0 takes the same A or B for all. HL_ERR_STRIDE if a C may
// overlap the next one, HL_ERR_TOO_LARGE, and the errors of hl_matmul_plan_run_f32.
hl_status hl_matmul_plan_run_batch_f32(const hl_matmul_plan *plan, size_t count, float alpha, const float *a,
                                       size_t a_step, const float *b, size_t b_step, float beta, float *c,
                                       size_t c_step, void *workspace, size_t workspace_bytes);
hl_status hl_matmul_plan_run_batch_f64(const hl_matmul_plan *plan, size_t count, double alpha, const double *a,
                                       size_t a_step, const double *b, size_t b_step, double beta, double *c,
                                       size_t c_step, void *workspace, size_t workspace_bytes);

// A packed B for many products. It points to the caller's values.
typedef struct hl_matmul_packed {
    const void *values;
    size_t k;
    size_t n;
    size_t kc;     // rows of a sliver
    size_t nr;     // columns of a sliver
    size_t bytes;  // size of an element
} hl_matmul_packed;

// Packs B into values[0..k * n] and fills in `packed`. HL_ERR_NULL, HL_ERR_TOO_LARGE,
// HL_ERR_OVERLAP, HL_ERR_OPTION.
hl_status hl_matmul_pack_b_f32(size_t k, size_t n, const float *b, ptrdiff_t b_row, ptrdiff_t b_column,
                               const hl_matmul_opts *opts, float *values, hl_matmul_packed *packed);
hl_status hl_matmul_pack_b_f64(size_t k, size_t n, const double *b, ptrdiff_t b_row, ptrdiff_t b_column,
                               const hl_matmul_opts *opts, double *values, hl_matmul_packed *packed);

// Like hl_matmul_gemm_f32 and hl_matmul_gemm_f64, with the same bits. Additional errors:
// HL_ERR_TYPE, HL_ERR_PACKED.
hl_status hl_matmul_gemm_packed_f32(size_t m, float alpha, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                    const hl_matmul_packed *packed, float beta, float *c, ptrdiff_t c_row,
                                    ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                                    size_t workspace_bytes);
hl_status hl_matmul_gemm_packed_f64(size_t m, double alpha, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
                                    const hl_matmul_packed *packed, double beta, double *c, ptrdiff_t c_row,
                                    ptrdiff_t c_column, const hl_matmul_opts *opts, void *workspace,
                                    size_t workspace_bytes);

enum {
    HL_MATMUL_BIAS_NONE = 0,
    HL_MATMUL_BIAS_ROWS = 1,    // a number for each row of C
    HL_MATMUL_BIAS_COLUMNS = 2  // a number for each column of C
};
enum {
    HL_MATMUL_IDENTITY = 0,
    HL_MATMUL_RELU = 1  // replaces negative numbers by +0; -0 and NaN stay
};

// C = activation(bias + alpha A B), with the bits of a product that is added to a C which holds the
// bias. C is not read. `bias` is ignored for HL_MATMUL_BIAS_NONE, and must not overlap C. Errors as
// for hl_matmul_gemm_f32 and hl_matmul_gemm_packed_f32.
hl_status hl_matmul_gemm_with_epilogue_f32(size_t m, size_t n, size_t k, float alpha, const float *a, ptrdiff_t a_row,
                                           ptrdiff_t a_column, const float *b, ptrdiff_t b_row, ptrdiff_t b_column,
                                           const float *bias, int32_t bias_kind, int32_t activation, float *c,
                                           ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts,
                                           void *workspace, size_t workspace_bytes);
hl_status hl_matmul_gemm_with_epilogue_f64(size_t m, size_t n, size_t k, double alpha, const double *a,
                                           ptrdiff_t a_row, ptrdiff_t a_column, const double *b, ptrdiff_t b_row,
                                           ptrdiff_t b_column, const double *bias, int32_t bias_kind,
                                           int32_t activation, double *c, ptrdiff_t c_row, ptrdiff_t c_column,
                                           const hl_matmul_opts *opts, void *workspace, size_t workspace_bytes);
hl_status hl_matmul_gemm_packed_with_epilogue_f32(size_t m, float alpha, const float *a, ptrdiff_t a_row,
                                                  ptrdiff_t a_column, const hl_matmul_packed *packed,
                                                  const float *bias, int32_t bias_kind, int32_t activation, float *c,
                                                  ptrdiff_t c_row, ptrdiff_t c_column, const hl_matmul_opts *opts,
                                                  void *workspace, size_t workspace_bytes);
hl_status hl_matmul_gemm_packed_with_epilogue_f64(size_t m, double alpha, const double *a, ptrdiff_t a_row,
                                                  ptrdiff_t a_column, const hl_matmul_packed *packed,
                                                  const double *bias, int32_t bias_kind, int32_t activation,
                                                  double *c, ptrdiff_t c_row, ptrdiff_t c_column,
                                                  const hl_matmul_opts *opts, void *workspace,
                                                  size_t workspace_bytes);

// ---- clifford: products of multivectors ----------------------------------------------------------

// A multivector of an algebra with `generators` generators (at most 4) is its 2^generators coefficients: of the blades
// by grade, then in lexicographic order of their generators (1, e1, e2, e12). `squares` holds the square of each
// generator: +1, -1 or 0, else HL_ERR_SIGNATURE. Every operation is rounded: the same bits on every CPU. The last
// argument overlaps no other, else HL_ERR_OVERLAP. All return HL_ERR_NULL and HL_ERR_TOO_LARGE too.

// z = x y for `count` multivectors.
hl_status hl_clifford_product_f32(const int8_t *squares, size_t generators, size_t count, const float *x,
                                  const float *y, float *z);
hl_status hl_clifford_product_f64(const int8_t *squares, size_t generators, size_t count, const double *x,
                                  const double *y, double *z);

// z = r x ~r for `count` multivectors, where ~r is the reverse of r.
hl_status hl_clifford_sandwich_f32(const int8_t *squares, size_t generators, size_t count, const float *r,
                                   const float *x, float *z);
hl_status hl_clifford_sandwich_f64(const int8_t *squares, size_t generators, size_t count, const double *r,
                                   const double *x, double *z);

// Products with a weight for each path and channel. A path is a triple of grades (of x, of z, of y) that
// occurs in products of blades; paths are in lexicographic order. `weights` holds `channels` numbers for
// each path; x, y and z hold `batch` rows of `channels` multivectors. HL_ERR_CHANNELS for no channels.
hl_status hl_clifford_weighted_f32(const int8_t *squares, size_t generators, size_t batch, size_t channels,
                                   const float *weights, const float *x, const float *y, float *z);
hl_status hl_clifford_weighted_f64(const int8_t *squares, size_t generators, size_t batch, size_t channels,
                                   const double *weights, const double *x, const double *y, double *z);

// Squared norms: for each of `count` multivectors and each grade from 0 to `generators`, the sum of
// +-x[p]^2 over the blades of the grade, with the sign of ~e_p e_p.
hl_status hl_clifford_norms_f32(const int8_t *squares, size_t generators, size_t count, const float *x, float *out);
hl_status hl_clifford_norms_f64(const int8_t *squares, size_t generators, size_t count, const double *x, double *out);

// `count` multivectors blade by blade, y[j * count + i] = x[i * blades + j], as some programs keep them; and the
// inverse, which gives the layout of all other functions.
hl_status hl_clifford_blades_first_f32(const int8_t *squares, size_t generators, size_t count, const float *x,
                                       float *y);
hl_status hl_clifford_blades_first_f64(const int8_t *squares, size_t generators, size_t count, const double *x,
                                       double *y);
hl_status hl_clifford_blades_last_f32(const int8_t *squares, size_t generators, size_t count, const float *x, float *y);
hl_status hl_clifford_blades_last_f64(const int8_t *squares, size_t generators, size_t count, const double *x,
                                      double *y);

// ---- clifford: layers ------------------------------------------------------------------------------

// A plan of a layer that maps `inputs` channels of multivectors to `outputs` channels, each at least 1
// (else HL_ERR_CHANNELS), for float and for double. Arrays are row-major; a row of the batch is its
// channels, a channel its multivectors. Threads may share plans and packed weights, and split the
// batch: a range of its rows, with a workspace of its own, has the bits of the whole.
typedef struct hl_clifford_plan hl_clifford_plan;

// How a linear layer or a convolution is computed: exactly as the product with the expanded weights; by
// an algebra of matrices, with fewer multiplications and a larger rounding error; by the faster one.
enum {
    HL_CLIFFORD_EXACT = 0,
    HL_CLIFFORD_FAST = 1,
    HL_CLIFFORD_AUTO = 2
};

// y[b, o] = bias[o] + the sum over i of x[b, i] w[o, i]. Weights (blades, outputs, inputs), bias
// (blades, outputs). HL_ERR_SIGNATURE, HL_ERR_CHANNELS, HL_ERR_OPTION, HL_ERR_TOO_LARGE,
// HL_ERR_NO_MEMORY, HL_ERR_NULL.
hl_status hl_clifford_plan_create_linear(const int8_t *squares, size_t generators, size_t inputs, size_t outputs,
                                         int32_t mode, hl_clifford_plan **plan);

// The kernel of a convolution in 1, 2 or 3 dimensions, of which the first elements of each array are read: taps, the
// distance of adjacent outputs in points of the input, zeros at either end of the input, the distance of adjacent taps.
typedef struct hl_clifford_window {
    size_t dimensions;
    size_t kernel[3];
    size_t stride[3];
    size_t padding[3];
    size_t dilation[3];
} hl_clifford_window;

// A cross-correlation: a linear layer of the channels and taps at each point of the output. x has shape (batch, inputs,
// size, blades), y (batch, outputs, output size, blades), weights (blades, outputs, inputs, kernel), bias (blades,
// outputs). Errors as for a linear layer, and HL_ERR_EXTENT if a number of taps, a stride or a dilation is 0.
hl_status hl_clifford_plan_create_conv(const int8_t *squares, size_t generators, size_t inputs, size_t outputs,
                                       const hl_clifford_window *window, int32_t mode, hl_clifford_plan **plan);

// The maps that a grade-wise layer combines: the part of each grade; these and, for each grade, its
// product from the left with all generators of square 0, as in GATr.
enum {
    HL_CLIFFORD_GRADES = 0,
    HL_CLIFFORD_GRADES_WITH_NULL = 1
};

// y[b, o] = bias[o] + the sum over i and the maps m of w[o, i, m] m(x[b, i]). Weights (outputs, inputs,
// maps), bias (outputs), of the scalars. Errors as for a linear layer.
hl_status hl_clifford_plan_create_grades(const int8_t *squares, size_t generators, size_t inputs, size_t outputs,
                                         int32_t maps, hl_clifford_plan **plan);

// z[b, o] = the sum over i and the paths t of w[o, i, t] times the part of the product x[b, i] y[b, i]
// that belongs to path t, in the order of hl_clifford_weighted_f32. Weights (outputs, inputs, paths), no
// bias. Errors as for a linear layer.
hl_status hl_clifford_plan_create_connected(const int8_t *squares, size_t generators, size_t inputs, size_t outputs,
                                            hl_clifford_plan **plan);

// Frees a plan. Null is ignored.
void hl_clifford_plan_destroy(hl_clifford_plan *plan);

// Writes the lengths of x, of y (z of a connected product), of the weights, of the bias and of the
// memory of packed weights to lengths[0..5]. `size` holds the points of an input in each dimension of a
// convolution; other plans ignore it, here and below. HL_ERR_NULL, HL_ERR_TOO_LARGE, HL_ERR_EXTENT if
// the padded input is shorter than the dilated kernel.
hl_status hl_clifford_plan_lengths(const hl_clifford_plan *plan, size_t batch, const size_t *size, size_t *lengths);

// Weights that are packed in the caller's memory. They point to the plan and the memory, which must
// outlive them; nothing else writes to the memory meanwhile.
typedef struct hl_clifford_packed hl_clifford_packed;

// Packs weights, and a bias unless it is null, in memory[0..length], for hl_clifford_forward_f32. Another instruction
// set may use them later. HL_ERR_NULL, HL_ERR_LENGTH if the memory is too short, HL_ERR_OVERLAP, HL_ERR_NO_MEMORY.
hl_status hl_clifford_packed_create_f32(const hl_clifford_plan *plan, const float *weights, const float *bias,
                                        float *memory, size_t length, hl_clifford_packed **packed);
hl_status hl_clifford_packed_create_f64(const hl_clifford_plan *plan, const double *weights, const double *bias,
                                        double *memory, size_t length, hl_clifford_packed **packed);

// Packs weights for hl_clifford_backward_f32. Errors as for hl_clifford_packed_create_f32.
hl_status hl_clifford_packed_create_backward_f32(const hl_clifford_plan *plan, const float *weights, float *memory,
                                                 size_t length, hl_clifford_packed **packed);
hl_status hl_clifford_packed_create_backward_f64(const hl_clifford_plan *plan, const double *weights,
                                                 double *memory, size_t length, hl_clifford_packed **packed);

// Frees packed weights, but not their memory. Null is ignored.
void hl_clifford_packed_destroy(hl_clifford_packed *packed);

// Length of the workspace that a product with these weights needs; 0 for an empty batch. HL_ERR_NULL,
// HL_ERR_TOO_LARGE, HL_ERR_EXTENT.
hl_status hl_clifford_packed_workspace(const hl_clifford_packed *packed, size_t batch, const size_t *size,
                                       size_t *length);

// The output of a linear layer, a convolution or a grade-wise layer. No array overlaps `y` or the
// workspace, which has `length` numbers. HL_ERR_NULL, HL_ERR_LENGTH if the workspace is too short,
// HL_ERR_OVERLAP, HL_ERR_TYPE if the weights have the other element type, HL_ERR_OPTION if they were
// packed for another function, HL_ERR_TOO_LARGE, HL_ERR_EXTENT.
hl_status hl_clifford_forward_f32(const hl_clifford_packed *packed, size_t batch, const size_t *size,
                                  const float *x, float *y, float *workspace, size_t length);
hl_status hl_clifford_forward_f64(const hl_clifford_packed *packed, size_t batch, const size_t *size,
                                  const double *x, double *y, double *workspace, size_t length);

// The gradient with respect to x, given the gradient with respect to y. Errors as for
// hl_clifford_forward_f32.
hl_status hl_clifford_backward_f32(const hl_clifford_packed *packed, size_t batch, const size_t *size,
                                   const float *gy, float *gx, float *workspace, size_t length);
hl_status hl_clifford_backward_f64(const hl_clifford_packed *packed, size_t batch, const size_t *size,
                                   const double *gy, double *gx, double *workspace, size_t length);

// Length of the workspace for the gradients with respect to the weights; 0 for an empty batch.
// HL_ERR_NULL, HL_ERR_TOO_LARGE, HL_ERR_EXTENT.
hl_status hl_clifford_backward_weights_workspace_f32(const hl_clifford_plan *plan, size_t batch, const size_t *size,
                                                     size_t *length);
hl_status hl_clifford_backward_weights_workspace_f64(const hl_clifford_plan *plan, size_t batch, const size_t *size,
                                                     size_t *length);

// Adds to `gw` the gradient with respect to the weights, and to `gbias`, unless it is null, the one with
// respect to the bias. HL_ERR_OPTION for a connected product; otherwise errors as for
// hl_clifford_forward_f32.
hl_status hl_clifford_backward_weights_f32(const hl_clifford_plan *plan, size_t batch, const size_t *size,
                                           const float *x, const float *gy, float *gw, float *gbias,
                                           float *workspace, size_t length);
hl_status hl_clifford_backward_weights_f64(const hl_clifford_plan *plan, size_t batch, const size_t *size,
                                           const double *x, const double *gy, double *gw, double *gbias,
                                           double *workspace, size_t length);

// The same for connected products: z of x and y; the gradients with respect to x and y; the gradient
// with respect to the weights, added to `gw`. Errors as for hl_clifford_forward_f32, and HL_ERR_OPTION
// for other plans.
hl_status hl_clifford_connected_forward_f32(const hl_clifford_packed *packed, size_t batch, const float *x,
                                            const float *y, float *z, float *workspace, size_t length);
hl_status hl_clifford_connected_forward_f64(const hl_clifford_packed *packed, size_t batch, const double *x,
                                            const double *y, double *z, double *workspace, size_t length);
hl_status hl_clifford_connected_backward_f32(const hl_clifford_packed *packed, size_t batch, const float *x,
                                             const float *y, const float *gz, float *gx, float *gy,
                                             float *workspace, size_t length);
hl_status hl_clifford_connected_backward_f64(const hl_clifford_packed *packed, size_t batch, const double *x,
                                             const double *y, const double *gz, double *gx, double *gy,
                                             double *workspace, size_t length);
hl_status hl_clifford_connected_backward_weights_f32(const hl_clifford_plan *plan, size_t batch, const float *x,
                                                     const float *y, const float *gz, float *gw, float *workspace,
                                                     size_t length);
hl_status hl_clifford_connected_backward_weights_f64(const hl_clifford_plan *plan, size_t batch, const double *x,
                                                     const double *y, const double *gz, double *gw,
                                                     double *workspace, size_t length);

// Gates of activations: with S(a) = 1 / (1 + exp(-a)), S(bias + the sum of weights times blades); S of
// the sum and of the mean of all blades; the GELU of the scalar by its approximation with tanh; for each
// grade S(weight times norm + bias), where the norm is the scalar for grade 0 and that of
// hl_clifford_norms_f32 for the others.
enum {
    HL_CLIFFORD_GATE_LINEAR = 0,  // weights (channels, blades), bias (channels)
    HL_CLIFFORD_GATE_SUM = 1,
    HL_CLIFFORD_GATE_MEAN = 2,
    HL_CLIFFORD_GATE_GELU = 3,
    HL_CLIFFORD_GATE_SILU = 4     // weights and bias (channels, grades)
};

// z = x times its gate, for `batch` rows of `channels` multivectors. `weights` and `bias` are ignored for
// gates without parameters. The same bits on every CPU. HL_ERR_NULL, HL_ERR_SIGNATURE, HL_ERR_OPTION,
// HL_ERR_CHANNELS, HL_ERR_OVERLAP, HL_ERR_TOO_LARGE.
hl_status hl_clifford_act_f32(const int8_t *squares, size_t generators, int32_t gate, size_t batch, size_t channels,
                              const float *weights, const float *bias, const float *x, float *z);
hl_status hl_clifford_act_f64(const int8_t *squares, size_t generators, int32_t gate, size_t batch, size_t channels,
                              const double *weights, const double *bias, const double *x, double *z);

// The gradient with respect to x, given the gradient with respect to z; the gradients with respect to the
// parameters are added to `gw` and `gbias`, which are ignored for gates without. Errors as for
// hl_clifford_act_f32.
hl_status hl_clifford_act_backward_f32(const int8_t *squares, size_t generators, int32_t gate, size_t batch,
                                       size_t channels, const float *weights, const float *bias, const float *x,
                                       const float *gz, float *gx, float *gw, float *gbias);
hl_status hl_clifford_act_backward_f64(const int8_t *squares, size_t generators, int32_t gate, size_t batch,
                                       size_t channels, const double *weights, const double *bias, const double *x,
                                       const double *gz, double *gx, double *gw, double *gbias);

// ---- ising: Metropolis and heat-bath sweeps of layered Ising models -----------------------------

// A ring of `layers` equal layers of `sites` spins, each +1 or -1. Within a layer, any graph
// couples the spins; between layers, every spin is coupled to its copies in the layers below and
// above. A configuration has weight exp(beta_space * Es + beta_tau * Et), where
//   Es = sum over layers of (sum over edges J_ij s_i s_j  +  sum over sites h_i s_i)
//   Et = tau_coupling * sum over sites and layers of s_i(layer) s_i(layer + 1)
typedef struct hl_ising_model hl_ising_model;

// The arithmetic of a model and its approximation of exp in the acceptance probability. Each kind
// has its own trajectory.
enum {
    HL_ISING_F32_FAST = 0,  // f32 with hl_exp_fast_f32: error of the odds up to 3.1 % (Metropolis) or 1 % (heat bath)
    HL_ISING_F32_POLY = 1,  // f32 with hl_exp_poly_f32: accurate to a few units in the sixth digit, for any couplings
    HL_ISING_I8_EXACT = 2,  // integers, probabilities exact to 2^-48; fastest; restricts the couplings (HL_ERR_QUANTUM)
    HL_ISING_AUTO = 3,      // the first of HL_ISING_I8_EXACT, HL_ISING_I16_EXACT, HL_ISING_F32_POLY that accepts the
                            // model; if tau_coupling is 0, the kind that is estimated to be the fastest
    HL_ISING_SINGLE = 4,    // 64 sites of one layer together: for few copies of a sparse system; layers are copies,
                            // beta_tau * tau_coupling must be 0; arithmetic of HL_ISING_I8_EXACT, or of
                            // HL_ISING_F32_POLY where HL_ISING_I8_EXACT cannot represent the couplings
    HL_ISING_I16_EXACT = 5, // as HL_ISING_I8_EXACT, for couplings of more digits; faster than HL_ISING_F32_POLY
    HL_ISING_BITS = 6,      // bits, probabilities exact to 2^-48; layers are independent copies, 512 at a time; at
                            // most 8 quanta at each site, and beta_tau * tau_coupling must be 0
    HL_ISING_DENSE = 7,     // for nearly complete graphs; layers are copies, beta_tau * tau_coupling must be 0;
                            // probabilities are exact to 2^-48 if no coupling exceeds 127 quanta and the magnitudes
                            // of no site add up to more than 32767, else accurate to some 10^-6
    HL_ISING_FIXED = 8      // as HL_ISING_SINGLE, with sums in 64-bit fixed point: for couplings of very different
                            // magnitudes, such as penalties; probabilities are those of HL_ISING_F32_POLY
};

// The order in which the sites of a layer are visited.
enum {
    HL_ISING_COLOURED = 0,  // one colour of the graph after another: the fastest
    HL_ISING_NATURAL = 1    // by index
};

// The acceptance probability of a spin flip that multiplies the weight by exp(v). Every choice
// samples the same distribution.
enum {
    HL_ISING_ACCEPT_AUTO = 0,  // heat bath where Metropolis would flip nearly every spin in every sweep, else
                               // Metropolis; hl_ising_acceptance reports the choice
    HL_ISING_METROPOLIS = 1,   // min(1, exp(v)), times 15/16 in the f32 kinds: the fastest, except at high temperatures
    HL_ISING_HEAT_BATH = 2     // 1 / (1 + exp(-v)): the new spin does not depend on the old one
};

// How local fields are computed in the f32 kinds. Where sums are exact, both give the same spins.
enum {
    HL_ISING_GATHER = 0,  // add up the neighbours at each visit: the fastest, no rounding drift
    HL_ISING_SCATTER = 1  // store the local fields; a flip updates those of its neighbours
};

// The graph of one layer as compressed sparse rows: the neighbours of site i, and the couplings to them, have indices
// row_pointers[i] .. row_pointers[i + 1]. Every edge is listed at both of its sites.
typedef struct hl_ising_graph {
    uint32_t layers;               // at least 2; at least 1 for HL_ISING_SINGLE, _BITS, _DENSE and _FIXED
    uint32_t sites;                // at least 1
    const uint32_t *row_pointers;  // sites + 1 values, nondecreasing, the first 0
    const uint32_t *neighbours;    // row_pointers[sites] values
    const double *couplings;       // row_pointers[sites] values, finite as floats; positive ones favour equal spins
    const double *fields;          // sites values, finite as floats, or null for none
} hl_ising_graph;

// Couplings that are reversed in some layers: samples of disorder.
typedef struct hl_ising_reversals {
    size_t count;             // number of couplings
    const uint32_t *sites;    // 2 * count values: the two sites of each coupling, in any order
    const uint8_t *reversed;  // count * layers values: reversed[layers * k + layer] is not 0 where coupling k has the
                              // opposite sign
} hl_ising_reversals;

// The boundary of a lattice in every dimension.
enum {
    HL_ISING_PERIODIC = 0,  // a torus: the last site of a dimension is coupled to the first one
    HL_ISING_OPEN = 1       // a grid
};

// The lattice of one layer. Site x + X (y + Y z) has the coordinates x, y, z, for extents X, Y, Z.
typedef struct hl_ising_lattice {
    uint32_t layers;          // as in hl_ising_graph
    uint32_t dimensions;      // at least 1; HL_ISING_BITS cuts lattices of up to 4 into the lanes of a row
    const uint32_t *extents;  // dimensions values, at least 1, in a torus 3
    const double *couplings;  // sites * dimensions values, finite as floats: couplings[dimensions * site + k] to the
                              // next site in dimension k; 0 for none; ignored beyond an open boundary
    int32_t boundary;         // HL_ISING_PERIODIC, HL_ISING_OPEN; for a grid that is periodic in some dimensions,
                              // HL_ISING_PERIODIC with couplings of 0 in the others
} hl_ising_lattice;

// Options of a model, to be initialised by HL_ISING_OPTS; `size` as for hl_matmul_opts.
typedef struct hl_ising_opts {
    size_t size;
    double tau_coupling;  // couples a spin to its copies in the layers below and above
    int32_t order;        // HL_ISING_COLOURED, HL_ISING_NATURAL
    int32_t update;       // HL_ISING_GATHER, HL_ISING_SCATTER
    int32_t acceptance;   // HL_ISING_ACCEPT_AUTO, HL_ISING_METROPOLIS, HL_ISING_HEAT_BATH
} hl_ising_opts;

// The default.
#define HL_ISING_OPTS {sizeof(hl_ising_opts), 1.0, HL_ISING_COLOURED, HL_ISING_GATHER, HL_ISING_ACCEPT_AUTO}

// Properties of a model. The caller sets `size` to the size of this structure.
typedef struct hl_ising_info {
    size_t size;
    uint32_t layers;
    uint32_t sites;
    uint32_t lanes;     // layers that are updated together: at most half of `layers`, 16 (HL_ISING_I8_EXACT: 64,
                        // HL_ISING_I16_EXACT: 32); 1 for HL_ISING_SINGLE, _DENSE and _FIXED, 512 for HL_ISING_BITS
    uint32_t is_exact;  // 1 if all local fields are exact sums, so that both updates give the same spins
    int32_t kind;       // the kind in use, never HL_ISING_AUTO
    double quantum;     // unit of couplings and fields in integers; 0 in f32, or if there is none
    size_t heap_bytes;  // memory of the model, fixed at its creation
} hl_ising_info;

// Creates a model of a kind (HL_ISING_F32_FAST .. HL_ISING_FIXED) with all spins +1. `graph` is not
// used afterwards. Null `opts` means tau_coupling 1, coloured, gather, HL_ISING_ACCEPT_AUTO.
// HL_ERR_NULL, HL_ERR_KIND, HL_ERR_OPTION, HL_ERR_NO_MEMORY, HL_ERR_TOO_LARGE (above 2^27 sites; interlaced 2^26,
// HL_ISING_I8_EXACT 2^24, HL_ISING_DENSE 2^16), HL_ERR_LAYERS .. HL_ERR_FIELD for an invalid model.
// HL_ERR_QUANTUM if HL_ISING_I8_EXACT, HL_ISING_I16_EXACT or HL_ISING_BITS cannot represent it:
// couplings and fields must be integer multiples of one quantum (within the rounding of double), with
// magnitudes of at most 127, 32766 or 8 quanta in sum at each site. HL_ERR_UNEQUAL if the magnitudes at a site
// differ so much that the sums of every kind that HL_ISING_AUTO can choose lose terms.
hl_status hl_ising_create(const hl_ising_graph *graph, int32_t kind, const hl_ising_opts *opts, hl_ising_model **model);

// Like hl_ising_create, with couplings that are reversed in some layers. Only HL_ISING_BITS allows `count` above 0. A
// pair of sites that are not coupled is ignored. Errors of hl_ising_create, HL_ERR_SITE_RANGE, HL_ERR_DUPLICATE_EDGE
// for a pair that is listed twice, HL_ERR_OPTION for another kind.
hl_status hl_ising_create_samples(const hl_ising_graph *graph, const hl_ising_reversals *reversals, int32_t kind,
                                  const hl_ising_opts *opts, hl_ising_model **model);

// Like hl_ising_create, from a torus or grid without fields. Errors of hl_ising_create, HL_ERR_LENGTH for 0
// dimensions, HL_ERR_EXTENT, HL_ERR_OPTION for the boundary.
hl_status hl_ising_create_lattice(const hl_ising_lattice *lattice, int32_t kind, const hl_ising_opts *opts,
                                  hl_ising_model **model);

// Writes the default inverse temperatures of an anneal, those of dwave-samplers. range[0], hot: the spin with
// the largest sum of magnitudes flips against all of them in half of the proposals. range[1], cold: one
// excitation in the whole system in a hundred reads. 0.1 and 1 without couplings and fields. HL_ERR_NULL and
// the errors of hl_ising_create for a graph, except HL_ERR_DUPLICATE_EDGE and HL_ERR_ASYMMETRIC.
hl_status hl_ising_beta_range(const hl_ising_graph *graph, double *range);

// Frees a model. Null is ignored.
void hl_ising_destroy(hl_ising_model *model);

// Sets all spins: spins[layer * sites + site] is +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_set_spins(hl_ising_model *model, const int8_t *spins);

// Writes all spins: spins[layer * sites + site] becomes +1 or -1. HL_ERR_NULL.
hl_status hl_ising_get_spins(const hl_ising_model *model, int8_t *spins);

// Visits every spin `sweeps` times at the inverse temperatures `beta_space` and `beta_tau`. Writes the number of flips
// to `*flips` unless it is null. `rng` must have 16 lanes. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_BETA (also if beta_tau *
// tau_coupling is not 0 for HL_ISING_SINGLE and HL_ISING_BITS).
hl_status hl_ising_sweep(hl_ising_model *model, hl_random_mt19937 *rng, float beta_space, float beta_tau,
                         uint64_t sweeps, uint64_t *flips);

// Writes the acceptance used at these inverse temperatures: HL_ISING_METROPOLIS or
// HL_ISING_HEAT_BATH. HL_ISING_ACCEPT_AUTO chooses the heat bath if, with M the mean over all sites
// of h_i^2 + sum over j of J_ij^2,
//   sqrt(beta_space^2 M + 2 beta_tau^2 tau_coupling^2) < atanh(0.1)   (with two layers, 4 instead of 2)
//   or |beta_space| sqrt(M) < 0.01
// HL_ERR_NULL.
hl_status hl_ising_acceptance(const hl_ising_model *model, float beta_space, float beta_tau, int32_t *acceptance);

// Writes Es and Et of the current spins, computed in double precision from the couplings and fields
// as given. HL_ERR_NULL.
hl_status hl_ising_energy(const hl_ising_model *model, double *space, double *tau);

// Writes the sum of all spins. HL_ERR_NULL.
hl_status hl_ising_magnetisation(const hl_ising_model *model, int64_t *magnetisation);

// Writes the overlap of each layer with another configuration: the sum over its sites of s_i *
// spins[layer * sites + i]. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_overlaps(const hl_ising_model *model, const int8_t *spins, int64_t *overlaps);

// Writes Es and the sum of the spins of each layer, in about the time of a sweep or two. In the integer kinds an energy
// is an exact number of quanta times the quantum; in the f32 kinds the couplings as given are added in double
// precision. Both may differ from hl_ising_energy by rounding. HL_ERR_NULL.
hl_status hl_ising_layer_energies(const hl_ising_model *model, double *energies, int64_t *magnetisations);

// Writes the spins of one layer: spins[site] becomes +1 or -1. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_copy_layer(const hl_ising_model *model, size_t layer, int8_t *spins);

// Sets the spins of one layer: spins[site] is +1 or -1. HL_ERR_NULL, HL_ERR_INDEX, HL_ERR_SPIN.
hl_status hl_ising_set_layer(hl_ising_model *model, size_t layer, const int8_t *spins);

// Swaps the spins of `count` layers from `first` on with those of another model of as many layers and
// sites; fastest if both have the same graph and kind. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_INDEX,
// HL_ERR_OVERLAP if the models are the same, HL_ERR_TOO_LARGE, HL_ERR_NO_MEMORY.
hl_status hl_ising_swap_layers(hl_ising_model *model, hl_ising_model *other, size_t first, size_t count);

// Writes the number of words of hl_ising_copy_words. HL_ERR_NULL.
hl_status hl_ising_words(const hl_ising_model *model, size_t *words);

// Writes all spins as n words, a bit for each, such as for another process: hl_ising_set_words of
// another model with the same graph, kind and number of layers takes them. HL_ERR_NULL,
// HL_ERR_LENGTH unless n is the number of hl_ising_words.
hl_status hl_ising_copy_words(const hl_ising_model *model, uint64_t *words, size_t n);

// Sets the spins of the `count` layers layers[i] to those of the n words of another model. `layers` is ignored if count
// is 0. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_INDEX, HL_ERR_TOO_LARGE, HL_ERR_NO_MEMORY.
hl_status hl_ising_set_words(hl_ising_model *model, const size_t *layers, size_t count, const uint64_t *words,
                             size_t n);

// Writes the `sites` sites of a layer in visiting order. HL_ERR_NULL.
hl_status hl_ising_order(const hl_ising_model *model, uint32_t *order);

// Writes the properties of a model. HL_ERR_NULL, HL_ERR_LENGTH if `info->size` is smaller than the
// structure.
hl_status hl_ising_describe(const hl_ising_model *model, hl_ising_info *info);

// Writes an estimate of the rounding error of a local field, the largest of all sites; 0 where sums are exact.
// Means are reliable while 2 beta_space times this is far below 1. HL_ERR_NULL.
hl_status hl_ising_rounding(const hl_ising_model *model, double *rounding);

// Writes 1 if HL_ISING_METROPOLIS without coupling between layers may not be ergodic: in a ring or a component of at
// most 16 sites, couplings and field can cancel at every site, so that all flips are certain and the spins may go
// round in circles. HL_ISING_ACCEPT_AUTO is then the heat bath. Otherwise writes 0. HL_ERR_NULL.
hl_status hl_ising_may_trap(const hl_ising_model *model, uint32_t *may_trap);

// One square lattice with periodic boundaries and equal couplings, a bit for each spin, driven by a counter-based
// generator. Spins depend on the seed and the number of sweeps alone, not on how rows are divided among threads.
typedef struct hl_ising_square hl_ising_square;

// Creates a lattice of rows * columns spins of +1. With two rows or columns each pair has two bonds. HL_ERR_NULL,
// HL_ERR_EVEN if `rows` or `columns` is odd or 0, HL_ERR_TOO_LARGE, HL_ERR_NO_MEMORY.
hl_status hl_ising_square_create(size_t rows, size_t columns, uint64_t seed, hl_ising_square **lattice);

// Frees a lattice. Null is ignored.
void hl_ising_square_destroy(hl_ising_square *lattice);

// Visits every spin `sweeps` times: in each sweep all sites (i, j) with even i + j (colour 0), then the odd ones
// (colour 1). `beta` is the inverse temperature times the coupling, negative for an antiferromagnet. Acceptance is
// HL_ISING_METROPOLIS, HL_ISING_HEAT_BATH, or HL_ISING_ACCEPT_AUTO: the heat bath if 2 |beta| < atanh(0.1). A spin with
// equally many neighbours of both signs flips with probability 1/2. Probabilities are exact to 2^-48. Writes the number
// of flips to `*flips` unless it is null. HL_ERR_NULL, HL_ERR_BETA, HL_ERR_OPTION.
hl_status hl_ising_square_sweep(hl_ising_square *lattice, double beta, int32_t acceptance, uint64_t sweeps,
                                uint64_t *flips);

// Visits the spins of one colour in `row_count` rows from `row_begin` on, as the next sweep would. `row_begin` is a
// multiple of 8, and `row_begin + row_count` is one or the number of rows. Threads may visit different rows of the same
// colour at the same time. A sweep is: all rows of colour 0, all rows of colour 1, then hl_ising_square_set_sweeps with
// the next number. Arguments and errors of hl_ising_square_sweep; HL_ERR_INDEX.
hl_status hl_ising_square_visit(const hl_ising_square *lattice, double beta, int32_t acceptance, size_t colour,
                                size_t row_begin, size_t row_count, uint64_t *flips);

// Writes the number of the next sweep: the number of sweeps so far, unless it was set. HL_ERR_NULL.
hl_status hl_ising_square_get_sweeps(const hl_ising_square *lattice, uint64_t *sweeps);

// Sets the number of the next sweep. A lattice with the same size, seed, spins and number continues like the one that
// they were taken from. HL_ERR_NULL.
hl_status hl_ising_square_set_sweeps(hl_ising_square *lattice, uint64_t sweeps);

// Writes all spins: spins[columns * i + j] becomes +1 or -1. HL_ERR_NULL.
hl_status hl_ising_square_get_spins(const hl_ising_square *lattice, int8_t *spins);

// Sets all spins: spins[columns * i + j] is +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_square_set_spins(hl_ising_square *lattice, const int8_t *spins);

// Writes all spins as n = 2 rows w words, with w = ceil(columns / 128) for each row: the rows of colour 0, then those
// of colour 1. Bit b of word k of a row is 1 if the spin in column 2 (64 k + b) is -1, or the next one if that column
// has the other colour. Other bits are 0. HL_ERR_NULL, HL_ERR_LENGTH for another n.
hl_status hl_ising_square_copy_words(const hl_ising_square *lattice, uint64_t *words, size_t n);

// Sets all spins from the words of hl_ising_square_copy_words. HL_ERR_NULL, HL_ERR_LENGTH for another n.
hl_status hl_ising_square_set_words(hl_ising_square *lattice, const uint64_t *words, size_t n);

// Writes the sum of s s' over the 2 rows columns bonds, and the sum of all spins. HL_ERR_NULL.
hl_status hl_ising_square_measure(const hl_ising_square *lattice, int64_t *energy, int64_t *magnetisation);

// ---- worldlines: quantum systems at a cost that does not depend on the number of slices ----------

// Worldlines of H = - sum J_ij sz_i sz_j - sum h_i sz_i - gamma sum sx_i at the inverse temperature beta: each site
// in all slices of imaginary time, as the spin of slice 0 and its kinks, the slices k whose spin differs from that
// of slice k + 1 (of slice 0 after the last one). The weight is that of a ring of layers with exp(beta / slices (sum
// J_ij s_i s_j + sum h_i s_i)) in each and tanh(beta gamma / slices) for each kink. Time and memory grow with the
// number of kinks. The error of means by the finite number of slices is of order (beta gamma / slices)^2. The same
// lines, generator and points give the same lines on every CPU.
typedef struct hl_ising_worldlines hl_ising_worldlines;

// The two inverse temperatures.
typedef struct hl_ising_beta {
    float space;
    float tau;
} hl_ising_beta;

// Es and Et of all layers or slices together.
typedef struct hl_ising_energies {
    double space;
    double tau;
} hl_ising_energies;

// A point of a sweep: both are from 0 to 3.4e38.
typedef struct hl_ising_transverse {
    double beta;   // inverse temperature
    double gamma;  // transverse field, in units of couplings; 0 for no new kinks
} hl_ising_transverse;

// Creates worldlines of spins +1. `graph->layers` is the number of slices, 2 to 2^30. HL_ERR_NULL, HL_ERR_LAYERS,
// HL_ERR_TOO_LARGE, HL_ERR_NO_MEMORY and those of hl_ising_create for a graph.
hl_status hl_ising_worldlines_create(const hl_ising_graph *graph, hl_ising_worldlines **lines);

// Frees worldlines. Null is ignored.
void hl_ising_worldlines_destroy(hl_ising_worldlines *lines);

// Redraws all lines `sweeps` times at each of the n points of a schedule: one for a run at fixed beta and gamma,
// falling fields for an anneal. `rng` must have 16 lanes. Writes the number of segments that were redrawn to
// `*segments` unless it is null. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_RANGE, HL_ERR_NO_MEMORY (a sweep may then be
// incomplete; lines are valid).
hl_status hl_ising_worldlines_sweep(hl_ising_worldlines *lines, hl_random_mt19937 *rng,
                                    const hl_ising_transverse *schedule, size_t n, uint64_t sweeps,
                                    uint64_t *segments);

// Flips clusters of spins in space and imaginary time, `sweeps` times, as Swendsen and Wang (1987): between two calls
// of hl_ising_worldlines_sweep near a transition, for models that are not frustrated. Valid for all. `rng` must have 16
// lanes. Writes the number of clusters to `*clusters` unless it is null. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_RANGE,
// HL_ERR_TOO_LARGE for 2^32 pieces of lines, about beta gamma of each, HL_ERR_NO_MEMORY.
hl_status hl_ising_worldlines_sweep_clusters(hl_ising_worldlines *lines, hl_random_mt19937 *rng,
                                             const hl_ising_transverse *at, uint64_t sweeps, uint64_t *clusters);

// Writes 1 if some closed loop of couplings has a negative product, so that no spins satisfy all couplings, otherwise
// 0. Clusters of a frustrated model span it before they order it. HL_ERR_NULL, HL_ERR_NO_MEMORY.
hl_status hl_ising_worldlines_is_frustrated(const hl_ising_worldlines *lines, uint32_t *is_frustrated);

// Writes the correlation of spins in imaginary time: correlation[k] becomes the mean of s(t) s(t + lags[k]) over all
// sites and slices t. Its mean over sweeps is that of sz(0) sz(tau) at tau = beta lags[k] / slices. HL_ERR_NULL,
// HL_ERR_INDEX for lags that are no slices, HL_ERR_NO_MEMORY.
hl_status hl_ising_worldlines_correlation(const hl_ising_worldlines *lines, const size_t *lags, size_t n,
                                          double *correlation);

// Writes the gap for which A cosh(gap (beta / 2 - tau)) + B has three values at three times, at any A > 0 and B: the
// lowest excitation if it has most of the weight at these times, else above it. NaN if the values do not fall, or fall
// as slowly as without a gap. HL_ERR_NULL, HL_ERR_RANGE unless beta is above 0, times ascend from 0 to at most beta /
// 2 and values are finite.
hl_status hl_ising_correlation_gap(double beta, const double *taus, const double *values, double *gap);

// Writes estimates of the energy, the term of the transverse field included, and of the mean of sx over the sites;
// the latter is 0 if gamma is. HL_ERR_NULL, HL_ERR_RANGE.
hl_status hl_ising_worldlines_energy(const hl_ising_worldlines *lines, const hl_ising_transverse *at, double *energy,
                                     double *transverse);

// Writes Es and Et of all slices, for a replica exchange of worldlines with the same graph. -Es over the number of
// slices is the energy without the transverse field, its mean over the slices. HL_ERR_NULL.
hl_status hl_ising_worldlines_energies(const hl_ising_worldlines *lines, hl_ising_energies *energies);

// Writes the inverse temperatures of Es and Et at a point: a rung of hl_ising_replica_exchange_create. HL_ERR_NULL,
// HL_ERR_RANGE.
hl_status hl_ising_worldlines_weights(const hl_ising_worldlines *lines, const hl_ising_transverse *at,
                                      hl_ising_beta *beta);

// Writes the sum of the spins of all sites and slices. HL_ERR_NULL.
hl_status hl_ising_worldlines_magnetisation(const hl_ising_worldlines *lines, int64_t *magnetisation);

// Writes the number of kinks of all lines. HL_ERR_NULL.
hl_status hl_ising_worldlines_kinks(const hl_ising_worldlines *lines, uint64_t *kinks);

// Writes the spins of a slice: spins[site] becomes +1 or -1. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_worldlines_get_spins(const hl_ising_worldlines *lines, size_t slice, int8_t *spins);

// Sets all slices to the same spins: spins[site] is +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_worldlines_set_spins(hl_ising_worldlines *lines, const int8_t *spins);

// Writes the spin of a site in slice 0, the number of its kinks and, unless `kinks` is null, the kinks in ascending
// order. HL_ERR_NULL, HL_ERR_SITE_RANGE, HL_ERR_LENGTH if n is less than their number.
hl_status hl_ising_worldlines_get_line(const hl_ising_worldlines *lines, size_t site, int8_t *spin, int32_t *kinks,
                                       size_t n, size_t *count);

// Sets a line as hl_ising_worldlines_get_line wrote it. With all lines and the state of the generator, sweeps
// continue as if they had not been interrupted. HL_ERR_NULL, HL_ERR_SITE_RANGE, HL_ERR_SPIN, HL_ERR_EVEN for an odd
// n, HL_ERR_INDEX for kinks that do not ascend or are no slices, HL_ERR_NO_MEMORY.
hl_status hl_ising_worldlines_set_line(hl_ising_worldlines *lines, size_t site, int8_t spin, const int32_t *kinks,
                                       size_t n);

// ---- replica exchange: models that swap temperatures --------------------------------------------

// Replica exchange (parallel tempering): equal models, the replicas, move along a ladder of
// temperatures. Sweep each replica at the inverse temperatures that hl_ising_replica_exchange_beta
// returns; between sweeps, hl_ising_replica_exchange_step swaps the temperatures of some pairs, while
// spins stay in place. Temperatures are numbered along the ladder; pair p is temperatures p and p +
// 1. The same seed and energies give the same swaps on every machine.
typedef struct hl_ising_replica_exchange hl_ising_replica_exchange;

// Creates an exchange with one replica per temperature, replica r at temperature r. HL_ERR_NULL,
// HL_ERR_LADDER for fewer than two temperatures, HL_ERR_TOO_LARGE for 2^32 or more, HL_ERR_BETA,
// HL_ERR_NO_MEMORY.
hl_status hl_ising_replica_exchange_create(const hl_ising_beta *ladder, size_t temperatures, uint32_t seed,
                                           hl_ising_replica_exchange **exchange);

// Creates an exchange from a saved state. Errors as for hl_ising_replica_exchange_set_state, and
// HL_ERR_NO_MEMORY.
hl_status hl_ising_replica_exchange_create_from_state(const uint8_t *bytes, size_t size,
                                                      hl_ising_replica_exchange **exchange);

// Frees an exchange. Null is ignored.
void hl_ising_replica_exchange_destroy(hl_ising_replica_exchange *exchange);

// Attempts to swap the even pairs 0, 2, 4, .. and, in the next call, the odd pairs 1, 3, 5, .., in
// turn. Let a and b be the replicas at the two temperatures of pair p. They are swapped with
// probability min(1, exp(x)), which satisfies detailed balance, where
//   x = (space_p - space_p+1) (Es_b - Es_a) + (tau_p - tau_p+1) (Et_b - Et_a)
// Writes the number of swaps to `*swaps` unless it is null. `n` is the number of replicas;
// energies[replica] is the energy of all layers of a replica.
// HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_ENERGY.
hl_status hl_ising_replica_exchange_exchange(hl_ising_replica_exchange *exchange, const hl_ising_energies *energies,
                                             size_t n, size_t *swaps);

// Like hl_ising_replica_exchange_exchange, with the energies of models[replica], computed only where
// needed. The models are only read. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_ising_replica_exchange_step(hl_ising_replica_exchange *exchange, hl_ising_model *const *models, size_t n,
                                         size_t *swaps);

// Writes 1 to `*is_swapped` if a round swaps the replicas at the temperatures `pair` and pair + 1,
// whose energies are energies[0] and energies[1], else 0. `ahead` is the number of rounds before it
// that have not been made: 0 for the next round. A round that does not attempt the pair does not
// swap it. Processes that hold some of the replicas each decide their own pairs, and
// hl_ising_replica_exchange_apply makes the rounds. HL_ERR_NULL, HL_ERR_INDEX, HL_ERR_ENERGY.
hl_status hl_ising_replica_exchange_decide(const hl_ising_replica_exchange *exchange, uint64_t ahead, size_t pair,
                                           const hl_ising_energies *energies, uint8_t *is_swapped);

// Makes a round: of the pairs that it attempts, swaps each one whose swaps[pair] is not 0. n is the number
// of pairs, one fewer than temperatures. Writes the number of swaps to `*made` unless it is null.
// HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_ising_replica_exchange_apply(hl_ising_replica_exchange *exchange, const uint8_t *swaps, size_t n,
                                          size_t *made);

// Writes the number of temperatures, which equals the number of replicas. HL_ERR_NULL.
hl_status hl_ising_replica_exchange_len(const hl_ising_replica_exchange *exchange, size_t *temperatures);

// Writes the inverse temperatures at which to sweep a replica. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_replica_exchange_beta(const hl_ising_replica_exchange *exchange, size_t replica,
                                         hl_ising_beta *beta);

// Writes the current temperature index of a replica. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_replica_exchange_temperature_of(const hl_ising_replica_exchange *exchange, size_t replica,
                                                   size_t *temperature);

// Writes the replica that is currently at a temperature. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_replica_exchange_replica_at(const hl_ising_replica_exchange *exchange, size_t temperature,
                                               size_t *replica);

// Writes the number of attempted, or of accepted, swaps of a pair. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_replica_exchange_attempts(const hl_ising_replica_exchange *exchange, size_t pair,
                                             uint64_t *attempts);
hl_status hl_ising_replica_exchange_swaps(const hl_ising_replica_exchange *exchange, size_t pair, uint64_t *swaps);

// Writes the number of completed round trips of all replicas, or of one. A round trip goes from
// temperature 0 to the last one and back to 0. HL_ERR_NULL, HL_ERR_INDEX.
hl_status hl_ising_replica_exchange_round_trips(const hl_ising_replica_exchange *exchange, uint64_t *trips);
hl_status hl_ising_replica_exchange_round_trips_of(const hl_ising_replica_exchange *exchange, size_t replica,
                                                   uint64_t *trips);

// Writes the size of the saved state in bytes. HL_ERR_NULL.
hl_status hl_ising_replica_exchange_state_size(const hl_ising_replica_exchange *exchange, size_t *size);

// Saves the whole state, including ladder and statistics, as `size` bytes, where `size` comes from
// hl_ising_replica_exchange_state_size. The bytes are the same on every machine. HL_ERR_NULL,
// HL_ERR_LENGTH.
hl_status hl_ising_replica_exchange_get_state(const hl_ising_replica_exchange *exchange, uint8_t *bytes, size_t size);

// Restores a saved state, including its ladder. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED,
// HL_ERR_STATE_FOREIGN, HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH for trailing bytes, HL_ERR_NO_MEMORY if
// the number of temperatures changes.
hl_status hl_ising_replica_exchange_set_state(hl_ising_replica_exchange *exchange, const uint8_t *bytes, size_t size);

// ---- correlation: pair correlation functions of points in the plane -----------------------------

// Counts the pairs of points per bin of distance, and sums the products Re(psi_i* psi_j) of their
// orientations exactly. An accumulator (hl_correlation_pairs) collects the pairs of an image, whose points have
// integer coordinates (hl_correlation_image), or of points with real coordinates (hl_correlation_points). Threads can
// count parts of the pairs in separate accumulators and merge these.
typedef struct hl_correlation_pairs hl_correlation_pairs;
typedef struct hl_correlation_image hl_correlation_image;
typedef struct hl_correlation_points hl_correlation_points;

// One bin: pairs at a distance r with lo <= r < hi. The sum of their products is sum_hi 2^64 +
// sum_lo, in units of 2^-28; g is the mean product, NaN if there are no pairs.
typedef struct hl_correlation_pairs_bin {
    double lo;
    double hi;
    double g;
    uint64_t count;
    int64_t sum_hi;
    uint64_t sum_lo;
} hl_correlation_pairs_bin;

// Converts orientations to the fixed-point numbers psi[2 k] + i psi[2 k + 1] in units of 2^-14: from re[k] + i im[k],
// of magnitude at most 1, or as exp(i fold theta[k]) from angles in radians. HL_ERR_NULL, HL_ERR_ORIENTATION.
hl_status hl_correlation_psi(const double *re, const double *im, size_t n, int16_t *psi);
hl_status hl_correlation_psi_from_angles(const double *theta, size_t n, uint32_t fold, int16_t *psi);

// Writes the bond-orientational order of each point (x[i], y[i]): the mean of exp(i fold theta) over the directions
// theta to its `k` nearest other points (psi_6 for k = fold = 6). Ties in distance go to the smaller y, then the
// smaller x. A neighbour at the same position counts as one of the k and contributes 0. If `periods` is null the plane
// is open; otherwise it is periodic with these two lengths, and each other point counts once, at its nearest image.
// HL_ERR_NULL; HL_ERR_NEIGHBOURS unless 1 <= k < n (or n is 0); HL_ERR_COORDINATE for a coordinate that is not finite,
// or above 10^300 in an open plane; HL_ERR_PERIODIC for a period outside 10^-290 .. 10^290; HL_ERR_NO_MEMORY.
hl_status hl_correlation_psi_of_neighbours(const double *x, const double *y, size_t n, const double *periods, size_t k,
                                           uint32_t fold, int16_t *psi);

// The same for all other points at a distance of at most `radius` (0 for a point that has none), and for given
// bonds: pair bonds[2 b], bonds[2 b + 1] is a point and one of its neighbours, whose directions are added in the given
// order; a bond leads to the nearest image (hl_correlation_psi_of_bonds_to_images: to any). HL_ERR_NULL;
// HL_ERR_COORDINATE also for a radius that is not a positive number; HL_ERR_PERIODIC also for a period less than
// twice the radius; HL_ERR_INDEX for a bond that names no point; HL_ERR_NO_MEMORY.
hl_status hl_correlation_psi_of_neighbours_within(const double *x, const double *y, size_t n, const double *periods,
                                                  double radius, uint32_t fold, int16_t *psi);
hl_status hl_correlation_psi_of_bonds(const double *x, const double *y, size_t n, const double *periods,
                                      const size_t *bonds, size_t count, uint32_t fold, int16_t *psi);

// The same for given bonds with a weight for each, such as the lengths of shared edges of Voronoi
// cells: the mean is weighted by them, and 0 where the weights of a point add up to 0. As
// hl_correlation_psi_of_bonds; HL_ERR_COORDINATE also for a weight that is negative or not finite.
hl_status hl_correlation_psi_of_weighted_bonds(const double *x, const double *y, size_t n, const double *periods,
                                               const size_t *bonds, const double *weights, size_t count, uint32_t fold,
                                               int16_t *psi);

// The same for bonds to given images: in a periodic plane bond b leads to the image whose difference from the point is
// closest to (displacements[2 b], displacements[2 b + 1]), which may be off by less than half a period. In a small box
// the adjacent image need not be the nearest one. Each bond counts once if `weights` is null. HL_ERR_COORDINATE also
// for a displacement that is not finite.
hl_status hl_correlation_psi_of_bonds_to_images(const double *x, const double *y, size_t n, const double *periods,
                                                const size_t *bonds, const double *displacements,
                                                const double *weights, size_t count, uint32_t fold, int16_t *psi);

// Creates an accumulator with the n - 1 bins between n edges, or with bins of equal width: edge k is lo + k width, and
// the last edge is at most `hi`. At most 65536 bins (HL_ERR_TOO_LARGE). HL_ERR_NULL, HL_ERR_BINS, HL_ERR_NO_MEMORY.
hl_status hl_correlation_pairs_create(const double *edges, size_t n, hl_correlation_pairs **pairs);
hl_status hl_correlation_pairs_create_uniform(double lo, double hi, double width, hl_correlation_pairs **pairs);

// Frees an accumulator. Null is ignored.
void hl_correlation_pairs_destroy(hl_correlation_pairs *pairs);

// Writes the number of bins. HL_ERR_NULL.
hl_status hl_correlation_pairs_len(const hl_correlation_pairs *pairs, size_t *bins);

// Writes all n bins. HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_correlation_pairs_get(const hl_correlation_pairs *pairs, hl_correlation_pairs_bin *bins, size_t n);

// Adds the counts and sums of another accumulator. HL_ERR_NULL, HL_ERR_BINS unless the bins are
// equal, HL_ERR_OVERLAP for itself.
hl_status hl_correlation_pairs_merge(hl_correlation_pairs *pairs, const hl_correlation_pairs *other);

// Adds the counts and sums of n bins that hl_correlation_pairs_get has written, such as in another process; g is
// ignored. HL_ERR_NULL, HL_ERR_LENGTH, HL_ERR_BINS unless all edges are equal.
hl_status hl_correlation_pairs_add_bins(hl_correlation_pairs *pairs, const hl_correlation_pairs_bin *bins, size_t n);

// Creates an image: sorts the points (x[i], y[i]), with orientations as hl_correlation_psi writes
// them. If `psi` is null, pairs are only counted, which is faster. The extents in x and in y are at
// most 2^20 (HL_ERR_TOO_LARGE). HL_ERR_NULL, HL_ERR_ORIENTATION, HL_ERR_NO_MEMORY.
hl_status hl_correlation_image_create(const int32_t *x, const int32_t *y, const int16_t *psi, size_t n,
                                      hl_correlation_image **image);

// Frees an image. Null is ignored.
void hl_correlation_image_destroy(hl_correlation_image *image);

// Writes the extent in y: the largest y minus the smallest. HL_ERR_NULL.
hl_status hl_correlation_image_height(const hl_correlation_image *image, uint32_t *height);

// Counts pairs by coordinate difference: counts[reach + dx] = number of pairs whose second point is `dy` above and dx
// to the right of the first (dx >= 0 if dy = 0), sums[reach + dx] = sum of their products in units of 2^-28, for dx in
// -reach ..= reach. HL_ERR_NULL, HL_ERR_TOO_LARGE for a reach above 2^20 or a sum above 2^63, HL_ERR_NO_MEMORY.
hl_status hl_correlation_image_map_row(const hl_correlation_image *image, uint32_t dy, size_t reach, uint64_t *counts,
                                       int64_t *sums);

// Add pairs, each once: all pairs of an image; those whose difference in y is in the half-open range
// begin .. end (ranges that cover 0 .. height + 1 give all pairs), row by row; the pairs between two
// images. Without a range the fastest method counts that needs at most 1 GiB, or `memory` bytes,
// besides the points. HL_ERR_NULL, HL_ERR_NO_MEMORY.
hl_status hl_correlation_pairs_add_image(hl_correlation_pairs *pairs, const hl_correlation_image *image);
hl_status hl_correlation_pairs_add_image_within(hl_correlation_pairs *pairs, const hl_correlation_image *image,
                                                size_t memory);
hl_status hl_correlation_pairs_add_image_rows(hl_correlation_pairs *pairs, const hl_correlation_image *image,
                                              uint32_t begin, uint32_t end);
hl_status hl_correlation_pairs_add_image_cross(hl_correlation_pairs *pairs, const hl_correlation_image *image,
                                               const hl_correlation_image *other);
hl_status hl_correlation_pairs_add_image_cross_within(hl_correlation_pairs *pairs, const hl_correlation_image *image,
                                                      const hl_correlation_image *other, size_t memory);

// Creates a set of points with real coordinates and orientations as hl_correlation_psi writes them,
// for pairs at distances up to r_max. If `psi` is null, pairs are only counted. If `periods` is
// null the plane is open; otherwise it is periodic with these two lengths, and pairs have the
// distance of their nearest images. Distances are accurate to 2^-18 r_max wherever the points are;
// if all coordinates are multiples of one power of two that is at least 2^-20 r_max, coordinate
// differences are exact. Integers have the counts of an image up to an r_max of 4096, with a list of edges
// or uniform bins whose lo is an integer and whose width is 1, 2, 4 or a higher power of two.
// HL_ERR_NULL; HL_ERR_ORIENTATION; HL_ERR_COORDINATE for a coordinate that
// is not finite, or in an open plane above 10^300 or 10^300 r_max; HL_ERR_PERIODIC for a period
// below 2 r_max or outside 10^-290 .. 10^290; HL_ERR_BINS unless r_max is positive and finite;
// HL_ERR_NO_MEMORY.
hl_status hl_correlation_points_create(const double *x, const double *y, const int16_t *psi, size_t n,
                                       const double *periods, double r_max, hl_correlation_points **points);

// Creates a second set in the same plane and grid, for pairs between the two sets; `psi` may be
// null. Errors as for hl_correlation_points_create.
hl_status hl_correlation_points_create_others(const hl_correlation_points *points, const double *x, const double *y,
                                              const int16_t *psi, size_t n, hl_correlation_points **others);

// Frees a set of points. Null is ignored.
void hl_correlation_points_destroy(hl_correlation_points *points);

// Writes the number of cells, by which the work can be split. HL_ERR_NULL.
hl_status hl_correlation_points_cells(const hl_correlation_points *points, size_t *cells);

// Add pairs, each once: all pairs of a set; those that belong to the cells in the half-open range
// begin .. end (all cells give all pairs); the pairs between a set and another one created from it
// (else HL_ERR_FRAME). HL_ERR_NULL; HL_ERR_PERIODIC if a period is less than twice the last edge of
// the bins; HL_ERR_BINS if both the last edge and the extent of the points exceed 10^18 r_max;
// HL_ERR_NO_MEMORY.
hl_status hl_correlation_pairs_add_points(hl_correlation_pairs *pairs, const hl_correlation_points *points);
hl_status hl_correlation_pairs_add_points_of_cells(hl_correlation_pairs *pairs, const hl_correlation_points *points,
                                                   size_t begin, size_t end);
hl_status hl_correlation_pairs_add_points_cross(hl_correlation_pairs *pairs, const hl_correlation_points *points,
                                                const hl_correlation_points *others);

// ---- hardround: hard-to-round cases of elementary functions -------------------------------------

// A function is searched on a grid of arguments x = 0, 1, 2, .., scaled so that the breakpoints of
// rounding are the integers: x is a hard case if |F(x) mod 1| < e. Fractions are integers in units
// of 2^-64, 2^-128 or 2^-256, in two's complement.

// A block: F(x) mod 1 = c0 + c1 x + c2 x^2 + c3 x^3, coefficients in units of 2^-128, low word
// first.
typedef struct hl_hardround_block {
    uint64_t c[4][2];
} hl_hardround_block;

// Computes the polynomials of `count` blocks of 2^log2_length arguments, starting at block `first`,
// from the Taylor series f0 + f1 x + f2 x^2 + .. . Its degree + 1 coefficients are in units of
// 2^-256, four words each, lowest first. HL_ERR_NULL, HL_ERR_PROOF for a degree above 12 or blocks
// longer than 2^32, HL_ERR_NO_MEMORY.
hl_status hl_hardround_blocks(const uint64_t *taylor, size_t degree, uint32_t log2_length, int64_t first, size_t count,
                              hl_hardround_block *blocks);

// Algorithms of hl_hardround_scan. Both find the same cases.
enum {
    HL_HARDROUND_DUAL = 0,  // rows of arcs on which the slope is near a fraction; domains elsewhere
    HL_HARDROUND_FAREY = 1  // domains, in cells that share the neighbours of a Farey sequence
};

// Finds all x < length with |F(x) mod 1| < within 2^-64. Writes the first `capacity` of them in
// ascending order, and their total number. The result is exact for the polynomial. Blocks of about
// 2^13 / cbrt(c2) arguments suit HL_HARDROUND_DUAL, and 2^8 / cbrt(c2) HL_HARDROUND_FAREY; shorter
// ones take longer. HL_ERR_OPTION, HL_ERR_NULL, HL_ERR_PROOF for a length above 2^32 or `within`
// above 2^61, HL_ERR_NO_MEMORY.
hl_status hl_hardround_scan(const hl_hardround_block *block, uint64_t length, uint64_t within, uint32_t algorithm,
                            uint64_t *found, size_t capacity, size_t *count);

// Tests of hl_hardround_exists.
enum {
    HL_HARDROUND_REGULAR = 0,
    HL_HARDROUND_LEFEVRE = 1
};

// Tests which domains may contain a case: bit i mod 8 of bits[i / 8] is 0 if no x < n satisfies
// b[i] - a[i] x mod 2^64 < w. n below 3 is treated as 3. HL_ERR_NULL, HL_ERR_OPTION,
// HL_ERR_OVERLAP, HL_ERR_PROOF for n above 2^32.
hl_status hl_hardround_exists(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n, uint64_t w, uint32_t test,
                              uint8_t *bits);

#ifdef __cplusplus
}
#endif

#endif
