/* BLAS in C: the routines of libhotloops_blas, libhotloops_blas64 and libblas.so.3. It stands in for
 * <cblas.h>: of two headers that define CBLAS_H, as netlib's and OpenBLAS's, the first counts.
 *
 * Each routine also has its Fortran name, sgemm_ for cblas_sgemm: every argument is a pointer,
 * transpositions and triangles are letters, matrices are column-major, and the hidden lengths of
 * letters are ignored. Functions return their value as gfortran's do. LAPACK's sgetrf_, sgetrf2_,
 * spotrf_ and spotrf2_, and those of d, are there by their Fortran names alone.
 *
 * Using it:
 *   cc program.c -lhotloops_blas                    integers of 32 bits
 *   cc -DHOTLOOPS_CBLAS_ILP64 program.c -lhotloops_blas64
 *                                                   64 bits; there are names sgemm_64_, cblas_sgemm_64 and
 *                                                   cblas_sgemm64_ too
 *   LD_LIBRARY_PATH=DIR program                     DIR has libblas.so.3 from here: for programs that need that library
 * Calls by other names (scipy_cblas_sgemm64_ in numpy's wheels) do not get here.
 *
 * Semantics are netlib's. No operands overlap. Vectors have n elements, `inc` apart; the pointer is
 * their lowest address, so that a negative stride begins at the last. If n is not positive, vectors
 * are not touched. In levels 2 and 3, where beta is 0, the result is written without being read (a
 * NaN there vanishes), and where alpha is 0, the operands that it scales are not read.
 *
 * Results have the same bits on every CPU, for any number of threads and in any position of a batch.
 * "fma(a, b, c)" below is a * b + c, rounded once. As for hotloops.h, this holds while results are rounded to
 * nearest and denormal numbers are kept.
 *
 * A call needs up to 160 KiB of stack.
 *
 * Valid arguments of levels 2 and 3: m, n and k are at least 0; incx and incy are not 0; the stride
 * lda, ldb or ldc is at least 1 and at least the length of a stored row (row-major) or column
 * (column-major). An illegal argument is reported to cblas_xerbla (below) or xerbla_,
 * and nothing is written. If memory runs out, the process is aborted: BLAS has no error code. */
#ifndef HOTLOOPS_CBLAS_H
#define HOTLOOPS_CBLAS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a large product, from the next call on: HOTLOOPS_NUM_THREADS, or OPENBLAS_NUM_THREADS,
 * or OMP_NUM_THREADS, otherwise 1; in libblas.so.3 the CPUs that the process may use. A number below 1
 * means 1. On Windows, there is always one. */
void hl_blas_set_num_threads(int threads);
int hl_blas_get_num_threads(void);

#ifdef __cplusplus
}
#endif

#ifndef CBLAS_H
#define CBLAS_H

#include <stddef.h>

#ifdef HOTLOOPS_CBLAS_ILP64
#include <stdint.h>
#define CBLAS_INT int64_t
#else
#define CBLAS_INT int
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
    CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113, CblasConjNoTrans = 114
} CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

/* y = alpha op(A) x + beta y. A has m rows and n columns as given, before op; that of gbmv is a
 * band of kl diagonals below the main one and ku above it. Nothing is written if m or n is 0. Real:
 * y[i] = fma(a[i, p], alpha x[p], y[i]) for ascending p, from the rounded beta y[i] on. Complex:
 * four chains of fused multiply-adds over ascending p, each from 0, of the products of real and
 * imaginary parts; s.re is the difference of two and s.im the sum of two; then alpha s + beta y,
 * each operation rounded. Elements that are not stored have no part in a chain. */
void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, float alpha, const float *a,
                 CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, double alpha, const double *a,
                 CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_cgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a,
                 CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a,
                 CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_sgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
                 float alpha, const float *a, CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y,
                 CBLAS_INT incy);
void cblas_dgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
                 double alpha, const double *a, CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y,
                 CBLAS_INT incy);
void cblas_cgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
                 const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta,
                 void *y, CBLAS_INT incy);
void cblas_zgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
                 const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta,
                 void *y, CBLAS_INT incy);

