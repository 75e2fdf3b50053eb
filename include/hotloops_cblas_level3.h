/* Products of matrices and triangular systems: level 3 of hotloops_cblas.h, which includes this file
 * and says what holds for all routines. */
#ifndef HOTLOOPS_CBLAS_LEVEL3_H
#define HOTLOOPS_CBLAS_LEVEL3_H

#include "hotloops_cblas.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The stride of a matrix is that of its rows (row-major) or columns. op(A) is A,
 * its transpose or, of complex numbers, its conjugate transpose. A complex alpha or beta is passed
 * by a pointer.
 *
 * A complex product has four chains from +0, for ascending p, of fused multiply-adds: s.re = sum
 * a.re b.re - sum a.im b.im, s.im = sum a.re b.im + sum a.im b.re. Then c = alpha s + beta c, each
 * operation rounded; a factor of 1 is left out. So A A^H is Hermitian, and (A B)^T is B^T A^T, bit
 * for bit. */

/* C = alpha op(A) op(B) + beta C. C has m rows and n columns, op(A) m rows and k columns, op(B) k
 * rows and n columns. Real: c[i, j] = fma(alpha a[i, p], b[p, j], c[i, j]) for ascending p, from
 * the rounded beta c[i, j] on. */
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
                 CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta,
                 float *c, CBLAS_INT ldc);
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
                 CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta,
                 double *c, CBLAS_INT ldc);
void cblas_cgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
                 CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                 const void *beta, void *c, CBLAS_INT ldc);
void cblas_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
                 CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                 const void *beta, void *c, CBLAS_INT ldc);

/* The same in one triangle of a C with n rows and columns; the other one is neither read nor
 * written. The bits of gemm. gemmtr is netlib's name. */
void cblas_sgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                  CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta,
                  float *c, CBLAS_INT ldc);
void cblas_dgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                  CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb,
                  double beta, double *c, CBLAS_INT ldc);
void cblas_cgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                  CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                  const void *beta, void *c, CBLAS_INT ldc);
void cblas_zgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                  CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                  const void *beta, void *c, CBLAS_INT ldc);
void cblas_sgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                   CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta,
                   float *c, CBLAS_INT ldc);
void cblas_dgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                   CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb,
                   double beta, double *c, CBLAS_INT ldc);
void cblas_cgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                   CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                   const void *beta, void *c, CBLAS_INT ldc);
void cblas_zgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT n,
                   CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb,
                   const void *beta, void *c, CBLAS_INT ldc);

/* Products of many matrices, each with the bits of gemm. Group i has group_size[i] products with
 * transa[i] .. ldc[i]; a, b and c have a pointer for each product, group after group. Or batch_size
 * products, whose matrices begin stridea, strideb and stridec elements apart. */
void cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const CBLAS_INT *m, const CBLAS_INT *n, const CBLAS_INT *k, const float *alpha,
                       const float *const *a, const CBLAS_INT *lda, const float *const *b, const CBLAS_INT *ldb,
                       const float *beta, float *const *c, const CBLAS_INT *ldc, CBLAS_INT group_count,
                       const CBLAS_INT *group_size);
void cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const CBLAS_INT *m, const CBLAS_INT *n, const CBLAS_INT *k, const double *alpha,
                       const double *const *a, const CBLAS_INT *lda, const double *const *b, const CBLAS_INT *ldb,
                       const double *beta, double *const *c, const CBLAS_INT *ldc, CBLAS_INT group_count,
                       const CBLAS_INT *group_size);
void cblas_cgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const CBLAS_INT *m, const CBLAS_INT *n, const CBLAS_INT *k, const void *alpha,
                       const void *const *a, const CBLAS_INT *lda, const void *const *b, const CBLAS_INT *ldb,
                       const void *beta, void *const *c, const CBLAS_INT *ldc, CBLAS_INT group_count,
                       const CBLAS_INT *group_size);
void cblas_zgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const CBLAS_INT *m, const CBLAS_INT *n, const CBLAS_INT *k, const void *alpha,
                       const void *const *a, const CBLAS_INT *lda, const void *const *b, const CBLAS_INT *ldb,
                       const void *beta, void *const *c, const CBLAS_INT *ldc, CBLAS_INT group_count,
                       const CBLAS_INT *group_size);
void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
                               CBLAS_INT n, CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, CBLAS_INT stridea,
                               const float *b, CBLAS_INT ldb, CBLAS_INT strideb, float beta, float *c, CBLAS_INT ldc,
                               CBLAS_INT stridec, CBLAS_INT batch_size);
void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
                               CBLAS_INT n, CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda,
                               CBLAS_INT stridea, const double *b, CBLAS_INT ldb, CBLAS_INT strideb, double beta,
                               double *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch_size);
void cblas_cgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
                               CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda,
                               CBLAS_INT stridea, const void *b, CBLAS_INT ldb, CBLAS_INT strideb, const void *beta,
                               void *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch_size);
