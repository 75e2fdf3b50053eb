// A program written against CBLAS, linked with libhotloops_blas. It compares every layout,
// transposition, size and stride with a loop: gemm and sums in higher precision, the others (in
// blas_type.h) bit for bit. If another BLAS is named as an argument, it compares with that too.
#ifdef SYSTEM_CBLAS
#include <cblas.h>
#else
#include "hotloops_cblas.h"
#endif

#include <dlfcn.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(truth)                                                    \
    do {                                                                \
        if (!(truth)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth); \
            exit(1);                                                    \
        }                                                               \
    } while (0)

#ifndef DEFAULT_HOOK
// A program that defines its own hook.
static int reported;
static char routine_reported[32], text_reported[64];

void cblas_xerbla(int position, const char *routine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text_reported, sizeof text_reported, format, arguments);
    va_end(arguments);
    reported = position;
    snprintf(routine_reported, sizeof routine_reported, "%s", routine);
}

void xerbla_(const char *routine, const int *position, size_t length)
{
    reported = *position;
    snprintf(routine_reported, sizeof routine_reported, "%.*s", (int)length, routine);
}
#endif

static uint64_t dice = 1;

static unsigned below(unsigned n)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(dice >> 33) % n;
}

static double number(void)
{
    return (double)below(1u << 24) / (1 << 23) - 1;
}

#define real float
#define C(name) cblas_s##name
#define FORTRAN(name) s##name##_
#define FMA fmaf
#include "blas_type.h"
#undef real
#undef C
#undef FORTRAN
#undef FMA
#define real double
#define C(name) cblas_d##name
#define FORTRAN(name) d##name##_
#define FMA fma
#include "blas_type.h"

extern double dsdot_(const int *, const float *, const int *, const float *, const int *);
extern float sdsdot_(const int *, const float *, const float *, const int *, const float *, const int *);

enum { MOST = 60, ROOM = (MOST + 9) * (MOST + 9) };

typedef void sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                   int);
typedef float sdot(int, const float *, int, const float *, int);
typedef double ddot(int, const double *, int, const double *, int);

static sgemm *other_sgemm;
static dgemm *other_dgemm;
static sdot *other_sdot;
static ddot *other_ddot;

static void products(void)
{
    static float a[ROOM], b[ROOM], c[ROOM], before[ROOM], other[ROOM];
    static double da[ROOM], db[ROOM], dc[ROOM], dbefore[ROOM], dother[ROOM];
    const int layouts[] = {CblasRowMajor, CblasColMajor};
    const int transpositions[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    const float factors[] = {1, 1, 0, -1, 0.5f, 0.3f};
    int turn, i, j, p;
    for (turn = 0; turn < 1500; turn++) {
        const int layout = layouts[below(2)], ta = transpositions[below(3)], tb = transpositions[below(3)];
        const int most = turn % 3 ? 12 : MOST;
        const int m = (int)below(most + 1), n = (int)below(most + 1), k = (int)below(most + 1);
        const float alpha = factors[below(6)], beta = factors[below(6)];
        const int rows = layout == CblasRowMajor;
        const int lda = 1 + (int)below(9) + (rows == (ta == CblasNoTrans) ? k : m);
        const int ldb = 1 + (int)below(9) + (rows == (tb == CblasNoTrans) ? n : k);
        const int ldc = 1 + (int)below(9) + (rows ? n : m);
        for (i = 0; i < ROOM; i++) {
            a[i] = (float)(da[i] = number());
            b[i] = (float)(db[i] = number());
            // Memory that is not read may hold anything.
            before[i] = beta == 0 ? (float)NAN : (float)number();
            dbefore[i] = before[i];
        }
        memcpy(c, before, sizeof c);
        memcpy(dc, dbefore, sizeof dc);
        cblas_sgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        cblas_dgemm(layout, ta, tb, m, n, k, alpha, da, lda, db, ldb, beta, dc, ldc);
        for (i = 0; i < m; i++) {
            for (j = 0; j < n; j++) {
                const int at = rows ? i * ldc + j : i + j * ldc;
                double sum = 0, size = 0, wide = 0, wide_size = 0;
                for (p = 0; p < k; p++) {
                    const int x = rows == (ta == CblasNoTrans) ? i * lda + p : i + p * lda;
                    const int y = rows == (tb == CblasNoTrans) ? p * ldb + j : p + j * ldb;
                    sum += (double)a[x] * b[y];
                    size += fabs((double)a[x] * b[y]);
                    wide += da[x] * db[y];
                    wide_size += fabs(da[x] * db[y]);
                }
                sum = alpha * sum + (beta == 0 ? 0 : beta * (double)before[at]);
                size = fabs(alpha) * size + (beta == 0 ? 0 : fabs(beta * (double)before[at]));
                wide = alpha * wide + (beta == 0 ? 0 : beta * dbefore[at]);
                wide_size = fabs(alpha) * wide_size + (beta == 0 ? 0 : fabs(beta * dbefore[at]));
                CHECK(fabs(c[at] - sum) <= (k + 3) * (double)FLT_EPSILON * size);
                CHECK(fabs(dc[at] - wide) <= 2 * (k + 3) * DBL_EPSILON * wide_size);
                // Reset the checked elements; the others must be unchanged.
                c[at] = before[at];
                dc[at] = dbefore[at];
            }
        }
        CHECK(memcmp(c, before, sizeof c) == 0 && memcmp(dc, dbefore, sizeof dc) == 0);
        if (other_sgemm && k > 0) {
            memcpy(other, before, sizeof c);
            memcpy(dother, dbefore, sizeof dc);
            cblas_sgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
            cblas_dgemm(layout, ta, tb, m, n, k, alpha, da, lda, db, ldb, beta, dc, ldc);
            other_sgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, other, ldc);
            other_dgemm(layout, ta, tb, m, n, k, alpha, da, lda, db, ldb, beta, dother, ldc);
            for (i = 0; i < ROOM; i++) {
                CHECK(isnan(c[i]) == isnan(other[i]) && isnan(dc[i]) == isnan(dother[i]));
                CHECK(isnan(c[i]) || fabs(c[i] - other[i]) <= 2 * (k + 3) * (double)FLT_EPSILON * (k + 2));
                CHECK(isnan(dc[i]) || fabs(dc[i] - dother[i]) <= 2 * (k + 3) * DBL_EPSILON * (k + 2));
            }
        }
    }
}

