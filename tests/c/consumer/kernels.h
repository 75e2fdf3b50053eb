// The other kernels of hotloops_kernels.h.

// 8 planes of 1024 bits: groups that count their ones to 8.
static void misses_kernel(const uint8_t *source)
{
    static uint64_t states[2 * 5 * 8];
    const uint64_t fresh[5] = {0, 0, 0, 0, 0};
    uint32_t offsets[8], i;
    uint16_t groups[2] = {0, 1};
    for (i = 0; i < 8; i++)
        offsets[i] = 128 * i;
    CHECK(hl_hamming_misses(source, offsets, 1, 0, groups, 2, fresh, states, 1) == 2);
    CHECK(groups[0] == 0 && groups[1] == 1);
    digest("misses", states, sizeof states);
}

static void bits_engine(void)
{
    static uint8_t rows[8192], tiles[8192], bytes[8192];
    static uint32_t d[32 * 32], e[32 * 32];
    const uint8_t *const source = (const uint8_t *)block;
    const size_t idx[2] = {100, 2000};
    uint32_t picked[2];
    OK(hl_bitslice_slice(block, 2048, 4, rows, 256));
    OK(hl_bitslice_slice_blocks(block, 2048, 4, HL_TILES64, HL_STORE_CACHED, tiles));
    hl_bitslice_transpose_u64x32x32((const uint64_t *)(const void *)rows, (uint64_t *)(void *)bytes);
    CHECK(memcmp(bytes, tiles, sizeof tiles) == 0);
    hl_bitslice_pick(tiles, 8, 32, 6, 256, idx, 2, (uint8_t *)picked);
    CHECK(picked[0] == block[100] && picked[1] == block[2000]);
    memset(d, 0, sizeof d);
    hl_hamming_slices(tiles, d);
    OK(hl_hamming_slices_distance_u32x2048(block, e));
    CHECK(memcmp(d, e, sizeof d) == 0);
    hl_bitslice_cut_tile(source, 8, bytes);
    hl_bitslice_join_tile(bytes, 8, tiles);
    CHECK(memcmp(tiles, source, 512) == 0);
    hl_bitslice_prefetch(source, 8192);
    hl_bitslice_prefetch(NULL, 8192);
    hl_bitslice_stream(source, bytes, 8192);
    CHECK(memcmp(bytes, source, 8192) == 0);

    misses_kernel(source);
    hl_hamming_intersections(source, 8, 16, source, 128, NULL, 2, d, 64);
    digest("intersections", d, 128 * sizeof *d);
}

static void vectors_f32(void)
{
    const float x[6] = {1, 2, 3, -4, 5, 6}, rotated[2] = {4, -1}, scaled[2] = {-4, 7};
    float y[6] = {0, 0, 0, 0, 0, 0}, sums[2], a = 1, b = 4, z[2] = {2, 3};
    hl_reduce_axpy_f32(2, x, y, 6);
    CHECK(y[0] == 2 && y[3] == -8 && y[5] == 12);
    hl_reduce_axpy_complex_f32(0, 1, x, y, 3);
    CHECK(y[0] == 0 && y[1] == 5 && y[4] == 4 && y[5] == 17);
    hl_reduce_scal_f32(2, y, 6);
    CHECK(y[1] == 10 && y[5] == 34);
    hl_reduce_scal_complex_f32(1, 2, z, 1);
    CHECK(memcmp(z, scaled, sizeof z) == 0);
    hl_reduce_rot_f32(0, 1, &a, &b, 1);
    CHECK(a == rotated[0] && b == rotated[1]);
    CHECK(hl_reduce_amax_f32(x, 6) == 5 && hl_reduce_amax_complex_f32(x, 3) == 2);
    hl_reduce_dot_pairs_f32(x, x, 5, sums);
    CHECK(sums[0] == 35 && sums[1] == 20);
    hl_reduce_dot_crossed_f32(x, x, 3, sums);
    CHECK(sums[0] == 20 && sums[1] == 20);
}

