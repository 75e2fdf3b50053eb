// A user of the whole library, in C99 and in C++: checks every status, and prints its results, which tests/c_api.rs
// compares with those of the crate. `digest` lines carry the FNV-1a hash of the bytes of a result.
#include "hotloops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(truth)                                                                 \
    do {                                                                             \
        if (!(truth)) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth);              \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)
#define OK(call) CHECK((call) == HL_OK)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned char refused[256];

// The call is refused with this status.
#define REFUSED(status, call)                \
    do {                                     \
        const hl_status got = (call);        \
        CHECK(got == (status));              \
        refused[-got] = 1;                   \
    } while (0)

static void digest(const char *name, const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i;
    for (i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    printf("digest %s %08lx%08lx\n", name, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffff));
}

// ---- random --------------------------------------------------------------------------------------------------------

static hl_mt19937 *generator(uint32_t lanes)
{
    uint32_t seeds[16];
    uint32_t lane;
    hl_mt19937 *rng = NULL;
    for (lane = 0; lane < lanes; lane++)
        seeds[lane] = 5489 + lane;
    OK(hl_mt19937_create(lanes, seeds, &rng));
    return rng;
}

static void random_family(void)
{
    static uint32_t words[2000], state[624 * 16], again[2000];
    static float floats[2000];
    uint32_t lanes, lane, i;
    for (lanes = 4; lanes <= 16; lanes *= 2) {
        hl_mt19937 *rng = generator(lanes);
        size_t position = 0;
        OK(hl_mt19937_fill_u32(rng, words, 1999));
        OK(hl_mt19937_fill_f32(rng, floats, COUNT(floats)));
        OK(hl_mt19937_fill_u32(rng, NULL, 0));
        CHECK(words[0] == UINT32_C(3499211612)); // the first number that the C++ standard's default seed gives
        digest("mt19937_u32", words, 1999 * sizeof *words);
        digest("mt19937_f32", floats, sizeof floats);

        // The kernels, on a state seeded here.
        for (lane = 0; lane < lanes; lane++) {
            state[lane] = 5489 + lane;
            for (i = 1; i < 624; i++) {
                const uint32_t last = state[(i - 1) * lanes + lane];
                state[i * lanes + lane] = UINT32_C(1812433253) * (last ^ last >> 30) + i;
            }
        }
        hl_random_mt19937_u32(state, lanes, &position, again, 1999);
        CHECK(memcmp(words, again, 1999 * sizeof *words) == 0);
        hl_random_mt19937_f32(state, lanes, &position, (float *)again, COUNT(floats));
        CHECK(memcmp(floats, again, sizeof floats) == 0);
        CHECK(position == 3999 % (624 * lanes));
        hl_mt19937_destroy(rng);
    }
}

// A saved state goes on where it was, in a new generator and in one that had another number of lanes.
static void random_states(void)
{
    static uint8_t bytes[65536];
    uint32_t expected[100], words[100];
    size_t size = 0;
    hl_mt19937 *const rng = generator(8);
    hl_mt19937 *const other = generator(16);
    hl_mt19937 *copy = NULL;
    OK(hl_mt19937_fill_u32(rng, words, 99));
    OK(hl_mt19937_state_size(rng, &size));
    CHECK(size > 624 * 8 * 4 && size < sizeof bytes);
    OK(hl_mt19937_get_state(rng, bytes, size));
    digest("state", bytes, size);
    OK(hl_mt19937_fill_u32(rng, expected, 100));
    OK(hl_mt19937_create_from_state(bytes, size, &copy));
    OK(hl_mt19937_fill_u32(copy, words, 100));
    CHECK(memcmp(words, expected, sizeof words) == 0);
    OK(hl_mt19937_set_state(other, bytes, size));

    REFUSED(HL_ERR_NULL, hl_mt19937_state_size(NULL, &size));
    REFUSED(HL_ERR_NULL, hl_mt19937_state_size(rng, NULL));
    REFUSED(HL_ERR_NULL, hl_mt19937_get_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_mt19937_get_state(rng, NULL, size));
    REFUSED(HL_ERR_LENGTH, hl_mt19937_get_state(rng, bytes, size - 1));
    REFUSED(HL_ERR_NULL, hl_mt19937_set_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_mt19937_set_state(other, NULL, size));
    REFUSED(HL_ERR_NULL, hl_mt19937_create_from_state(bytes, size, NULL));
    REFUSED(HL_ERR_NULL, hl_mt19937_create_from_state(NULL, size, &copy));
    REFUSED(HL_ERR_LENGTH, hl_mt19937_set_state(other, bytes, size + 1));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_mt19937_set_state(other, bytes, size - 1));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_mt19937_set_state(other, NULL, 0));
    bytes[size / 2] ^= 1;
    REFUSED(HL_ERR_STATE_CORRUPT, hl_mt19937_set_state(other, bytes, size));
    bytes[0] ^= 1;
    REFUSED(HL_ERR_STATE_FOREIGN, hl_mt19937_create_from_state(bytes, size, &copy));
    OK(hl_mt19937_fill_u32(other, words, 100));
    CHECK(memcmp(words, expected, sizeof words) == 0);
    hl_mt19937_destroy(rng);
    hl_mt19937_destroy(other);
    hl_mt19937_destroy(copy);
}

