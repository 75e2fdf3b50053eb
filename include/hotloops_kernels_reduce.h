// The kernels of hotloops_kernels.h that reduce or change vectors. Include that header.
#ifndef HOTLOOPS_KERNELS_REDUCE_H
#define HOTLOOPS_KERNELS_REDUCE_H

#include "hotloops.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reduce: steps of exact sums ----------------------------------------------------------------

// Kernels: split numbers into integers. Adds to sums[0] the integers nearest to x / 2^(exponent +
// 80), to sums[1] those nearest to the remainders / 2^(exponent + 40), and to sums[2] those nearest to
// what remains / 2^exponent, ties towards zero, and returns 1. If a magnitude is 2^(exponent + 119) or
// more, or an element is NaN, writes nothing and returns 0. n <= 8192; -1074 <= exponent <= 891.
uint32_t hl_reduce_binned_f32(const float *x, size_t n, int32_t exponent, int64_t *sums);
uint32_t hl_reduce_binned_f64(const double *x, size_t n, int32_t exponent, int64_t *sums);

// Kernels: the same for each product in double, and for its rounding error, fma(x, y, -product), to
// sums[1] and sums[2]. n <= 4096.
uint32_t hl_reduce_products_f32(const float *x, const float *y, size_t n, int32_t exponent, int64_t *sums);
uint32_t hl_reduce_products_f64(const double *x, const double *y, size_t n, int32_t exponent, int64_t *sums);

// Kernel: the sum of x[0..n] in double, if no addition can round. range[0] and range[1] are the
// smallest magnitude other than 0 and the largest magnitude of other elements; INFINITY and 0 if
// there are none. If the exponents of these and of all elements differ by at most 16, writes the sum
// and the range of all and returns 1; otherwise, or if an element is not finite, writes nothing and
// returns 0. n <= 8192.
uint32_t hl_reduce_exact_f32(const float *x, size_t n, float *range, double *sum);

// ---- reduce: vectors that are written -------------------------------------------------------------

// Kernels of level 1 of BLAS. Each operation is rounded, and a result that is NaN may have any sign and
// payload. Vectors have any alignment; x and y do not overlap. The n elements of a complex vector are 2 n
// numbers, real and imaginary parts in turn.
//
//   swap           x and y are exchanged
//   axpy           y = y + alpha x
//   scal           x = alpha x
//   rot            x = c x + s y, y = c y - s x
//   amax           index of the first NaN, or else of the first largest magnitude; 0 if n is 0
//   axpy_complex   y = y + (re x.re - im x.im, re x.im + im x.re)
//   scal_complex   x = (re x.re - im x.im, re x.im + im x.re)
//   amax_complex   as amax, with |re| + |im|
//   dot_pairs      sums[0]: dot product of the elements with even indices, sums[1]: of those with odd ones
//   dot_crossed    of n pairs: sums[0] adds x[2 i] y[2 i + 1], sums[1] adds x[2 i + 1] y[2 i]
//
// The sums of the last two have the order of hl_reduce_dot_f32.
void hl_reduce_swap_u32(uint32_t *x, uint32_t *y, size_t n);
void hl_reduce_axpy_f32(float alpha, const float *x, float *y, size_t n);
void hl_reduce_scal_f32(float alpha, float *x, size_t n);
void hl_reduce_rot_f32(float c, float s, float *x, float *y, size_t n);
size_t hl_reduce_amax_f32(const float *x, size_t n);
void hl_reduce_axpy_complex_f32(float re, float im, const float *x, float *y, size_t n);
void hl_reduce_scal_complex_f32(float re, float im, float *x, size_t n);
size_t hl_reduce_amax_complex_f32(const float *x, size_t n);
void hl_reduce_dot_pairs_f32(const float *x, const float *y, size_t n, float *sums);
void hl_reduce_dot_crossed_f32(const float *x, const float *y, size_t n, float *sums);
void hl_reduce_axpy_f64(double alpha, const double *x, double *y, size_t n);
void hl_reduce_scal_f64(double alpha, double *x, size_t n);
void hl_reduce_rot_f64(double c, double s, double *x, double *y, size_t n);
size_t hl_reduce_amax_f64(const double *x, size_t n);
void hl_reduce_axpy_complex_f64(double re, double im, const double *x, double *y, size_t n);
void hl_reduce_scal_complex_f64(double re, double im, double *x, size_t n);
size_t hl_reduce_amax_complex_f64(const double *x, size_t n);
void hl_reduce_dot_pairs_f64(const double *x, const double *y, size_t n, double *sums);
void hl_reduce_dot_crossed_f64(const double *x, const double *y, size_t n, double *sums);

#ifdef __cplusplus
}
#endif

#endif
