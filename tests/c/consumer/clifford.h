// The products of the Clifford family.

static void clifford_family(void)
{
    const int8_t plane[2] = {1, -1};
    float x[8], y[8], z[8], w[20];
    double dx[8], dy[8], dz[8], dw[20];
    int i;
    for (i = 0; i < 20; i++) {
        w[i] = (float)(i - 9) / 4;
        dw[i] = (double)(i - 9) / 4;
    }
    for (i = 0; i < 8; i++) {
        x[i] = (float)(i - 3) / 8;
        dx[i] = (double)(i - 3) / 8;
        y[i] = (float)(5 - 2 * i) / 16;
        dy[i] = (double)(5 - 2 * i) / 16;
    }
    OK(hl_clifford_product_f32(plane, 2, 2, x, y, z));
    digest("clifford_product", z, sizeof z);
    OK(hl_clifford_sandwich_f32(plane, 2, 2, x, y, z));
    digest("clifford_sandwich", z, sizeof z);
    OK(hl_clifford_weighted_f32(plane, 2, 1, 2, w, x, y, z));
    digest("clifford_weighted", z, sizeof z);
    OK(hl_clifford_norms_f32(plane, 2, 2, x, z));
    digest("clifford_norms", z, 6 * sizeof *z);
    OK(hl_clifford_blades_first_f32(plane, 2, 2, x, z));
    digest("clifford_blades_first", z, sizeof z);
    OK(hl_clifford_blades_last_f32(plane, 2, 2, x, z));
    digest("clifford_blades_last", z, sizeof z);
    OK(hl_clifford_product_f64(plane, 2, 2, dx, dy, dz));
    digest("clifford_product", dz, sizeof dz);
    OK(hl_clifford_sandwich_f64(plane, 2, 2, dx, dy, dz));
    digest("clifford_sandwich", dz, sizeof dz);
    OK(hl_clifford_weighted_f64(plane, 2, 1, 2, dw, dx, dy, dz));
    digest("clifford_weighted", dz, sizeof dz);
    OK(hl_clifford_norms_f64(plane, 2, 2, dx, dz));
    digest("clifford_norms", dz, 6 * sizeof *dz);
    OK(hl_clifford_blades_first_f64(plane, 2, 2, dx, dz));
    digest("clifford_blades_first", dz, sizeof dz);
    OK(hl_clifford_blades_last_f64(plane, 2, 2, dx, dz));
    digest("clifford_blades_last", dz, sizeof dz);
}

static void clifford_errors(void)
{
    const int8_t plane[2] = {1, -1}, wrong[2] = {1, 2};
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[20] = {1};
    float z[8];
    const double dx[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dw[20] = {1};
    double dz[8];
    REFUSED(HL_ERR_NULL, hl_clifford_product_f32(NULL, 2, 2, x, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f32(plane, 2, 2, NULL, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f32(plane, 2, 2, x, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f32(plane, 2, 2, x, x, NULL));
    REFUSED(HL_ERR_SIGNATURE, hl_clifford_product_f32(wrong, 2, 2, x, x, z));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_product_f32(plane, 2, SIZE_MAX, x, x, z));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_product_f32(plane, 2, 1, z, x, z + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f32(NULL, 2, 2, x, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f32(plane, 2, 2, NULL, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f32(plane, 2, 2, x, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f32(plane, 2, 2, x, x, NULL));
    REFUSED(HL_ERR_SIGNATURE, hl_clifford_sandwich_f32(wrong, 2, 2, x, x, z));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_sandwich_f32(plane, 2, SIZE_MAX, x, x, z));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_sandwich_f32(plane, 2, 1, z, x, z + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f32(NULL, 2, 1, 2, w, x, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f32(plane, 2, 1, 2, NULL, x, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f32(plane, 2, 1, 2, w, NULL, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f32(plane, 2, 1, 2, w, x, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f32(plane, 2, 1, 2, w, x, x, NULL));
    REFUSED(HL_ERR_CHANNELS, hl_clifford_weighted_f32(plane, 2, 1, 0, w, x, x, z));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_weighted_f32(plane, 2, SIZE_MAX, 2, w, x, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f32(NULL, 2, 2, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f32(plane, 2, 2, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f32(plane, 2, 2, x, NULL));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f32(NULL, 2, 2, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f32(plane, 2, 2, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f32(plane, 2, 2, x, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_blades_first_f32(plane, 2, SIZE_MAX, x, z));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_blades_first_f32(plane, 2, 1, z, z + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f32(NULL, 2, 2, x, z));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f32(plane, 2, 2, NULL, z));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f32(plane, 2, 2, x, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_blades_last_f32(plane, 2, SIZE_MAX, x, z));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_blades_last_f32(plane, 2, 1, z, z + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f64(NULL, 2, 2, dx, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f64(plane, 2, 2, NULL, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f64(plane, 2, 2, dx, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_product_f64(plane, 2, 2, dx, dx, NULL));
    REFUSED(HL_ERR_SIGNATURE, hl_clifford_product_f64(wrong, 2, 2, dx, dx, dz));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_product_f64(plane, 2, SIZE_MAX, dx, dx, dz));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_product_f64(plane, 2, 1, dz, dx, dz + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f64(NULL, 2, 2, dx, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f64(plane, 2, 2, NULL, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f64(plane, 2, 2, dx, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_sandwich_f64(plane, 2, 2, dx, dx, NULL));
    REFUSED(HL_ERR_SIGNATURE, hl_clifford_sandwich_f64(wrong, 2, 2, dx, dx, dz));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_sandwich_f64(plane, 2, SIZE_MAX, dx, dx, dz));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_sandwich_f64(plane, 2, 1, dz, dx, dz + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f64(NULL, 2, 1, 2, dw, dx, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f64(plane, 2, 1, 2, NULL, dx, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f64(plane, 2, 1, 2, dw, NULL, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f64(plane, 2, 1, 2, dw, dx, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_weighted_f64(plane, 2, 1, 2, dw, dx, dx, NULL));
    REFUSED(HL_ERR_CHANNELS, hl_clifford_weighted_f64(plane, 2, 1, 0, dw, dx, dx, dz));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_weighted_f64(plane, 2, SIZE_MAX, 2, dw, dx, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f64(NULL, 2, 2, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f64(plane, 2, 2, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_norms_f64(plane, 2, 2, dx, NULL));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f64(NULL, 2, 2, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f64(plane, 2, 2, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_first_f64(plane, 2, 2, dx, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_blades_first_f64(plane, 2, SIZE_MAX, dx, dz));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_blades_first_f64(plane, 2, 1, dz, dz + 3));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f64(NULL, 2, 2, dx, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f64(plane, 2, 2, NULL, dz));
    REFUSED(HL_ERR_NULL, hl_clifford_blades_last_f64(plane, 2, 2, dx, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_clifford_blades_last_f64(plane, 2, SIZE_MAX, dx, dz));
    REFUSED(HL_ERR_OVERLAP, hl_clifford_blades_last_f64(plane, 2, 1, dz, dz + 3));
}
