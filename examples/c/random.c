// Pi by throwing darts, in two halves: the generator's state is saved after the first, and a second
// generator continues from it.
//
//   cc random.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>
#include <stdlib.h>

static void check(hl_status status)
{
    if (status != HL_OK) {
        fprintf(stderr, "hotloops: %s\n", hl_status_string(status));
        exit(1);
    }
}

// The number of darts that hit the quarter circle.
static long hits(hl_random_mt19937 *rng, long darts)
{
    float dart[4096];
    long count = 0;
    size_t n, i;
    for (; darts > 0; darts -= (long)(n / 2)) {
        n = darts < 2048 ? 2 * (size_t)darts : 4096;
        check(hl_random_mt19937_fill_f32(rng, dart, n));
        for (i = 0; i < n; i += 2)
            count += dart[i] * dart[i] + dart[i + 1] * dart[i + 1] < 1.0f;
    }
    return count;
}

// random [DARTS]
int main(int argc, char **argv)
{
    const long darts = argc > 1 ? atol(argv[1]) : 100000000;
    const uint32_t seeds[4] = {5489, 1, 2, 3};
    hl_random_mt19937 *rng, *second;
    uint8_t *state;
    size_t size;
    long count;
    if (darts < 1) {
        fprintf(stderr, "usage: random [DARTS]\n");
        return 1;
    }
    check(hl_random_mt19937_create(seeds, 4, &rng));
    count = hits(rng, darts / 2);
    check(hl_random_mt19937_state_size(rng, &size));
    state = malloc(size);
    if (!state)
        return 1;
    check(hl_random_mt19937_get_state(rng, state, size));
    check(hl_random_mt19937_create_from_state(state, size, &second));
    count += hits(second, darts - darts / 2);
    printf("pi is about %.5f\n", 4.0 * (double)count / (double)darts);
    free(state);
    hl_random_mt19937_destroy(second);
    hl_random_mt19937_destroy(rng);
    return 0;
}
