// Kernels of the sweeps of Ising models, in hotloops_kernels.h.

// The kernels on one group of two coupled sites.
static void ising_kernels(void)
{
    enum { ROW = 16 };
    hl_random_mt19937 *const rng = generator(16);
    const hl_ising_link links[4] = {{1, 0.25f}, {64, 0.5f}, {1, 0.0f}, {0, 0.5f}};
    uint32_t random[2 * ROW], flips[8][ROW];
    float spins[4][2 * ROW], state[4][2 * ROW], sums[4][2 * ROW], below[4][2 * ROW], above[4][2 * ROW];
    size_t form, i;
    memset(flips, 0, sizeof flips);
    OK(hl_random_mt19937_fill_u32(rng, random, COUNT(random)));
    for (form = 0; form < 4; form++)
        for (i = 0; i < 2 * ROW; i++) {
            spins[form][i] = i % 3 == 0 ? -1.0f : 1.0f;
            below[form][i] = i % 5 == 0 ? -1.0f : 1.0f;
            above[form][i] = i % 7 == 0 ? -1.0f : 1.0f;
            state[form][i] = 4.0f * spins[form][i] + below[form][i] + above[form][i];
            sums[form][i] = (i < ROW ? 0.25f : 0.0f) + 0.5f * (((i + ROW) % (2 * ROW)) % 3 == 0 ? -1.0f : 1.0f);
        }
    hl_ising_sweep_fast_f32(spins[0], 0, 2, below[0], above[0], links, 0.5f, 0.25f, random, flips[0]);
    hl_ising_sweep_poly_f32(spins[1], 0, 2, below[1], above[1], links, 0.5f, 0.25f, random, flips[1]);
    hl_ising_sweep_heat_fast_f32(spins[2], 0, 2, below[2], above[2], links, 0.5f, 0.25f, random, flips[2]);
    hl_ising_sweep_heat_poly_f32(spins[3], 0, 2, below[3], above[3], links, 0.5f, 0.25f, random, flips[3]);
    hl_ising_scatter_fast_f32(state[0], sums[0], 0, 2, below[0], above[0], links, 0.5f, 0.25f, random, flips[4]);
    hl_ising_scatter_poly_f32(state[1], sums[1], 0, 2, below[1], above[1], links, 0.5f, 0.25f, random, flips[5]);
    hl_ising_scatter_heat_fast_f32(state[2], sums[2], 0, 2, below[2], above[2], links, 0.5f, 0.25f, random, flips[6]);
    hl_ising_scatter_heat_poly_f32(state[3], sums[3], 0, 2, below[3], above[3], links, 0.5f, 0.25f, random, flips[7]);
    digest("sweep_fast_f32", spins[0], sizeof spins[0]);
    digest("sweep_poly_f32", spins[1], sizeof spins[1]);
    digest("sweep_heat_fast_f32", spins[2], sizeof spins[2]);
    digest("sweep_heat_poly_f32", spins[3], sizeof spins[3]);
    CHECK(memcmp(flips[0], flips[4], 4 * sizeof flips[0]) == 0);
    for (form = 0; form < 4; form++)
        for (i = 0; i < 2 * ROW; i++)
            CHECK((spins[form][i] > 0.0f) == (state[form][i] > 0.0f));
    hl_random_mt19937_destroy(rng);
}