static void sums(void)
{
    static float x[ROOM], y[ROOM];
    static double dx[ROOM], dy[ROOM];
    int turn, i;
    for (turn = 0; turn < 1000; turn++) {
        const int n = (int)below(400) - 3, incx = (int)below(9) - 4, incy = (int)below(9) - 4;
        double dot = 0, size = 0, asum = 0;
        const float start = (float)number();
        for (i = 0; i < ROOM; i++) {
            x[i] = (float)(dx[i] = (float)number());
            y[i] = (float)(dy[i] = (float)number());
        }
        for (i = 0; i < n; i++) {
            const int at = incx < 0 ? (i - n + 1) * incx : i * incx, there = incy < 0 ? (i - n + 1) * incy : i * incy;
            dot += dx[at] * dy[there];
            size += fabs(dx[at] * dy[there]);
            asum += incx > 0 ? fabs(dx[at]) : 0;
        }
        CHECK(fabs(cblas_sdot(n, x, incx, y, incy) - dot) <= 400 * (double)FLT_EPSILON * size);
        CHECK(fabs(cblas_ddot(n, dx, incx, dy, incy) - dot) <= 400 * DBL_EPSILON * size);
        CHECK(fabs(cblas_sasum(n, x, incx) - asum) <= 400 * (double)FLT_EPSILON * asum);
        CHECK(fabs(cblas_dasum(n, dx, incx) - asum) <= 400 * DBL_EPSILON * asum);
        CHECK(fabs(cblas_dsdot(n, x, incx, y, incy) - dot) <= 400 * DBL_EPSILON * size);
        CHECK(fabs(cblas_sdsdot(n, start, x, incx, y, incy) - (start + dot)) <=
              (double)FLT_EPSILON * fabs(start + dot) + 400 * DBL_EPSILON * size);
        CHECK(dsdot_(&n, x, &incx, y, &incy) == cblas_dsdot(n, x, incx, y, incy));
        CHECK(sdsdot_(&n, &start, x, &incx, y, &incy) == cblas_sdsdot(n, start, x, incx, y, incy));
        if (other_sdot && incx != 0 && incy != 0) {
            CHECK(fabs(cblas_sdot(n, x, incx, y, incy) - other_sdot(n, x, incx, y, incy)) <=
                  800 * (double)FLT_EPSILON * size);
            CHECK(fabs(cblas_ddot(n, dx, incx, dy, incy) - other_ddot(n, dx, incx, dy, incy)) <=
                  800 * DBL_EPSILON * size);
        }
    }
}

