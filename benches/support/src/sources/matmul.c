// The first rows of C = A B, square row-major matrices of floats, rung by rung. build.rs compiles this file once
// without auto-vectorisation and once with it.

#include <stddef.h>
#include <string.h>

#define JOIN(name, build) hotloops_bench_##name##_##build
#define IN_BUILD(name, build) JOIN(name, build)
#define EXPORT(name) IN_BUILD(name, BUILD)

struct product {
    size_t n;
    // Of A and C.
    size_t rows;
    // Edge of the cubes of the blocked rungs.
    size_t block;
    const float *a;
    const float *b;
    float *c;
    // n * 8 elements.
    float *sliver;
};

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

// Each loop nest is named by its loops, outermost first. `a`, `b`, `c` do not overlap.
#define OPERANDS                                                                                                       \
    const size_t n = of->n, rows = of->rows;                                                                           \
    const float *restrict a = of->a, *restrict b = of->b;                                                              \
    float *restrict c = of->c;

static void clear(const struct product *of) { memset(of->c, 0, of->rows * of->n * sizeof *of->c); }

static void ijk(const struct product *of) {
    OPERANDS
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#define TIMES_8(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define TERM(l) a[i * n + k + l] * b[(k + l) * n + j]
#define ADD_TO_ONE(l) sum += TERM(l);
#define DECLARE(l) float s##l = 0.0f;
#define ADD_TO_ITS_OWN(l) s##l += TERM(l);
#define COLLECT(l) sum += s##l;

static void unrolled(const struct product *of) {
    OPERANDS
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0.0f;
            size_t k = 0;
            for (; k + 8 <= n; k += 8) {
                TIMES_8(ADD_TO_ONE)
            }
            for (; k < n; k++) {
                sum += TERM(0);
            }
            c[i * n + j] = sum;
        }
    }
}

static void accumulators(const struct product *of) {
    OPERANDS
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < n; j++) {
            TIMES_8(DECLARE)
            float sum = 0.0f;
            size_t k = 0;
            for (; k + 8 <= n; k += 8) {
                TIMES_8(ADD_TO_ITS_OWN)
            }
            for (; k < n; k++) {
                sum += TERM(0);
            }
            TIMES_8(COLLECT)
            c[i * n + j] = sum;
        }
    }
}

#define NEST(first, first_end, second, second_end, third, third_end)                                                   \
    static void first##second##third(const struct product *of) {                                                       \
        OPERANDS                                                                                                       \
        clear(of);                                                                                                     \
        for (size_t first = 0; first < first_end; first++) {                                                           \
            for (size_t second = 0; second < second_end; second++) {                                                   \
                for (size_t third = 0; third < third_end; third++) {                                                   \
                    c[i * n + j] += a[i * n + k] * b[k * n + j];                                                       \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
NEST(i, rows, k, n, j, n)
NEST(j, n, i, rows, k, n)
NEST(j, n, k, n, i, rows)
NEST(k, n, i, rows, j, n)
NEST(k, n, j, n, i, rows)

// Cubes of `block`, row by column in each ("mini").
static void blocked(const struct product *of) {
    OPERANDS
    const size_t block = of->block;
    clear(of);
    for (size_t i0 = 0; i0 < rows; i0 += block) {
        for (size_t j0 = 0; j0 < n; j0 += block) {
            for (size_t k0 = 0; k0 < n; k0 += block) {
                const size_t i1 = min(i0 + block, rows), j1 = min(j0 + block, n), k1 = min(k0 + block, n);
                for (size_t i = i0; i < i1; i++) {
                    for (size_t j = j0; j < j1; j++) {
                        float sum = c[i * n + j];
                        for (size_t k = k0; k < k1; k++) {
                            sum += a[i * n + k] * b[k * n + j];
                        }
                        c[i * n + j] = sum;
                    }
                }
            }
        }
    }
}

// Cubes of `block`, in each a sum of outer products of columns and rows ("micro"): neighbours are independent.
static void blocked_outer(const struct product *of) {
    OPERANDS
    const size_t block = of->block;
    clear(of);
    for (size_t i0 = 0; i0 < rows; i0 += block) {
        for (size_t j0 = 0; j0 < n; j0 += block) {
            for (size_t k0 = 0; k0 < n; k0 += block) {
                const size_t i1 = min(i0 + block, rows), j1 = min(j0 + block, n), k1 = min(k0 + block, n);
                for (size_t k = k0; k < k1; k++) {
                    for (size_t i = i0; i < i1; i++) {
                        for (size_t j = j0; j < j1; j++) {
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
                        }
                    }
                }
            }
        }
    }
}

enum { TALL = 4, WIDE = 8 };

#define EIGHT(M, r) M(0, r) M(1, r) M(2, r) M(3, r) M(4, r) M(5, r) M(6, r) M(7, r)
#define TILE(M) EIGHT(M, 0) EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3)
#define DECLARE_AT(l, r) float s##r##l = 0.0f;
#define ADD_AT(l, r) s##r##l += x##r * at[l];
#define STORE_AT(l, r) to[r * stride + l] = s##r##l;

// gcc would vectorise the loop over k, with shuffles, rather than the rows of the tile.
#if defined __GNUC__ && !defined __clang__
__attribute__((noinline, optimize("no-tree-loop-vectorize")))
#endif
// TALL rows of A times the sliver. The sums are variables, because an array would be kept in memory.
static void tile(const struct product *of, size_t i, float *restrict to, size_t stride) {
    const size_t n = of->n;
    const float *restrict a0 = of->a + i * n, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n;
    const float *restrict at = of->sliver;
    TILE(DECLARE_AT)
    for (size_t k = 0; k < n; k++, at += WIDE) {
        const float x0 = a0[k], x1 = a1[k], x2 = a2[k], x3 = a3[k];
        TILE(ADD_AT)
    }
    TILE(STORE_AT)
}

static void last_row(const struct product *of, size_t i, size_t j, size_t wide) {
    const size_t n = of->n;
    for (size_t l = 0; l < wide; l++) {
        float sum = 0.0f;
        for (size_t k = 0; k < n; k++) {
            sum += of->a[i * n + k] * of->sliver[k * WIDE + l];
        }
        of->c[i * n + j + l] = sum;
    }
}

// Tiles of C in registers, from columns of B copied to a contiguous sliver.
static void packed(const struct product *of) {
    const size_t n = of->n;
    for (size_t j = 0; j < n; j += WIDE) {
        const size_t wide = min(WIDE, n - j);
        for (size_t k = 0; k < n; k++) {
            for (size_t l = 0; l < WIDE; l++) {
                of->sliver[k * WIDE + l] = l < wide ? of->b[k * n + j + l] : 0.0f;
            }
        }
        size_t i = 0;
        for (; i + TALL <= of->rows; i += TALL) {
            float *to = of->c + i * n + j;
            if (wide == WIDE) {
                tile(of, i, to, n);
                continue;
            }
            float last[TALL * WIDE];
            tile(of, i, last, WIDE);
            for (size_t r = 0; r < TALL; r++) {
                memcpy(to + r * n, last + r * WIDE, wide * sizeof *last);
            }
        }
        for (; i < of->rows; i++) {
            last_row(of, i, j, wide);
        }
    }
}

void EXPORT(product)(size_t rung, const struct product *of) {
    static void (*const RUNGS[])(const struct product *) = {
        ijk, unrolled, accumulators, ikj, jik, jki, kij, kji, blocked, blocked_outer, packed,
    };
    RUNGS[rung](of);
}
