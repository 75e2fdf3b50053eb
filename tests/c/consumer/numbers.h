// Sums and products.

static float floats[1001];
static double doubles[1001];

// 24-bit integers divided by 1 to 4, and small integers whose products are exact.
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
    float f[8], columns[4];
    double d[8], dcolumns[4];
    uint8_t bytes[HL_REDUCE_REPRO_STATE_SIZE];
    hl_reduce_repro *repro = NULL, *other = NULL;
    static float one_f[300];
    static double one_d[300];
    const size_t n = COUNT(floats);
    size_t i;
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
    OK(hl_reduce_dot_strided_f64(doubles, doubles + 1, 300, 2, -3, &d[7]));
    digest("reduce_f64", d, sizeof d);
    OK(hl_reduce_asum_strided_f32(floats, n, 1, &f[0]));
    OK(hl_reduce_asum_strided_f64(doubles, n, 1, &d[0]));
    OK(hl_reduce_sum_strided_f64(doubles, n, -1, &d[2]));
    OK(hl_reduce_dot_strided_f32(floats, floats + 1, n - 1, 1, 1, &f[3]));
    CHECK(f[0] == f[1] && d[0] == d[1] && f[3] == f[2]);
    CHECK(hl_reduce_sum_repro_f32(NULL, 0) == 0 && hl_reduce_sum_repro_f64(NULL, 0) == 0);

    // Rows forwards, columns backwards, by the sums of their elements.
    OK(hl_reduce_row_sums_f32(floats, 3, 100, 100, 1, f));
    CHECK(f[0] == hl_reduce_sum_f32(floats, 100) && f[2] == hl_reduce_sum_f32(floats + 200, 100));
    OK(hl_reduce_row_sums_f64(doubles + 2, 3, 100, -1, 3, d));
    hl_reduce_column_sums_f32(100, 3, floats, 3, columns);
    OK(hl_reduce_sum_strided_f32(floats + 2, 100, 3, &columns[3]));
    CHECK(columns[2] == columns[3]);
    hl_reduce_column_sums_f64(100, 3, doubles, 3, dcolumns);
    OK(hl_reduce_sum_strided_f64(doubles + 2, 100, 3, &dcolumns[3]));
    CHECK(dcolumns[2] == dcolumns[3]);
    OK(hl_reduce_sum_strided_f64(doubles + 1, 100, 3, &d[3]));
    CHECK(d[1] == d[3]);
    // A product by 1 is its factor.
    for (i = 0; i < 300; i++) {
        one_f[i] = 1;
        one_d[i] = 1;
    }
    CHECK(hl_reduce_dot_repro_f32(floats, one_f, 300) == hl_reduce_sum_repro_f32(floats, 300));
    CHECK(hl_reduce_dot_repro_f64(one_d, doubles, 300) == hl_reduce_sum_repro_f64(doubles, 300));
    CHECK(hl_reduce_dot_repro_f64(NULL, NULL, 0) == 0);
    OK(hl_reduce_repro_create(&repro));
    OK(hl_reduce_repro_add_products_f64(repro, doubles, one_d, 300));
    OK(hl_reduce_repro_add_products_f32(repro, one_f, one_f, 300));
    OK(hl_reduce_repro_sum(repro, &d[0]));
    hl_reduce_repro_destroy(repro);
    OK(hl_reduce_repro_create(&repro));
    OK(hl_reduce_repro_add_f32(repro, one_f, 300));
    OK(hl_reduce_repro_add_f64(repro, doubles, 300));
    OK(hl_reduce_repro_sum(repro, &d[1]));
    hl_reduce_repro_destroy(repro);
    CHECK(d[0] == d[1]);

    // Pieces, through a saved state.
    OK(hl_reduce_repro_create(&repro));
    OK(hl_reduce_repro_add_f64(repro, doubles + 400, n - 400));
    OK(hl_reduce_repro_get_state(repro, bytes, sizeof bytes));
    OK(hl_reduce_repro_create_from_state(bytes, sizeof bytes, &other));
    hl_reduce_repro_destroy(repro);
    OK(hl_reduce_repro_create(&repro));
    OK(hl_reduce_repro_add_f64(repro, doubles, 400));
    OK(hl_reduce_repro_merge(other, repro));
    OK(hl_reduce_repro_sum(other, &d[0]));
    CHECK(d[0] == d[6]);
    OK(hl_reduce_repro_add_f32(repro, floats, n));
    OK(hl_reduce_repro_get_state(repro, bytes, sizeof bytes));
    digest("repro", bytes, sizeof bytes);
    hl_reduce_repro_destroy(repro);
    hl_reduce_repro_destroy(other);
    hl_reduce_repro_destroy(NULL);
}