// Each illegal argument is reported by its position, and C is unchanged.
static void errors(void)
{
    float a[9] = {0}, b[9] = {0}, c[9] = {0};
    const float before[9] = {0};
    static const struct {
        int position, layout, ta, tb, m, n, k, lda, ldb, ldc;
    } calls[] = {
        // In row-major order, positions refer to the column-major product with A and B exchanged,
        // as in netlib's CBLAS.
        {1, 100, 111, 111, 2, 2, 2, 2, 2, 2},
        {2, 101, 110, 111, 2, 2, 2, 2, 2, 2},
        {2, 101, 111, 114, 2, 2, 2, 2, 2, 2},
        {5, 101, 111, 111, -1, 2, 2, 2, 2, 2},
        {4, 101, 111, 111, 2, -1, 2, 2, 2, 2},
        {6, 101, 111, 111, 2, 2, -1, 2, 2, 2},
        {11, 101, 111, 111, 1, 1, 2, 1, 2, 2},
        {11, 101, 112, 111, 2, 1, 1, 1, 2, 2},
        {9, 102, 111, 111, 2, 1, 1, 1, 2, 2},
        {9, 101, 111, 111, 1, 2, 1, 2, 1, 2},
        {11, 102, 111, 113, 1, 2, 1, 2, 1, 2},
        {14, 101, 111, 111, 1, 2, 1, 2, 2, 1},
        {14, 102, 111, 111, 2, 1, 2, 2, 2, 1},
        // Of several illegal arguments, the one with the lowest position is reported.
        {9, 101, 111, 111, 0, 0, 0, 0, 0, 1},
        {2, 102, 110, 114, 2, 2, 2, 2, 2, 2},
        {4, 101, 111, 111, -1, -1, -1, 2, 2, 2},
    };
    size_t i;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        cblas_sgemm(calls[i].layout, calls[i].ta, calls[i].tb, calls[i].m, calls[i].n, calls[i].k, 1, a, calls[i].lda,
                    b, calls[i].ldb, 0, c, calls[i].ldc);
        CHECK(memcmp(c, before, sizeof c) == 0);
#ifndef DEFAULT_HOOK
        CHECK(reported == calls[i].position && strcmp(routine_reported, "cblas_sgemm") == 0);
        CHECK(strstr(text_reported, "the value of ") == text_reported && strchr(text_reported, '%') == NULL);
#endif
    }
}

// Positions of Fortran do not count the layout, and names are padded to six letters.
static void fortran_errors(void)
{
    const int two = 2, one = 1, negative = -1, zero = 0;
    const float factor = 1, a[4] = {0}, x[4] = {0};
    float c[4] = {0};
    const float before[4] = {0};
#ifndef DEFAULT_HOOK
#define REPORTED(position, routine) CHECK(reported == position && strcmp(routine_reported, routine) == 0)
#else
#define REPORTED(position, routine)
#endif
    sgemm_("N", "x", &two, &two, &two, &factor, a, &two, x, &two, &factor, c, &two);
    REPORTED(2, "SGEMM ");
    sgemm_("N", "N", &two, &two, &two, &factor, a, &one, x, &two, &factor, c, &two);
    REPORTED(8, "SGEMM ");
    sgemv_("N", &negative, &two, &factor, a, &two, x, &one, &factor, c, &one);
    REPORTED(2, "SGEMV ");
    sger_(&two, &two, &factor, x, &one, x, &zero, c, &two);
    REPORTED(7, "SGER  ");
    ssyrk_("N", "N", &two, &two, &factor, a, &two, &factor, c, &two);
    REPORTED(1, "SSYRK ");
    CHECK(memcmp(c, before, sizeof c) == 0);
}

// BLAS reads nothing through these pointers.
// Fills the stack below with numbers that overflow.
static __attribute__((noinline)) void large_numbers_below(void)
{
    volatile unsigned char bytes[1 << 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0x7f;
}

// Only operands raise the flags of exceptions.
static void flags(void)
{
    static float a[100 * 100], x[100], y[100];
    static double da[100 * 100], dx[100], dy[100];
    for (int i = 0; i < 100 * 100; i++)
        a[i] = 0.5f, da[i] = 0.5;
    for (int i = 0; i < 100; i++)
        x[i] = 1, dx[i] = 1;
    for (int n = 1; n <= 100; n++)
        for (int trans = CblasNoTrans; trans <= CblasTrans; trans++) {
            feclearexcept(FE_ALL_EXCEPT);
            large_numbers_below();
            cblas_sgemv(CblasRowMajor, (CBLAS_TRANSPOSE)trans, n, 100, 1, a, 100, x, 1, 0, y, 1);
            large_numbers_below();
            cblas_dgemv(CblasRowMajor, (CBLAS_TRANSPOSE)trans, n, 100, 1, da, 100, dx, 1, 0, dy, 1);
            CHECK(!fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO));
        }
}