static void random_errors(void)
{
    const uint32_t seeds[3] = {1, 2, 3};
    hl_mt19937 *rng = NULL;
    REFUSED(HL_ERR_LANES, hl_mt19937_create(3, seeds, &rng));
    REFUSED(HL_ERR_NULL, hl_mt19937_create(4, NULL, &rng));
    REFUSED(HL_ERR_NULL, hl_mt19937_create(4, seeds, NULL));
    CHECK(rng == NULL);
    REFUSED(HL_ERR_NULL, hl_mt19937_fill_u32(NULL, (uint32_t *)&seeds, 0));
    REFUSED(HL_ERR_NULL, hl_mt19937_fill_f32(NULL, NULL, 0));
    rng = generator(4);
    REFUSED(HL_ERR_NULL, hl_mt19937_fill_u32(rng, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_mt19937_fill_f32(rng, NULL, 1));
    hl_mt19937_destroy(rng);
    hl_mt19937_destroy(NULL);
}

// ---- exp -----------------------------------------------------------------------------------------------------------

typedef void exp_kernel(const float *x, float *y, size_t n);

static void exp_family(void)
{
    exp_kernel *const kernels[] = {hl_exp_fast_f32, hl_exp_accurate_f32, hl_exp_poly_f32};
    const char *const names[] = {"fast_f32", "accurate_f32", "poly_f32"};
    float x[1001], y[1001];
    size_t k, i;
    for (k = 0; k < COUNT(kernels); k++) {
        for (i = 0; i < COUNT(x); i++)
            x[i] = ((float)i - 500.0f) / 16.0f;
        kernels[k](x, y, COUNT(x));
        digest(names[k], y, sizeof y);
        kernels[k](x, x, COUNT(x));
        CHECK(memcmp(x, y, sizeof x) == 0);
        kernels[k](NULL, NULL, 0);
    }
}

// ---- bitslice and hamming ------------------------------------------------------------------------------------------

static uint32_t block[2048];

static void bits_family(void)
{
    static uint8_t planes[65536], bytes[65536], packed[65536];
    static uint32_t d[32 * 32], self[100 * 100];
    static float scores[100 * 100];
    static hl_fp_hit hits[1000];
    uint64_t counts[64], cursor = 0;
    uint16_t code[32];
    const size_t idx[3] = {2047, 5, 0};
    uint32_t picked[3], i, layout;
    size_t size = 0, n = 0;
    for (i = 0; i < COUNT(block); i++)
        block[i] = i * UINT32_C(2654435761);

    OK(hl_bitslice(block, 2048, 4, planes, 256));
    digest("planes", planes, 8192);
    OK(hl_bitunslice(planes, 256, 2048, 4, bytes));
    CHECK(memcmp(bytes, block, sizeof block) == 0);
    OK(hl_bitslice_gather(planes, 256, 32, idx, 3, picked));
    CHECK(picked[0] == block[2047] && picked[1] == block[5] && picked[2] == 0);
    OK(hl_popcount_positional(block, 2048, 4, counts));
    digest("positions", counts, 32 * sizeof *counts);
    for (layout = HL_ROWS2048; layout <= HL_TILES64; layout++) {
        OK(hl_bitslice_blocks_size(1000, 8, layout, &size));
        OK(hl_bitslice_blocks(block, 1000, 8, planes, layout, HL_STORE_AUTO));
        digest("blocks", planes, size);
        OK(hl_bitunslice_blocks(planes, 1000, 8, bytes, layout, HL_STORE_STREAM));
        CHECK(memcmp(bytes, block, 8000) == 0);
        OK(hl_bitslice_gather_blocks(planes, 1000, 8, layout, idx + 1, 2, bytes));
        CHECK(memcmp(bytes, block + 10, 8) == 0);
    }
    memcpy(bytes, block, sizeof block);
    OK(hl_bitslice_inplace_u32x2048((uint32_t *)bytes, 1));
    OK(hl_bitslice(block, 2048, 4, planes, 256));
    CHECK(memcmp(bytes, planes, 8192) == 0);
    OK(hl_bitunslice_inplace_u32x2048((uint32_t *)bytes, 1));
    CHECK(memcmp(bytes, block, 8192) == 0);

    OK(hl_slices_distance_u32x2048(block, d));
    digest("slices", d, sizeof d);
    memset(self, 0, sizeof self);
    OK(hl_planes_distance_u32x2048(planes, self));
    CHECK(memcmp(self, d, sizeof d) == 0);
    OK(hl_planes_classify(d, 2048, code));
    digest("codes", code, sizeof code);
    code[3] = 1 | 0 << 3; // said to be all zeros
    OK(hl_planes_reduced_size(2048, 32, code, &size));
    OK(hl_planes_reduce(planes, 256, 2048, 32, code, bytes, size));
    OK(hl_planes_restore(bytes, size, 32, code, 2048, planes, 256));
    digest("restored", planes, 8192);

    OK(hl_dna_encode((const uint8_t *)"GATTACAUn", 9, planes, 2));
    digest("dna", planes, 6);
    OK(hl_dna_decode(planes, 2, 9, bytes));
    CHECK(memcmp(bytes, "GATTACATN", 9) == 0);

    // 100 rows of 500 bits.
    OK(hl_popcount_rows((const uint8_t *)block, 100, 500, 64, self));
    digest("ones", self, 100 * sizeof *self);
    OK(hl_hamming_self((const uint8_t *)block, 100, 500, 64, self, 100, 0, 40, HL_HAMMING_FULL));
    OK(hl_hamming_self((const uint8_t *)block, 100, 500, 64, self, 100, 40, 60, HL_HAMMING_FULL));
    digest("self", self, sizeof self);
    size = hl_fp_packed_bytes(100, 500);
    CHECK(size > 0 && size <= sizeof packed);
    OK(hl_fp_pack((const uint8_t *)block, 100, 500, 64, packed));
    OK(hl_hamming_cross(packed, (const uint8_t *)block, 100, 64, (uint32_t *)scores, 100));
    CHECK(memcmp(scores, self, sizeof self) == 0);
    OK(hl_tanimoto_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("tanimoto", scores, sizeof scores);
    OK(hl_tanimoto_threshold(packed, (const uint8_t *)block, 100, 64, 0.5f, 1, &cursor, hits, COUNT(hits), &n));
    CHECK(cursor == 10000 && n >= 100 && n < COUNT(hits));
    digest("hits", hits, n * sizeof *hits);
    OK(hl_dice_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("dice", scores, sizeof scores);
    OK(hl_cosine_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("cosine", scores, sizeof scores);
}

// The kernels give what the functions above give.
static void bits_kernels(void)
{
    static uint8_t rows[8192], tiles[8192], bytes[8192];
    static uint32_t words[2048], d[32 * 32], e[32 * 32];
    static float scores[64];
    const uint8_t *const source = (const uint8_t *)block;
    const size_t idx[2] = {100, 2000};
    uint64_t counts[64] = {0}, expected[64];
    uint32_t ones[64], picked[2];
    OK(hl_bitslice(block, 2048, 4, rows, 256));
    hl_bitslice_slice_u32(block, 4, bytes, 256);
    CHECK(memcmp(bytes, rows, sizeof rows) == 0);
    hl_bitslice_unslice_u32(rows, 256, 4, words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    OK(hl_bitslice_blocks(block, 2048, 4, tiles, HL_TILES64, HL_STORE_CACHED));
    hl_bitslice_tile_u32(block, 4, bytes, 256);
    CHECK(memcmp(bytes, tiles, sizeof tiles) == 0);
    hl_bitslice_untile_u32(tiles, 256, 4, words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_transpose_u64x32x32((const uint64_t *)(const void *)rows, (uint64_t *)(void *)bytes);
    CHECK(memcmp(bytes, tiles, sizeof tiles) == 0);
    hl_bitslice_pick(tiles, 8, 32, 6, 256, idx, 2, (uint8_t *)picked);
    CHECK(picked[0] == block[100] && picked[1] == block[2000]);
    hl_bitslice_slice_u8(source, 16, bytes, 1024);
    hl_bitslice_unslice_u8(bytes, 1024, 16, tiles);
    CHECK(memcmp(tiles, source, 8192) == 0);
    hl_bitslice_tile_u8(source, 16, bytes, 64);
    hl_bitslice_untile_u8(bytes, 64, 16, rows);
    CHECK(memcmp(rows, source, 8192) == 0);
    hl_bitslice_count_positions((const uint64_t *)(const void *)block, 1024, counts);
    OK(hl_popcount_positional(block, 1024, 8, expected));
    CHECK(memcmp(counts, expected, sizeof counts) == 0);
    hl_bitslice_prefetch(source, 8192);
    hl_bitslice_prefetch(NULL, 8192);
    hl_bitslice_stream(source, bytes, 8192);
    CHECK(memcmp(bytes, source, 8192) == 0);

    hl_bitslice_tile_u32(block, 4, tiles, 256);
    memset(d, 0, sizeof d);
    hl_hamming_slices(tiles, d);
    OK(hl_slices_distance_u32x2048(block, e));
    CHECK(memcmp(d, e, sizeof d) == 0);
    hl_hamming_counts(source, 64, 1000, 128, ones);
    digest("counts", ones, sizeof ones);
    hl_hamming_intersections(source, 8, 16, source, 128, NULL, 2, d, 64);
    digest("intersections", d, 128 * sizeof *d);
    hl_hamming_distances(ones, ones, 64, 1000, words);
    digest("distances", words, 64 * sizeof *words);
    hl_hamming_tanimoto(ones, ones, 64, 1000, 1, scores);
    digest("tanimoto", scores, sizeof scores);
    hl_hamming_dice(ones, ones, 64, 1000, 1, scores);
    digest("dice", scores, sizeof scores);
    hl_hamming_cosine(ones, ones, 64, 1000, 1, scores);
    digest("cosine", scores, sizeof scores);
}

static void bits_errors(void)
{
    uint8_t bytes[100] = {0};
    uint16_t code = 7;
    uint32_t d[4];
    uint64_t cursor = 0;
    size_t size = 0;
    hl_fp_hit hit;
    REFUSED(HL_ERR_ELEMENT_SIZE, hl_bitslice(block, 8, 3, bytes, 1));
    REFUSED(HL_ERR_STRIDE, hl_bitslice(block, 9, 1, bytes, 1));
    REFUSED(HL_ERR_OVERLAP, hl_bitslice(block, 8, 4, (uint8_t *)block + 1, 1));
    REFUSED(HL_ERR_NO_BITS, hl_popcount_rows(bytes, 1, 0, 1, d));
    REFUSED(HL_ERR_PLANES, hl_bitslice_gather(bytes, 1, 65, NULL, 0, NULL));
    REFUSED(HL_ERR_PACKED, hl_hamming_cross(bytes, bytes, 1, 1, d, 1));
    OK(hl_fp_pack((const uint8_t *)block, 0, 8, 1, bytes));
    REFUSED(HL_ERR_THRESHOLD, hl_tanimoto_threshold(bytes, NULL, 0, 0, 2, 1, &cursor, &hit, 1, &size));
    REFUSED(HL_ERR_LETTER, hl_dna_encode((const uint8_t *)"AX", 2, bytes, 1));
    memset(bytes, 0, sizeof bytes);
    bytes[2] = 1;
    REFUSED(HL_ERR_LETTER_CODE, hl_dna_decode(bytes, 1, 2, bytes + 50));
    REFUSED(HL_ERR_PLANE_CODE, hl_planes_reduced_size(8, 1, &code, &size));
    REFUSED(HL_ERR_INDEX, hl_hamming_self(bytes, 1, 8, 1, d, 1, 1, 1, HL_HAMMING_UPPER));
}

// ---- reduce and matmul ---------------------------------------------------------------------------------------------

static float floats[1001];
static double doubles[1001];

// Integers of 24 bits, halves and quarters of them; small integers, so that no product is rounded.
static void fill_numbers(void)
{
    uint32_t i;
    for (i = 0; i < COUNT(floats); i++) {
        const uint32_t word = i * UINT32_C(2654435761);
        floats[i] = ((float)(word >> 8) - 8388608.0f) / (float)(1 + i % 4);
        doubles[i] = ((double)word - 2147483648.0) / (double)(1 + i % 3);
    }
}

static void reduce_family(void)
{
    float f[8];
    double d[8];
    uint8_t bytes[HL_REPRO_STATE_SIZE];
    int64_t sums[2] = {0, 0};
    hl_repro *repro = NULL, *other = NULL;
    const size_t n = COUNT(floats);
    fill_numbers();
    f[0] = hl_reduce_sum_f32(floats, n);
    f[1] = hl_reduce_asum_f32(floats, n);
    f[2] = hl_reduce_dot_f32(floats, floats + 1, n - 1);
    f[3] = hl_reduce_sum2_f32(floats, n);
    f[4] = hl_reduce_dot2_f32(floats, floats + 1, n - 1);
    f[5] = hl_reduce_kahan_f32(floats, n);
    f[6] = hl_reduce_sum_repro_f32(floats, n);
    OK(hl_reduce_sum_strided_f32(floats, 300, -3, &f[7]));
    digest("reduce_f32", f, sizeof f);
    d[0] = hl_reduce_sum_f64(doubles, n);
    d[1] = hl_reduce_asum_f64(doubles, n);
    d[2] = hl_reduce_dot_f64(doubles, doubles + 1, n - 1);
    d[3] = hl_reduce_sum2_f64(doubles, n);
    d[4] = hl_reduce_dot2_f64(doubles, doubles + 1, n - 1);
    d[5] = hl_reduce_kahan_f64(doubles, n);
    d[6] = hl_reduce_sum_repro_f64(doubles, n);
    OK(hl_reduce_dot_strided_f64(doubles, 2, doubles + 1, -3, 300, &d[7]));
    digest("reduce_f64", d, sizeof d);
    OK(hl_reduce_asum_strided_f32(floats, n, 1, &f[0]));
    OK(hl_reduce_asum_strided_f64(doubles, n, 1, &d[0]));
    OK(hl_reduce_sum_strided_f64(doubles, n, -1, &d[2]));
    OK(hl_reduce_dot_strided_f32(floats, 1, floats + 1, 1, n - 1, &f[3]));
    CHECK(f[0] == f[1] && d[0] == d[1] && f[3] == f[2]);
    CHECK(hl_reduce_sum_repro_f32(NULL, 0) == 0 && hl_reduce_sum_repro_f64(NULL, 0) == 0);

    // Pieces, by way of a saved state.
    OK(hl_repro_create(&repro));
    OK(hl_repro_add_f64(repro, doubles + 400, n - 400));
    OK(hl_repro_get_state(repro, bytes, sizeof bytes));
    OK(hl_repro_create_from_state(bytes, sizeof bytes, &other));
    hl_repro_destroy(repro);
    OK(hl_repro_create(&repro));
    OK(hl_repro_add_f64(repro, doubles, 400));
    OK(hl_repro_merge(other, repro));
    OK(hl_repro_sum(other, &d[0]));
    CHECK(d[0] == d[6]);
    OK(hl_repro_add_f32(repro, floats, n));
    OK(hl_repro_get_state(repro, bytes, sizeof bytes));
    digest("repro", bytes, sizeof bytes);
    hl_repro_destroy(repro);
    hl_repro_destroy(other);
    hl_repro_destroy(NULL);

    CHECK(hl_reduce_binned_f64(doubles, n, -34, sums) == 1 && hl_reduce_binned_f32(floats, n, -34, sums) == 1);
    CHECK(hl_reduce_binned_f64(doubles, n, -60, sums) == 0 && hl_reduce_binned_f32(floats, n, -60, sums) == 0);
    digest("binned", sums, sizeof sums);
}

enum { ROWS = 23, COLUMNS = 37, DEPTH = 29 };

static void matmul_family(void)
{
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], again[ROWS * COLUMNS], values[DEPTH * COLUMNS], four[4 * ROWS * DEPTH];
    static double da[ROWS * DEPTH], db[DEPTH * COLUMNS], dc[ROWS * COLUMNS], dagain[ROWS * COLUMNS], dvalues[DEPTH * COLUMNS], two[2 * ROWS * DEPTH];
    const hl_matmul_opts opts = {HL_MATMUL_FAST, 1 << 12, 0, 0};
    static unsigned char workspace[1 << 20];
    hl_matmul_packed packed;
    hl_matmul_plan *plan = NULL;
    size_t i, bytes = 1;
    for (i = 0; i < ROWS * DEPTH; i++) {
        a[i] = (float)(i % 7) - 3;
        da[i] = (double)(i % 11) - 5;
        four[4 * i] = four[4 * i + 1] = four[4 * i + 2] = four[4 * i + 3] = a[i];
        two[2 * i] = two[2 * i + 1] = da[i];
    }
    for (i = 0; i < DEPTH * COLUMNS; i++) {
        b[i] = (float)(i % 5) - 2;
        db[i] = (double)(i % 13) - 6;
    }
    for (i = 0; i < ROWS * COLUMNS; i++) {
        c[i] = (float)(i % 3);
        dc[i] = (double)(i % 3);
    }
    OK(hl_matmul_gemm_f32(ROWS, COLUMNS, DEPTH, 2, a, DEPTH, 1, b, COLUMNS, 1, 3, c, COLUMNS, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f64(ROWS, COLUMNS, DEPTH, 2, da, 1, ROWS, db, 1, DEPTH, 3, dc, 1, ROWS, NULL, NULL, 0));
    digest("gemm_f32", c, sizeof c);
    digest("gemm_f64", dc, sizeof dc);

    // The same products again: by plans, with B packed, by kernels; the last alone changes C.
    OK(hl_matmul_gemm_f32(ROWS, COLUMNS, DEPTH, 1, a, DEPTH, 1, b, COLUMNS, 1, 0, c, COLUMNS, 1, &opts, workspace, sizeof workspace));
    OK(hl_matmul_gemm_f64(ROWS, COLUMNS, DEPTH, 1, da, DEPTH, 1, db, COLUMNS, 1, 0, dc, COLUMNS, 1, &opts, workspace, sizeof workspace));
    OK(hl_matmul_plan_create_f32(ROWS, COLUMNS, DEPTH, DEPTH, 1, COLUMNS, 1, COLUMNS, 1, NULL, &plan));
    OK(hl_matmul_plan_workspace_bytes(plan, &bytes));
    CHECK(bytes <= sizeof workspace);
    OK(hl_matmul_plan_run_f32(plan, 1, a, b, 0, again, workspace, sizeof workspace));
    CHECK(memcmp(c, again, sizeof c) == 0);
    REFUSED(HL_ERR_TYPE, hl_matmul_plan_run_f64(plan, 1, da, db, 0, dagain, workspace, sizeof workspace));
    hl_matmul_plan_destroy(plan);
    OK(hl_matmul_plan_create_f64(ROWS, COLUMNS, DEPTH, DEPTH, 1, COLUMNS, 1, COLUMNS, 1, &opts, &plan));
    OK(hl_matmul_plan_run_f64(plan, 1, da, db, 0, dagain, workspace, sizeof workspace));
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_plan_destroy(plan);
    hl_matmul_plan_destroy(NULL);
    OK(hl_matmul_pack_b_f32(DEPTH, COLUMNS, b, COLUMNS, 1, NULL, values, &packed));
    OK(hl_matmul_gemm_packed_f32(ROWS, 1, a, DEPTH, 1, &packed, 0, again, COLUMNS, 1, NULL, NULL, 0));
    CHECK(memcmp(c, again, sizeof c) == 0);
    REFUSED(HL_ERR_TYPE, hl_matmul_gemm_packed_f64(ROWS, 1, da, DEPTH, 1, &packed, 0, dagain, COLUMNS, 1, NULL, NULL, 0));
    OK(hl_matmul_pack_b_f64(DEPTH, COLUMNS, db, COLUMNS, 1, NULL, dvalues, &packed));
    OK(hl_matmul_gemm_packed_f64(ROWS, 1, da, DEPTH, 1, &packed, 0, dagain, COLUMNS, 1, NULL, NULL, 0));
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);

    hl_matmul_block_f32(ROWS, COLUMNS, DEPTH, a, DEPTH, 1, b, COLUMNS, NULL, again, COLUMNS, 0);
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_block_f64(ROWS, COLUMNS, DEPTH, da, DEPTH, 1, db, COLUMNS, NULL, dagain, COLUMNS, 0);
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_block_unfused_f32(ROWS, COLUMNS, DEPTH, four, 4 * DEPTH, 4, b, COLUMNS, NULL, again, COLUMNS, 0);
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_block_unfused_f64(ROWS, COLUMNS, DEPTH, two, 2 * DEPTH, 2, db, COLUMNS, NULL, dagain, COLUMNS, 0);
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_columns_f32(ROWS, COLUMNS, DEPTH, a, DEPTH, b, COLUMNS, again, COLUMNS, 0);
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_columns_f64(ROWS, COLUMNS, DEPTH, da, DEPTH, db, COLUMNS, dagain, COLUMNS, 0);
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_transpose_f32(ROWS, COLUMNS, c, COLUMNS, again, ROWS);
    CHECK(again[1] == c[COLUMNS] && again[ROWS * COLUMNS - 1] == c[ROWS * COLUMNS - 1]);
    hl_matmul_transpose_f64(ROWS, COLUMNS, dc, COLUMNS, dagain, ROWS);
    CHECK(dagain[1] == dc[COLUMNS] && dagain[ROWS * COLUMNS - 1] == dc[ROWS * COLUMNS - 1]);
}

static void numbers_errors(void)
{
    float x[4] = {1, 2, 3, 4}, c[4] = {5, 5, 5, 5};
    const float before[4] = {5, 5, 5, 5};
    hl_matmul_opts opts = {7, 0, 0, 0};
    uint8_t bytes[HL_REPRO_STATE_SIZE] = {0};
    hl_repro *repro = NULL;
    hl_matmul_packed packed = {x, 2, 2, 0, 0, sizeof *x};
    REFUSED(HL_ERR_OPTION, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 2, 1, &opts, NULL, 0));
    REFUSED(HL_ERR_STRIDE, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 1, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_OVERLAP, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, c, 2, 1, 0, c, 2, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_NULL, hl_matmul_gemm_f32(2, 2, 2, 1, NULL, 2, 1, x, 2, 1, 0, c, 2, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_TOO_LARGE,
            hl_matmul_gemm_f32((size_t)1 << 40, 2, (size_t)1 << 40, 1, x, 1 << 30, 1, x, 2, 1, 0, c, 2, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_PACKED, hl_matmul_gemm_packed_f32(2, 1, x, 2, 1, &packed, 0, c, 2, 1, NULL, NULL, 0));
    CHECK(memcmp(c, before, sizeof c) == 0);
    REFUSED(HL_ERR_STATE_FOREIGN, hl_repro_create_from_state(bytes, sizeof bytes, &repro));
    REFUSED(HL_ERR_NULL, hl_repro_create(NULL));
    REFUSED(HL_ERR_NULL, hl_reduce_sum_strided_f32(NULL, 1, 1, c));
}

// ---- correlation ---------------------------------------------------------------------------------------------------

enum { POINTS = 300, BINS = 64 };

typedef struct {
    int32_t x[POINTS], y[POINTS];
    double real_x[POINTS], real_y[POINTS], theta[POINTS];
    int16_t psi[2 * POINTS];
} plane;

static void make_plane(plane *p)
{
    int i;
    for (i = 0; i < POINTS; i++) {
        p->x[i] = i * 37 % 101;
        p->y[i] = i * i % 83;
        p->real_x[i] = 0.75 * p->x[i] + 0.001 * i;
        p->real_y[i] = 0.5 * p->y[i];
        p->theta[i] = 0.01 * i;
    }
    OK(hl_psi_from_angles(p->theta, POINTS, 6, p->psi));
}

static void digest_pairs(const char *name, const hl_pairs *pairs)
{
    static hl_pairs_bin bins[BINS];
    static uint64_t words[3 * BINS];
    size_t n = 0, i;
    OK(hl_pairs_len(pairs, &n));
    CHECK(n <= BINS);
    OK(hl_pairs_get(pairs, bins, n));
    for (i = 0; i < n; i++) {
        words[3 * i] = bins[i].count;
        words[3 * i + 1] = (uint64_t)bins[i].sum_hi;
        words[3 * i + 2] = bins[i].sum_lo;
        CHECK(bins[i].lo < bins[i].hi && (bins[i].count > 0 ? fabs(bins[i].g) <= 1.001 : bins[i].g != bins[i].g));
    }
    digest(name, words, 24 * n);
}

static void correlation_family(void)
{
    static plane p;
    static uint64_t counts[41];
    static int64_t sums[41];
    const double periods[2] = {80, 70}, edges[4] = {0, 2.5, 10, 30};
    hl_pairs *pairs = NULL, *parts = NULL;
    hl_image *image = NULL, *positions = NULL;
    hl_points *points = NULL, *others = NULL;
    uint32_t height = 0, dy;
    size_t cells = 0, cell;
    make_plane(&p);
    OK(hl_pairs_create_uniform(0, 64, 1, &pairs));
    OK(hl_pairs_create_uniform(0, 64, 1, &parts));
    OK(hl_image_create(p.x, p.y, p.psi, POINTS, &image));
    OK(hl_image_create(p.x, p.y, NULL, POINTS, &positions));
    OK(hl_image_height(image, &height));
    OK(hl_pairs_add_image(pairs, image));
    for (dy = 0; dy <= height; dy++)
        OK(hl_pairs_add_image_rows(parts, image, dy, dy + 1));
    OK(hl_pairs_add_image_cross(pairs, image, positions));
    OK(hl_pairs_add_image_cross(parts, image, positions));
    OK(hl_pairs_merge(pairs, parts));
    digest_pairs("image", pairs);
    OK(hl_image_map_row(image, 3, 20, counts, sums));
    digest("map_counts", counts, sizeof counts);
    digest("map_sums", sums, sizeof sums);
    hl_pairs_destroy(pairs);
    hl_pairs_destroy(parts);
    hl_image_destroy(image);
    hl_image_destroy(positions);

    OK(hl_pairs_create(edges, 4, &pairs));
    OK(hl_points_create(p.real_x, p.real_y, p.psi, POINTS, periods, 30, &points));
    OK(hl_points_create_others(points, p.real_y, p.real_x, p.psi, POINTS, &others));
    OK(hl_pairs_add_points(pairs, points));
    OK(hl_points_cells(others, &cells));
    for (cell = 0; cell < cells; cell++)
        OK(hl_pairs_add_points_of_cells(pairs, others, cell, cell + 1));
    OK(hl_pairs_add_points_cross(pairs, points, others));
    digest_pairs("points", pairs);
    hl_pairs_destroy(pairs);
    hl_points_destroy(points);
    hl_points_destroy(others);

    OK(hl_pairs_create_uniform(0, 6.25, 0.125, &pairs));
    OK(hl_points_create(p.real_x, p.real_y, p.psi, POINTS, NULL, 6.25, &points));
    OK(hl_pairs_add_points(pairs, points));
    digest_pairs("open", pairs);
    hl_pairs_destroy(pairs);
    hl_points_destroy(points);

    OK(hl_psi_of_neighbours(p.real_x, p.real_y, POINTS, NULL, 6, 6, p.psi));
    digest("psi6", p.psi, sizeof p.psi);
    OK(hl_psi_of_neighbours(p.real_x, p.real_y, POINTS, periods, 5, 3, p.psi));
    digest("psi3", p.psi, sizeof p.psi);
}

// ---- hardround -----------------------------------------------------------------------------------------------------

enum { DOMAINS = 500, CASES = 64 };

static void hardround_family(void)
{
    // 1/3 + 0.618.. x + x^2 / 2^41 + x^3 / 2^90, in blocks of 2^16 arguments.
    static const uint64_t taylor[16] = {0, 0, 0x5555555555555555, 0x5555555555555555, 0, 0, 0x0123456789abcdef, 0x9e3779b97f4a7c15,
                                        0, 0, 0, 1 << 23, 0, 0, (uint64_t)1 << 38, 0};
    static uint64_t a[DOMAINS], b[DOMAINS];
    uint64_t found[CASES], cases[4 * CASES], all = 0;
    uint8_t regular[(DOMAINS + 7) / 8], lefevre[(DOMAINS + 7) / 8];
    hl_hardround_block blocks[4];
    size_t count = 0, i, j;
    OK(hl_hardround_blocks(taylor, 3, 16, -1, 4, blocks));
    digest("hardround_blocks", blocks, sizeof blocks);
    for (j = 0; j < 4; j++) {
        OK(hl_hardround_scan(&blocks[j], 1 << 16, (uint64_t)1 << 50, found, CASES, &count));
        CHECK(count > 0 && count <= CASES);
        for (i = 0; i < count; i++)
            cases[all++] = found[i];
        // What does not fit is counted.
        found[1] = 77;
        OK(hl_hardround_scan(&blocks[j], 1 << 16, (uint64_t)1 << 50, found, 1, &i));
        CHECK(i == count && found[1] == 77);
    }
    digest("hardround_cases", cases, (size_t)(8 * all));
    for (i = 0; i < DOMAINS; i++) {
        a[i] = (i + 1) * 0x9e3779b97f4a7c15;
        b[i] = (i + 7) * 0xbf58476d1ce4e5b9;
    }
    OK(hl_hardround_exists(0, a, b, DOMAINS, 4096, (uint64_t)1 << 48, regular));
    OK(hl_hardround_exists(1, a, b, DOMAINS, 4096, (uint64_t)1 << 48, lefevre));
    digest("hardround_regular", regular, sizeof regular);
    digest("hardround_lefevre", lefevre, sizeof lefevre);
    printf("hardround_first %lu\n", (unsigned long)hl_hardround_exhaust(a, 100000, (uint64_t)1 << 50));
}

static void hardround_errors(void)
{
    static const uint64_t taylor[4 * 14] = {0};
    uint64_t found[1] = {5}, words[2] = {0, 0};
    uint8_t bits[1] = {9};
    hl_hardround_block block;
    size_t count = 3;
    OK(hl_hardround_blocks(taylor, 0, 16, 0, 1, &block));
    REFUSED(HL_ERR_PROOF, hl_hardround_blocks(taylor, 13, 16, 0, 1, &block));
    REFUSED(HL_ERR_PROOF, hl_hardround_blocks(taylor, 3, 33, 0, 1, &block));
    REFUSED(HL_ERR_NULL, hl_hardround_blocks(NULL, 3, 16, 0, 1, &block));
    REFUSED(HL_ERR_NULL, hl_hardround_blocks(taylor, 3, 16, 0, 1, NULL));
    REFUSED(HL_ERR_PROOF, hl_hardround_scan(&block, ((uint64_t)1 << 32) + 1, 1, found, 1, &count));
    REFUSED(HL_ERR_PROOF, hl_hardround_scan(&block, 10, ((uint64_t)1 << 61) + 1, found, 1, &count));
    REFUSED(HL_ERR_NULL, hl_hardround_scan(NULL, 10, 1, found, 1, &count));
    REFUSED(HL_ERR_NULL, hl_hardround_scan(&block, 10, 1, NULL, 1, &count));
    REFUSED(HL_ERR_NULL, hl_hardround_scan(&block, 10, 1, found, 1, NULL));
    CHECK(count == 3 && found[0] == 5);
    REFUSED(HL_ERR_OPTION, hl_hardround_exists(2, words, words, 2, 10, 1, bits));
    REFUSED(HL_ERR_PROOF, hl_hardround_exists(0, words, words, 2, ((uint64_t)1 << 32) + 1, 1, bits));
    REFUSED(HL_ERR_OVERLAP, hl_hardround_exists(0, words, words, 2, 10, 1, (uint8_t *)words + 15));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(0, NULL, words, 2, 10, 1, bits));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(0, words, NULL, 2, 10, 1, bits));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(0, words, words, 2, 10, 1, NULL));
    CHECK(bits[0] == 9);
    OK(hl_hardround_exists(0, NULL, NULL, 0, 10, 1, NULL));
}

static void correlation_errors(void)
{
    static plane p;
    const double bad[2] = {1, 0.5}, periods[2] = {80, 59}, nan_angle = NAN, half = 0.5;
    const double not_finite[2] = {0, NAN};
    const int32_t far_apart[2] = {0, 2000000};
    int16_t psi[2] = {0, 16385};
    uint64_t counts[1];
    int64_t sums[1];
    uint32_t height;
    size_t n;
    hl_pairs_bin bin;
    hl_pairs *pairs = NULL, *other = NULL;
    hl_image *image = NULL;
    hl_points *points = NULL, *others = NULL;
    make_plane(&p);
    REFUSED(HL_ERR_ORIENTATION, hl_psi_from_angles(&nan_angle, 1, 6, psi));
    REFUSED(HL_ERR_ORIENTATION, hl_psi(bad, bad, 1, psi));
    CHECK(psi[0] == 0 && psi[1] == 16385);
    REFUSED(HL_ERR_NULL, hl_psi(&half, NULL, 1, psi));
    REFUSED(HL_ERR_NULL, hl_psi(NULL, &half, 1, psi));
    REFUSED(HL_ERR_NULL, hl_psi(&half, &half, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_psi_from_angles(NULL, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_psi_from_angles(&half, 1, 6, NULL));
    REFUSED(HL_ERR_NEIGHBOURS, hl_psi_of_neighbours(bad, bad, 1, NULL, 1, 6, psi));
    REFUSED(HL_ERR_NEIGHBOURS, hl_psi_of_neighbours(bad, bad, 1, NULL, 0, 6, psi));
    REFUSED(HL_ERR_COORDINATE, hl_psi_of_neighbours(not_finite, bad, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_PERIODIC, hl_psi_of_neighbours(bad, bad, 2, not_finite, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_psi_of_neighbours(NULL, bad, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_psi_of_neighbours(bad, NULL, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_psi_of_neighbours(bad, bad, 2, NULL, 1, 6, NULL));
    CHECK(psi[0] == 0 && psi[1] == 16385);
    REFUSED(HL_ERR_BINS, hl_pairs_create(bad, 2, &pairs));
    REFUSED(HL_ERR_BINS, hl_pairs_create(bad, 1, &pairs));
    REFUSED(HL_ERR_BINS, hl_pairs_create_uniform(0, 1, -1, &pairs));
    REFUSED(HL_ERR_TOO_LARGE, hl_pairs_create_uniform(0, 1, 1e-6, &pairs));
    REFUSED(HL_ERR_NULL, hl_pairs_create(NULL, 2, &pairs));
    REFUSED(HL_ERR_NULL, hl_pairs_create(bad, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_pairs_create_uniform(0, 1, 1, NULL));
    OK(hl_pairs_create_uniform(0, 30, 1, &pairs));
    OK(hl_pairs_create_uniform(0, 31, 1, &other));
    REFUSED(HL_ERR_BINS, hl_pairs_merge(pairs, other));
    REFUSED(HL_ERR_OVERLAP, hl_pairs_merge(pairs, pairs));
    REFUSED(HL_ERR_NULL, hl_pairs_merge(NULL, other));
    REFUSED(HL_ERR_NULL, hl_pairs_merge(pairs, NULL));
    REFUSED(HL_ERR_NULL, hl_pairs_len(NULL, &n));
    REFUSED(HL_ERR_NULL, hl_pairs_len(pairs, NULL));
    REFUSED(HL_ERR_LENGTH, hl_pairs_get(pairs, &bin, 1));
    REFUSED(HL_ERR_NULL, hl_pairs_get(pairs, NULL, 30));
    REFUSED(HL_ERR_NULL, hl_pairs_get(NULL, &bin, 1));
    REFUSED(HL_ERR_NULL, hl_image_create(NULL, p.y, p.psi, 2, &image));
    REFUSED(HL_ERR_NULL, hl_image_create(p.x, NULL, p.psi, 2, &image));
    REFUSED(HL_ERR_NULL, hl_image_create(p.x, p.y, p.psi, 2, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_image_create(far_apart, p.y, p.psi, 2, &image));
    REFUSED(HL_ERR_ORIENTATION, hl_image_create(p.x, p.y, psi, 1, &image));
    OK(hl_image_create(p.x, p.y, p.psi, POINTS, &image));
    REFUSED(HL_ERR_NULL, hl_image_height(NULL, &height));
    REFUSED(HL_ERR_NULL, hl_image_height(image, NULL));
    REFUSED(HL_ERR_NULL, hl_image_map_row(NULL, 0, 0, counts, sums));
    REFUSED(HL_ERR_NULL, hl_image_map_row(image, 0, 0, NULL, sums));
    REFUSED(HL_ERR_NULL, hl_image_map_row(image, 0, 0, counts, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_image_map_row(image, 0, SIZE_MAX, counts, sums));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image(NULL, image));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image(pairs, NULL));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image_rows(NULL, image, 0, 1));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image_rows(pairs, NULL, 0, 1));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image_cross(NULL, image, image));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image_cross(pairs, NULL, image));
    REFUSED(HL_ERR_NULL, hl_pairs_add_image_cross(pairs, image, NULL));
    REFUSED(HL_ERR_PERIODIC, hl_points_create(p.real_x, p.real_y, p.psi, 2, periods, 30, &points));
    REFUSED(HL_ERR_COORDINATE, hl_points_create(&nan_angle, p.real_y, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_BINS, hl_points_create(p.real_x, p.real_y, p.psi, 1, NULL, 0, &points));
    REFUSED(HL_ERR_NULL, hl_points_create(NULL, p.real_y, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_NULL, hl_points_create(p.real_x, NULL, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_NULL, hl_points_create(p.real_x, p.real_y, NULL, 1, NULL, 30, &points));
    REFUSED(HL_ERR_NULL, hl_points_create(p.real_x, p.real_y, p.psi, 1, NULL, 30, NULL));
    OK(hl_points_create(p.real_x, p.real_y, p.psi, POINTS, NULL, 30, &points));
    OK(hl_points_create(p.real_x, p.real_y, p.psi, POINTS - 1, periods, 29, &others));
    REFUSED(HL_ERR_FRAME, hl_pairs_add_points_cross(pairs, points, others));
    REFUSED(HL_ERR_PERIODIC, hl_pairs_add_points(pairs, others));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points(NULL, points));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points(pairs, NULL));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points_of_cells(pairs, NULL, 0, 1));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points_of_cells(NULL, points, 0, 1));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points_cross(pairs, NULL, points));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points_cross(pairs, points, NULL));
    REFUSED(HL_ERR_NULL, hl_pairs_add_points_cross(NULL, points, points));
    REFUSED(HL_ERR_NULL, hl_points_cells(NULL, &n));
    REFUSED(HL_ERR_NULL, hl_points_cells(points, NULL));
    REFUSED(HL_ERR_NULL, hl_points_create_others(NULL, p.real_x, p.real_y, p.psi, 1, &points));
    REFUSED(HL_ERR_NULL, hl_points_create_others(points, p.real_x, p.real_y, p.psi, 1, NULL));
    hl_pairs_destroy(pairs);
    hl_pairs_destroy(other);
    hl_pairs_destroy(NULL);
    hl_image_destroy(image);
    hl_image_destroy(NULL);
    hl_points_destroy(points);
    hl_points_destroy(others);
    hl_points_destroy(NULL);
}

// ---- ising ---------------------------------------------------------------------------------------------------------

enum { LAYERS = 32, SITES = 6, SPINS = LAYERS * SITES };

// A ring of six with fields, every number a multiple of 1/8.
static const uint32_t row_pointers[SITES + 1] = {0, 2, 4, 6, 8, 10, 12};
static const uint32_t neighbours[12] = {5, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 0};
static const double couplings[12] = {0.5, 1.0, 1.0, -0.25, -0.25, 1.0, 1.0, 0.125, 0.125, 1.0, 1.0, 0.5};
static const double fields[SITES] = {0.125, 0.0, -0.25, 0.0, 0.0, 0.375};

static hl_ising_graph ring(void)
{
    hl_ising_graph graph;
    graph.layers = LAYERS;
    graph.sites = SITES;
    graph.row_pointers = row_pointers;
    graph.neighbours = neighbours;
    graph.couplings = couplings;
    graph.fields = fields;
    return graph;
}

static void ising_family(void)
{
    const hl_ising_graph graph = ring();
    int32_t kind, order, update, acceptance;
    for (kind = HL_ISING_F32_FAST; kind <= HL_ISING_AUTO; kind++)
        for (order = HL_ISING_COLOURED; order <= HL_ISING_NATURAL; order++) {
            int8_t spins[2][SPINS];
            for (update = HL_ISING_GATHER; update <= HL_ISING_SCATTER; update++) {
                hl_mt19937 *const rng = generator(16);
                hl_ising_model *model = NULL;
                hl_ising_opts opts;
                hl_ising_info info;
                uint32_t sites[SITES];
                uint64_t flips[2];
                double energies[2];
                int64_t sums[1 + LAYERS];
                opts.tau_coupling = 0.75;
                opts.order = order;
                opts.update = update;
                opts.acceptance = HL_ISING_ACCEPT_AUTO;
                OK(hl_ising_create(&graph, kind, &opts, &model));
                OK(hl_ising_describe(model, &info));
                CHECK(info.layers == LAYERS && info.sites == SITES && info.lanes == 16 && info.is_exact == 1);
                CHECK(info.kind == (kind == HL_ISING_AUTO ? HL_ISING_I8_EXACT : kind));
                CHECK(info.quantum == (kind >= HL_ISING_I8_EXACT ? 0.125 : 0.0));
                CHECK(kind >= HL_ISING_I8_EXACT
                      || info.heap_bytes >= (size_t)SPINS * (update == HL_ISING_SCATTER ? 8 : 4));
                OK(hl_ising_acceptance(model, 0.4f, 0.3f, &acceptance));
                CHECK(acceptance == HL_ISING_METROPOLIS);
                OK(hl_ising_acceptance(model, 1e-5f, 1e-5f, &acceptance));
                CHECK(acceptance == HL_ISING_HEAT_BATH);
                OK(hl_ising_order(model, sites));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 20, &flips[0]));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 0, NULL));
                OK(hl_ising_get_spins(model, spins[update]));
                spins[update][0] = (int8_t)-spins[update][0];
                OK(hl_ising_set_spins(model, spins[update]));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 5, &flips[1]));
                OK(hl_ising_overlaps(model, spins[update], &sums[1]));
                OK(hl_ising_magnetisation(model, &sums[0]));
                OK(hl_ising_get_spins(model, spins[update]));
                OK(hl_ising_energy(model, &energies[0], &energies[1]));
                digest("order", sites, sizeof sites);
                digest("flips", flips, sizeof flips);
                digest("spins", spins[update], SPINS);
                digest("energy", energies, sizeof energies);
                digest("sums", sums, sizeof sums);
                hl_ising_destroy(model);
                hl_mt19937_destroy(rng);
            }
            CHECK(memcmp(spins[0], spins[1], SPINS) == 0);
        }
}

