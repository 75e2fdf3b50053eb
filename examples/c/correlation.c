// g6(r) of a few points with an angle each, in an open plane.
//
//   cc correlation.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>

#define N 10000
#define BINS 20

int main(void)
{
    static double x[N], y[N], theta[N];
    static int16_t psi[2 * N];
    hl_correlation_pairs_bin bins[BINS];
    hl_correlation_points *points = NULL;
    hl_correlation_pairs *pairs = NULL;
    hl_status status;
    int i;
    // A square lattice whose cells turn slowly to the right.
    for (i = 0; i < N; i++) {
        x[i] = i % 100;
        y[i] = i / 100;
        theta[i] = 0.01 * x[i];
    }
    if ((status = hl_correlation_psi_from_angles(theta, N, 4, psi)) != HL_OK ||
        (status = hl_correlation_points_create(x, y, psi, N, NULL, BINS, &points)) != HL_OK ||
        (status = hl_correlation_pairs_create_uniform(0, BINS, 1, &pairs)) != HL_OK ||
        (status = hl_correlation_pairs_add_points(pairs, points)) != HL_OK ||
        (status = hl_correlation_pairs_get(pairs, bins, BINS)) != HL_OK) {
        fprintf(stderr, "%s\n", hl_status_string(status));
        return 1;
    }
    for (i = 1; i < BINS; i++)
        printf("%4.1f %8lu %8.5f\n", (bins[i].lo + bins[i].hi) / 2, (unsigned long)bins[i].count, bins[i].g);
    hl_correlation_pairs_destroy(pairs);
    hl_correlation_points_destroy(points);
    return 0;
}