// No operand is read if the result is empty.
static void empty_results(void)
{
    const double one[2] = {1, 0};
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, 0, 70, 1, NULL, 70, NULL, 1);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, 70, 0, 1, NULL, 70, NULL, 70);
    cblas_ztrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, 0, 2147483647, one, NULL, 2147483647,
                NULL, 1);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasUnit, 70, 0, 1, NULL, 70, NULL, 1);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, 70, 0, 1, NULL, 70, NULL, 70, 1, NULL, 70);
    cblas_zhemm(CblasRowMajor, CblasRight, CblasLower, 0, 70, one, NULL, 70, NULL, 70, one, NULL, 70);
    cblas_zgemm(CblasColMajor, CblasConjTrans, CblasTrans, 70, 0, 70, one, NULL, 70, NULL, 1, one, NULL, 70);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, 0, 70, 70, 1, NULL, 70, NULL, 70, 0, NULL, 1);
}

static void quick_returns(void)
{
    float c[4] = {1, 2, 3, 4};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 0, NULL, 2, NULL, 2, 2, c, 2);
    CHECK(c[0] == 2 && c[1] == 4 && c[2] == 6 && c[3] == 8);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, 2, 2, 0, 1, NULL, 2, NULL, 2, 0.5f, c, 2);
    CHECK(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 0, 9, 9, 1, NULL, 9, NULL, 9, 0, NULL, 9);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 9, 0, 9, 1, NULL, 9, NULL, 1, 0, NULL, 1);
    cblas_sgemv(CblasColMajor, CblasNoTrans, 4, 0, 1, NULL, 4, NULL, 1, 0, NULL, 1);
    cblas_sgemv(CblasColMajor, CblasNoTrans, 4, 4, 0, NULL, 4, NULL, 1, 1, NULL, 1);
    cblas_sger(CblasColMajor, 4, 4, 0, NULL, 1, NULL, 1, NULL, 4);
    cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, 4, 0, 1, NULL, 4, 1, NULL, 4);
    cblas_saxpy(4, 0, NULL, 1, NULL, 1);
    cblas_sscal(4, 2, NULL, -1);
    cblas_sswap(0, NULL, 1, NULL, 1);
    CHECK(cblas_sdot(0, NULL, 1, NULL, 1) == 0 && cblas_ddot(-1, NULL, 1, NULL, 1) == 0);
    CHECK(cblas_sasum(0, NULL, 1) == 0 && cblas_dasum(3, NULL, 0) == 0 && cblas_dasum(3, NULL, -1) == 0);
}

// Columns longer than a buffer of 32 MiB, transposed and not. The sums are exact.
static void long_columns(void)
{
    enum { M = (1 << 22) + 5 };
    double *a = malloc(2 * M * sizeof *a), *x = malloc(M * sizeof *x);
    double y[2] = {NAN, NAN};
    const double twos[2] = {2, 2};
    int i;
    CHECK(a && x);
    for (i = 0; i < 2 * M; i++) {
        a[i] = i < M ? 1 : 3;
    }
    for (i = 0; i < M; i++) {
        x[i] = 1;
    }
    cblas_dgemv(CblasColMajor, CblasTrans, M, 2, 1, a, M, x, 1, 0, y, 1);
    CHECK(y[0] == M && y[1] == 3.0 * M);
    cblas_dgemv(CblasColMajor, CblasNoTrans, M, 2, 1, a, M, twos, 1, -1, x, 1);
    for (i = 0; i < M; i++) {
        CHECK(x[i] == 7);
    }
    free(a);
    free(x);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        CHECK(library != NULL);
        *(void **)&other_sgemm = dlsym(library, "cblas_sgemm");
        *(void **)&other_dgemm = dlsym(library, "cblas_dgemm");
        *(void **)&other_sdot = dlsym(library, "cblas_sdot");
        *(void **)&other_ddot = dlsym(library, "cblas_ddot");
        CHECK(other_sgemm && other_dgemm && other_sdot && other_ddot);
    }
    errors();
    fortran_errors();
    quick_returns();
    empty_results();
    flags();
    svectors_();
    dvectors_();
    smatrices_();
    dmatrices_();
    products();
    sums();
    long_columns();
    printf("done%s\n", other_sgemm ? ", with another BLAS" : "");
    return 0;
}