void cblas_zgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
                               CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda,
                               CBLAS_INT stridea, const void *b, CBLAS_INT ldb, CBLAS_INT strideb, const void *beta,
                               void *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch_size);

/* C = alpha A B + beta C, or alpha B A + beta C with A on the right. A is symmetric (symm) or
 * Hermitian (hemm); its triangle uplo is read, and of a Hermitian diagonal the real parts. The bits
 * of gemm with the whole A. */
void cblas_ssymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, float alpha,
                 const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta, float *c, CBLAS_INT ldc);
void cblas_dsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, double alpha,
                 const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta, double *c, CBLAS_INT ldc);
void cblas_csymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
                 const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
                 const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_chemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
                 const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zhemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
                 const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);

/* C = alpha op(A) op(A)^T + beta C in the triangle uplo of C, or with op(A)^H (herk). C has n rows
 * and columns, op(A) n rows and k columns. trans is NoTrans or Trans, of herk NoTrans or ConjTrans.
 * The bits of gemm; herk takes and sets imaginary parts of the diagonal as 0. */
void cblas_ssyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
                 const float *a, CBLAS_INT lda, float beta, float *c, CBLAS_INT ldc);
void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
                 const double *a, CBLAS_INT lda, double beta, double *c, CBLAS_INT ldc);
void cblas_csyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                 const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                 const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc);
void cblas_cherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
                 const void *a, CBLAS_INT lda, float beta, void *c, CBLAS_INT ldc);
void cblas_zherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
                 const void *a, CBLAS_INT lda, double beta, void *c, CBLAS_INT ldc);

/* C = alpha op(A) op(B)^T + beta C, then C = alpha op(B) op(A)^T + C, in the triangle uplo. her2k:
 * C = alpha op(A) op(B)^H + beta C, then C = conj(alpha) op(B) op(A)^H + C. */
void cblas_ssyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
                  const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta, float *c, CBLAS_INT ldc);
void cblas_dsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
                  const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta, double *c,
                  CBLAS_INT ldc);
void cblas_csyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                  const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
                  void *c, CBLAS_INT ldc);
void cblas_zsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                  const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
                  void *c, CBLAS_INT ldc);
void cblas_cher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                  const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, float beta, void *c,
                  CBLAS_INT ldc);
void cblas_zher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                  const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, double beta, void *c,
                  CBLAS_INT ldc);

/* B = alpha op(A) B, or alpha B op(A) with A on the right; B has m rows and n columns. A is a
 * triangle, with ones on the diagonal if diag is Unit. The chains of gemm, over the terms of the
 * triangle alone. Of real numbers alpha is multiplied by the left factor. */
void cblas_strmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, float *b, CBLAS_INT ldb);
void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda, double *b, CBLAS_INT ldb);
void cblas_ctrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_ztrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);

/* Solves op(A) X = alpha B, or X op(A) = alpha B, for X in place of B. B is multiplied by alpha
 * first. Real: x[i] = b[i], then x[i] = fma(-a[i, p], x[p], x[i]) in the order of substitution,
 * then a division by the diagonal. Complex: in blocks of 64 unknowns, in that order: x[i] = x[i] -
 * a[i, p] x[p], each operation rounded, and a division by Smith's method; after each block, one
 * product (alpha -1, beta 1) updates the rest. */
void cblas_strsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, float *b, CBLAS_INT ldb);
void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda, double *b, CBLAS_INT ldb);
void cblas_ctrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_ztrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                 CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);

/* C = alpha A + beta C; each operation is rounded. A is not read if alpha is 0, C if beta is 0. */
void cblas_sgeadd(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, float beta,
                  float *c, CBLAS_INT ldc);
void cblas_dgeadd(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda,
                  double beta, double *c, CBLAS_INT ldc);
void cblas_cgeadd(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
                  const void *beta, void *c, CBLAS_INT ldc);
void cblas_zgeadd(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
                  const void *beta, void *c, CBLAS_INT ldc);

/* B = alpha op(A); op may also be the conjugate (ConjNoTrans). A has the given rows and columns.
 * imatcopy: in place of A, with stride ldb. */
void cblas_somatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, float alpha,
                     const float *a, CBLAS_INT lda, float *b, CBLAS_INT ldb);
void cblas_domatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, double alpha,
                     const double *a, CBLAS_INT lda, double *b, CBLAS_INT ldb);
void cblas_comatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, const void *alpha,
                     const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_zomatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, const void *alpha,
                     const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_simatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, float alpha, float *a,
                     CBLAS_INT lda, CBLAS_INT ldb);
void cblas_dimatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, double alpha,
                     double *a, CBLAS_INT lda, CBLAS_INT ldb);
void cblas_cimatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, const void *alpha,
                     void *a, CBLAS_INT lda, CBLAS_INT ldb);
void cblas_zimatcopy(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT rows, CBLAS_INT cols, const void *alpha,
                     void *a, CBLAS_INT lda, CBLAS_INT ldb);

#ifdef __cplusplus
}
#endif

#endif
