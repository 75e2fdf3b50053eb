// Pair correlations.

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
    OK(hl_correlation_psi_from_angles(p->theta, POINTS, 6, p->psi));
}

static void digest_pairs(const char *name, const hl_correlation_pairs *pairs)
{
    static hl_correlation_pairs_bin bins[BINS];
    static uint64_t words[3 * BINS];
    size_t n = 0, i;
    OK(hl_correlation_pairs_len(pairs, &n));
    CHECK(n <= BINS);
    OK(hl_correlation_pairs_get(pairs, bins, n));
    for (i = 0; i < n; i++) {
        words[3 * i] = bins[i].count;
        words[3 * i + 1] = (uint64_t)bins[i].sum_hi;
        words[3 * i + 2] = bins[i].sum_lo;
        CHECK(bins[i].lo < bins[i].hi && (bins[i].count > 0 ? fabs(bins[i].g) <= 1.001 : bins[i].g != bins[i].g));
    }
    digest(name, words, 24 * n);
}

static void correlation_bonds_to_images(plane *p, const size_t *bonds, const double *weights, const double *periods)
{
    /* Images that are not the nearest ones. */
    const double apart[6] = {-52, 1, 135, -69, 0, 200};
    /* A point whose neighbours are its own images. */
    const double x = 0.25, y = 0.5, one[2] = {1, 1}, sides[8] = {1, 0, 0, 1, -1, 0, 0, -1};
    const size_t self[8] = {0};
    const double *x_of = p->real_x, *y_of = p->real_y;
    int16_t psi[2];
    OK(hl_correlation_psi_of_bonds_to_images(x_of, y_of, POINTS, periods, bonds, apart, NULL, 3, 6, p->psi));
    digest("psi6 of bonds to images", p->psi, sizeof p->psi);
    OK(hl_correlation_psi_of_bonds_to_images(x_of, y_of, POINTS, periods, bonds, apart, weights, 3, 6, p->psi));
    digest("psi6 of weighted bonds to images", p->psi, sizeof p->psi);
    OK(hl_correlation_psi_of_bonds_to_images(&x, &y, 1, one, self, sides, NULL, 4, 4, psi));
    digest("psi4 of a point", psi, sizeof psi);
}