/* y = alpha A x + beta y for a symmetric (sy, sb, sp) or Hermitian A (he, hb, hp) of n rows, of
 * which one triangle is read: stored in full, as a band of k diagonals besides the main one, or
 * packed. The order of gemv with the whole A. The imaginary parts of a Hermitian diagonal are taken
 * as 0. */
void cblas_ssymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda,
                 const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dsymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda,
                 const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_ssbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, float alpha, const float *a,
                 CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dsbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, double alpha, const double *a,
                 CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_sspmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *ap, const float *x,
                 CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dspmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *ap, const double *x,
                 CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_chemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
                 const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
                 const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_chbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
                 CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
                 CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_chpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap, const void *x,
                 CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap, const void *x,
                 CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);

/* x = op(A) x for a triangle A of n rows, in the three storages. The order of gemv over the
 * elements of the triangle, with beta 0. A unit diagonal is not read: x is added to the chains in
 * its place. */
void cblas_strmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_ctrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_stbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_ctbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_stpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const float *ap, float *x, CBLAS_INT incx);
void cblas_dtpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const double *ap, double *x, CBLAS_INT incx);
void cblas_ctpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *ap, void *x, CBLAS_INT incx);
void cblas_ztpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *ap, void *x, CBLAS_INT incx);

/* Solves op(A) x = b for a triangle A of n rows; x holds b before. There is no test for a diagonal
 * of 0. Substitution ascends where op(A) is lower and descends where it is upper. Real: x[i] =
 * fma(-a[i, p], x[p], x[i]) for p in this order, then x[i] / a[i, i]. Complex: blocks of 64 rows,
 * counted from where substitution begins. For each earlier block, x[i] = (-1) s + x[i], with s as
 * in gemv over its p in this order; then x[i] = x[i] - a[i, p] x[p] within the block and x[i] /
 * a[i, i] (Smith's method), each operation rounded. */
void cblas_strsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_ctrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_stbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_ctbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
                 const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_stpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const float *ap, float *x, CBLAS_INT incx);
void cblas_dtpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const double *ap, double *x, CBLAS_INT incx);
void cblas_ctpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *ap, void *x, CBLAS_INT incx);
void cblas_ztpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
                 const void *ap, void *x, CBLAS_INT incx);

/* A = alpha x y^T + A (ger, geru) or alpha x y^H + A (gerc); A has m rows and n columns. Real: a[i,
 * j] = fma(alpha x[i], y[j], a[i, j]). Complex: alpha (x[i] y[j]) + a[i, j], each operation
 * rounded. */
void cblas_sger(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx,
                const float *y, CBLAS_INT incy, float *a, CBLAS_INT lda);
void cblas_dger(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
                const double *y, CBLAS_INT incy, double *a, CBLAS_INT lda);
void cblas_cgeru(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zgeru(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_cgerc(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zgerc(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);

/* A = alpha x x^T + A (syr, spr) or alpha x x^H + A (her, hpr); A = alpha x y^T + alpha y x^T + A
 * (syr2, spr2) or alpha x y^H + conj(alpha) y x^H + A (her2, hpr2), in one triangle of A, stored in
 * full or packed. The products are added in this order, each as in ger. The imaginary parts of a
 * Hermitian diagonal are set to 0. */
void cblas_ssyr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx,
                float *a, CBLAS_INT lda);
void cblas_dsyr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
                double *a, CBLAS_INT lda);
void cblas_sspr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx,
                float *ap);
void cblas_dspr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
                double *ap);
void cblas_cher(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const void *x, CBLAS_INT incx, void *a,
                CBLAS_INT lda);
void cblas_zher(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const void *x, CBLAS_INT incx, void *a,
                CBLAS_INT lda);
void cblas_chpr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const void *x, CBLAS_INT incx,
                void *ap);
void cblas_zhpr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const void *x, CBLAS_INT incx,
                void *ap);
void cblas_ssyr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx,
                 const float *y, CBLAS_INT incy, float *a, CBLAS_INT lda);
void cblas_dsyr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
                 const double *y, CBLAS_INT incy, double *a, CBLAS_INT lda);
void cblas_sspr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx,
                 const float *y, CBLAS_INT incy, float *ap);
void cblas_dspr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
                 const double *y, CBLAS_INT incy, double *ap);
void cblas_cher2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zher2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_chpr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *ap);
void cblas_zhpr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
                 const void *y, CBLAS_INT incy, void *ap);