// The kernels on one group of two coupled sites.
static void ising_kernels(void)
{
    enum { ROW = 16 };
    hl_mt19937 *const rng = generator(16);
    const hl_ising_link links[4] = {{1, 0.25f}, {64, 0.5f}, {1, 0.0f}, {0, 0.5f}};
    uint32_t random[2 * ROW], flips[8][ROW];
    float spins[4][2 * ROW], state[4][2 * ROW], sums[4][2 * ROW], below[4][2 * ROW], above[4][2 * ROW];
    size_t form, i;
    memset(flips, 0, sizeof flips);
    OK(hl_mt19937_fill_u32(rng, random, COUNT(random)));
    for (form = 0; form < 4; form++)
        for (i = 0; i < 2 * ROW; i++) {
            spins[form][i] = i % 3 == 0 ? -1.0f : 1.0f;
            below[form][i] = i % 5 == 0 ? -1.0f : 1.0f;
            above[form][i] = i % 7 == 0 ? -1.0f : 1.0f;
            state[form][i] = 4.0f * spins[form][i] + below[form][i] + above[form][i];
            sums[form][i] = (i < ROW ? 0.25f : 0.0f) + 0.5f * (((i + ROW) % (2 * ROW)) % 3 == 0 ? -1.0f : 1.0f);
        }
    hl_ising_sweep_fast_f32(spins[0], 0, 2, below[0], above[0], links, 0.5f, 0.25f, random, flips[0]);
    hl_ising_sweep_poly_f32(spins[1], 0, 2, below[1], above[1], links, 0.5f, 0.25f, random, flips[1]);
    hl_ising_sweep_heat_fast_f32(spins[2], 0, 2, below[2], above[2], links, 0.5f, 0.25f, random, flips[2]);
    hl_ising_sweep_heat_poly_f32(spins[3], 0, 2, below[3], above[3], links, 0.5f, 0.25f, random, flips[3]);
    hl_ising_scatter_fast_f32(state[0], sums[0], 0, 2, below[0], above[0], links, 0.5f, 0.25f, random, flips[4]);
    hl_ising_scatter_poly_f32(state[1], sums[1], 0, 2, below[1], above[1], links, 0.5f, 0.25f, random, flips[5]);
    hl_ising_scatter_heat_fast_f32(state[2], sums[2], 0, 2, below[2], above[2], links, 0.5f, 0.25f, random, flips[6]);
    hl_ising_scatter_heat_poly_f32(state[3], sums[3], 0, 2, below[3], above[3], links, 0.5f, 0.25f, random, flips[7]);
    digest("sweep_fast_f32", spins[0], sizeof spins[0]);
    digest("sweep_poly_f32", spins[1], sizeof spins[1]);
    digest("sweep_heat_fast_f32", spins[2], sizeof spins[2]);
    digest("sweep_heat_poly_f32", spins[3], sizeof spins[3]);
    CHECK(memcmp(flips[0], flips[4], 4 * sizeof flips[0]) == 0);
    for (form = 0; form < 4; form++)
        for (i = 0; i < 2 * ROW; i++)
            CHECK((spins[form][i] > 0.0f) == (state[form][i] > 0.0f));
    hl_mt19937_destroy(rng);
}

