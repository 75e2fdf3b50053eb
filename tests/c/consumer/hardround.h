// Hard-to-round cases.

enum { DOMAINS = 500, CASES = 64 };

static void hardround_family(void)
{
    // 1/3 + 0.618.. x + x^2 / 2^41 + x^3 / 2^90, in blocks of 2^16 arguments.
    static const uint64_t taylor[16] = {0, 0, 0x5555555555555555, 0x5555555555555555,
                                        0, 0, 0x0123456789abcdef, 0x9e3779b97f4a7c15,
                                        0, 0, 0, 1 << 23, 0, 0, (uint64_t)1 << 38, 0};
    static uint64_t a[DOMAINS], b[DOMAINS];
    uint64_t found[CASES], others[CASES], cases[4 * CASES], all = 0;
    uint8_t regular[(DOMAINS + 7) / 8], lefevre[(DOMAINS + 7) / 8];
    hl_hardround_block blocks[4];
    size_t count = 0, i, j;
    OK(hl_hardround_blocks(taylor, 3, 16, -1, 4, blocks));
    digest("hardround_blocks", blocks, sizeof blocks);
    for (j = 0; j < 4; j++) {
        OK(hl_hardround_scan(&blocks[j], 1 << 16, (uint64_t)1 << 50, HL_HARDROUND_DUAL, found, CASES, &count));
        CHECK(count > 0 && count <= CASES);
        for (i = 0; i < count; i++)
            cases[all++] = found[i];
        // Cases beyond the capacity are only counted.
        found[1] = 77;
        OK(hl_hardround_scan(&blocks[j], 1 << 16, (uint64_t)1 << 50, HL_HARDROUND_DUAL, found, 1, &i));
        CHECK(i == count && found[1] == 77);
    }
    digest("hardround_cases", cases, (size_t)(8 * all));
    // Long enough for dual rows.
    OK(hl_hardround_scan(&blocks[1], 1 << 24, (uint64_t)1 << 42, HL_HARDROUND_DUAL, found, CASES, &count));
    OK(hl_hardround_scan(&blocks[1], 1 << 24, (uint64_t)1 << 42, HL_HARDROUND_FAREY, others, CASES, &i));
    CHECK(count > 0 && i == count && memcmp(found, others, count * sizeof found[0]) == 0);
    for (i = 0; i < DOMAINS; i++) {
        a[i] = (i + 1) * 0x9e3779b97f4a7c15;
        b[i] = (i + 7) * 0xbf58476d1ce4e5b9;
    }
    OK(hl_hardround_exists(a, b, DOMAINS, 4096, (uint64_t)1 << 48, HL_HARDROUND_REGULAR, regular));
    OK(hl_hardround_exists(a, b, DOMAINS, 4096, (uint64_t)1 << 48, HL_HARDROUND_LEFEVRE, lefevre));
    digest("hardround_regular", regular, sizeof regular);
    digest("hardround_lefevre", lefevre, sizeof lefevre);
}

static void hardround_errors(void)
{
    static const uint64_t taylor[4 * 14] = {0};
    uint64_t found[1] = {5}, words[2] = {0, 0};
    uint8_t bits[1] = {9};
    hl_hardround_block block;
    size_t count = 3;
    OK(hl_hardround_blocks(taylor, 0, 16, 0, 1, &block));
    REFUSED(HL_ERR_PROOF, hl_hardround_blocks(taylor, 13, 16, 0, 1, &block));
    REFUSED(HL_ERR_PROOF, hl_hardround_blocks(taylor, 3, 33, 0, 1, &block));
    REFUSED(HL_ERR_NULL, hl_hardround_blocks(NULL, 3, 16, 0, 1, &block));
    REFUSED(HL_ERR_NULL, hl_hardround_blocks(taylor, 3, 16, 0, 1, NULL));
    REFUSED(HL_ERR_PROOF, hl_hardround_scan(&block, ((uint64_t)1 << 32) + 1, 1, HL_HARDROUND_DUAL, found, 1, &count));
    REFUSED(HL_ERR_PROOF, hl_hardround_scan(&block, 10, ((uint64_t)1 << 61) + 1, HL_HARDROUND_DUAL, found, 1, &count));
    REFUSED(HL_ERR_OPTION, hl_hardround_scan(&block, 10, 1, 2, found, 1, &count));
    REFUSED(HL_ERR_OPTION, hl_hardround_scan(&block, 10, 1, UINT32_MAX, found, 1, &count));
    CHECK(strcmp(hl_status_argument(hl_hardround_scan(&block, 10, 1, 2, found, 1, &count)), "algorithm") == 0);
    REFUSED(HL_ERR_NULL, hl_hardround_scan(NULL, 10, 1, HL_HARDROUND_DUAL, found, 1, &count));
    REFUSED(HL_ERR_NULL, hl_hardround_scan(&block, 10, 1, HL_HARDROUND_DUAL, NULL, 1, &count));
    REFUSED(HL_ERR_NULL, hl_hardround_scan(&block, 10, 1, HL_HARDROUND_DUAL, found, 1, NULL));
    CHECK(count == 3 && found[0] == 5);
    REFUSED(HL_ERR_OPTION, hl_hardround_exists(words, words, 2, 10, 1, 2, bits));
    REFUSED(HL_ERR_PROOF, hl_hardround_exists(words, words, 2, ((uint64_t)1 << 32) + 1, 1, 0, bits));
    REFUSED(HL_ERR_OVERLAP, hl_hardround_exists(words, words, 2, 10, 1, 0, (uint8_t *)words + 15));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(NULL, words, 2, 10, 1, 0, bits));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(words, NULL, 2, 10, 1, 0, bits));
    REFUSED(HL_ERR_NULL, hl_hardround_exists(words, words, 2, 10, 1, 0, NULL));
    CHECK(bits[0] == 9);
    OK(hl_hardround_exists(NULL, NULL, 0, 10, 1, 0, NULL));
}
