// Bit planes and fingerprints.

static uint32_t block[2048];

// Row 3 of 100 against all of them, and searches, compared with the results for all pairs.
static void single_row(const void *packed, float *scores, const uint32_t *distances)
{
    static hl_hamming_hit hits[10000];
    static hl_hamming_near near[10000];
    const uint8_t *rows = (const uint8_t *)block, *row = rows + 3 * 64;
    hl_hamming_neighbour nearest[2 * 4];
    uint32_t to[100];
    float alike[100];
    uint64_t cursor;
    size_t n, i, expected;

    OK(hl_hamming_distances_to(row, rows, 100, 500, 64, to));
    CHECK(memcmp(to, distances + 300, sizeof to) == 0);
    OK(hl_hamming_tanimoto_to(row, rows, 100, 500, 64, 1, alike));
    CHECK(memcmp(alike, scores + 300, sizeof alike) == 0);
#define MEASURE(cross, one, threshold)                                                                      \
    do {                                                                                                    \
        OK(cross(packed, rows, 100, 64, 1, scores, 100));                                                   \
        OK(one(row, rows, 100, 500, 64, 1, alike));                                                         \
        CHECK(memcmp(alike, scores + 300, sizeof alike) == 0);                                              \
        for (i = 0, cursor = 0, expected = 0; i < 10000; i++)                                               \
            expected += scores[i] >= 0.5f;                                                                  \
        OK(threshold(packed, rows, 100, 64, 0.5f, 1, &cursor, hits, 10000, &n));                            \
        CHECK(n == expected && cursor == 10000);                                                            \
    } while (0)
    MEASURE(hl_hamming_dice_cross, hl_hamming_dice_to, hl_hamming_dice_threshold);
    MEASURE(hl_hamming_cosine_cross, hl_hamming_cosine_to, hl_hamming_cosine_threshold);

    for (i = 0, cursor = 0, expected = 0; i < 10000; i++)
        expected += distances[i] <= 240;
    OK(hl_hamming_distance_threshold(packed, rows, 100, 64, 240, &cursor, near, 10000, &n));
    CHECK(n == expected && n > 0 && near[0].row == 0 && near[0].packed_row == 0 && near[0].distance == 0);

    OK(hl_hamming_nearest(row, 2, 64, rows, 100, 500, 64, 4, nearest, &n));
    CHECK(n == 4 && nearest[0].row == 3 && nearest[0].distance == 0 && nearest[4].row == 4);
    for (i = 0, expected = 0; i < 100; i++)
        expected += to[i] < nearest[3].distance;
    CHECK(expected <= 3 && nearest[1].distance == to[nearest[1].row] && nearest[2].distance <= nearest[3].distance);
}

// 100 rows of 500 bits in two indexes.
static void index_searches(void)
{
    static uint64_t memory[2][20000];
    static hl_fingerprints_match hits[100], best[10];
    static hl_fingerprints_pair_match pairs[10000];
    const uint8_t *const rows = (const uint8_t *)block;
    const hl_fingerprints_condition half = {HL_FINGERPRINTS_TANIMOTO, 0.5f, 1, 0, 0};
    hl_fingerprints_image images[2];
    size_t i, n, bits, found, queries = 0;
    uint64_t cursor = 0;
    for (i = 0; i < 2; i++) {
        images[i].memory = memory[i];
        images[i].size = hl_fingerprints_bytes(i ? 40 : 60, 500);
        CHECK(images[i].size > 0 && images[i].size <= sizeof memory[i]);
        OK(hl_fingerprints_build(rows + (i ? 60 * 64 : 0), i ? 40 : 60, 500, 64, memory[i], images[i].size));
        OK(hl_fingerprints_check(memory[i], images[i].size, &n, &bits));
        CHECK(n == (i ? 40 : 60) && bits == 500);
    }
    OK(hl_fingerprints_batch(images, 2, rows, 100, 64, &half, &cursor, pairs, COUNT(pairs), &n));
    CHECK(cursor == 10000 && n >= 100 && n < COUNT(pairs));
    digest("batch", pairs, n * sizeof *pairs);
    for (i = 0; i < 100; i++) {
        cursor = 0;
        OK(hl_fingerprints_search(images, 2, rows + 64 * i, &half, &cursor, hits, COUNT(hits), &found));
        CHECK(cursor == 100 && found >= 1);
        queries += found;
        OK(hl_fingerprints_top(images, 2, rows + 64 * i, &half, best, COUNT(best), &bits));
        CHECK(bits == (found < COUNT(best) ? found : COUNT(best)) && best[0].score == 1.0f);
    }
    CHECK(queries == n);
    cursor = 0;
    OK(hl_fingerprints_pairs(images, 2, rows, 100, 64, 0, 100, &half, &cursor, pairs, COUNT(pairs), &found));
    CHECK(cursor == 10000 && 2 * found + 100 == n);
    digest("pairs", pairs, found * sizeof *pairs);
}