// The exact kernel on one group of two sites with couplings of 2 quanta, one of them in a field of 1.
static void ising_exact_kernel(void)
{
    enum { WORDS = 32 };
    const uint32_t links[4] = {1 | 1 << 8 | 1 << 16, 2 | 1 << 8, 1 | 1 << 8, 2};
    const uint64_t below[2] = {UINT64_C(0x0123456789abcdef), 0}, above[2] = {UINT64_C(0xff), ~UINT64_C(0)};
    hl_mt19937 *const rng = generator(16);
    uint64_t spins[2] = {UINT64_C(0x5555555555555555), UINT64_C(0xffff0000)}, flips = 0;
    uint64_t heated[2] = {UINT64_C(0x5555555555555555), UINT64_C(0xffff0000)}, others = 0;
    uint32_t random[2 * WORDS];
    uint16_t thresholds[864];
    uint8_t bytes[2 * 64];
    OK(hl_mt19937_fill_u32(rng, random, COUNT(random)));
    OK(hl_ising_thresholds(0.5, 0.25, thresholds));
    CHECK(hl_ising_sweep_i8(spins, bytes, 2, 0, 2, below, above, links, thresholds, random, ~UINT64_C(0), &flips) == 2);
    digest("thresholds", thresholds, sizeof thresholds);
    digest("sweep_i8", spins, sizeof spins);
    digest("flips", &flips, sizeof flips);
    OK(hl_ising_heat_thresholds(0.5, 0.25, thresholds));
    CHECK(hl_ising_sweep_heat_i8(heated, bytes, 2, 0, 2, below, above, links, thresholds, random, ~UINT64_C(0), &others)
          == 2);
    digest("heat_thresholds", thresholds, sizeof thresholds);
    digest("sweep_heat_i8", heated, sizeof heated);
    digest("flips", &others, sizeof others);
    hl_mt19937_destroy(rng);
}

