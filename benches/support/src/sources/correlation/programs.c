// The programs of Pancratov, Kurzer, Shaw and Trawick (2008), in the order of their series. Every pair counts once.
// build.rs compiles this file once for each LEVEL: at -O2 (_o2) and at -O3 (_o3).

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define JOIN(a, b) a##b
#define WITH(name, level) JOIN(name, level)
#define AT(name) WITH(hotloops_bench_##name, LEVEL)

enum { BLOCK = 64 };

struct particle {
    int x, y;
    float cos6, sin6;
};

struct sum {
    float g;
    int count;
};

// Pairs of every `every`th particle with all later ones: arrays of their own, trigonometry for each pair.
void AT(trigonometry)(const int *x, const int *y, const float *theta, size_t n, size_t every, float *g, int *count) {
    for (size_t i = 0; i < n; i += every) {
        for (size_t j = i + 1; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i];
            int r = (int)sqrt(dx * dx + dy * dy);
            g[r] += cos(6 * (theta[j] - theta[i]));
            count[r]++;
        }
    }
}

// Cosines and sines computed before.
void AT(precalculated)(const int *x, const int *y, const float *cos6, const float *sin6, size_t n, size_t every,
                       float *g, int *count) {
    for (size_t i = 0; i < n; i += every) {
        for (size_t j = i + 1; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i];
            int r = (int)sqrt(dx * dx + dy * dy);
            g[r] += cos6[i] * cos6[j] + sin6[i] * sin6[j];
            count[r]++;
        }
    }
}

// Arrays merged into arrays of structures.
void AT(merged)(const struct particle *p, size_t n, size_t every, struct sum *sums) {
    for (size_t i = 0; i < n; i += every) {
        for (size_t j = i + 1; j < n; j++) {
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
            int r = (int)sqrt(dx * dx + dy * dy);
            sums[r].g += p[i].cos6 * p[j].cos6 + p[i].sin6 * p[j].sin6;
            sums[r].count++;
        }
    }
}

// Particles i of a block and j of the block `spacing` blocks later, or of the rest of the same block. `per_i` is
// executed for each i.
#define BLOCKS(per_i, body)                                                                                           \
    for (size_t k = 0; k < count; k++) {                                                                              \
        size_t step = spacings[k] * BLOCK;                                                                            \
        for (size_t a = 0; a + step + BLOCK <= n; a += BLOCK) {                                                       \
            for (size_t i = a; i < a + BLOCK; i++) {                                                                  \
                per_i;                                                                                                \
                for (size_t j = step == 0 ? i + 1 : a + step; j < a + step + BLOCK; j++) {                            \
                    body;                                                                                             \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
    }

#define ADD(place)                                                                                                    \
    struct sum *sum = &sums[place];                                                                                   \
    sum->g += p[i].cos6 * p[j].cos6 + p[i].sin6 * p[j].sin6;                                                          \
    sum->count++

// Blocks of particles, which stay in the first cache.
void AT(blocks)(const struct particle *p, size_t n, const size_t *spacings, size_t count, struct sum *sums) {
    BLOCKS((void)0, double dx = p[j].x - p[i].x; double dy = p[j].y - p[i].y; ADD((int)sqrt(dx * dx + dy * dy)));
}

// A sum for each square of a distance.
void AT(squares)(const struct particle *p, size_t n, const size_t *spacings, size_t count, struct sum *sums) {
    BLOCKS((void)0, int dx = p[j].x - p[i].x; int dy = p[j].y - p[i].y; ADD(dx * dx + dy * dy));
}

// A sum for each |dx| below `width` and |dy|.
void AT(offsets)(const struct particle *p, size_t n, const size_t *spacings, size_t count, int width,
                 struct sum *sums) {
    BLOCKS((void)0, ADD(abs(p[j].y - p[i].y) * width + abs(p[j].x - p[i].x)));
}

// A sum for each dx and dy >= 0, of particles sorted in rows; row dy has `width` sums, and dx = 0 is its middle.
void AT(signs)(const struct particle *p, size_t n, const size_t *spacings, size_t count, int width, struct sum *sums) {
    sums += width / 2;
    BLOCKS((void)0, ADD((p[j].y - p[i].y) * width + (p[j].x - p[i].x)));
}

// The same for y that are multiplied by `width` already; what depends on i alone is computed once.
void AT(addresses)(const struct particle *p, size_t n, const size_t *spacings, size_t count, int width,
                   struct sum *sums) {
    sums += width / 2;
    BLOCKS(int d_i = p[i].y + p[i].x, ADD(p[j].y + p[j].x - d_i));
}
