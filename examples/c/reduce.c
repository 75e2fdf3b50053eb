// Sums of one array in every way, forwards and backwards.
//
//   cc reduce.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>

#define N 100000

int main(void)
{
    static double x[N], reversed[N];
    hl_reduce_repro *sum = NULL, *piece = NULL;
    double in_pieces;
    size_t i;
    for (i = 0; i < N; i++) {
        x[i] = (i % 2 ? -1.0 : 1.0) / (double)(i + 1);
        reversed[N - 1 - i] = x[i];
    }
    printf("%-10s %.17g %.17g\n", "sum", hl_reduce_sum_f64(x, N), hl_reduce_sum_f64(reversed, N));
    printf("%-10s %.17g %.17g\n", "kahan", hl_reduce_kahan_f64(x, N), hl_reduce_kahan_f64(reversed, N));
    printf("%-10s %.17g %.17g\n", "sum2", hl_reduce_sum2_f64(x, N), hl_reduce_sum2_f64(reversed, N));
    printf("%-10s %.17g %.17g\n", "sum_repro", hl_reduce_sum_repro_f64(x, N), hl_reduce_sum_repro_f64(reversed, N));

    // Two pieces, merged.
    if (hl_reduce_repro_create(&sum) != HL_OK || hl_reduce_repro_create(&piece) != HL_OK)
        return 1;
    hl_reduce_repro_add_f64(piece, x, 777);
    hl_reduce_repro_add_f64(sum, x + 777, N - 777);
    hl_reduce_repro_merge(sum, piece);
    hl_reduce_repro_sum(sum, &in_pieces);
    printf("%-10s %.17g\n", "in pieces", in_pieces);
    hl_reduce_repro_destroy(piece);
    hl_reduce_repro_destroy(sum);
    return in_pieces == hl_reduce_sum_repro_f64(x, N) ? 0 : 1;
}
