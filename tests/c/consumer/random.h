// Generators of random numbers.

static hl_random_mt19937 *generator(uint32_t lanes)
{
    uint32_t seeds[16];
    uint32_t lane;
    hl_random_mt19937 *rng = NULL;
    for (lane = 0; lane < lanes; lane++)
        seeds[lane] = 5489 + lane;
    OK(hl_random_mt19937_create(seeds, lanes, &rng));
    return rng;
}

static void random_family(void)
{
    static uint32_t words[2000], state[624 * 16], again[2000];
    static float floats[2000];
    uint32_t lanes, lane, i;
    for (lanes = 4; lanes <= 16; lanes *= 2) {
        hl_random_mt19937 *rng = generator(lanes);
        size_t position = 0;
        OK(hl_random_mt19937_fill_u32(rng, words, 1999));
        OK(hl_random_mt19937_fill_f32(rng, floats, COUNT(floats)));
        OK(hl_random_mt19937_fill_u32(rng, NULL, 0));
        CHECK(words[0] == UINT32_C(3499211612)); // the first number for the C++ standard's default seed
        digest("mt19937_u32", words, 1999 * sizeof *words);
        digest("mt19937_f32", floats, sizeof floats);

        // The kernels, on a state seeded here.
        for (lane = 0; lane < lanes; lane++) {
            state[lane] = 5489 + lane;
            for (i = 1; i < 624; i++) {
                const uint32_t last = state[(i - 1) * lanes + lane];
                state[i * lanes + lane] = UINT32_C(1812433253) * (last ^ last >> 30) + i;
            }
        }
        hl_random_mt19937_u32(state, lanes, &position, again, 1999);
        CHECK(memcmp(words, again, 1999 * sizeof *words) == 0);
        hl_random_mt19937_f32(state, lanes, &position, (float *)again, COUNT(floats));
        CHECK(memcmp(floats, again, sizeof floats) == 0);
        CHECK(position == 3999 % (624 * lanes));
        hl_random_mt19937_destroy(rng);
    }
}

// A saved state continues where it was saved, in a new generator and in one with another number of
// lanes.
static void random_states(void)
{
    static uint8_t bytes[65536];
    uint32_t expected[100], words[100];
    size_t size = 0;
    hl_random_mt19937 *const rng = generator(8);
    hl_random_mt19937 *const other = generator(16);
    hl_random_mt19937 *copy = NULL;
    OK(hl_random_mt19937_fill_u32(rng, words, 99));
    OK(hl_random_mt19937_state_size(rng, &size));
    CHECK(size > 624 * 8 * 4 && size < sizeof bytes);
    OK(hl_random_mt19937_get_state(rng, bytes, size));
    digest("state", bytes, size);
    OK(hl_random_mt19937_fill_u32(rng, expected, 100));
    OK(hl_random_mt19937_create_from_state(bytes, size, &copy));
    OK(hl_random_mt19937_fill_u32(copy, words, 100));
    CHECK(memcmp(words, expected, sizeof words) == 0);
    OK(hl_random_mt19937_set_state(other, bytes, size));

    REFUSED(HL_ERR_NULL, hl_random_mt19937_state_size(NULL, &size));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_state_size(rng, NULL));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_get_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_get_state(rng, NULL, size));
    REFUSED(HL_ERR_LENGTH, hl_random_mt19937_get_state(rng, bytes, size - 1));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_set_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_set_state(other, NULL, size));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_create_from_state(bytes, size, NULL));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_create_from_state(NULL, size, &copy));
    REFUSED(HL_ERR_LENGTH, hl_random_mt19937_set_state(other, bytes, size + 1));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_random_mt19937_set_state(other, bytes, size - 1));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_random_mt19937_set_state(other, NULL, 0));
    bytes[size / 2] ^= 1;
    REFUSED(HL_ERR_STATE_CORRUPT, hl_random_mt19937_set_state(other, bytes, size));
    bytes[0] ^= 1;
    REFUSED(HL_ERR_STATE_FOREIGN, hl_random_mt19937_create_from_state(bytes, size, &copy));
    OK(hl_random_mt19937_fill_u32(other, words, 100));
    CHECK(memcmp(words, expected, sizeof words) == 0);
    hl_random_mt19937_destroy(rng);
    hl_random_mt19937_destroy(other);
    hl_random_mt19937_destroy(copy);
}

static void random_errors(void)
{
    const uint32_t seeds[3] = {1, 2, 3};
    hl_random_mt19937 *rng = NULL;
    REFUSED(HL_ERR_LANES, hl_random_mt19937_create(seeds, 3, &rng));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_create(NULL, 4, &rng));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_create(seeds, 4, NULL));
    CHECK(rng == NULL);
    REFUSED(HL_ERR_NULL, hl_random_mt19937_fill_u32(NULL, (uint32_t *)&seeds, 0));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_fill_f32(NULL, NULL, 0));
    rng = generator(4);
    REFUSED(HL_ERR_NULL, hl_random_mt19937_fill_u32(rng, NULL, 1));
    REFUSED(HL_ERR_NULL, hl_random_mt19937_fill_f32(rng, NULL, 1));
    hl_random_mt19937_destroy(rng);
    hl_random_mt19937_destroy(NULL);
}
