// Rotates points of space about an axis: x becomes r x ~r, in the algebra of three generators of
// square 1. Then a linear layer takes the points and the rotated points as its two channels.
//
//   cc clifford.c $(pkg-config --cflags --libs hotloops) -lm
#include <hotloops.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4

// y = x w: the layer of two channels of input and one of output. weights[q][i] is blade q for channel i.
static hl_status layer(const int8_t *space, float weights[8][2], float x[N][2][8], float y[N][8])
{
    float memory[512], *workspace = NULL;
    size_t needed = 0;
    hl_clifford_plan *plan = NULL;
    hl_clifford_packed *packed = NULL;
    hl_status status = hl_clifford_plan_create_linear(space, 3, 2, 1, HL_CLIFFORD_FAST, &plan);
    if (status == HL_OK)
        status = hl_clifford_packed_create_f32(plan, &weights[0][0], NULL, memory, 512, &packed);
    if (status == HL_OK)
        status = hl_clifford_packed_workspace(packed, N, NULL, &needed);
    if (status == HL_OK) {
        // Null is refused unless nothing is needed.
        workspace = malloc(needed * sizeof *workspace);
        status = hl_clifford_forward_f32(packed, N, NULL, &x[0][0][0], &y[0][0], workspace, needed);
    }
    free(workspace);
    hl_clifford_packed_destroy(packed);
    hl_clifford_plan_destroy(plan);
    return status;
}

int main(void)
{
    // Coefficients of 1, e1, e2, e3, e12, e13, e23, e123: a point is a combination of e1, e2 and e3.
    static const int8_t space[3] = {1, 1, 1};
    float r[N][8] = {{0}}, x[N][8] = {{0}}, z[N][8], channels[N][2][8], y[N][8];
    // The first channel times -1/2, the second one times 1/2 + e123.
    float weights[8][2] = {{-0.5f, 0.5f}, {0}, {0}, {0}, {0}, {0}, {0}, {0, 1}};
    hl_status status;
    int i, blade;
    for (i = 0; i < N; i++) {
        const float angle = 0.5f * (float)i;
        r[i][0] = cosf(angle / 2); // r turns e1 towards e2 by the angle
        r[i][4] = -sinf(angle / 2);
        x[i][1] = 1;
        x[i][3] = 2;
    }
    status = hl_clifford_sandwich_f32(space, 3, N, &r[0][0], &x[0][0], &z[0][0]);
    for (i = 0; i < N; i++) {
        for (blade = 0; blade < 8; blade++) {
            channels[i][0][blade] = x[i][blade];
            channels[i][1][blade] = z[i][blade];
        }
    }
    if (status == HL_OK)
        status = layer(space, weights, channels, y);
    if (status != HL_OK) {
        fprintf(stderr, "%s\n", hl_status_string(status));
        return 1;
    }
    for (i = 0; i < N; i++) {
        printf("turned by %.1f: %6.3f %6.3f %6.3f\n", 0.5 * i, z[i][1], z[i][2], z[i][3]);
        printf("  half the displacement %6.3f %6.3f %6.3f, plane %6.3f %6.3f %6.3f\n", y[i][1], y[i][2], y[i][3],
               y[i][4], y[i][5], y[i][6]);
    }
    return 0;
}
