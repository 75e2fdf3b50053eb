// Rotates points of space about an axis: x becomes r x ~r, in the algebra of three generators of
// square 1.
//
//   cc clifford.c $(pkg-config --cflags --libs hotloops) -lm
#include <hotloops.h>

#include <math.h>
#include <stdio.h>

#define N 4

int main(void)
{
    // Coefficients of 1, e1, e2, e3, e12, e13, e23, e123: a point is a combination of e1, e2 and e3.
    static const int8_t space[3] = {1, 1, 1};
    float r[N][8] = {{0}}, x[N][8] = {{0}}, z[N][8];
    int i;
    for (i = 0; i < N; i++) {
        const float angle = 0.5f * (float)i;
        r[i][0] = cosf(angle / 2); // r turns e1 towards e2 by the angle
        r[i][4] = -sinf(angle / 2);
        x[i][1] = 1;
        x[i][3] = 2;
    }
    hl_status status = hl_clifford_sandwich_f32(space, 3, N, &r[0][0], &x[0][0], &z[0][0]);
    if (status != HL_OK) {
        fprintf(stderr, "%s\n", hl_status_string(status));
        return 1;
    }
    for (i = 0; i < N; i++)
        printf("turned by %.1f: %6.3f %6.3f %6.3f\n", 0.5 * i, z[i][1], z[i][2], z[i][3]);
    return 0;
}
