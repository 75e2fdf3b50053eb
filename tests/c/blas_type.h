// Levels 1 and 2 and syrk for one type: `real`, `C(name)` and `FORTRAN(name)` are defined before
// this is included, `FMA` too. Every call by a Fortran name must give the bytes of the C name.

extern void FORTRAN(gemm)(const char *, const char *, const int *, const int *, const int *, const real *, const real *,
                          const int *, const real *, const int *, const real *, real *, const int *);
extern void FORTRAN(syrk)(const char *, const char *, const int *, const int *, const real *, const real *, const int *,
                          const real *, real *, const int *);
extern void FORTRAN(gemv)(const char *, const int *, const int *, const real *, const real *, const int *, const real *,
                          const int *, const real *, real *, const int *);
extern void FORTRAN(ger)(const int *, const int *, const real *, const real *, const int *, const real *, const int *,
                         real *, const int *);
extern real FORTRAN(dot)(const int *, const real *, const int *, const real *, const int *);
extern real FORTRAN(asum)(const int *, const real *, const int *);
extern real FORTRAN(nrm2)(const int *, const real *, const int *);
extern void FORTRAN(axpy)(const int *, const real *, const real *, const int *, real *, const int *);
extern void FORTRAN(scal)(const int *, const real *, real *, const int *);
extern void FORTRAN(copy)(const int *, const real *, const int *, real *, const int *);
extern void FORTRAN(swap)(const int *, real *, const int *, real *, const int *);

// Element i of n, `inc` apart.
#define AT(i, n, inc) ((inc) < 0 ? ((i) - (n) + 1) * (inc) : (i) * (inc))

static void FORTRAN(fill)(real *x, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        x[i] = (real)number();
    }
}

// Each product of a factor and an element is that of IEEE 754, at every place of a vector.
static void FORTRAN(specials)(void)
{
    const real special[] = {0, -1, (real)INFINITY, -(real)INFINITY, (real)NAN};
    int factor, element, i, n, inc;
    for (factor = 0; factor < 5; factor++) {
        for (element = 0; element < 5; element++) {
            const real alpha = special[factor], product = alpha * special[element];
            for (n = 1; n < 40; n++) {
                for (inc = 1; inc < 3; inc++) {
                    real x[80];
                    for (i = 0; i < 80; i++) {
                        x[i] = special[element];
                    }
                    C(scal)(n, alpha, x, inc);
                    for (i = 0; i < n; i++) {
                        CHECK(isnan(product) ? isnan(x[i * inc]) : x[i * inc] == product);
                    }
                }
            }
        }
    }
}

