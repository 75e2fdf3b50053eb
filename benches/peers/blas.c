/* Times products and level 1 of two BLAS libraries in turn, and prints the second one's time over the first one's:
 *
 *   cc -O2 -o blas benches/peers/blas.c -ldl -lm
 *   export OPENBLAS_NUM_THREADS=1 HOTLOOPS_NUM_THREADS=1
 *   ./blas libblas.so.3 libopenblas.so heat       m and n of 16 sizes from 1 to 1024, k = 64 and 1024, row-major
 *   ./blas libblas.so.3 libopenblas.so alias      few rows of A a multiple of 4096 bytes apart, and beside that
 *   ./blas libblas.so.3 libopenblas.so vectors    level 1
 *
 * Times are minima of rounds. Symbols of scipy-openblas (scipy_cblas_dgemm) are found too. */
#define _POSIX_C_SOURCE 199309L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15, ROW_MAJOR = 101, NO_TRANS = 111 };

typedef void (*Sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*Dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                      int);

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *libraries[2];

/* The routine `cblas_NAME` of a library. */
static void *routine(int library, const char *name) {
    char symbol[64];
    void *found = NULL;
    for (int prefixed = 0; prefixed < 2 && !found; prefixed++) {
        snprintf(symbol, sizeof symbol, "%scblas_%s", prefixed ? "scipy_" : "", name);
        found = dlsym(libraries[library], symbol);
    }
    if (!found) {
        fprintf(stderr, "no %s in library %d\n", symbol, library + 1);
        exit(1);
    }
    return found;
}

/* The logarithms of the ratios: of all, and of products with up to 4 columns and with more. */
static double sums[3];
static int counts[3];

static void count(int group, double ratio) {
    sums[group] += log(ratio);
    counts[group]++;
}

static _Alignas(64) double operands[2][1 << 20], result[1 << 20];

static void product(int is_double, int m, int n, int k) {
    const char *name = is_double ? "dgemm" : "sgemm";
    void *calls[2] = {routine(0, name), routine(1, name)};
    double best[2] = {INFINITY, INFINITY}, flops = 2.0 * m * n * k;
    int repetitions = 1 + (int)(2e6 / flops);
    for (int i = 0; i < 1 << 20; i++) {
        for (int which = 0; which < 2; which++) {
            if (is_double) {
                operands[which][i] = i % (13 - 2 * which) - 5;
            } else {
                ((float *)operands[which])[i] = (float)(i % (13 - 2 * which) - 5);
            }
        }
    }
    for (int round = 0; round < 2 * ROUNDS + 2; round++) {
        /* The library that begins a pair alternates. */
        int which = (round / 2 + round) % 2;
        double start = seconds();
        for (int i = 0; i < repetitions; i++) {
            if (is_double) {
                ((Dgemm)calls[which])(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, operands[0], k, operands[1], n, 0,
                                      result, n);
            } else {
                ((Sgemm)calls[which])(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, (float *)operands[0], k,
                                      (float *)operands[1], n, 0, (float *)result, n);
            }
        }
        double time = (seconds() - start) / repetitions;
        if (round >= 2 && time < best[which]) {
            best[which] = time;
        }
    }
    count(0, best[1] / best[0]);
    count(n <= 4 ? 1 : 2, best[1] / best[0]);
    printf("%s %5d %5d %5d  %10.3f us %7.1f GFLOP/s  ratio %.2f\n", name, m, n, k, 1e6 * best[0],
           1e-9 * flops / best[0], best[1] / best[0]);
}

static volatile double sink;