static void vectors_f64(void)
{
    const double x[6] = {1, 2, 3, -4, 5, 6}, rotated[2] = {4, -1}, scaled[2] = {-4, 7};
    double y[6] = {0, 0, 0, 0, 0, 0}, sums[2], a = 1, b = 4, z[2] = {2, 3};
    hl_reduce_axpy_f64(2, x, y, 6);
    CHECK(y[0] == 2 && y[3] == -8 && y[5] == 12);
    hl_reduce_axpy_complex_f64(0, 1, x, y, 3);
    CHECK(y[0] == 0 && y[1] == 5 && y[4] == 4 && y[5] == 17);
    hl_reduce_scal_f64(2, y, 6);
    CHECK(y[1] == 10 && y[5] == 34);
    hl_reduce_scal_complex_f64(1, 2, z, 1);
    CHECK(memcmp(z, scaled, sizeof z) == 0);
    hl_reduce_rot_f64(0, 1, &a, &b, 1);
    CHECK(a == rotated[0] && b == rotated[1]);
    CHECK(hl_reduce_amax_f64(x, 6) == 5 && hl_reduce_amax_complex_f64(x, 3) == 2);
    hl_reduce_dot_pairs_f64(x, x, 5, sums);
    CHECK(sums[0] == 35 && sums[1] == 20);
    hl_reduce_dot_crossed_f64(x, x, 3, sums);
    CHECK(sums[0] == 20 && sums[1] == 20);
}

static void reduce_engine(void)
{
    const size_t n = COUNT(floats);
    int64_t sums[3] = {0, 0, 0};
    uint32_t x[2] = {1, 2}, y[2] = {3, 4};
    hl_reduce_swap_u32(x, y, 2);
    CHECK(x[0] == 3 && x[1] == 4 && y[0] == 1 && y[1] == 2);
    vectors_f32();
    vectors_f64();
    fill_numbers();
    CHECK(hl_reduce_binned_f64(doubles, n, -34, sums) == 1 && hl_reduce_binned_f32(floats, n, -34, sums) == 1);
    CHECK(hl_reduce_binned_f64(doubles, n, -100, sums) == 0 && hl_reduce_binned_f32(floats, n, -100, sums) == 0);
    CHECK(hl_reduce_products_f64(doubles, doubles, n, -34, sums) == 1);
    CHECK(hl_reduce_products_f32(floats, floats, n, -34, sums) == 1);
    digest("binned", sums, sizeof sums);
}