/* Dot product; 0 if n is not positive. Order and rounding are those of hl_reduce_dot_f32. */
float cblas_sdot(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);
double cblas_ddot(CBLAS_INT n, const double *x, CBLAS_INT incx, const double *y, CBLAS_INT incy);

/* Dot product of floats, computed in double; plus alpha and rounded to float. Order: alpha, then
 * the sums of 1024 products each, in the order of hl_reduce_dot_f64. */
double cblas_dsdot(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);
float cblas_sdsdot(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);

/* Dot products of complex vectors, x conjugated in dotc. With the dot products of real and imaginary
 * parts, each in the order of cblas_sdot: dotu = (re.re - im.im, re.im + im.re), dotc =
 * (re.re + im.im, re.im - im.re). In Fortran they are the functions cdotu_, cdotc_, .. */
void cblas_cdotu_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *dotu);
void cblas_cdotc_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *dotc);
void cblas_zdotu_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *dotu);
void cblas_zdotc_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *dotc);

/* Sum of magnitudes, in the order of hl_reduce_asum_f32; 0 if n or incx is not positive. Of a complex
 * vector, the 2 n parts are added in the order of memory: its sum has |re| + |im| for each element. */
float cblas_sasum(CBLAS_INT n, const float *x, CBLAS_INT incx);
double cblas_dasum(CBLAS_INT n, const double *x, CBLAS_INT incx);
float cblas_scasum(CBLAS_INT n, const void *x, CBLAS_INT incx);
double cblas_dzasum(CBLAS_INT n, const void *x, CBLAS_INT incx);

/* Sum, in the order of hl_reduce_sum_f32; otherwise as asum. Not in netlib's BLAS. */
float cblas_ssum(CBLAS_INT n, const float *x, CBLAS_INT incx);
double cblas_dsum(CBLAS_INT n, const double *x, CBLAS_INT incx);
float cblas_scsum(CBLAS_INT n, const void *x, CBLAS_INT incx);
double cblas_dzsum(CBLAS_INT n, const void *x, CBLAS_INT incx);

/* Euclidean norm, without overflow or underflow of the squares; 0 if n is not positive. The root of
 * cblas_sdot(n, x, incx, x, incx), or, if that is infinite or very small, of the sum in scaled
 * doubles. Of a complex vector: the norm of its 2 n parts, those of an element side by side. */
float cblas_snrm2(CBLAS_INT n, const float *x, CBLAS_INT incx);
double cblas_dnrm2(CBLAS_INT n, const double *x, CBLAS_INT incx);
float cblas_scnrm2(CBLAS_INT n, const void *x, CBLAS_INT incx);
double cblas_dznrm2(CBLAS_INT n, const void *x, CBLAS_INT incx);

/* Index of the first element of maximum magnitude; of complex ones |re| + |im|. If there is a NaN, it
 * is the index of the first one. It counts from 0, and is 0 if n or incx is not positive. The Fortran
 * functions count from 1, and return 0 then. */
size_t cblas_isamax(CBLAS_INT n, const float *x, CBLAS_INT incx);
size_t cblas_idamax(CBLAS_INT n, const double *x, CBLAS_INT incx);
size_t cblas_icamax(CBLAS_INT n, const void *x, CBLAS_INT incx);
size_t cblas_izamax(CBLAS_INT n, const void *x, CBLAS_INT incx);

/* The same for the minimum; also the first NaN. Not in netlib's BLAS. */
size_t cblas_isamin(CBLAS_INT n, const float *x, CBLAS_INT incx);
size_t cblas_idamin(CBLAS_INT n, const double *x, CBLAS_INT incx);
size_t cblas_icamin(CBLAS_INT n, const void *x, CBLAS_INT incx);
size_t cblas_izamin(CBLAS_INT n, const void *x, CBLAS_INT incx);

/* y = alpha x + y; nothing is read if alpha is 0. A product of complex numbers is
 * (ar xr - ai xi, ar xi + ai xr). */
