// Exponentials.

typedef void exp_kernel(const float *x, float *y, size_t n);

static void exp_family(void)
{
    exp_kernel *const kernels[] = {hl_exp_fast_f32, hl_exp_accurate_f32, hl_exp_poly_f32};
    const char *const names[] = {"fast_f32", "accurate_f32", "poly_f32"};
    float x[1001], y[1001];
    size_t k, i;
    for (k = 0; k < COUNT(kernels); k++) {
        for (i = 0; i < COUNT(x); i++)
            x[i] = ((float)i - 500.0f) / 16.0f;
        kernels[k](x, y, COUNT(x));
        digest(names[k], y, sizeof y);
        kernels[k](x, x, COUNT(x));
        CHECK(memcmp(x, y, sizeof x) == 0);
        kernels[k](NULL, NULL, 0);
    }
}