static void FORTRAN(vectors)(void)
{
    enum { LONG = 8000 };
    static real x[LONG], y[LONG], x_before[LONG], y_before[LONG], other_x[LONG], other_y[LONG];
    const real factors[] = {0, 1, -1, (real)0.3};
    int turn, i;
    for (turn = 0; turn < 600; turn++) {
        const int n = turn % 3 ? (int)below(70) - 2 : (int)below(2600), most = n > 70 ? 3 : 4;
        const int incx = (int)below(2 * most + 1) - most, incy = (int)below(2 * most + 1) - most;
        const real alpha = factors[below(4)];
        long double squares = 0;
        FORTRAN(fill)(x_before, LONG);
        FORTRAN(fill)(y_before, LONG);
#define RESET (memcpy(x, x_before, sizeof x), memcpy(y, y_before, sizeof y))
#define SAVE (memcpy(other_x, x, sizeof x), memcpy(other_y, y, sizeof y), RESET)
#define SAME CHECK(memcmp(other_x, x, sizeof x) == 0 && memcmp(other_y, y, sizeof y) == 0)
        RESET;
        C(axpy)(n, alpha, x, incx, y, incy);
        SAVE;
        for (i = 0; i < n && alpha != 0; i++) {
            const real product = alpha * x[AT(i, n, incx)];
            y[AT(i, n, incy)] += product;
        }
        SAME;
        RESET;
        FORTRAN(axpy)(&n, &alpha, x, &incx, y, &incy);
        SAME;

        RESET;
        C(scal)(n, alpha, x, incx);
        SAVE;
        for (i = 0; i < n && incx > 0; i++) {
            x[i * incx] *= alpha;
        }
        SAME;
        RESET;
        FORTRAN(scal)(&n, &alpha, x, &incx);
        SAME;

        RESET;
        C(copy)(n, x, incx, y, incy);
        SAVE;
        for (i = 0; i < n; i++) {
            y[AT(i, n, incy)] = x[AT(i, n, incx)];
        }
        SAME;
        RESET;
        FORTRAN(copy)(&n, x, &incx, y, &incy);
        SAME;

        RESET;
        C(swap)(n, x, incx, y, incy);
        SAVE;
        for (i = 0; i < n; i++) {
            const real held = x[AT(i, n, incx)];
            x[AT(i, n, incx)] = y[AT(i, n, incy)];
            y[AT(i, n, incy)] = held;
        }
        SAME;
        RESET;
        FORTRAN(swap)(&n, x, &incx, y, &incy);
        SAME;

        RESET;
        for (i = 0; i < n; i++) {
            const real at = x[AT(i, n, incx)];
            squares += (long double)at * at;
        }
        for (i = -1; i <= 1; i++) {
            // Numbers whose squares overflow, or underflow.
            const real scale = sizeof(real) == 4 ? (real)ldexp(1, 120 * i) : (real)ldexp(1, 1000 * i);
            const long double norm = scale * sqrtl(squares);
            int j;
            for (j = 0; j < LONG; j++) {
                other_x[j] = scale * x[j];
            }
            // A unit more for scaled numbers that are subnormal.
            CHECK(fabsl(C(nrm2)(n, other_x, incx) - norm) <=
                  40 * (sizeof(real) == 4 ? FLT_EPSILON : DBL_EPSILON) * norm);
            CHECK(FORTRAN(nrm2)(&n, other_x, &incx) == C(nrm2)(n, other_x, incx));
        }
        CHECK(FORTRAN(dot)(&n, x, &incx, y, &incy) == C(dot)(n, x, incx, y, incy));
        CHECK(FORTRAN(asum)(&n, x, &incx) == C(asum)(n, x, incx));
#undef RESET
#undef SAVE
#undef SAME
    }
    x[0] = 0, x[1] = -(real)INFINITY, x[2] = (real)NAN;
    CHECK(C(nrm2)(1, x, 1) == 0 && isinf(C(nrm2)(2, x, 1)) && C(nrm2)(2, x, 1) > 0 && isnan(C(nrm2)(3, x, 1)));
    FORTRAN(specials)();
}

// One step of a chain: fused, or, on x86-64 without it, rounded twice.
static real FORTRAN(chain)(int fused, real a, real b, real c)
{
    const real product = a * b;
    return fused ? FMA(a, b, c) : product + c;
}

// Whether the library fuses.
static int FORTRAN(fuses)(void)
{
    // The rounding error of a square.
    const real a = 1 + (sizeof(real) == 4 ? FLT_EPSILON : (real)DBL_EPSILON), square = a * a;
    real error = -square;
    C(gemv)(CblasRowMajor, CblasNoTrans, 1, 1, 1, &a, 1, &a, 1, 1, &error, 1);
    return error != 0;
}