/* Routines of level 1 by the shape of their arguments. */
static void vector_call(const char *name, int is_double, void *call, int n, int step) {
    void *x = operands[0], *y = operands[1];
    if (!strcmp(name, "axpy")) {
        if (is_double) {
            ((void (*)(int, double, void *, int, void *, int))call)(n, 1e-9, x, step, y, step);
        } else {
            ((void (*)(int, float, void *, int, void *, int))call)(n, 1e-9f, x, step, y, step);
        }
    } else if (!strcmp(name, "scal")) {
        if (is_double) {
            ((void (*)(int, double, void *, int))call)(n, 1.0000001, x, step);
        } else {
            ((void (*)(int, float, void *, int))call)(n, 1.0000001f, x, step);
        }
    } else if (!strcmp(name, "copy") || !strcmp(name, "swap")) {
        ((void (*)(int, void *, int, void *, int))call)(n, x, step, y, step);
    } else if (!strcmp(name, "dot")) {
        sink = is_double ? ((double (*)(int, void *, int, void *, int))call)(n, x, step, y, step)
                         : ((float (*)(int, void *, int, void *, int))call)(n, x, step, y, step);
    } else if (!strcmp(name, "amax")) {
        sink = (double)((size_t (*)(int, void *, int))call)(n, x, step);
    } else {
        sink = is_double ? ((double (*)(int, void *, int))call)(n, x, step)
                         : ((float (*)(int, void *, int))call)(n, x, step);
    }
}

static void vectors(const char *name, int is_double) {
    static const int sizes[] = {16, 100, 1000, 100000};
    char full[16];
    snprintf(full, sizeof full, "%s%c%s", strcmp(name, "amax") ? "" : "i", is_double ? 'd' : 's', name);
    void *calls[2] = {routine(0, full), routine(1, full)};
    printf("%-6s stride 1 and 2, n 16, 100, 1000, 100000:", full);
    for (int step = 1; step <= 2; step++) {
        for (int size = 0; size < 4; size++) {
            int n = sizes[size], repetitions = 200000 / n + 1;
            double best[2] = {INFINITY, INFINITY};
            for (int i = 0; i < 200000; i++) {
                for (int which = 0; which < 2; which++) {
                    if (is_double) {
                        operands[which][i] = i % (13 - 6 * which) - 3.5;
                    } else {
                        ((float *)operands[which])[i] = (float)(i % (13 - 6 * which)) - 3.5f;
                    }
                }
            }
            for (int round = 0; round < 4 * ROUNDS; round++) {
                int which = round % 2;
                double start = seconds();
                for (int i = 0; i < repetitions; i++) {
                    vector_call(name, is_double, calls[which], n, step);
                }
                double time = (seconds() - start) / repetitions;
                best[which] = time < best[which] ? time : best[which];
            }
            count(0, best[1] / best[0]);
            printf(" %.2f", best[1] / best[0]);
        }
    }
    puts("");
}

int main(int arguments, char **words) {
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 1024};
    static const int shapes[][2] = {{12, 12}, {16, 32}, {24, 8}, {24, 32}, {32, 16}, {48, 16}, {64, 8}};
    static const int depths[] = {960, 1000, 1024, 1040};
    static const char *const names[] = {"axpy", "dot", "scal", "copy", "swap", "nrm2", "asum", "amax"};
    if (arguments != 4) {
        fprintf(stderr, "usage: %s LIBRARY OTHER heat|alias|vectors\n", words[0]);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (!(libraries[i] = dlopen(words[1 + i], RTLD_LAZY | RTLD_LOCAL))) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    for (int is_double = 0; is_double < 2; is_double++) {
        memset(sums, 0, sizeof sums);
        memset(counts, 0, sizeof counts);
        if (!strcmp(words[3], "heat")) {
            for (int i = 0; i < 512; i++) {
                product(is_double, sizes[i / 16 % 16], sizes[i % 16], i < 256 ? 64 : 1024);
            }
        } else if (!strcmp(words[3], "alias")) {
            for (int i = 0; i < 28; i++) {
                product(is_double, shapes[i % 7][0], shapes[i % 7][1], depths[i / 7]);
            }
        } else {
            for (int i = 0; i < 8; i++) {
                vectors(names[i], is_double);
            }
        }
        printf("%s: geometric mean %.3f of %d", is_double ? "f64" : "f32", exp(sums[0] / counts[0]), counts[0]);
        if (counts[1] > 0 && counts[2] > 0) {
            printf("; up to 4 columns %.3f, more %.3f", exp(sums[1] / counts[1]), exp(sums[2] / counts[2]));
        }
        puts("");
    }
    return 0;
}
