// The functions of libhotloops_cblas.a, as in any <cblas.h>: for programs that have none, or to see
// which there are.
//
// An illegal argument is reported to cblas_xerbla and nothing is written. The default handler
// prints a line that names the argument and returns; a program may define its own.
#ifndef HOTLOOPS_CBLAS_H
#define HOTLOOPS_CBLAS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;

// C = alpha op(A) op(B) + beta C; C has m rows and n columns. Where beta is 0, C is not read, and
// where alpha is 0, A and B are not.
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);

// Dot product, and sum of magnitudes, of n elements `inc` apart; negative ones begin at the last
// (asum: give 0).
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
float cblas_sasum(int n, const float *x, int incx);
double cblas_dasum(int n, const double *x, int incx);

// Called with the position of an illegal argument, the name of the function and a sentence that
// names the argument, which has no conversions and ends the line. As in netlib's CBLAS, the
// position is that in the column-major call which does the same: for a row-major gemm m and n are
// exchanged (5 and 4), and lda and ldb (11 and 9).
void cblas_xerbla(int argument, const char *routine, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