static void bits_family(void)
{
    static uint8_t planes[65536], bytes[65536], packed[65536];
    static uint32_t d[32 * 32], self[100 * 100];
    static float scores[100 * 100];
    static hl_hamming_hit hits[1000];
    uint64_t counts[64], cursor = 0;
    uint16_t code[32];
    const size_t idx[3] = {2047, 5, 0};
    uint32_t picked[3], i, layout;
    size_t size = 0, n = 0;
    for (i = 0; i < COUNT(block); i++)
        block[i] = i * UINT32_C(2654435761);

    OK(hl_bitslice_slice(block, 2048, 4, planes, 256));
    digest("planes", planes, 8192);
    OK(hl_bitslice_unslice(planes, 2048, 4, 256, bytes));
    CHECK(memcmp(bytes, block, sizeof block) == 0);
    OK(hl_bitslice_gather(planes, 32, 256, idx, 3, picked));
    CHECK(picked[0] == block[2047] && picked[1] == block[5] && picked[2] == 0);
    OK(hl_bitslice_positional_popcount(block, 2048, 4, counts));
    digest("positions", counts, 32 * sizeof *counts);
    for (layout = HL_ROWS2048; layout <= HL_TILES64; layout++) {
        OK(hl_bitslice_blocks_size(1000, 8, layout, &size));
        OK(hl_bitslice_slice_blocks(block, 1000, 8, layout, HL_STORE_AUTO, planes));
        digest("blocks", planes, size);
        OK(hl_bitslice_unslice_blocks(planes, 1000, 8, layout, HL_STORE_STREAM, bytes));
        CHECK(memcmp(bytes, block, 8000) == 0);
        OK(hl_bitslice_gather_blocks(planes, 1000, 8, idx + 1, 2, layout, bytes));
        CHECK(memcmp(bytes, block + 10, 8) == 0);
    }
    memcpy(bytes, block, sizeof block);
    OK(hl_bitslice_slice_inplace_u32x2048((uint32_t *)bytes, 1));
    OK(hl_bitslice_slice(block, 2048, 4, planes, 256));
    CHECK(memcmp(bytes, planes, 8192) == 0);
    OK(hl_bitslice_unslice_inplace_u32x2048((uint32_t *)bytes, 1));
    CHECK(memcmp(bytes, block, 8192) == 0);

    OK(hl_hamming_slices_distance_u32x2048(block, d));
    digest("slices", d, sizeof d);
    memset(self, 0, sizeof self);
    OK(hl_hamming_planes_distance_u32x2048(planes, self));
    CHECK(memcmp(self, d, sizeof d) == 0);
    OK(hl_bitslice_classify_planes(d, 2048, code));
    digest("codes", code, sizeof code);
    code[3] = 1 | 0 << 3; // declared all zeros
    OK(hl_bitslice_reduced_size(2048, 32, code, &size));
    OK(hl_bitslice_reduce_planes(planes, 2048, 32, 256, code, bytes, size));
    OK(hl_bitslice_restore_planes(bytes, size, 2048, 32, code, planes, 256));
    digest("restored", planes, 8192);

    OK(hl_bitslice_encode_dna((const uint8_t *)"GATTACAUn", 9, planes, 2));
    digest("dna", planes, 6);
    OK(hl_bitslice_decode_dna(planes, 9, 2, bytes));
    CHECK(memcmp(bytes, "GATTACATN", 9) == 0);

    // 100 rows of 500 bits.
    OK(hl_hamming_popcount_rows((const uint8_t *)block, 100, 500, 64, self));
    digest("ones", self, 100 * sizeof *self);
    OK(hl_hamming_self((const uint8_t *)block, 100, 500, 64, 0, 40, HL_HAMMING_FULL, self, 100));
    OK(hl_hamming_self((const uint8_t *)block, 100, 500, 64, 40, 60, HL_HAMMING_FULL, self + 40 * 100, 100));
    digest("self", self, sizeof self);
    size = hl_hamming_packed_bytes(100, 500);
    CHECK(size > 0 && size <= sizeof packed);
    OK(hl_hamming_pack((const uint8_t *)block, 100, 500, 64, packed));
    OK(hl_hamming_cross(packed, (const uint8_t *)block, 100, 64, (uint32_t *)scores, 100));
    CHECK(memcmp(scores, self, sizeof self) == 0);
    OK(hl_hamming_tanimoto_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("tanimoto", scores, sizeof scores);
    OK(hl_hamming_tanimoto_threshold(packed, (const uint8_t *)block, 100, 64, 0.5f, 1, &cursor, hits, COUNT(hits), &n));
    CHECK(cursor == 10000 && n >= 100 && n < COUNT(hits));
    digest("hits", hits, n * sizeof *hits);
    single_row(packed, scores, self);
    OK(hl_hamming_dice_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("dice", scores, sizeof scores);
    OK(hl_hamming_cosine_cross(packed, (const uint8_t *)block, 100, 64, 1, scores, 100));
    digest("cosine", scores, sizeof scores);
    index_searches();
}

// The kernels return the same results as the functions above.
static void bits_kernels(void)
{
    static uint8_t rows[8192], tiles[8192], bytes[8192];
    static uint32_t words[2048];
    static float scores[64];
    const uint8_t *const source = (const uint8_t *)block;
    uint64_t counts[64] = {0}, expected[64];
    uint32_t ones[64];
    OK(hl_bitslice_slice(block, 2048, 4, rows, 256));
    hl_bitslice_slice_u32(block, 4, bytes, 256);
    CHECK(memcmp(bytes, rows, sizeof rows) == 0);
    hl_bitslice_unslice_u32(rows, 256, 4, words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    OK(hl_bitslice_slice_blocks(block, 2048, 4, HL_TILES64, HL_STORE_CACHED, tiles));
    hl_bitslice_tile_u32(block, 4, bytes, 256);
    CHECK(memcmp(bytes, tiles, sizeof tiles) == 0);
    hl_bitslice_untile_u32(tiles, 256, 4, words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_slice_u8(source, 16, bytes, 1024);
    hl_bitslice_unslice_u8(bytes, 1024, 16, tiles);
    CHECK(memcmp(tiles, source, 8192) == 0);
    hl_bitslice_tile_u8(source, 16, bytes, 64);
    hl_bitslice_untile_u8(bytes, 64, 16, rows);
    CHECK(memcmp(rows, source, 8192) == 0);
    hl_bitslice_slice_u16((const uint16_t *)block, 8, bytes, 512);
    hl_bitslice_unslice_u16(bytes, 512, 8, (uint16_t *)words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_tile_u16((const uint16_t *)block, 8, bytes, 128);
    hl_bitslice_untile_u16(bytes, 128, 8, (uint16_t *)words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_slice_u64((const uint64_t *)(const void *)block, 2, bytes, 128);
    hl_bitslice_unslice_u64(bytes, 128, 2, (uint64_t *)(void *)words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_tile_u64((const uint64_t *)(const void *)block, 2, bytes, 512);
    hl_bitslice_untile_u64(bytes, 512, 2, (uint64_t *)(void *)words);
    CHECK(memcmp(words, block, sizeof block) == 0);
    hl_bitslice_count_positions((const uint64_t *)(const void *)block, 1024, counts);
    OK(hl_bitslice_positional_popcount(block, 1024, 8, expected));
    CHECK(memcmp(counts, expected, sizeof counts) == 0);
    hl_hamming_counts(source, 64, 1000, 128, ones);
    digest("counts", ones, sizeof ones);
    hl_hamming_shared(source + 128, source, 64, 1000, 128, words);
    digest("shared", words, 64 * sizeof *words);
    hl_hamming_differing(source + 128, source, 64, 1000, 128, words);
    digest("differing", words, 64 * sizeof *words);
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
    hl_hamming_hit hit;
    hl_fingerprints_match match;
    hl_fingerprints_pair_match pair;
    const hl_fingerprints_condition heavy = {HL_FINGERPRINTS_TVERSKY, 0.5f, 1, 1, -1}, unknown = {6, 0.5f, 1, 0, 0};
    const hl_fingerprints_condition screen = {HL_FINGERPRINTS_CONTAINMENT, 1, 1, 0, 0};
    const hl_fingerprints_condition nearest = {HL_FINGERPRINTS_HAMMING, 5, 0, 0, 0};
    REFUSED(HL_ERR_ELEMENT_SIZE, hl_bitslice_slice(block, 8, 3, bytes, 1));
    REFUSED(HL_ERR_STRIDE, hl_bitslice_slice(block, 9, 1, bytes, 1));
    REFUSED(HL_ERR_OVERLAP, hl_bitslice_slice(block, 8, 4, (uint8_t *)block + 1, 1));
    REFUSED(HL_ERR_NO_BITS, hl_hamming_popcount_rows(bytes, 1, 0, 1, d));
    REFUSED(HL_ERR_PLANES, hl_bitslice_gather(bytes, 65, 1, NULL, 0, NULL));
    REFUSED(HL_ERR_PACKED, hl_hamming_cross(bytes, bytes, 1, 1, d, 1));
    OK(hl_hamming_pack((const uint8_t *)block, 0, 8, 1, bytes));
    REFUSED(HL_ERR_THRESHOLD, hl_hamming_tanimoto_threshold(bytes, NULL, 0, 0, 2, 1, &cursor, &hit, 1, &size));
    REFUSED(HL_ERR_LETTER, hl_bitslice_encode_dna((const uint8_t *)"AX", 2, bytes, 1));
    memset(bytes, 0, sizeof bytes);
    bytes[2] = 1;
    REFUSED(HL_ERR_LETTER_CODE, hl_bitslice_decode_dna(bytes, 2, 1, bytes + 50));
    REFUSED(HL_ERR_PLANE_CODE, hl_bitslice_reduced_size(8, 1, &code, &size));
    REFUSED(HL_ERR_INDEX, hl_hamming_self(bytes, 1, 8, 1, 1, 1, HL_HAMMING_UPPER, d, 1));
    REFUSED(HL_ERR_INDEX, hl_hamming_self(bytes, 1, 8, 1, 2, 0, HL_HAMMING_UPPER, d, 1));
    REFUSED(HL_ERR_PACKED, hl_fingerprints_check(bytes, sizeof bytes, &size, &size));
    REFUSED(HL_ERR_LENGTH, hl_fingerprints_build(bytes, 1, 8, 1, block, 100));
    REFUSED(HL_ERR_WEIGHT, hl_fingerprints_top(NULL, 0, NULL, &heavy, &match, 1, &size));
    REFUSED(HL_ERR_OPTION, hl_fingerprints_top(NULL, 0, NULL, &unknown, &match, 1, &size));
    REFUSED(HL_ERR_OPTION, hl_fingerprints_pairs(NULL, 0, NULL, 0, 0, 0, 0, &screen, &cursor, &pair, 1, &size));
    REFUSED(HL_ERR_INDEX, hl_fingerprints_pairs(NULL, 0, NULL, 0, 0, 0, 1, &nearest, &cursor, &pair, 1, &size));
}

static void index_null_pointers(const uint8_t *bytes)
{
    static uint64_t memory[1000];
    const hl_fingerprints_condition all = {HL_FINGERPRINTS_HAMMING, 8, 0, 0, 0};
    hl_fingerprints_image image = {NULL, 0};
    hl_fingerprints_match hit;
    hl_fingerprints_pair_match pair;
    uint64_t cursor = 0;
    size_t n = 0;
    image.size = hl_fingerprints_bytes(1, 8);
    CHECK(image.size <= sizeof memory);
    REFUSED(HL_ERR_NULL, hl_fingerprints_build(NULL, 1, 8, 1, memory, image.size));
    REFUSED(HL_ERR_NULL, hl_fingerprints_build(bytes, 1, 8, 1, NULL, image.size));
    OK(hl_fingerprints_build(bytes, 1, 8, 1, memory, image.size));
    REFUSED(HL_ERR_NULL, hl_fingerprints_check(NULL, image.size, &n, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_check(memory, image.size, NULL, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_check(memory, image.size, &n, NULL));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(&image, 1, bytes, &all, &hit, 1, &n));
    image.memory = memory;
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(NULL, 1, bytes, &all, &cursor, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(&image, 1, NULL, &all, &cursor, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(&image, 1, bytes, NULL, &cursor, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(&image, 1, bytes, &all, NULL, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(&image, 1, bytes, &all, &cursor, NULL, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_search(&image, 1, bytes, &all, &cursor, &hit, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(NULL, 1, bytes, &all, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(&image, 1, NULL, &all, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(&image, 1, bytes, NULL, &hit, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(&image, 1, bytes, &all, NULL, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_top(&image, 1, bytes, &all, &hit, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(NULL, 1, bytes, 1, 1, &all, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(&image, 1, NULL, 1, 1, &all, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(&image, 1, bytes, 1, 1, NULL, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(&image, 1, bytes, 1, 1, &all, NULL, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(&image, 1, bytes, 1, 1, &all, &cursor, NULL, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_batch(&image, 1, bytes, 1, 1, &all, &cursor, &pair, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(NULL, 1, bytes, 1, 1, 0, 1, &all, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(&image, 1, NULL, 1, 1, 0, 1, &all, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(&image, 1, bytes, 1, 1, 0, 1, NULL, &cursor, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(&image, 1, bytes, 1, 1, 0, 1, &all, NULL, &pair, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(&image, 1, bytes, 1, 1, 0, 1, &all, &cursor, NULL, 1, &n));
    REFUSED(HL_ERR_NULL, hl_fingerprints_pairs(&image, 1, bytes, 1, 1, 0, 1, &all, &cursor, &pair, 1, NULL));
}

// Each pointer that must not be null is reported by name.
static void bits_null_pointers(void)
{
    static uint8_t bytes[8192], packed[1000];
    static uint32_t words[2048];
    const size_t idx[1] = {0};
    uint64_t counts[8], cursor = 0;
    uint16_t code[32] = {0};
    size_t size = 0;
    float scores[1];
    hl_hamming_hit hit;
    hl_hamming_near near;
    hl_hamming_neighbour nearest;
    REFUSED(HL_ERR_NULL, hl_bitslice_slice(NULL, 8, 1, bytes, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_slice(block, 8, 1, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_unslice(NULL, 8, 1, 1, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_unslice(bytes, 8, 1, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_blocks_size(8, 1, HL_TILES64, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_slice_blocks(NULL, 8, 1, HL_TILES64, HL_STORE_AUTO, bytes));
    REFUSED(HL_ERR_NULL, hl_bitslice_slice_blocks(block, 8, 1, HL_TILES64, HL_STORE_AUTO, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_unslice_blocks(NULL, 8, 1, HL_TILES64, HL_STORE_AUTO, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_unslice_blocks(bytes, 8, 1, HL_TILES64, HL_STORE_AUTO, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_slice_inplace_u32x2048(NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_unslice_inplace_u32x2048(NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather(NULL, 8, 1, idx, 1, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather(bytes, 8, 1, NULL, 1, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather(bytes, 8, 1, idx, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather_blocks(NULL, 8, 1, idx, 1, HL_TILES64, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather_blocks(bytes, 8, 1, NULL, 1, HL_TILES64, words));
    REFUSED(HL_ERR_NULL, hl_bitslice_gather_blocks(bytes, 8, 1, idx, 1, HL_TILES64, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_positional_popcount(NULL, 8, 1, counts));
    REFUSED(HL_ERR_NULL, hl_bitslice_positional_popcount(block, 8, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_classify_planes(NULL, 8, code));
    REFUSED(HL_ERR_NULL, hl_bitslice_classify_planes(words, 8, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_reduced_size(8, 1, NULL, &size));
    REFUSED(HL_ERR_NULL, hl_bitslice_reduced_size(8, 1, code, NULL));
    REFUSED(HL_ERR_NULL, hl_bitslice_reduce_planes(NULL, 8, 1, 1, code, bytes, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_reduce_planes(bytes, 8, 1, 1, NULL, bytes + 8, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_reduce_planes(bytes, 8, 1, 1, code, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_restore_planes(NULL, 1, 8, 1, code, bytes, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_restore_planes(bytes, 1, 8, 1, NULL, bytes + 8, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_restore_planes(bytes, 1, 8, 1, code, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_encode_dna(NULL, 8, bytes, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_encode_dna((const uint8_t *)"ACGTACGT", 8, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_bitslice_decode_dna(NULL, 8, 1, bytes));
    REFUSED(HL_ERR_NULL, hl_bitslice_decode_dna(bytes, 8, 1, NULL));

    REFUSED(HL_ERR_NULL, hl_hamming_popcount_rows(NULL, 1, 8, 1, words));
    REFUSED(HL_ERR_NULL, hl_hamming_popcount_rows(bytes, 1, 8, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_hamming_slices_distance_u32x2048(NULL, words));
    REFUSED(HL_ERR_NULL, hl_hamming_slices_distance_u32x2048(block, NULL));
    REFUSED(HL_ERR_NULL, hl_hamming_planes_distance_u32x2048(NULL, words));
    REFUSED(HL_ERR_NULL, hl_hamming_planes_distance_u32x2048(bytes, NULL));
    REFUSED(HL_ERR_NULL, hl_hamming_self(NULL, 1, 8, 1, 0, 1, HL_HAMMING_FULL, words, 1));
    REFUSED(HL_ERR_NULL, hl_hamming_self(bytes, 1, 8, 1, 0, 1, HL_HAMMING_FULL, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_hamming_pack(NULL, 1, 8, 1, packed));
    REFUSED(HL_ERR_NULL, hl_hamming_pack(bytes, 1, 8, 1, NULL));
    OK(hl_hamming_pack(bytes, 1, 8, 1, packed));
    REFUSED(HL_ERR_NULL, hl_hamming_cross(NULL, bytes, 1, 1, words, 1));
    REFUSED(HL_ERR_NULL, hl_hamming_cross(packed, NULL, 1, 1, words, 1));
    REFUSED(HL_ERR_NULL, hl_hamming_cross(packed, bytes, 1, 1, NULL, 1));
#define CROSS(function)                                            \
    do {                                                           \
        REFUSED(HL_ERR_NULL, function(NULL, bytes, 1, 1, 1, scores, 1));   \
        REFUSED(HL_ERR_NULL, function(packed, NULL, 1, 1, 1, scores, 1));  \
        REFUSED(HL_ERR_NULL, function(packed, bytes, 1, 1, 1, NULL, 1));   \
    } while (0)
    CROSS(hl_hamming_tanimoto_cross);
    CROSS(hl_hamming_dice_cross);
    CROSS(hl_hamming_cosine_cross);
#define THRESHOLD(function)                                                             \
    do {                                                                                \
        REFUSED(HL_ERR_NULL, function(NULL, bytes, 1, 1, 1, 1, &cursor, &hit, 1, &size)); \
        REFUSED(HL_ERR_NULL, function(packed, NULL, 1, 1, 1, 1, &cursor, &hit, 1, &size)); \
        REFUSED(HL_ERR_NULL, function(packed, bytes, 1, 1, 1, 1, NULL, &hit, 1, &size)); \
        REFUSED(HL_ERR_NULL, function(packed, bytes, 1, 1, 1, 1, &cursor, NULL, 1, &size)); \
        REFUSED(HL_ERR_NULL, function(packed, bytes, 1, 1, 1, 1, &cursor, &hit, 1, NULL)); \
    } while (0)
    THRESHOLD(hl_hamming_tanimoto_threshold);
    THRESHOLD(hl_hamming_dice_threshold);
    THRESHOLD(hl_hamming_cosine_threshold);
    REFUSED(HL_ERR_NULL, hl_hamming_distance_threshold(NULL, bytes, 1, 1, 1, &cursor, &near, 1, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_distance_threshold(packed, NULL, 1, 1, 1, &cursor, &near, 1, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_distance_threshold(packed, bytes, 1, 1, 1, NULL, &near, 1, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_distance_threshold(packed, bytes, 1, 1, 1, &cursor, NULL, 1, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_distance_threshold(packed, bytes, 1, 1, 1, &cursor, &near, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_hamming_distances_to(NULL, bytes, 1, 8, 1, words));
    REFUSED(HL_ERR_NULL, hl_hamming_distances_to(bytes, NULL, 1, 8, 1, words));
    REFUSED(HL_ERR_NULL, hl_hamming_distances_to(bytes, bytes, 1, 8, 1, NULL));
#define TO(function)                                                     \
    do {                                                                 \
        REFUSED(HL_ERR_NULL, function(NULL, bytes, 1, 8, 1, 1, scores)); \
        REFUSED(HL_ERR_NULL, function(bytes, NULL, 1, 8, 1, 1, scores)); \
        REFUSED(HL_ERR_NULL, function(bytes, bytes, 1, 8, 1, 1, NULL));  \
    } while (0)
    TO(hl_hamming_tanimoto_to);
    TO(hl_hamming_dice_to);
    TO(hl_hamming_cosine_to);
    REFUSED(HL_ERR_NULL, hl_hamming_nearest(NULL, 1, 1, bytes, 1, 8, 1, 1, &nearest, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_nearest(bytes, 1, 1, NULL, 1, 8, 1, 1, &nearest, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_nearest(bytes, 1, 1, bytes, 1, 8, 1, 1, NULL, &size));
    REFUSED(HL_ERR_NULL, hl_hamming_nearest(bytes, 1, 1, bytes, 1, 8, 1, 1, &nearest, NULL));
    index_null_pointers(bytes);
}