enum { ROWS = 23, COLUMNS = 37, DEPTH = 29 };

static void matmul_family(void)
{
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], again[ROWS * COLUMNS];
    static float values[DEPTH * COLUMNS];
    static double da[ROWS * DEPTH], db[DEPTH * COLUMNS], dc[ROWS * COLUMNS], dagain[ROWS * COLUMNS];
    static double dvalues[DEPTH * COLUMNS];
    static float square[DEPTH * DEPTH], triangles[DEPTH * DEPTH];
    static double dsquare[DEPTH * DEPTH], dtriangles[DEPTH * DEPTH];
    const hl_matmul_opts opts = {sizeof opts, HL_MATMUL_FAST, 1 << 12, 0, 0};
    static unsigned char workspace[1 << 20];
    hl_matmul_packed packed;
    hl_matmul_plan *plan = NULL;
    size_t i, bytes = 1;
    for (i = 0; i < ROWS * DEPTH; i++) {
        a[i] = (float)(i % 7) - 3;
        da[i] = (double)(i % 11) - 5;
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

    // Repeats the products: by plans, with B packed.
    OK(hl_matmul_gemm_f32(ROWS, COLUMNS, DEPTH, 1, a, DEPTH, 1, b, COLUMNS, 1, 0, c, COLUMNS, 1, &opts, workspace,
                          sizeof workspace));
    OK(hl_matmul_gemm_f64(ROWS, COLUMNS, DEPTH, 1, da, DEPTH, 1, db, COLUMNS, 1, 0, dc, COLUMNS, 1, &opts, workspace,
                          sizeof workspace));
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
    REFUSED(HL_ERR_TYPE,
            hl_matmul_gemm_packed_f64(ROWS, 1, da, DEPTH, 1, &packed, 0, dagain, COLUMNS, 1, NULL, NULL, 0));
    OK(hl_matmul_pack_b_f64(DEPTH, COLUMNS, db, COLUMNS, 1, NULL, dvalues, &packed));
    OK(hl_matmul_gemm_packed_f64(ROWS, 1, da, DEPTH, 1, &packed, 0, dagain, COLUMNS, 1, NULL, NULL, 0));
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);

    // The chains begin at the bias: here, the first row of B, as a row of ones in A would add it.
    OK(hl_matmul_pack_b_f32(DEPTH, COLUMNS, b, COLUMNS, 1, NULL, values, &packed));
    OK(hl_matmul_gemm_with_epilogue_f32(ROWS, COLUMNS, DEPTH, 1, a, DEPTH, 1, b, COLUMNS, 1, NULL, HL_MATMUL_BIAS_NONE,
                                        HL_MATMUL_IDENTITY, again, COLUMNS, 1, NULL, NULL, 0));
    CHECK(memcmp(c, again, sizeof c) == 0);
    OK(hl_matmul_gemm_packed_with_epilogue_f32(ROWS, 1, a, DEPTH, 1, &packed, b, HL_MATMUL_BIAS_COLUMNS,
                                               HL_MATMUL_RELU, again, COLUMNS, 1, NULL, NULL, 0));
    for (i = 0; i < ROWS * COLUMNS; i++) {
        CHECK(again[i] == (c[i] + b[i % COLUMNS] < 0 ? 0 : c[i] + b[i % COLUMNS]));
    }
    OK(hl_matmul_pack_b_f64(DEPTH, COLUMNS, db, COLUMNS, 1, NULL, dvalues, &packed));
    OK(hl_matmul_gemm_packed_with_epilogue_f64(ROWS, 1, da, DEPTH, 1, &packed, NULL, HL_MATMUL_BIAS_NONE,
                                               HL_MATMUL_IDENTITY, dagain, COLUMNS, 1, NULL, NULL, 0));
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    OK(hl_matmul_gemm_with_epilogue_f64(ROWS, COLUMNS, DEPTH, 1, da, DEPTH, 1, db, COLUMNS, 1, da, HL_MATMUL_BIAS_ROWS,
                                        HL_MATMUL_RELU, dagain, COLUMNS, 1, NULL, NULL, 0));
    for (i = 0; i < ROWS * COLUMNS; i++) {
        CHECK(dagain[i] == (dc[i] + da[i / COLUMNS] < 0 ? 0 : dc[i] + da[i / COLUMNS]));
    }

    // Two triangles make a product by the transpose; a batch of rows makes the whole product.
    OK(hl_matmul_gemm_f32(DEPTH, DEPTH, ROWS, 1, a, 1, DEPTH, a, DEPTH, 1, 0, square, DEPTH, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f64(DEPTH, DEPTH, ROWS, 1, da, 1, DEPTH, da, DEPTH, 1, 0, dsquare, DEPTH, 1, NULL, NULL, 0));
    for (i = 0; i < 2; i++) {
        const int32_t triangle = i == 0 ? HL_MATMUL_UPPER : HL_MATMUL_LOWER;
        OK(hl_matmul_syrk_f32(DEPTH, ROWS, 1, a, 1, DEPTH, 0, triangles, DEPTH, 1, triangle, NULL, NULL, 0));
        OK(hl_matmul_syrk_f64(DEPTH, ROWS, 1, da, 1, DEPTH, 0, dtriangles, DEPTH, 1, triangle, NULL, workspace,
                              sizeof workspace));
    }
    CHECK(memcmp(square, triangles, sizeof square) == 0 && memcmp(dsquare, dtriangles, sizeof dsquare) == 0);
    OK(hl_matmul_plan_create_f32(1, COLUMNS, DEPTH, DEPTH, 1, COLUMNS, 1, COLUMNS, 1, NULL, &plan));
    OK(hl_matmul_plan_run_batch_f32(plan, ROWS, 1, a, DEPTH, b, 0, 0, again, COLUMNS, NULL, 0));
    CHECK(memcmp(c, again, sizeof c) == 0);
    hl_matmul_plan_destroy(plan);
    OK(hl_matmul_plan_create_f64(1, COLUMNS, DEPTH, DEPTH, 1, COLUMNS, 1, COLUMNS, 1, NULL, &plan));
    OK(hl_matmul_plan_run_batch_f64(plan, ROWS, 1, da, DEPTH, db, 0, 0, dagain, COLUMNS, NULL, 0));
    CHECK(memcmp(dc, dagain, sizeof dc) == 0);
    hl_matmul_plan_destroy(plan);
}