// The kernels compute a product of small integers, which is exact.
static void matmul_engine(void)
{
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], again[ROWS * COLUMNS];
    static float four[4 * ROWS * DEPTH], vector[16];
    static double da[ROWS * DEPTH], db[DEPTH * COLUMNS], dc[ROWS * COLUMNS], dagain[ROWS * COLUMNS];
    static double two[2 * ROWS * DEPTH], dvector[16];
    const hl_matmul_layout layout = {8, 7, 6, 4 * DEPTH, 4, 4 * COLUMNS, 4 * COLUMNS};
    const hl_matmul_layout dlayout = {8, 7, 6, 8 * DEPTH, 8, 8 * COLUMNS, 8 * COLUMNS};
    size_t i;
    for (i = 0; i < ROWS * DEPTH; i++) {
        a[i] = (float)(i % 7) - 3;
        da[i] = (double)(i % 11) - 5;
    }
    for (i = 0; i < DEPTH * COLUMNS; i++) {
        b[i] = (float)(i % 5) - 2;
        db[i] = (double)(i % 13) - 6;
    }
    OK(hl_matmul_gemm_f32(ROWS, COLUMNS, DEPTH, 1, a, DEPTH, 1, b, COLUMNS, 1, 0, c, COLUMNS, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f64(ROWS, COLUMNS, DEPTH, 1, da, DEPTH, 1, db, COLUMNS, 1, 0, dc, COLUMNS, 1, NULL, NULL, 0));
    hl_matmul_block_f32(ROWS, COLUMNS, DEPTH, a, DEPTH, 1, b, COLUMNS, NULL, again, COLUMNS, 0);
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_block_f64(ROWS, COLUMNS, DEPTH, da, DEPTH, 1, db, COLUMNS, NULL, dagain, COLUMNS, 0);
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_columns_f32(ROWS, COLUMNS, DEPTH, a, DEPTH, b, COLUMNS, again, COLUMNS, 0);
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_columns_f64(ROWS, COLUMNS, DEPTH, da, DEPTH, db, COLUMNS, dagain, COLUMNS, 0);
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_columns_f32(16, 1, DEPTH, a, DEPTH, b, 1, again, 1, 0);
    memset(vector, 0, sizeof vector);
    hl_matmul_vector_f32(16, DEPTH, a, DEPTH, b, vector);
    CHECK(memcmp(vector, again, sizeof vector) == 0);
    hl_matmul_columns_f64(16, 1, DEPTH, da, DEPTH, db, 1, dagain, 1, 0);
    memset(dvector, 0, sizeof dvector);
    hl_matmul_vector_f64(16, DEPTH, da, DEPTH, db, dvector);
    CHECK(memcmp(dvector, dagain, sizeof dvector) == 0);
    hl_matmul_dots_f32(16, 4, a, 4, b, vector);
    hl_matmul_dots_f64(16, 4, da, 4, db, dvector);
    for (i = 0; i < 16; i++) {
        float even = a[4 * i] * b[0] + a[4 * i + 2] * b[2], odd = a[4 * i + 1] * b[1] + a[4 * i + 3] * b[3];
        double deven = da[4 * i] * db[0] + da[4 * i + 2] * db[2], dodd = da[4 * i + 1] * db[1] + da[4 * i + 3] * db[3];
        CHECK(vector[i] == even + odd && dvector[i] == deven + dodd);
    }
    hl_matmul_columns_f32(ROWS, COLUMNS, 1, a, 1, b, COLUMNS, again, COLUMNS, 0);
    hl_matmul_outer_f32(ROWS, COLUMNS, a, 1, b, four, COLUMNS, 0);
    CHECK(memcmp(four, again, sizeof again) == 0);
    hl_matmul_columns_f64(ROWS, COLUMNS, 1, da, 1, db, COLUMNS, dagain, COLUMNS, 0);
    hl_matmul_outer_f64(ROWS, COLUMNS, da, 1, db, two, COLUMNS, 0);
    CHECK(memcmp(two, dagain, sizeof dagain) == 0);
    hl_matmul_block_f32(8, 7, 6, a, DEPTH, 1, b, COLUMNS, NULL, again, COLUMNS, 0);
    hl_matmul_tiny_f32(&layout, a, b, four, 0);
    CHECK(memcmp(four, again, sizeof again) == 0);
    hl_matmul_block_f64(8, 7, 6, da, DEPTH, 1, db, COLUMNS, NULL, dagain, COLUMNS, 0);
    hl_matmul_tiny_f64(&dlayout, da, db, two, 0);
    CHECK(memcmp(two, dagain, sizeof dagain) == 0);
    hl_matmul_transpose_f32(ROWS, COLUMNS, c, COLUMNS, again, ROWS);
    CHECK(again[1] == c[COLUMNS] && again[ROWS * COLUMNS - 1] == c[ROWS * COLUMNS - 1]);
    hl_matmul_transpose_f64(ROWS, COLUMNS, dc, COLUMNS, dagain, ROWS);
    CHECK(dagain[1] == dc[COLUMNS] && dagain[ROWS * COLUMNS - 1] == dc[ROWS * COLUMNS - 1]);
}

static void hardround_engine(void)
{
    uint64_t d[4], i;
    for (i = 0; i < 4; i++)
        d[i] = (i + 1) * 0x9e3779b97f4a7c15;
    printf("hardround_first %lu\n", (unsigned long)hl_hardround_exhaust(d, 100000, (uint64_t)1 << 50));
}
