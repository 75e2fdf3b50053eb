// The three exponentials beside that of libm.
//
//   cc exp.c $(pkg-config --cflags --libs hotloops) -lm
#include <hotloops.h>

#include <math.h>
#include <stdio.h>

#define N 9

int main(void)
{
    float x[N], fast[N], accurate[N], poly[N];
    int i;
    for (i = 0; i < N; i++)
        x[i] = 2.5f * (float)(i - N / 2);
    hl_exp_fast_f32(x, fast, N);
    hl_exp_accurate_f32(x, accurate, N);
    hl_exp_poly_f32(x, poly, N);
    printf("     x          libm          fast      accurate          poly    (%s)\n", hl_isa_active());
    for (i = 0; i < N; i++)
        printf("%6.2f %13.6g %13.6g %13.6g %13.6g\n", x[i], exp(x[i]), fast[i], accurate[i], poly[i]);
    return 0;
}
