
// Kernel: magnitudes of x[0..n]; `y` may be `x`.
void hl_FAMILY_NAME(const float *x, float *y, size_t n);
