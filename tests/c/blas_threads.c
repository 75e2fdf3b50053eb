// Products by one thread and by several have the same bits: also after a fork, unless there is an
// argument, and while other threads of the program multiply.
#include "hotloops_cblas.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(truth)                                                    \
    do {                                                                \
        if (!(truth)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth); \
            exit(1);                                                    \
        }                                                               \
    } while (0)

enum { LARGEST = 400 };

static double a[2 * LARGEST * LARGEST], b[2 * LARGEST * LARGEST];

static void fill(double *x, uint64_t dice)
{
    for (int i = 0; i < 2 * LARGEST * LARGEST; i++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (double)(dice >> 11) / (1ull << 52) - 1;
    }
}

// A hash of the bits of a real and of a complex product.
static uint64_t products(int m, int n, int k)
{
    const double alpha[2] = {0.7, -0.9}, beta[2] = {0, 0};
    double *c = malloc(sizeof(double) * 2 * m * n);
    uint64_t hash = 1;
    CHECK(c != NULL);
    for (int complex = 0; complex < 2; complex++) {
        if (complex)
            cblas_zgemm(CblasColMajor, CblasNoTrans, CblasConjTrans, m, n, k, alpha, a, m, b, n, beta, c, m);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 0.7, a, k, b, k, 0, c, n);
        for (size_t i = 0; i < (complex + 1u) * m * n; i++) {
            uint64_t bits;
            memcpy(&bits, c + i, sizeof bits);
            hash = (hash ^ bits) * UINT64_C(1099511628211);
        }
    }
    free(c);
    return hash;
}

static uint64_t expected;

static void *work(void *unused)
{
    for (int i = 0; i < 20; i++)
        CHECK(products(300, 200, 100) == expected);
    return unused;
}

static void fork_children(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            _exit(products(300, 200, 100) == expected ? 0 : 1);
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        CHECK(products(300, 200, 100) == expected);
    }
}

int main(int argc, char **argv)
{
    static const int shapes[][3] = {{160, 160, 160}, {17, 399, 350}, {400, 3, 400}, {200, 33, 57}, {16, 16, 400}};
    (void)argv;
    fill(a, 1);
    fill(b, 2);
    CHECK(hl_blas_get_num_threads() == 3); // HOTLOOPS_NUM_THREADS
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *shape = shapes[i];
        hl_blas_set_num_threads(1);
        uint64_t alone = products(shape[0], shape[1], shape[2]);
        for (int threads = 2; threads < 8; threads++) {
            hl_blas_set_num_threads(threads);
            CHECK(hl_blas_get_num_threads() == threads);
            CHECK(products(shape[0], shape[1], shape[2]) == alone);
        }
    }
    hl_blas_set_num_threads(0);
    CHECK(hl_blas_get_num_threads() == 1);
    hl_blas_set_num_threads(2);
    expected = products(300, 200, 100);
    if (argc == 1)
        fork_children();
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    puts("done");
    return 0;
}