static void numbers_null_pointers(void)
{
    const float x[4] = {1, 2, 3, 4};
    const double y[4] = {1, 2, 3, 4};
    float c[4], values[4];
    double d[4], more_values[4];
    unsigned char memory[1] = {0};
    uint8_t bytes[HL_REDUCE_REPRO_STATE_SIZE];
    hl_reduce_repro *repro = NULL;
    hl_matmul_packed packed, more_packed;
    hl_matmul_plan *plan = NULL;
    size_t size;
#define NUMBERS(type, x, c, values, packed)                                                                            \
    do {                                                                                                               \
        REFUSED(HL_ERR_NULL, hl_reduce_sum_strided_##type(NULL, 1, 1, c));                                             \
        REFUSED(HL_ERR_NULL, hl_reduce_sum_strided_##type(x, 1, 1, NULL));                                             \
        REFUSED(HL_ERR_NULL, hl_reduce_asum_strided_##type(NULL, 1, 1, c));                                            \
        REFUSED(HL_ERR_NULL, hl_reduce_asum_strided_##type(x, 1, 1, NULL));                                            \
        REFUSED(HL_ERR_NULL, hl_reduce_dot_strided_##type(NULL, x, 1, 1, 1, c));                                       \
        REFUSED(HL_ERR_NULL, hl_reduce_dot_strided_##type(x, NULL, 1, 1, 1, c));                                       \
        REFUSED(HL_ERR_NULL, hl_reduce_dot_strided_##type(x, x, 1, 1, 1, NULL));                                       \
        REFUSED(HL_ERR_TOO_LARGE, hl_reduce_dot_strided_##type(x, x, 3, 1, PTRDIFF_MAX, c));                           \
        REFUSED(HL_ERR_NULL, hl_reduce_repro_add_##type(NULL, x, 1));                                                  \
        REFUSED(HL_ERR_NULL, hl_reduce_repro_add_##type(repro, NULL, 1));                                              \
        REFUSED(HL_ERR_NULL, hl_reduce_repro_add_products_##type(NULL, x, x, 1));                                      \
        REFUSED(HL_ERR_NULL, hl_reduce_repro_add_products_##type(repro, NULL, x, 1));                                  \
        REFUSED(HL_ERR_NULL, hl_reduce_repro_add_products_##type(repro, x, NULL, 1));                                  \
        REFUSED(HL_ERR_NULL, hl_reduce_row_sums_##type(NULL, 2, 2, 2, 1, c));                                          \
        REFUSED(HL_ERR_NULL, hl_reduce_row_sums_##type(x, 2, 2, 2, 1, NULL));                                          \
        REFUSED(HL_ERR_TOO_LARGE, hl_reduce_row_sums_##type(x, 2, 2, PTRDIFF_MAX, PTRDIFF_MAX, c));                    \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_##type(2, 2, 2, 1, NULL, 2, 1, x, 2, 1, 0, c, 2, 1, NULL, NULL, 0));       \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_##type(2, 2, 2, 1, x, 2, 1, NULL, 2, 1, 0, c, 2, 1, NULL, NULL, 0));       \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, NULL, 2, 1, NULL, NULL, 0));       \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_create_##type(2, 2, 2, 2, 1, 2, 1, 2, 1, NULL, NULL));                     \
        OK(hl_matmul_plan_create_##type(2, 2, 2, 2, 1, 2, 1, 2, 1, NULL, &plan));                                      \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_##type(NULL, 1, x, x, 0, c, NULL, 0));                                 \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_##type(plan, 1, NULL, x, 0, c, NULL, 0));                              \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_##type(plan, 1, x, NULL, 0, c, NULL, 0));                              \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_##type(plan, 1, x, x, 0, NULL, NULL, 0));                              \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_batch_##type(NULL, 1, 1, x, 4, x, 4, 0, c, 4, NULL, 0));               \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_batch_##type(plan, 1, 1, NULL, 4, x, 4, 0, c, 4, NULL, 0));            \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_batch_##type(plan, 1, 1, x, 4, NULL, 4, 0, c, 4, NULL, 0));            \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_batch_##type(plan, 1, 1, x, 4, x, 4, 0, NULL, 4, NULL, 0));            \
        REFUSED(HL_ERR_STRIDE, hl_matmul_plan_run_batch_##type(plan, 2, 1, x, 0, x, 0, 0, c, 3, NULL, 0));             \
        REFUSED(HL_ERR_NULL, hl_matmul_syrk_##type(2, 2, 1, NULL, 2, 1, 0, c, 2, 1, HL_MATMUL_LOWER, NULL, NULL, 0));  \
        REFUSED(HL_ERR_NULL, hl_matmul_syrk_##type(2, 2, 1, x, 2, 1, 0, NULL, 2, 1, HL_MATMUL_LOWER, NULL, NULL, 0));  \
        REFUSED(HL_ERR_OPTION, hl_matmul_syrk_##type(2, 2, 1, x, 2, 1, 0, c, 2, 1, 2, NULL, NULL, 0));                 \
        hl_matmul_plan_destroy(plan);                                                                                  \
        OK(hl_matmul_plan_create_##type(600, 600, 600, 1, 600, 1, 600, 600, 1, NULL, &plan));                          \
        OK(hl_matmul_plan_workspace_bytes(plan, &size));                                                               \
        CHECK(size > 0);                                                                                               \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_##type(plan, 0, x, x, 1, c, NULL, size));                              \
        REFUSED(HL_ERR_LENGTH, hl_matmul_plan_run_##type(plan, 0, x, x, 1, c, memory, 1));                             \
        REFUSED(HL_ERR_NULL, hl_matmul_plan_run_batch_##type(plan, 1, 0, x, 0, x, 0, 1, c, 0, NULL, size));            \
        hl_matmul_plan_destroy(plan);                                                                                  \
        REFUSED(HL_ERR_NULL, hl_matmul_pack_b_##type(2, 2, NULL, 2, 1, NULL, values, &packed));                        \
        REFUSED(HL_ERR_NULL, hl_matmul_pack_b_##type(2, 2, x, 2, 1, NULL, NULL, &packed));                             \
        REFUSED(HL_ERR_NULL, hl_matmul_pack_b_##type(2, 2, x, 2, 1, NULL, values, NULL));                              \
        OK(hl_matmul_pack_b_##type(2, 2, x, 2, 1, NULL, values, &packed));                                             \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_##type(2, 1, NULL, 2, 1, &packed, 0, c, 2, 1, NULL, NULL, 0));      \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_##type(2, 1, x, 2, 1, NULL, 0, c, 2, 1, NULL, NULL, 0));            \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_##type(2, 1, x, 2, 1, &packed, 0, NULL, 2, 1, NULL, NULL, 0));      \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, NULL, 2, 1, x, 2, 1, NULL, 0, 0, c, 2,    \
                                                                 1, NULL, NULL, 0));                                   \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, NULL, 2, 1, NULL, 0, 0, c, 2,    \
                                                                 1, NULL, NULL, 0));                                   \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, NULL, 1, 0, c, 2, 1,    \
                                                                 NULL, NULL, 0));                                      \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, x, 2, 0, NULL, 2, 1,    \
                                                                 NULL, NULL, 0));                                      \
        REFUSED(HL_ERR_OPTION, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, x, 3, 0, c, 2, 1,     \
                                                                   NULL, NULL, 0));                                    \
        REFUSED(HL_ERR_OPTION, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, x, 0, 2, c, 2, 1,     \
                                                                   NULL, NULL, 0));                                    \
        REFUSED(HL_ERR_OVERLAP, hl_matmul_gemm_with_epilogue_##type(2, 2, 2, 1, x, 2, 1, x, 2, 1, c + 3, 2, 0, c, 2,   \
                                                                    1, NULL, NULL, 0));                                \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_with_epilogue_##type(2, 1, NULL, 2, 1, &packed, NULL, 0, 0, c, 2,   \
                                                                        1, NULL, NULL, 0));                            \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_with_epilogue_##type(2, 1, x, 2, 1, NULL, NULL, 0, 0, c, 2, 1,      \
                                                                        NULL, NULL, 0));                               \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_with_epilogue_##type(2, 1, x, 2, 1, &packed, NULL, 2, 0, c, 2, 1,   \
                                                                        NULL, NULL, 0));                               \
        REFUSED(HL_ERR_NULL, hl_matmul_gemm_packed_with_epilogue_##type(2, 1, x, 2, 1, &packed, NULL, 0, 0, NULL, 2,   \
                                                                        1, NULL, NULL, 0));                            \
    } while (0)
    OK(hl_reduce_repro_create(&repro));
    NUMBERS(f32, x, c, values, packed);
    NUMBERS(f64, y, d, more_values, more_packed);
    REFUSED(HL_ERR_NULL, hl_matmul_plan_workspace_bytes(NULL, &size));
    OK(hl_matmul_plan_create_f32(2, 2, 2, 2, 1, 2, 1, 2, 1, NULL, &plan));
    REFUSED(HL_ERR_NULL, hl_matmul_plan_workspace_bytes(plan, NULL));
    hl_matmul_plan_destroy(plan);
    REFUSED(HL_ERR_NULL, hl_reduce_repro_create(NULL));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_create_from_state(NULL, sizeof bytes, &repro));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_create_from_state(bytes, sizeof bytes, NULL));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_merge(NULL, repro));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_merge(repro, NULL));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_sum(NULL, d));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_sum(repro, NULL));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_get_state(NULL, bytes, sizeof bytes));
    REFUSED(HL_ERR_NULL, hl_reduce_repro_get_state(repro, NULL, sizeof bytes));
    hl_reduce_repro_destroy(repro);
}

// Pointers that BLAS does not read may be null, and their matrices may have any size.
static void quick_returns(void)
{
    const size_t huge = SIZE_MAX;
    float x[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8}, values[4];
    const float twice[4] = {10, 12, 14, 16};
    const ptrdiff_t far_away = PTRDIFF_MAX;
    hl_matmul_packed packed;
    hl_matmul_plan *plan = NULL;
    // alpha = 0, then k = 0: only C is accessed.
    OK(hl_matmul_gemm_f32(2, 2, 2, 0, NULL, 2, 1, NULL, 2, 1, 2, c, 2, 1, NULL, NULL, 0));
    CHECK(memcmp(c, twice, sizeof c) == 0);
    OK(hl_matmul_gemm_f32(2, 2, huge, 0, NULL, far_away, 1, NULL, 2, far_away, 1, c, 2, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f32(2, 2, 0, 1, NULL, 2, 1, NULL, 2, 1, 1, c, 2, 1, NULL, NULL, 0));
    CHECK(memcmp(c, twice, sizeof c) == 0);
    // C is empty.
    OK(hl_matmul_gemm_f32(0, huge, huge, 1, NULL, 2, 1, NULL, 2, 1, 1, NULL, 2, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f32(huge, 0, huge, 1, NULL, far_away, 1, NULL, far_away, 1, 1, NULL, far_away, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_f32(0, 0, 0, 1, NULL, 0, 0, NULL, 0, 0, 1, NULL, 0, 0, NULL, NULL, 0));
    OK(hl_matmul_plan_create_f32(0, huge, huge, 2, 1, 2, 1, 2, 1, NULL, &plan));
    OK(hl_matmul_plan_run_f32(plan, 1, NULL, NULL, 1, NULL, NULL, 0));
    hl_matmul_plan_destroy(plan);
    OK(hl_matmul_plan_create_f32(2, 2, 0, 2, 1, 2, 1, 2, 1, NULL, &plan));
    OK(hl_matmul_plan_run_f32(plan, 1, NULL, NULL, 1, c, NULL, 0));
    hl_matmul_plan_destroy(plan);
    OK(hl_matmul_plan_create_f32(2, 2, 2, 2, 1, 2, 1, 2, 1, NULL, &plan));
    OK(hl_matmul_plan_run_f32(plan, 0, NULL, NULL, 1, c, NULL, 0));
    hl_matmul_plan_destroy(plan);
    OK(hl_matmul_pack_b_f32(2, 2, x, 2, 1, NULL, values, &packed));
    OK(hl_matmul_gemm_packed_f32(2, 0, NULL, 2, 1, &packed, 1, c, 2, 1, NULL, NULL, 0));
    OK(hl_matmul_gemm_packed_f32(0, 1, NULL, 2, 1, &packed, 1, NULL, 2, 1, NULL, NULL, 0));
    OK(hl_matmul_pack_b_f32(0, huge, NULL, 2, 1, NULL, NULL, &packed));
    OK(hl_matmul_pack_b_f32(huge, 0, NULL, 2, 1, NULL, NULL, &packed));
    CHECK(memcmp(c, twice, sizeof c) == 0);
    OK(hl_reduce_dot_strided_f32(NULL, NULL, 0, far_away, far_away, &c[0]));
    OK(hl_reduce_sum_strided_f32(NULL, 0, far_away, &c[1]));
    OK(hl_reduce_asum_strided_f32(NULL, 0, far_away, &c[2]));
    CHECK(c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 16);
}

static void numbers_errors(void)
{
    float x[4] = {1, 2, 3, 4}, c[4] = {5, 5, 5, 5};
    const float before[4] = {5, 5, 5, 5};
    hl_matmul_opts opts[2] = {HL_MATMUL_OPTS, HL_MATMUL_OPTS};
    uint8_t bytes[HL_REDUCE_REPRO_STATE_SIZE] = {0};
    hl_reduce_repro *repro = NULL;
    hl_matmul_packed packed = {x, 2, 2, 0, 0, sizeof *x};
    opts[0].order = 7;
    REFUSED(HL_ERR_OPTION, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 2, 1, opts, NULL, 0));
    opts[0].size = sizeof *opts - 1;
    REFUSED(HL_ERR_LENGTH, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 2, 1, opts, NULL, 0));
    // The options of a later version, with a member that this one lacks.
    opts[0].order = HL_MATMUL_STRICT;
    opts[0].size = sizeof opts;
    REFUSED(HL_ERR_TOO_LARGE, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 2, 1, opts, NULL, 0));
    REFUSED(HL_ERR_STRIDE, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, x, 2, 1, 0, c, 1, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_OVERLAP, hl_matmul_gemm_f32(2, 2, 2, 1, x, 2, 1, c, 2, 1, 0, c, 2, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_NULL, hl_matmul_gemm_f32(2, 2, 2, 1, NULL, 2, 1, x, 2, 1, 0, c, 2, 1, NULL, NULL, 0));
    REFUSED(HL_ERR_TOO_LARGE,
            hl_matmul_gemm_f32((size_t)1 << 40, 2, (size_t)1 << 40, 1, x, 1 << 30, 1, x, 2, 1, 0, c, 2, 1,
                               NULL, NULL, 0));
    REFUSED(HL_ERR_PACKED, hl_matmul_gemm_packed_f32(2, 1, x, 2, 1, &packed, 0, c, 2, 1, NULL, NULL, 0));
    CHECK(memcmp(c, before, sizeof c) == 0);
    REFUSED(HL_ERR_STATE_FOREIGN, hl_reduce_repro_create_from_state(bytes, sizeof bytes, &repro));
    REFUSED(HL_ERR_TOO_LARGE, hl_reduce_sum_strided_f32(x, 2, PTRDIFF_MAX, c));
    numbers_null_pointers();
    quick_returns();
}
