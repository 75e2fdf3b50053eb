// The nearest neighbour of every fingerprint in a collection, 1024 bits each: the pairs above a
// threshold, found in bounded memory by an index. The collection consists of families, and neighbours should belong
// to the same family.
//
//   cc fingerprints.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>
#include <stdlib.h>

#define BITS 1024
#define BYTES (BITS / 8)
#define FAMILY 5
#define ROOM 256

static void check(hl_status status)
{
    if (status != HL_OK) {
        fprintf(stderr, "hotloops: %s\n", hl_status_string(status));
        exit(1);
    }
}

static void *memory(size_t size)
{
    void *const bytes = calloc(size, 1);
    if (!bytes)
        check(HL_ERR_NO_MEMORY);
    return bytes;
}

// Sets bits that the generator draws.
static void set_bits(uint8_t *row, const uint32_t *numbers, int n)
{
    int i;
    for (i = 0; i < n; i++)
        row[numbers[i] % BITS / 8] |= (uint8_t)(1u << numbers[i] % 8);
}

// Each family has a core of about 40 bits. Each row has its family's core and about 12 bits of its
// own.
static uint8_t *collection(size_t n)
{
    const uint32_t seeds[4] = {2009, 1, 2, 3};
    uint8_t *const rows = memory(n * BYTES);
    uint32_t core[40], own[12];
    hl_random_mt19937 *rng;
    size_t i;
    check(hl_random_mt19937_create(seeds, 4, &rng));
    for (i = 0; i < n; i++) {
        if (i % FAMILY == 0)
            check(hl_random_mt19937_fill_u32(rng, core, 40));
        check(hl_random_mt19937_fill_u32(rng, own, 12));
        set_bits(rows + i * BYTES, core, 40);
        set_bits(rows + i * BYTES, own, 12);
    }
    hl_random_mt19937_destroy(rng);
    return rows;
}

typedef struct {
    float similarity;
    uint64_t row;
} neighbour;

static void keep_better(neighbour *best, float similarity, uint64_t row)
{
    if (similarity > best->similarity) {
        best->similarity = similarity;
        best->row = row;
    }
}

// fingerprints [ROWS]
int main(int argc, char **argv)
{
    const hl_fingerprints_condition condition = {HL_FINGERPRINTS_TANIMOTO, 0.5f, 1.0f, 0.0, 0.0};
    const long rows_wanted = argc > 1 ? atol(argv[1]) : 2000;
    size_t n, i, found, neighbours = 0, related = 0;
    uint64_t cursor = 0, pairs = 0;
    hl_fingerprints_pair_match room[ROOM];
    hl_fingerprints_image image = {NULL, 0};
    neighbour *nearest;
    uint8_t *rows;
    void *planes;
    if (rows_wanted < 1) {
        fprintf(stderr, "usage: fingerprints [ROWS]\n");
        return 1;
    }
    n = (size_t)rows_wanted;
    rows = collection(n);
    image.size = hl_fingerprints_bytes(n, BITS);
    planes = memory(image.size);
    image.memory = planes;
    check(hl_fingerprints_build(rows, n, BITS, BYTES, planes, image.size));

    nearest = memory(n * sizeof *nearest);
    while (cursor < (uint64_t)n * n) {
        check(hl_fingerprints_pairs(&image, 1, rows, n, BYTES, 0, n, &condition, &cursor, room, ROOM, &found));
        for (i = 0; i < found; i++) {
            keep_better(&nearest[room[i].query], room[i].score, room[i].row);
            keep_better(&nearest[room[i].row], room[i].score, room[i].query);
        }
        pairs += found;
    }
    for (i = 0; i < n; i++) {
        neighbours += nearest[i].similarity > 0.0f;
        related += nearest[i].similarity > 0.0f && nearest[i].row / FAMILY == i / FAMILY;
    }
    printf("%lu pairs of %lu fingerprints with a Tanimoto similarity of at least 0.5 (%s)\n", (unsigned long)pairs,
           (unsigned long)n, hl_isa_active());
    printf("%lu have a nearest neighbour, %lu of them in their family\n", (unsigned long)neighbours,
           (unsigned long)related);
    free(nearest);
    free(planes);
    free(rows);
    return 0;
}