static void ising_errors(void)
{
    static uint32_t no_links[65537];
    hl_ising_model *model = NULL;
    hl_ising_graph graph = ring();
    hl_ising_opts opts = {1.0, HL_ISING_COLOURED, HL_ISING_GATHER, HL_ISING_ACCEPT_AUTO};
    hl_ising_info info;
    hl_mt19937 *const four = generator(4);
    hl_mt19937 *const sixteen = generator(16);
    uint32_t changed_pointers[SITES + 1], changed_neighbours[12];
    double changed_couplings[12], changed_fields[SITES];
    int8_t spins[SPINS];
    double energy;
    int64_t sums[LAYERS];
    uint16_t thresholds[864];

    REFUSED(HL_ERR_NULL, hl_ising_create(NULL, 0, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_create(&graph, 0, NULL, NULL));
    REFUSED(HL_ERR_KIND, hl_ising_create(&graph, 7, NULL, &model));
    opts.order = 2;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.order = HL_ISING_NATURAL;
    opts.update = -1;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.update = HL_ISING_SCATTER;
    opts.acceptance = 3;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.acceptance = HL_ISING_HEAT_BATH;
    opts.tau_coupling = (double)INFINITY;
    REFUSED(HL_ERR_TAU_COUPLING, hl_ising_create(&graph, 0, &opts, &model));

#define WRONG(status, field, value)                                     \
    do {                                                                \
        graph = ring();                                                 \
        graph.field = value;                                            \
        REFUSED(status, hl_ising_create(&graph, 0, NULL, &model));      \
    } while (0)
#define CHANGED(status, field, index, value)                            \
    do {                                                                \
        memcpy(changed_##field, field, sizeof changed_##field);         \
        changed_##field[index] = value;                                 \
        WRONG(status, field, changed_##field);                          \
    } while (0)

    WRONG(HL_ERR_NULL, row_pointers, NULL);
    WRONG(HL_ERR_NULL, neighbours, NULL);
    WRONG(HL_ERR_NULL, couplings, NULL);
    WRONG(HL_ERR_LAYERS, layers, 1);
    WRONG(HL_ERR_NO_SITES, sites, 0);
#define changed_row_pointers changed_pointers
    CHANGED(HL_ERR_ROW_POINTER, row_pointers, 0, 1);
    CHANGED(HL_ERR_ROW_POINTER, row_pointers, 3, 9);
    CHANGED(HL_ERR_SITE_RANGE, neighbours, 0, SITES);
    CHANGED(HL_ERR_SELF_LOOP, neighbours, 0, 0);
    CHANGED(HL_ERR_DUPLICATE_EDGE, neighbours, 0, 1);
    CHANGED(HL_ERR_ASYMMETRIC, neighbours, 0, 3);
    CHANGED(HL_ERR_ASYMMETRIC, couplings, 0, 7.0);
    CHANGED(HL_ERR_COUPLING, couplings, 0, (double)NAN);
    CHANGED(HL_ERR_COUPLING, couplings, 0, 1e39);
    CHANGED(HL_ERR_FIELD, fields, 5, (double)-INFINITY);
    memcpy(changed_fields, fields, sizeof changed_fields);
    changed_fields[0] = 0.001;
    graph.fields = changed_fields;
    REFUSED(HL_ERR_QUANTUM, hl_ising_create(&graph, HL_ISING_I8_EXACT, NULL, &model));
    REFUSED(HL_ERR_BETA, hl_ising_thresholds(-0.5, 0.25, thresholds));
    REFUSED(HL_ERR_NULL, hl_ising_thresholds(0.5, 0.25, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_heat_thresholds(-0.5, 0.25, thresholds));
    REFUSED(HL_ERR_NULL, hl_ising_heat_thresholds(0.5, 0.25, NULL));

    graph = ring();
    graph.layers = UINT32_C(0xffffffe0);
    graph.sites = COUNT(no_links) - 1;
    graph.row_pointers = no_links;
    graph.fields = NULL;
    REFUSED(HL_ERR_NO_MEMORY, hl_ising_create(&graph, 0, NULL, &model));
    CHECK(model == NULL);

    graph = ring();
    OK(hl_ising_create(&graph, HL_ISING_F32_FAST, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_set_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_set_spins(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_get_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_get_spins(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_sweep(NULL, sixteen, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_sweep(model, NULL, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_LANES, hl_ising_sweep(model, four, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_sweep(model, sixteen, (float)NAN, 1.0f, 1, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_sweep(model, sixteen, 1.0f, (float)INFINITY, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_energy(NULL, &energy, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_energy(model, NULL, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_energy(model, &energy, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_acceptance(NULL, 1.0f, 1.0f, &info.kind));
    REFUSED(HL_ERR_NULL, hl_ising_acceptance(model, 1.0f, 1.0f, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_magnetisation(NULL, sums));
    REFUSED(HL_ERR_NULL, hl_ising_magnetisation(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_overlaps(NULL, spins, sums));
    REFUSED(HL_ERR_NULL, hl_ising_overlaps(model, NULL, sums));
    REFUSED(HL_ERR_NULL, hl_ising_order(NULL, changed_neighbours));
    REFUSED(HL_ERR_NULL, hl_ising_order(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_describe(NULL, &info));
    REFUSED(HL_ERR_NULL, hl_ising_describe(model, NULL));
    OK(hl_ising_get_spins(model, spins));
    spins[SPINS - 1] = 0;
    REFUSED(HL_ERR_SPIN, hl_ising_set_spins(model, spins));
    REFUSED(HL_ERR_SPIN, hl_ising_overlaps(model, spins, sums));
    OK(hl_ising_get_spins(model, spins));
    CHECK(spins[SPINS - 1] == 1);
    hl_ising_destroy(model);
    hl_ising_destroy(NULL);
    hl_mt19937_destroy(four);
    hl_mt19937_destroy(sixteen);
}

// ---- replica exchange ----------------------------------------------------------------------------------------------

enum { TEMPERATURES = 4 };

// Once measured by the library and once here; saved in the middle, and restored.
static void exchange_family(void)
{
    const hl_ising_beta ladder[TEMPERATURES]
        = {{0.25f, 0.5f}, {0.3125f, 0.4375f}, {0.375f, 0.375f}, {0.4375f, 0.3125f}};
    const hl_ising_graph graph = ring();
    hl_ising_model *models[TEMPERATURES] = {NULL, NULL, NULL, NULL};
    hl_replica_exchange *exchange = NULL, *told = NULL, *copy = NULL;
    hl_mt19937 *const rng = generator(16);
    uint64_t attempts[TEMPERATURES - 1], swaps[TEMPERATURES - 1], trips[1 + TEMPERATURES];
    size_t places[TEMPERATURES], replica, temperature, size = 0, round, swapped = 0, again = 0;
    uint8_t bytes[2][1024];
    OK(hl_replica_exchange_create(ladder, TEMPERATURES, 7, &exchange));
    OK(hl_replica_exchange_create(ladder, TEMPERATURES, 7, &told));
    for (replica = 0; replica < TEMPERATURES; replica++)
        OK(hl_ising_create(&graph, HL_ISING_AUTO, NULL, &models[replica]));
    OK(hl_replica_exchange_state_size(exchange, &size));
    CHECK(size <= sizeof bytes[0]);
    for (round = 0; round < 100; round++) {
        hl_ising_energies energies[TEMPERATURES];
        for (replica = 0; replica < TEMPERATURES; replica++) {
            hl_ising_beta beta;
            OK(hl_replica_exchange_beta(exchange, replica, &beta));
            OK(hl_ising_sweep(models[replica], rng, beta.space, beta.tau, 1, NULL));
            OK(hl_ising_energy(models[replica], &energies[replica].space, &energies[replica].tau));
        }
        OK(hl_replica_exchange_step(exchange, models, TEMPERATURES, &swapped));
        OK(hl_replica_exchange_exchange(told, energies, TEMPERATURES, &again));
        CHECK(swapped == again);
        if (round == 50) {
            OK(hl_replica_exchange_get_state(exchange, bytes[0], size));
            hl_replica_exchange_destroy(exchange);
            OK(hl_replica_exchange_create_from_state(bytes[0], size, &exchange));
            OK(hl_replica_exchange_create(ladder, 2, 1, &copy));
            OK(hl_replica_exchange_set_state(copy, bytes[0], size));
            OK(hl_replica_exchange_len(copy, &temperature));
            CHECK(temperature == TEMPERATURES);
            OK(hl_replica_exchange_get_state(copy, bytes[1], size));
            CHECK(memcmp(bytes[0], bytes[1], size) == 0);
        }
    }
    for (temperature = 0; temperature < TEMPERATURES; temperature++) {
        OK(hl_replica_exchange_replica_at(exchange, temperature, &replica));
        OK(hl_replica_exchange_temperature_of(exchange, replica, &places[replica]));
        CHECK(places[replica] == temperature);
        OK(hl_replica_exchange_round_trips_of(exchange, temperature, &trips[1 + temperature]));
    }
    for (temperature = 0; temperature + 1 < TEMPERATURES; temperature++) {
        OK(hl_replica_exchange_attempts(exchange, temperature, &attempts[temperature]));
        OK(hl_replica_exchange_swaps(exchange, temperature, &swaps[temperature]));
    }
    OK(hl_replica_exchange_round_trips(exchange, &trips[0]));
    OK(hl_replica_exchange_get_state(exchange, bytes[0], size));
    OK(hl_replica_exchange_get_state(told, bytes[1], size));
    CHECK(memcmp(bytes[0], bytes[1], size) == 0);
    digest("exchange", bytes[0], size);
    digest("places", places, sizeof places);
    digest("attempts", attempts, sizeof attempts);
    digest("swaps", swaps, sizeof swaps);
    digest("trips", trips, sizeof trips);
    for (replica = 0; replica < TEMPERATURES; replica++)
        hl_ising_destroy(models[replica]);
    hl_replica_exchange_destroy(exchange);
    hl_replica_exchange_destroy(told);
    hl_replica_exchange_destroy(copy);
    hl_mt19937_destroy(rng);
}

static void exchange_errors(void)
{
    const hl_ising_beta ladder[2] = {{0.25f, 0.5f}, {0.5f, 0.25f}}, wrong[2] = {{0.25f, 0.5f}, {(float)NAN, 0.25f}};
    const hl_ising_energies energies[2] = {{0.0, 0.0}, {0.0, (double)NAN}};
    hl_ising_model *models[2] = {NULL, NULL};
    hl_replica_exchange *exchange = NULL;
    hl_ising_beta beta;
    uint64_t count;
    size_t index, size = 0;
    uint8_t bytes[256];
    REFUSED(HL_ERR_NULL, hl_replica_exchange_create(NULL, 2, 1, &exchange));
    REFUSED(HL_ERR_LADDER, hl_replica_exchange_create(ladder, 1, 1, &exchange));
    REFUSED(HL_ERR_BETA, hl_replica_exchange_create(wrong, 2, 1, &exchange));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_replica_exchange_create_from_state(NULL, 0, &exchange));
    CHECK(exchange == NULL);
    OK(hl_replica_exchange_create(ladder, 2, 1, &exchange));
    REFUSED(HL_ERR_LENGTH, hl_replica_exchange_exchange(exchange, energies, 1, NULL));
    REFUSED(HL_ERR_ENERGY, hl_replica_exchange_exchange(exchange, energies, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_replica_exchange_step(exchange, models, 2, NULL));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_beta(exchange, 2, &beta));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_temperature_of(exchange, 2, &index));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_replica_at(exchange, 2, &index));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_attempts(exchange, 1, &count));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_swaps(exchange, 1, &count));
    REFUSED(HL_ERR_INDEX, hl_replica_exchange_round_trips_of(exchange, 2, &count));
    OK(hl_replica_exchange_state_size(exchange, &size));
    CHECK(size <= sizeof bytes);
    OK(hl_replica_exchange_get_state(exchange, bytes, size));
    bytes[size - 1] ^= 1;
    REFUSED(HL_ERR_STATE_CORRUPT, hl_replica_exchange_set_state(exchange, bytes, size));
    hl_replica_exchange_destroy(exchange);
    hl_replica_exchange_destroy(NULL);
}

// ---- instruction sets and variants ---------------------------------------------------------------------------------

static void results(void)
{
    random_family();
    random_states();
    exp_family();
    bits_family();
    bits_kernels();
    reduce_family();
    matmul_family();
    correlation_family();
    hardround_family();
    ising_family();
    ising_kernels();
    ising_exact_kernel();
    exchange_family();
}

static void variants(void)
{
    const size_t count = hl_variant_count();
    const char *const fast = "exp/fast_f32/";
    char name[64];
    size_t index;
    for (index = 0; index < count; index++) {
        hl_function function;
        OK(hl_variant_name(index, name, sizeof name));
        function = hl_variant_find(name);
        printf("variant %s %s\n", name, function != NULL ? "found" : "missing");
        if (function != NULL && strncmp(name, fast, strlen(fast)) == 0) {
            const float x[3] = {-1.0f, 0.0f, 2.5f};
            float y[3], z[3];
            ((exp_kernel *)function)(x, y, 3);
            hl_exp_fast_f32(x, z, 3);
            CHECK(memcmp(y, z, sizeof y) == 0);
        }
        REFUSED(HL_ERR_LENGTH, hl_variant_name(index, name, strlen(name)));
        OK(hl_variant_name(index, name, strlen(name) + 1));
    }
    REFUSED(HL_ERR_TOO_LARGE, hl_variant_name(count, name, sizeof name));
    REFUSED(HL_ERR_NULL, hl_variant_name(0, NULL, sizeof name));
    CHECK(hl_variant_find("exp/fast_f32/avx1024_assembly") == NULL);
    CHECK(hl_variant_find("") == NULL);
    CHECK(hl_variant_find(NULL) == NULL);
}

static void instruction_sets(void)
{
    const char *const words[] = {"scalar", "sse2", "avx2", "avx2gfni", "avx512", "avx512icl", "neon"};
    size_t i;
    REFUSED(HL_ERR_NULL, hl_isa_set(NULL));
    REFUSED(HL_ERR_ISA_UNKNOWN, hl_isa_set("AVX2"));
    for (i = 0; i < COUNT(words); i++) {
        const hl_status status = hl_isa_set(words[i]);
        printf("isa %s %d\n", words[i], (int)status);
        if (status == HL_OK) {
            CHECK(strcmp(hl_isa_active(), words[i]) == 0);
            results();
        } else {
            REFUSED(HL_ERR_ISA_UNAVAILABLE, hl_isa_set(words[i]));
        }
    }
}

int main(void)
{
    int status;
    CHECK(strcmp(hl_version(), HL_VERSION) == 0);
    CHECK(strcmp(hl_status_string(HL_OK), "success") == 0);
    CHECK(strcmp(hl_status_string(1), "unknown status") == 0);
    printf("version %s\nactive %s\n", hl_version(), hl_isa_active());
    results();
    instruction_sets();
    variants();
    random_errors();
    bits_errors();
    numbers_errors();
    correlation_errors();
    hardround_errors();
    ising_errors();
    exchange_errors();
    for (status = 1; status < (int)COUNT(refused); status++)
        if (refused[status])
            printf("refused %d %s\n", -status, hl_status_string((hl_status)-status));
    return 0;
}