static void FORTRAN(matrices)(void)
{
    enum { SIDE = 160, FULL = (SIDE + 3) * (SIDE + 3) };
    static real a[FULL], x[4 * 1200], c[FULL], before[FULL], expected[FULL], y[4 * 1200];
    const int layouts[] = {CblasRowMajor, CblasColMajor};
    const int transpositions[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    const char letters[][4] = {"NTC", "ntc"};
    const real factors[] = {1, 1, 0, -1, (real)0.5, (real)0.3};
    const int fused = FORTRAN(fuses)();
    int turn, i, j, p;
    for (turn = 0; turn < 400; turn++) {
        const int layout = layouts[below(2)], rows = layout == CblasRowMajor, which = (int)below(3);
        const int trans = transpositions[which], transposed = trans != CblasNoTrans, most = turn % 4 ? 24 : SIDE;
        const int n = (int)below(most + 1), k = (int)below(most + 1);
        // Long enough for two pieces of a vector.
        const int wide = turn % 8 == 0, m = wide ? (int)below(20) : n, length = wide ? 1100 : k;
        const real alpha = factors[below(6)], beta = factors[below(6)];
        const int incx = (int)below(4) + 1, incy = (int)below(4) + 1;
        const int ix = below(2) ? incx : -incx, iy = below(2) ? incy : -incy;
        const char letter = letters[below(2)][which];
        const int upper = (int)below(2), ldc = n + 1 + (int)below(3);
        int lda, stored_rows, stored_columns, across, down;
        FORTRAN(fill)(a, FULL);
        FORTRAN(fill)(x, 4 * 1200);

        // op(A) has m rows and `length` columns.
        stored_rows = transposed ? length : m, stored_columns = transposed ? m : length;
        lda = (rows ? stored_columns : stored_rows) + 1 + (int)below(3);
        down = rows != transposed ? lda : 1, across = rows != transposed ? 1 : lda;
        for (i = 0; i < 4 * 1200; i++) {
            y[i] = beta == 0 && m > 0 && length > 0 ? (real)NAN : (real)number();
        }
        memcpy(before, y, sizeof y);
        memcpy(expected, y, sizeof y);
        C(gemv)(layout, trans, stored_rows, stored_columns, alpha, a, lda, x, ix, beta, y, iy);
        for (i = 0; i < m && length > 0 && (alpha != 0 || beta != 1); i++) {
            real *at = expected + AT(i, m, iy);
            *at = beta == 0 ? 0 : beta * *at;
            for (p = 0; p < length && alpha != 0; p++) {
                const real scaled = alpha * x[AT(p, length, ix)];
                *at = FORTRAN(chain)(fused, a[i * down + p * across], scaled, *at);
            }
        }
        for (i = 0; i < 4 * 1200; i++) {
            CHECK(y[i] == expected[i] || (isnan(y[i]) && isnan(expected[i])));
        }
        if (!rows) {
            memcpy(c, before, sizeof y);
            FORTRAN(gemv)(&letter, &stored_rows, &stored_columns, &alpha, a, &lda, x, &ix, &beta, c, &iy);
            CHECK(memcmp(c, y, sizeof y) == 0);
        }

        // A of n rows and k columns in `c`.
        FORTRAN(fill)(before, FULL);
        memcpy(c, before, sizeof c);
        memcpy(expected, before, sizeof c);
        FORTRAN(fill)(y, 4 * 1200);
        lda = (rows ? k : n) + 1 + (int)below(3);
        down = rows ? lda : 1, across = rows ? 1 : lda;
        C(ger)(layout, n, k, alpha, x, ix, y, iy, c, lda);
        for (i = 0; i < n && alpha != 0; i++) {
            for (j = 0; j < k; j++) {
                real *at = expected + i * down + j * across;
                const real scaled = alpha * x[AT(i, n, ix)];
                *at = FORTRAN(chain)(fused, scaled, y[AT(j, k, iy)], *at);
            }
        }
        CHECK(memcmp(c, expected, sizeof c) == 0);
        if (!rows) {
            memcpy(c, before, sizeof c);
            FORTRAN(ger)(&n, &k, &alpha, x, &ix, y, &iy, c, &lda);
            CHECK(memcmp(c, expected, sizeof c) == 0);
        }

        // The triangle has the bits of gemm; the rest is untouched.
        lda = (rows != transposed ? k : n) + 1 + (int)below(3);
        for (i = 0; i < FULL; i++) {
            before[i] = beta == 0 && n > 0 ? (real)NAN : (real)number();
        }
        memcpy(c, before, sizeof c);
        memcpy(expected, before, sizeof c);
        C(gemm)(layout, trans, transposed ? CblasNoTrans : CblasTrans, n, n, k, alpha, a, lda, a, lda, beta, expected,
                ldc);
        C(syrk)(layout, upper ? CblasUpper : CblasLower, trans, n, k, alpha, a, lda, beta, c, ldc);
        for (i = 0; i < n; i++) {
            for (j = 0; j < n; j++) {
                const int at = rows ? i * ldc + j : i + j * ldc;
                if (i == j || (j > i) == upper) {
                    CHECK(c[at] == expected[at]);
                    expected[at] = before[at];
                }
            }
        }
        if (!rows) {
            static real other[FULL];
            const char triangle = "LlUu"[2 * upper + (int)below(2)], second = transposed ? 'N' : 'T';
            memcpy(other, before, sizeof c);
            FORTRAN(syrk)(&triangle, &letter, &n, &k, &alpha, a, &lda, &beta, other, &ldc);
            CHECK(memcmp(c, other, sizeof c) == 0);
            memcpy(other, before, sizeof c);
            FORTRAN(gemm)(&letter, &second, &n, &n, &k, &alpha, a, &lda, a, &lda, &beta, other, &ldc);
            for (i = 0; i < n; i++) {
                CHECK(k == 0 || memcmp(&other[i * ldc + i], &c[i * ldc + i], sizeof *c) == 0);
            }
        }
        for (i = 0; i < n; i++) {
            for (j = 0; j < n; j++) {
                const int at = rows ? i * ldc + j : i + j * ldc;
                if (i == j || (j > i) == upper) {
                    c[at] = before[at];
                }
            }
        }
        CHECK(memcmp(c, before, sizeof c) == 0);
    }
}
