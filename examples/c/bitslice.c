// Samples of a slow sensor as bit planes: 12-bit samples in 16-bit integers. The upper planes
// rarely change, and the four above the samples are empty. Single samples are read from the planes
// without reassembling the others.
//
//   cc bitslice.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>
#include <stdlib.h>

#define PLANES 16
#define PICKED 4

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

// A slow triangle wave with two bits of noise.
static void record(uint16_t *samples, size_t n)
{
    uint32_t noise = 12;
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t phase = (uint32_t)(i / 16 % 8192), wave = phase < 4096 ? phase : 8191 - phase;
        noise = noise * 1664525u + 1013904223u;
        samples[i] = (uint16_t)((wave & ~3u) | noise >> 30);
    }
}

// bitslice [SAMPLES]
int main(int argc, char **argv)
{
    const long wanted = argc > 1 ? atol(argv[1]) : 1000000;
    size_t n, stride, picked[PICKED], j, o, i;
    uint16_t *samples, *back, some[PICKED];
    uint64_t ones[PLANES];
    uint8_t *planes;
    if (wanted < 1) {
        fprintf(stderr, "usage: bitslice [SAMPLES]\n");
        return 1;
    }
    n = (size_t)wanted;
    stride = (n + 7) / 8;
    samples = memory(2 * n);
    back = memory(2 * n);
    planes = memory(PLANES * stride);
    record(samples, n);

    check(hl_bitslice_slice(samples, n, 2, planes, stride));
    check(hl_bitslice_positional_popcount(samples, n, 2, ones));
    printf("plane     ones   bytes that differ from the one before    (%s)\n", hl_isa_active());
    for (j = 0; j < PLANES; j++) {
        const uint8_t *const plane = planes + j * stride;
        size_t changes = 0;
        for (o = 1; o < stride; o++)
            changes += plane[o] != plane[o - 1];
        printf("%5lu %8lu %8lu\n", (unsigned long)j, (unsigned long)ones[j], (unsigned long)changes);
    }

    for (i = 0; i < PICKED; i++)
        picked[i] = i * n / PICKED;
    check(hl_bitslice_gather(planes, PLANES, stride, picked, PICKED, some));
    for (i = 0; i < PICKED; i++)
        printf("sample %lu: %u\n", (unsigned long)picked[i], some[i]);

    check(hl_bitslice_unslice(planes, n, 2, stride, back));
    for (i = 0; i < n && back[i] == samples[i]; i++)
        ;
    printf("%s\n", i == n ? "all samples are back" : "samples differ");
    free(planes);
    free(back);
    free(samples);
    return i == n ? 0 : 1;
}