static void correlation_image_errors(const double *bad, int16_t *psi)
{
    const double nan[2] = {0, NAN};
    const size_t beyond[2] = {0, 2}, pair[2] = {0, 1};
    REFUSED(HL_ERR_INDEX, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, beyond, bad, bad, 1, 6, psi));
    REFUSED(HL_ERR_COORDINATE, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, pair, nan, NULL, 1, 6, psi));
    REFUSED(HL_ERR_COORDINATE, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, pair, bad, nan + 1, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds_to_images(NULL, bad, 2, NULL, pair, bad, bad, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds_to_images(bad, NULL, 2, NULL, pair, bad, bad, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, NULL, bad, bad, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, pair, NULL, bad, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds_to_images(bad, bad, 2, NULL, pair, bad, bad, 1, 6, NULL));
    /* Without points there is nothing that a large k needs memory for. */
    OK(hl_correlation_psi_of_neighbours(NULL, NULL, 0, NULL, SIZE_MAX, 6, NULL));
}

static void correlation_family(void)
{
    static plane p;
    static uint64_t counts[41];
    static int64_t sums[41];
    const double periods[2] = {80, 70}, edges[4] = {0, 2.5, 10, 30};
    static hl_correlation_pairs_bin bins[BINS];
    hl_correlation_pairs *pairs = NULL, *parts = NULL, *received = NULL;
    hl_correlation_image *image = NULL, *positions = NULL;
    hl_correlation_points *points = NULL, *others = NULL;
    uint32_t height = 0, dy;
    size_t cells = 0, cell;
    make_plane(&p);
    OK(hl_correlation_pairs_create_uniform(0, 64, 1, &pairs));
    OK(hl_correlation_pairs_create_uniform(0, 64, 1, &parts));
    OK(hl_correlation_pairs_create_uniform(0, 64, 1, &received));
    OK(hl_correlation_image_create(p.x, p.y, p.psi, POINTS, &image));
    OK(hl_correlation_image_create(p.x, p.y, NULL, POINTS, &positions));
    OK(hl_correlation_image_height(image, &height));
    OK(hl_correlation_pairs_add_image(pairs, image));
    for (dy = 0; dy <= height; dy++)
        OK(hl_correlation_pairs_add_image_rows(parts, image, dy, dy + 1));
    OK(hl_correlation_pairs_add_image_within(pairs, image, 1 << 20));
    OK(hl_correlation_pairs_add_image_within(parts, image, 0));
    OK(hl_correlation_pairs_add_image_cross(pairs, image, positions));
    OK(hl_correlation_pairs_add_image_cross_within(pairs, image, image, 0));
    OK(hl_correlation_pairs_add_image_cross_within(parts, image, image, 1 << 20));
    OK(hl_correlation_pairs_add_image_cross(parts, image, positions));
    OK(hl_correlation_pairs_get(parts, bins, BINS));
    OK(hl_correlation_pairs_add_bins(received, bins, BINS));
    OK(hl_correlation_pairs_merge(pairs, received));
    digest_pairs("image", pairs);
    OK(hl_correlation_image_map_row(image, 3, 20, counts, sums));
    digest("map_counts", counts, sizeof counts);
    digest("map_sums", sums, sizeof sums);
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_pairs_destroy(parts);
    hl_correlation_pairs_destroy(received);
    hl_correlation_image_destroy(image);
    hl_correlation_image_destroy(positions);

    OK(hl_correlation_pairs_create(edges, 4, &pairs));
    OK(hl_correlation_points_create(p.real_x, p.real_y, p.psi, POINTS, periods, 30, &points));
    OK(hl_correlation_points_create_others(points, p.real_y, p.real_x, p.psi, POINTS, &others));
    OK(hl_correlation_pairs_add_points(pairs, points));
    OK(hl_correlation_points_cells(others, &cells));
    for (cell = 0; cell < cells; cell++)
        OK(hl_correlation_pairs_add_points_of_cells(pairs, others, cell, cell + 1));
    OK(hl_correlation_pairs_add_points_cross(pairs, points, others));
    digest_pairs("points", pairs);
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_points_destroy(points);
    hl_correlation_points_destroy(others);

    OK(hl_correlation_pairs_create_uniform(0, 6.25, 0.125, &pairs));
    OK(hl_correlation_points_create(p.real_x, p.real_y, p.psi, POINTS, NULL, 6.25, &points));
    OK(hl_correlation_pairs_add_points(pairs, points));
    digest_pairs("open", pairs);
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_points_destroy(points);

    OK(hl_correlation_pairs_create_uniform(0, 30, 3, &pairs));
    OK(hl_correlation_points_create(p.real_x, p.real_y, NULL, POINTS, NULL, 30, &points));
    OK(hl_correlation_points_create_others(points, p.real_y, p.real_x, NULL, POINTS, &others));
    OK(hl_correlation_pairs_add_points(pairs, points));
    OK(hl_correlation_pairs_add_points_cross(pairs, points, others));
    digest_pairs("counted", pairs);
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_points_destroy(points);
    hl_correlation_points_destroy(others);

    OK(hl_correlation_psi_of_neighbours(p.real_x, p.real_y, POINTS, NULL, 6, 6, p.psi));
    digest("psi6", p.psi, sizeof p.psi);
    OK(hl_correlation_psi_of_neighbours(p.real_x, p.real_y, POINTS, periods, 5, 3, p.psi));
    digest("psi3", p.psi, sizeof p.psi);
    const size_t bonds[6] = {0, 1, 0, 2, POINTS - 1, 0};
    const double weights[3] = {3, 1, 0.5};
    OK(hl_correlation_psi_of_neighbours_within(p.real_x, p.real_y, POINTS, periods, 6.5, 6, p.psi));
    digest("psi6 within", p.psi, sizeof p.psi);
    OK(hl_correlation_psi_of_bonds(p.real_x, p.real_y, POINTS, periods, bonds, 3, 6, p.psi));
    digest("psi6 of bonds", p.psi, sizeof p.psi);
    OK(hl_correlation_psi_of_weighted_bonds(p.real_x, p.real_y, POINTS, periods, bonds, weights, 3, 6, p.psi));
    digest("psi6 of weighted bonds", p.psi, sizeof p.psi);
    correlation_bonds_to_images(&p, bonds, weights, periods);
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
    hl_correlation_pairs_bin bin, bins[30];
    hl_correlation_pairs *pairs = NULL, *other = NULL;
    hl_correlation_image *image = NULL;
    hl_correlation_points *points = NULL, *others = NULL;
    make_plane(&p);
    REFUSED(HL_ERR_ORIENTATION, hl_correlation_psi_from_angles(&nan_angle, 1, 6, psi));
    REFUSED(HL_ERR_ORIENTATION, hl_correlation_psi(bad, bad, 1, psi));
    CHECK(psi[0] == 0 && psi[1] == 16385);
    REFUSED(HL_ERR_NULL, hl_correlation_psi(&half, NULL, 1, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi(NULL, &half, 1, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi(&half, &half, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_from_angles(NULL, 1, 6, psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_from_angles(&half, 1, 6, NULL));
    REFUSED(HL_ERR_NEIGHBOURS, hl_correlation_psi_of_neighbours(bad, bad, 1, NULL, 1, 6, psi));
    REFUSED(HL_ERR_NEIGHBOURS, hl_correlation_psi_of_neighbours(bad, bad, 1, NULL, 0, 6, psi));
    REFUSED(HL_ERR_COORDINATE, hl_correlation_psi_of_neighbours(not_finite, bad, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_PERIODIC, hl_correlation_psi_of_neighbours(bad, bad, 2, not_finite, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours(NULL, bad, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours(bad, NULL, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours(bad, bad, 2, NULL, 1, 6, NULL));
    const size_t beyond[2] = {0, 2};
    REFUSED(HL_ERR_COORDINATE, hl_correlation_psi_of_neighbours_within(bad, bad, 2, NULL, 0, 6, p.psi));
    REFUSED(HL_ERR_PERIODIC, hl_correlation_psi_of_neighbours_within(bad, bad, 2, periods, 30, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours_within(NULL, bad, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours_within(bad, NULL, 2, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_neighbours_within(bad, bad, 2, NULL, 1, 6, NULL));
    REFUSED(HL_ERR_INDEX, hl_correlation_psi_of_bonds(bad, bad, 2, NULL, beyond, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds(NULL, bad, 2, NULL, beyond, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds(bad, NULL, 2, NULL, beyond, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds(bad, bad, 2, NULL, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_bonds(bad, bad, 2, NULL, beyond, 1, 6, NULL));
    REFUSED(HL_ERR_INDEX, hl_correlation_psi_of_weighted_bonds(bad, bad, 2, NULL, beyond, bad, 1, 6, p.psi));
    REFUSED(HL_ERR_COORDINATE,
            hl_correlation_psi_of_weighted_bonds(bad, bad, 2, NULL, beyond, &nan_angle, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_weighted_bonds(NULL, bad, 2, NULL, beyond, bad, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_weighted_bonds(bad, NULL, 2, NULL, beyond, bad, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_weighted_bonds(bad, bad, 2, NULL, NULL, bad, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_weighted_bonds(bad, bad, 2, NULL, beyond, NULL, 1, 6, p.psi));
    REFUSED(HL_ERR_NULL, hl_correlation_psi_of_weighted_bonds(bad, bad, 2, NULL, beyond, bad, 1, 6, NULL));
    correlation_image_errors(bad, p.psi);
    CHECK(psi[0] == 0 && psi[1] == 16385);
    REFUSED(HL_ERR_BINS, hl_correlation_pairs_create(bad, 2, &pairs));
    REFUSED(HL_ERR_BINS, hl_correlation_pairs_create(bad, 1, &pairs));
    REFUSED(HL_ERR_BINS, hl_correlation_pairs_create_uniform(0, 1, -1, &pairs));
    REFUSED(HL_ERR_TOO_LARGE, hl_correlation_pairs_create_uniform(0, 1, 1e-6, &pairs));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_create(NULL, 2, &pairs));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_create(bad, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_create_uniform(0, 1, 1, NULL));
    OK(hl_correlation_pairs_create_uniform(0, 30, 1, &pairs));
    OK(hl_correlation_pairs_create_uniform(0, 31, 1, &other));
    REFUSED(HL_ERR_BINS, hl_correlation_pairs_merge(pairs, other));
    REFUSED(HL_ERR_OVERLAP, hl_correlation_pairs_merge(pairs, pairs));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_merge(NULL, other));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_merge(pairs, NULL));
    OK(hl_correlation_pairs_get(pairs, bins, 30));
    REFUSED(HL_ERR_LENGTH, hl_correlation_pairs_add_bins(pairs, bins, 29));
    bins[29].hi = 31;
    REFUSED(HL_ERR_BINS, hl_correlation_pairs_add_bins(pairs, bins, 30));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_bins(NULL, bins, 30));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_bins(pairs, NULL, 30));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_len(NULL, &n));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_len(pairs, NULL));
    REFUSED(HL_ERR_LENGTH, hl_correlation_pairs_get(pairs, &bin, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_get(pairs, NULL, 30));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_get(NULL, &bin, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_image_create(NULL, p.y, p.psi, 2, &image));
    REFUSED(HL_ERR_NULL, hl_correlation_image_create(p.x, NULL, p.psi, 2, &image));
    REFUSED(HL_ERR_NULL, hl_correlation_image_create(p.x, p.y, p.psi, 2, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_correlation_image_create(far_apart, p.y, p.psi, 2, &image));
    REFUSED(HL_ERR_ORIENTATION, hl_correlation_image_create(p.x, p.y, psi, 1, &image));
    OK(hl_correlation_image_create(p.x, p.y, p.psi, POINTS, &image));
    REFUSED(HL_ERR_NULL, hl_correlation_image_height(NULL, &height));
    REFUSED(HL_ERR_NULL, hl_correlation_image_height(image, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_image_map_row(NULL, 0, 0, counts, sums));
    REFUSED(HL_ERR_NULL, hl_correlation_image_map_row(image, 0, 0, NULL, sums));
    REFUSED(HL_ERR_NULL, hl_correlation_image_map_row(image, 0, 0, counts, NULL));
    REFUSED(HL_ERR_TOO_LARGE, hl_correlation_image_map_row(image, 0, SIZE_MAX, counts, sums));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image(NULL, image));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image(pairs, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_within(NULL, image, 0));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_within(pairs, NULL, 0));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_rows(NULL, image, 0, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_rows(pairs, NULL, 0, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross(NULL, image, image));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross(pairs, NULL, image));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross(pairs, image, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross_within(NULL, image, image, 0));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross_within(pairs, NULL, image, 0));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_image_cross_within(pairs, image, NULL, 0));
    REFUSED(HL_ERR_PERIODIC, hl_correlation_points_create(p.real_x, p.real_y, p.psi, 2, periods, 30, &points));
    REFUSED(HL_ERR_COORDINATE, hl_correlation_points_create(&nan_angle, p.real_y, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_BINS, hl_correlation_points_create(p.real_x, p.real_y, p.psi, 1, NULL, 0, &points));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create(NULL, p.real_y, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create(p.real_x, NULL, p.psi, 1, NULL, 30, &points));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create(p.real_x, p.real_y, p.psi, 1, NULL, 30, NULL));
    OK(hl_correlation_points_create(p.real_x, p.real_y, p.psi, POINTS, NULL, 30, &points));
    OK(hl_correlation_points_create(p.real_x, p.real_y, p.psi, POINTS - 1, periods, 29, &others));
    REFUSED(HL_ERR_FRAME, hl_correlation_pairs_add_points_cross(pairs, points, others));
    REFUSED(HL_ERR_PERIODIC, hl_correlation_pairs_add_points(pairs, others));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points(NULL, points));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points(pairs, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points_of_cells(pairs, NULL, 0, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points_of_cells(NULL, points, 0, 1));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points_cross(pairs, NULL, points));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points_cross(pairs, points, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_pairs_add_points_cross(NULL, points, points));
    REFUSED(HL_ERR_NULL, hl_correlation_points_cells(NULL, &n));
    REFUSED(HL_ERR_NULL, hl_correlation_points_cells(points, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create_others(NULL, p.real_x, p.real_y, p.psi, 1, &points));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create_others(points, p.real_x, p.real_y, p.psi, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create_others(points, NULL, p.real_y, p.psi, 1, &others));
    REFUSED(HL_ERR_NULL, hl_correlation_points_create_others(points, p.real_x, NULL, p.psi, 1, &others));
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_pairs_destroy(other);
    hl_correlation_pairs_destroy(NULL);
    hl_correlation_image_destroy(image);
    hl_correlation_image_destroy(NULL);
    hl_correlation_points_destroy(points);
    hl_correlation_points_destroy(others);
    hl_correlation_points_destroy(NULL);
}