void cblas_saxpy(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_daxpy(CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
void cblas_caxpy(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zaxpy(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);

/* y = alpha x + beta y; x is not read if alpha is 0, nor y if beta is 0. Not in netlib's BLAS. */
void cblas_saxpby(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_daxpby(CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_caxpby(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, const void *beta, void *y,
                  CBLAS_INT incy);
void cblas_zaxpby(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, const void *beta, void *y,
                  CBLAS_INT incy);

/* x = alpha x, also for an alpha of 0 (NaN stays), but not for 1; x is not touched if incx is not
 * positive. csscal and zdscal scale by a real number: (a xr, a xi). */
void cblas_sscal(CBLAS_INT n, float alpha, float *x, CBLAS_INT incx);
void cblas_dscal(CBLAS_INT n, double alpha, double *x, CBLAS_INT incx);
void cblas_cscal(CBLAS_INT n, const void *alpha, void *x, CBLAS_INT incx);
void cblas_zscal(CBLAS_INT n, const void *alpha, void *x, CBLAS_INT incx);
void cblas_csscal(CBLAS_INT n, float alpha, void *x, CBLAS_INT incx);
void cblas_zdscal(CBLAS_INT n, double alpha, void *x, CBLAS_INT incx);

/* y = x. */
void cblas_scopy(CBLAS_INT n, const float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_dcopy(CBLAS_INT n, const double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
void cblas_ccopy(CBLAS_INT n, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zcopy(CBLAS_INT n, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);

/* x and y are exchanged. */
void cblas_sswap(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_dswap(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
void cblas_cswap(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zswap(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);

/* A rotation: x = c x + s y, y = c y - s x. */
void cblas_srot(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy, float c, float s);
void cblas_drot(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy, double c, double s);
void cblas_csrot(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy, float c, float s);
void cblas_zdrot(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy, double c, double s);

/* The rotation that turns (a, b) into (r, 0): writes r to a, c and s, and for real numbers z to b,
 * from which c and s can be computed again. The operations of netlib 3.12 in its order, scaled so that
 * nothing overflows or underflows before r does; a complex number times or over a real one is that of
 * its parts. */
void cblas_srotg(float *a, float *b, float *c, float *s);
void cblas_drotg(double *a, double *b, double *c, double *s);
void cblas_crotg(void *a, void *b, float *c, void *s);
void cblas_zrotg(void *a, void *b, double *c, void *s);

/* A modified rotation: x = h11 x + h12 y, y = h21 x + h22 y. p has a flag, then h11, h21, h12, h22.
 * Flag -1: all of H is stored; 0: h11 = h22 = 1; 1: h12 = 1, h21 = -1; -2: nothing is done. Elements
 * that the flag implies are not read. */
void cblas_srotm(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy, const float *p);
void cblas_drotm(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy, const double *p);

/* The modified rotation that turns (sqrt(d1) x1, sqrt(d2) y1) into a multiple of (1, 0): writes the
 * new d1, d2 and x1, and p, but not the elements that its flag implies. As netlib, except that H stays
 * right if d1 or d2 is scaled more than once, and that an infinite d1 or d2 is not scaled. */
void cblas_srotmg(float *d1, float *d2, float *x1, float y1, float *p);
void cblas_drotmg(double *d1, double *d2, double *x1, double y1, double *p);

/* |re| + |im|. */
float cblas_scabs1(const void *z);
double cblas_dcabs1(const void *z);

/* By Fortran names only. lsame_: whether two letters are equal in any case. xerbla_array_: calls
 * xerbla_ with the first 32 letters of a name. */
CBLAS_INT lsame_(const char *a, const char *b);
void xerbla_array_(const char *routine, const CBLAS_INT *length, const CBLAS_INT *argument);

/* The handler of illegal arguments, which a program may define, but not on Windows. That of the library
 * prints a line with the names of the function and of the argument to the standard error output. It gets
 * the position of the illegal argument, the name of the function, and a format with one %s for the
 * name of the argument that follows. If it returns, so does the function. As in netlib's CBLAS, the
 * position is that in the column-major call which does the same: for a row-major gemm m and n are
 * exchanged (5 and 4), and lda and ldb (11 and 9); for gemv m and n (4 and 3); for ger m and n (3
 * and 2), and incx and incy (8 and 6). Calls by Fortran names are reported to xerbla_ instead. */
void cblas_xerbla(CBLAS_INT argument, const char *routine, const char *format, ...);

#ifdef __cplusplus
}
#endif

#include "hotloops_cblas_level3.h"

#endif

#endif