// The exact kernel on one group of two sites with couplings of 2 quanta. One site has a field of 1
// quantum.
static void ising_exact_kernel(void)
{
    enum { WORDS = 32 };
    const uint32_t links[4] = {1 | 1 << 8 | 1 << 16, 2 | 1 << 8, 1 | 1 << 8, 2};
    const uint64_t below[2] = {UINT64_C(0x0123456789abcdef), 0}, above[2] = {UINT64_C(0xff), ~UINT64_C(0)};
    hl_random_mt19937 *const rng = generator(16);
    uint64_t spins[2] = {UINT64_C(0x5555555555555555), UINT64_C(0xffff0000)}, flips = 0;
    uint64_t heated[2] = {UINT64_C(0x5555555555555555), UINT64_C(0xffff0000)}, others = 0;
    uint32_t random[2 * WORDS];
    uint16_t thresholds[864];
    uint8_t bytes[2 * 64];
    OK(hl_random_mt19937_fill_u32(rng, random, COUNT(random)));
    OK(hl_ising_thresholds(0.5, 0.25, thresholds));
    CHECK(hl_ising_sweep_i8(spins, bytes, 2, 0, 2, below, above, links, thresholds, random, ~UINT64_C(0), &flips) == 2);
    digest("thresholds", thresholds, sizeof thresholds);
    digest("sweep_i8", spins, sizeof spins);
    digest("flips", &flips, sizeof flips);
    OK(hl_ising_heat_thresholds(0.5, 0.25, thresholds));
    CHECK(hl_ising_sweep_heat_i8(heated, bytes, 2, 0, 2, below, above, links, thresholds, random, ~UINT64_C(0), &others)
          == 2);
    digest("heat_thresholds", thresholds, sizeof thresholds);
    digest("sweep_heat_i8", heated, sizeof heated);
    digest("flips", &others, sizeof others);
    hl_random_mt19937_destroy(rng);
}

// The 16-bit kernel on the same group in 32 layers.
static void ising_wide_kernel(void)
{
    enum { LANES = 32, WORDS = 16 };
    const hl_ising_wide_link links[4] = {{1, 3 << 16 | 3}, {64, 4 << 16 | 4}, {1, 2 << 16 | 2}, {0, 4 << 16 | 4}};
    const uint32_t starts[2] = {UINT32_C(0x55555555), UINT32_C(0xffff0000)};
    const uint32_t belows[2] = {UINT32_C(0x01234567), 0}, aboves[2] = {UINT32_C(0xff), ~UINT32_C(0)};
    hl_random_mt19937 *const rng = generator(16);
    int16_t spins[2][2 * LANES], below[2 * LANES], above[2 * LANES];
    uint64_t flips[2] = {0, 0};
    uint32_t random[2 * WORDS], doubt = 7;
    uint16_t factors[72];
    int i;
    for (i = 0; i < 2 * LANES; i++) {
        spins[0][i] = spins[1][i] = (int16_t)-(int)(starts[i / LANES] >> i % LANES & 1);
        below[i] = (int16_t)-(int)(belows[i / LANES] >> i % LANES & 1);
        above[i] = (int16_t)-(int)(aboves[i / LANES] >> i % LANES & 1);
    }
    OK(hl_random_mt19937_fill_u32(rng, random, COUNT(random)));
    OK(hl_ising_factors(0.5, 0.25, factors));
    CHECK(hl_ising_sweep_i16(spins[0], 0, 2, below, above, links, factors, random, ~UINT32_C(0), &flips[0],
                             &doubt) == 2);
    CHECK(doubt == 0);
    digest("factors", factors, sizeof factors);
    digest("sweep_i16", spins[0], sizeof spins[0]);
    digest("flips", &flips[0], sizeof flips[0]);
    OK(hl_ising_heat_factors(0.5, 0.25, factors));
    CHECK(hl_ising_sweep_heat_i16(spins[1], 0, 2, below, above, links, factors, random, ~UINT32_C(0), &flips[1], &doubt)
          == 2);
    CHECK(doubt == 0);
    digest("heat_factors", factors, sizeof factors);
    digest("sweep_heat_i16", spins[1], sizeof spins[1]);
    digest("flips", &flips[1], sizeof flips[1]);
    hl_random_mt19937_destroy(rng);
}

static void ising_kernels_errors(void)
{
    uint16_t thresholds[864], factors[72];
    REFUSED(HL_ERR_BETA, hl_ising_thresholds(-0.5, 0.25, thresholds));
    REFUSED(HL_ERR_NULL, hl_ising_thresholds(0.5, 0.25, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_heat_thresholds(-0.5, 0.25, thresholds));
    REFUSED(HL_ERR_NULL, hl_ising_heat_thresholds(0.5, 0.25, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_factors(-0.5, 0.25, factors));
    REFUSED(HL_ERR_NULL, hl_ising_factors(0.5, 0.25, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_heat_factors(-0.5, 0.25, factors));
    REFUSED(HL_ERR_NULL, hl_ising_heat_factors(0.5, 0.25, NULL));
}
