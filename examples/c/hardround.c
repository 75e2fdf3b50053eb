// Hard-to-round cases of exp among the 2^30 doubles from 1 on: those nearer to a number or a
// midpoint than 2^-31 ulp.
//
//   cc hardround.c $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <stdio.h>

// F(x) = 2^52 exp(1 + x 2^-52): breakpoints, multiples of half an ulp, are the integers. f_k = 2^52
// e 2^-52k / k! mod 1, in units of 2^-256, the lowest word first.
static const uint64_t taylor[5][4] = {
    {0xfef324e7738926d0, 0xa56a784d9045190c, 0x3c762e7160f38b4d, 0xa6abf7158809cf4f},
    {0xa784d9045190cfef, 0x62e7160f38b4da56, 0xbf7158809cf4f3c7, 0xb7e151628aed2a6a},
    {0x38b079c5a6d2b53c, 0x8ac404e7a79e3b17, 0x0a8b1457695355fb, 0x15bf},
    {0xc01a28d34be5d12e, 0xe5c1d231bc753d8e, 0x73fae2, 0},
    {0x0748c6f1d4f63b00, 0x1cfeb8b97, 0, 0},
};

// Blocks that are long enough for dual rows.
#define BLOCKS 4
#define LOG2_BLOCK 28
#define CASES 64

int main(void)
{
    hl_hardround_block blocks[BLOCKS];
    uint64_t found[CASES];
    size_t count, i;
    hl_status status;
    int j;
    if ((status = hl_hardround_blocks(taylor[0], 4, LOG2_BLOCK, 0, BLOCKS, blocks)) != HL_OK) {
        fprintf(stderr, "%s\n", hl_status_string(status));
        return 1;
    }
    for (j = 0; j < BLOCKS; j++) {
        // 2^-30 half ulps, plus a margin for the error of the polynomials.
        const uint64_t bound = ((uint64_t)1 << 34) + ((uint64_t)1 << 21);
        status = hl_hardround_scan(&blocks[j], 1 << LOG2_BLOCK, bound, HL_HARDROUND_DUAL, found, CASES, &count);
        if (status != HL_OK) {
            fprintf(stderr, "%s\n", hl_status_string(status));
            return 1;
        }
        for (i = 0; i < count && i < CASES; i++)
            printf("1 + %.0f ulp\n", (double)found[i] + (double)j * (1 << LOG2_BLOCK));
    }
    return 0;
}
