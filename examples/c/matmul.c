// A product, and the same product cut into rows, as threads would: the same bits.
//
//   cc matmul.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>
#include <string.h>

enum { M = 60, N = 50, K = 70 };

int main(void)
{
    static float a[M * K], b[K * N], c[M * N], cut[M * N];
    hl_matmul_plan *plan = NULL;
    hl_status status;
    size_t i, bytes = 0;
    static unsigned char workspace[1 << 18];
    for (i = 0; i < M * K; i++)
        a[i] = (float)(i * 7919 % 1000) / 500 - 1;
    for (i = 0; i < K * N; i++)
        b[i] = (float)(i * 104729 % 1000) / 500 - 1;
    status = hl_matmul_gemm_f32(M, N, K, 1, a, K, 1, b, N, 1, 0, c, N, 1, NULL, NULL, 0);
    if (status != HL_OK) {
        fprintf(stderr, "%s\n", hl_status_string(status));
        return 1;
    }
    // Ten rows at a time, in a workspace: only the plan is allocated.
    if (hl_matmul_plan_create_f32(10, N, K, K, 1, N, 1, N, 1, NULL, &plan) != HL_OK)
        return 1;
    hl_matmul_plan_workspace_bytes(plan, &bytes);
    for (i = 0; i < M && bytes <= sizeof workspace; i += 10)
        hl_matmul_plan_run_f32(plan, 1, a + i * K, b, 0, cut + i * N, workspace, sizeof workspace);
    hl_matmul_plan_destroy(plan);
    printf("c[0] = %.9g, %lu bytes of workspace\n", c[0], (unsigned long)bytes);
    return memcmp(c, cut, sizeof c) == 0 ? 0 : 1;
}
