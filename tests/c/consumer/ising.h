// Ising models.

enum { LAYERS = 32, SITES = 6, SPINS = LAYERS * SITES };

// A ring of six sites with fields; all values are multiples of 1/8.
static const uint32_t row_pointers[SITES + 1] = {0, 2, 4, 6, 8, 10, 12};
static const uint32_t neighbours[12] = {5, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 0};
static const double couplings[12] = {0.5, 1.0, 1.0, -0.25, -0.25, 1.0, 1.0, 0.125, 0.125, 1.0, 1.0, 0.5};
static const double fields[SITES] = {0.125, 0.0, -0.25, 0.0, 0.0, 0.375};

static hl_ising_graph ring(void)
{
    hl_ising_graph graph;
    graph.layers = LAYERS;
    graph.sites = SITES;
    graph.row_pointers = row_pointers;
    graph.neighbours = neighbours;
    graph.couplings = couplings;
    graph.fields = fields;
    return graph;
}

static void square_errors(hl_ising_square *square)
{
    hl_ising_square *lattice = NULL;
    uint64_t words[20] = {0}, sweeps = 0;
    int64_t energy = 0, magnetisation = 0;
    int8_t spins[60] = {0};
    REFUSED(HL_ERR_NULL, hl_ising_square_create(10, 6, 1, NULL));
    REFUSED(HL_ERR_EVEN, hl_ising_square_create(9, 6, 1, &lattice));
    REFUSED(HL_ERR_EVEN, hl_ising_square_create(10, 0, 1, &lattice));
    CHECK(lattice == NULL);
    REFUSED(HL_ERR_NULL, hl_ising_square_sweep(NULL, 0.4, HL_ISING_METROPOLIS, 1, NULL));
    REFUSED(HL_ERR_OPTION, hl_ising_square_sweep(square, 0.4, 3, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_square_visit(NULL, 0.4, HL_ISING_METROPOLIS, 0, 0, 8, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_square_visit(square, 0.4, HL_ISING_METROPOLIS, 2, 0, 8, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_square_visit(square, 0.4, HL_ISING_METROPOLIS, 0, 4, 4, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_square_visit(square, 0.4, HL_ISING_METROPOLIS, 0, 0, 6, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_square_get_sweeps(NULL, &sweeps));
    REFUSED(HL_ERR_NULL, hl_ising_square_get_sweeps(square, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_square_set_sweeps(NULL, 1));
    REFUSED(HL_ERR_NULL, hl_ising_square_get_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_square_get_spins(square, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_square_set_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_square_set_spins(square, NULL));
    REFUSED(HL_ERR_SPIN, hl_ising_square_set_spins(square, spins));
    REFUSED(HL_ERR_NULL, hl_ising_square_copy_words(NULL, words, 20));
    REFUSED(HL_ERR_NULL, hl_ising_square_copy_words(square, NULL, 20));
    REFUSED(HL_ERR_LENGTH, hl_ising_square_copy_words(square, words, 19));
    REFUSED(HL_ERR_NULL, hl_ising_square_set_words(NULL, words, 20));
    REFUSED(HL_ERR_NULL, hl_ising_square_set_words(square, NULL, 20));
    REFUSED(HL_ERR_NULL, hl_ising_square_measure(NULL, &energy, &magnetisation));
    REFUSED(HL_ERR_NULL, hl_ising_square_measure(square, NULL, &magnetisation));
    REFUSED(HL_ERR_NULL, hl_ising_square_measure(square, &energy, NULL));
}

// A square lattice whose rows are visited in two parts, and a whole one.
static void square_lattices(void)
{
    enum { ROWS = 10, COLUMNS = 6, WORDS = 2 * ROWS };
    int8_t spins[2][ROWS * COLUMNS];
    uint64_t words[WORDS], flips[2] = {0, 0}, visits = 0, sweeps = 0;
    int64_t energy[2], sum[2];
    hl_ising_square *lattices[2] = {NULL, NULL};
    size_t colour, begin;
    OK(hl_ising_square_create(ROWS, COLUMNS, 7, &lattices[0]));
    OK(hl_ising_square_create(ROWS, COLUMNS, 7, &lattices[1]));
    OK(hl_ising_square_sweep(lattices[0], 0.3, HL_ISING_METROPOLIS, 5, &flips[0]));
    for (sweeps = 0; sweeps < 5; sweeps++) {
        OK(hl_ising_square_set_sweeps(lattices[1], sweeps));
        for (colour = 0; colour < 2; colour++)
            for (begin = 0; begin < ROWS; begin += 8) {
                OK(hl_ising_square_visit(lattices[1], 0.3, HL_ISING_METROPOLIS, colour, begin, begin == 0 ? 8 : 2,
                                         &visits));
                flips[1] += visits;
            }
    }
    CHECK(flips[0] == flips[1] && flips[0] > 0);
    OK(hl_ising_square_get_sweeps(lattices[0], &sweeps));
    CHECK(sweeps == 5);
    for (colour = 0; colour < 2; colour++) {
        OK(hl_ising_square_get_spins(lattices[colour], spins[colour]));
        OK(hl_ising_square_measure(lattices[colour], &energy[colour], &sum[colour]));
    }
    CHECK(memcmp(spins[0], spins[1], sizeof spins[0]) == 0);
    CHECK(energy[0] == energy[1] && sum[0] == sum[1]);
    OK(hl_ising_square_copy_words(lattices[0], words, WORDS));
    OK(hl_ising_square_set_words(lattices[1], words, WORDS));
    OK(hl_ising_square_set_spins(lattices[0], spins[1]));
    OK(hl_ising_square_measure(lattices[1], &energy[1], &sum[1]));
    CHECK(energy[0] == energy[1] && sum[0] == sum[1]);
    square_errors(lattices[0]);
    hl_ising_square_destroy(lattices[0]);
    hl_ising_square_destroy(lattices[1]);
}

static void ising_family(void)
{
    const hl_ising_graph graph = ring();
    // HL_ISING_SINGLE has no coupling between layers.
    const int32_t kinds[] = {HL_ISING_F32_FAST, HL_ISING_F32_POLY, HL_ISING_I8_EXACT, HL_ISING_AUTO,
                             HL_ISING_I16_EXACT};
    int32_t kind, order, update, acceptance;
    size_t k;
    double range[2];
    square_lattices();
    // ln 2 / 3.75 and ln 300 / 0.25.
    OK(hl_ising_beta_range(&graph, range));
    CHECK(range[0] > 0.184838 && range[0] < 0.184840 && range[1] > 22.8151 && range[1] < 22.8152);
    for (k = 0; k < COUNT(kinds); k++)
        for (order = HL_ISING_COLOURED; order <= HL_ISING_NATURAL; order++) {
            int8_t spins[2][SPINS];
            kind = kinds[k];
            for (update = HL_ISING_GATHER; update <= HL_ISING_SCATTER; update++) {
                hl_random_mt19937 *const rng = generator(16);
                hl_ising_model *model = NULL;
                hl_ising_opts opts = HL_ISING_OPTS;
                hl_ising_info info = {sizeof info, 0, 0, 0, 0, 0, 0.0, 0};
                uint32_t sites[SITES];
                uint64_t flips[2];
                double energies[2];
                int64_t sums[1 + LAYERS], layer_sums[LAYERS];
                double layer_energies[LAYERS], sum = 0.0;
                int8_t layer[SITES];
                const size_t moved[2] = {1, LAYERS - 1};
                uint64_t words[SPINS];
                size_t size = 0;
                int i, site;
                opts.tau_coupling = 0.75;
                opts.order = order;
                opts.update = update;
                opts.acceptance = HL_ISING_ACCEPT_AUTO;
                OK(hl_ising_create(&graph, kind, &opts, &model));
                OK(hl_ising_describe(model, &info));
                OK(hl_ising_rounding(model, &range[0]));
                CHECK(range[0] == 0.0);
                CHECK(info.layers == LAYERS && info.sites == SITES && info.lanes == 16 && info.is_exact == 1);
                CHECK(info.kind == (kind == HL_ISING_AUTO ? HL_ISING_I8_EXACT : kind));
                CHECK(info.quantum == (kind >= HL_ISING_I8_EXACT ? 0.125 : 0.0));
                CHECK(kind >= HL_ISING_I8_EXACT
                      || info.heap_bytes >= (size_t)SPINS * (update == HL_ISING_SCATTER ? 8 : 4));
                OK(hl_ising_acceptance(model, 0.4f, 0.3f, &acceptance));
                CHECK(acceptance == HL_ISING_METROPOLIS);
                OK(hl_ising_acceptance(model, 1e-5f, 1e-5f, &acceptance));
                CHECK(acceptance == HL_ISING_HEAT_BATH);
                OK(hl_ising_order(model, sites));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 20, &flips[0]));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 0, NULL));
                OK(hl_ising_get_spins(model, spins[update]));
                spins[update][0] = (int8_t)-spins[update][0];
                OK(hl_ising_set_spins(model, spins[update]));
                OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 5, &flips[1]));
                OK(hl_ising_overlaps(model, spins[update], &sums[1]));
                OK(hl_ising_magnetisation(model, &sums[0]));
                OK(hl_ising_get_spins(model, spins[update]));
                OK(hl_ising_energy(model, &energies[0], &energies[1]));
                OK(hl_ising_layer_energies(model, layer_energies, layer_sums));
                for (i = 0; i < LAYERS; i++)
                    sum += layer_energies[i];
                CHECK(sum == energies[0]);
                OK(hl_ising_copy_layer(model, LAYERS - 1, layer));
                CHECK(memcmp(layer, spins[update] + SPINS - SITES, SITES) == 0);
                OK(hl_ising_set_layer(model, LAYERS - 1, layer));
                // The flipped layers come back from the words.
                OK(hl_ising_words(model, &size));
                CHECK(size <= sizeof words / sizeof words[0]);
                OK(hl_ising_copy_words(model, words, size));
                for (i = 0; i < 2; i++) {
                    OK(hl_ising_copy_layer(model, moved[i], layer));
                    for (site = 0; site < SITES; site++)
                        layer[site] = (int8_t)-layer[site];
                    OK(hl_ising_set_layer(model, moved[i], layer));
                }
                OK(hl_ising_set_words(model, moved, 2, words, size));
                OK(hl_ising_get_spins(model, spins[update]));
                digest("order", sites, sizeof sites);
                digest("flips", flips, sizeof flips);
                digest("spins", spins[update], SPINS);
                digest("energy", energies, sizeof energies);
                digest("sums", sums, sizeof sums);
                hl_ising_destroy(model);
                hl_random_mt19937_destroy(rng);
            }
            CHECK(memcmp(spins[0], spins[1], SPINS) == 0);
        }
}

// Sweeps of a model of three layers with bits.
static void bits_digests(hl_ising_model *model, size_t sites)
{
    hl_random_mt19937 *const rng = generator(16);
    int8_t spins[3 * 80];
    uint64_t flips;
    double space, tau;
    OK(hl_ising_sweep(model, rng, 0.4f, 0.0f, 20, &flips));
    OK(hl_ising_get_spins(model, spins));
    OK(hl_ising_energy(model, &space, &tau));
    digest("flips", &flips, sizeof flips);
    digest("spins", spins, 3 * sites);
    digest("energy", &space, sizeof space);
    hl_ising_destroy(model);
    hl_random_mt19937_destroy(rng);
}

// A torus and a grid of 10 x 8 sites, and a ring of four sites with reversed couplings.
static void ising_lattices(void)
{
    static const uint32_t extents[2] = {10, 8}, pointers[5] = {0, 2, 4, 6, 8}, ends[8] = {1, 3, 0, 2, 1, 3, 0, 2};
    static const uint32_t edges[4] = {1, 0, 3, 0};
    static const uint8_t flags[6] = {0, 1, 0, 255, 0, 1};
    double values[160];
    hl_ising_lattice lattice;
    hl_ising_graph graph;
    hl_ising_reversals reversals;
    hl_ising_model *model = NULL;
    size_t k;
    for (k = 0; k < COUNT(values); k++)
        values[k] = k % 5 == 0 ? -1.0 : 1.0;
    lattice.layers = 3;
    lattice.dimensions = 2;
    lattice.extents = extents;
    lattice.couplings = values;
    for (lattice.boundary = HL_ISING_PERIODIC; lattice.boundary <= HL_ISING_OPEN; lattice.boundary++) {
        OK(hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
        bits_digests(model, 80);
    }
    for (k = 0; k < 8; k++)
        values[k] = 1.0;
    graph.layers = 3;
    graph.sites = 4;
    graph.row_pointers = pointers;
    graph.neighbours = ends;
    graph.couplings = values;
    graph.fields = NULL;
    reversals.count = 2;
    reversals.sites = edges;
    reversals.reversed = flags;
    OK(hl_ising_create_samples(&graph, &reversals, HL_ISING_BITS, NULL, &model));
    bits_digests(model, 4);

    REFUSED(HL_ERR_NULL, hl_ising_create_samples(&graph, &reversals, HL_ISING_BITS, NULL, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_create_samples(NULL, &reversals, HL_ISING_BITS, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_create_samples(&graph, NULL, HL_ISING_BITS, NULL, &model));
    REFUSED(HL_ERR_OPTION, hl_ising_create_samples(&graph, &reversals, HL_ISING_DENSE, NULL, &model));
    reversals.count = SIZE_MAX / 2 + 1;
    REFUSED(HL_ERR_TOO_LARGE, hl_ising_create_samples(&graph, &reversals, HL_ISING_BITS, NULL, &model));
    reversals.count = 2;
    reversals.reversed = NULL;
    REFUSED(HL_ERR_NULL, hl_ising_create_samples(&graph, &reversals, HL_ISING_BITS, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_create_lattice(NULL, HL_ISING_BITS, NULL, &model));
    REFUSED(HL_ERR_OPTION, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
    lattice.boundary = HL_ISING_OPEN;
    lattice.dimensions = 0;
    REFUSED(HL_ERR_LENGTH, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
    lattice.dimensions = 2;
    lattice.couplings = NULL;
    REFUSED(HL_ERR_NULL, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
    lattice.couplings = values;
    lattice.extents = NULL;
    REFUSED(HL_ERR_NULL, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
    lattice.extents = edges;
    REFUSED(HL_ERR_EXTENT, hl_ising_create_lattice(&lattice, HL_ISING_BITS, NULL, &model));
}

// Independent copies. With a field of 1/pi the couplings have no quantum.
static void ising_copies(void)
{
    const int32_t kinds[] = {HL_ISING_SINGLE, HL_ISING_DENSE, HL_ISING_FIXED};
    const hl_ising_opts opts = {sizeof opts, 0.0, HL_ISING_NATURAL, HL_ISING_GATHER, HL_ISING_METROPOLIS};
    size_t k;
    for (k = 0; k < 2 * COUNT(kinds); k++) {
        const int is_real = k % 2 == 1, is_fixed = kinds[k / 2] == HL_ISING_FIXED;
        hl_random_mt19937 *const rng = generator(16);
        hl_ising_graph graph = ring();
        hl_ising_model *model = NULL;
        hl_ising_info info = {sizeof info, 0, 0, 0, 0, 0, 0.0, 0};
        uint64_t flips = 0;
        double real[SITES], energies[2], layer_energies[LAYERS], sum = 0.0;
        int64_t sums[LAYERS];
        int i;
        memcpy(real, fields, sizeof real);
        real[0] = 0.31830988618379067;
        graph.fields = is_real ? real : fields;
        OK(hl_ising_create(&graph, kinds[k / 2], &opts, &model));
        OK(hl_ising_describe(model, &info));
        CHECK(info.kind == kinds[k / 2] && info.lanes == 1);
        CHECK(info.quantum == (is_real || is_fixed ? 0.0 : 0.125) && info.is_exact == (uint32_t)(is_fixed || !is_real));
        REFUSED(HL_ERR_BETA, hl_ising_sweep(model, rng, 0.4f, (float)NAN, 1, NULL));
        OK(hl_ising_sweep(model, rng, 0.4f, 0.3f, 20, &flips));
        CHECK(flips > 0);
        OK(hl_ising_energy(model, &energies[0], &energies[1]));
        OK(hl_ising_layer_energies(model, layer_energies, sums));
        for (i = 0; i < LAYERS; i++)
            sum += layer_energies[i];
        CHECK(sum - energies[0] < 1e-9 && energies[0] - sum < 1e-9 && energies[1] == 0.0);
        hl_ising_destroy(model);
        hl_random_mt19937_destroy(rng);
    }
}

static void ising_errors(void)
{
    static uint32_t no_links[65537];
    hl_ising_model *model = NULL;
    hl_ising_graph graph = ring();
    hl_ising_opts opts = HL_ISING_OPTS;
    hl_ising_info info = {sizeof info, 0, 0, 0, 0, 0, 0.0, 0};
    hl_random_mt19937 *const four = generator(4);
    hl_random_mt19937 *const sixteen = generator(16);
    uint32_t changed_pointers[SITES + 1], changed_neighbours[12];
    double changed_couplings[12], changed_fields[SITES];
    int8_t spins[SPINS];
    double energy, layer_energies[LAYERS], range[2];
    int64_t sums[LAYERS];
    const size_t beyond = LAYERS;
    uint64_t words[SPINS] = {0};
    size_t size = 0;

    REFUSED(HL_ERR_NULL, hl_ising_create(NULL, 0, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_create(&graph, 0, NULL, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_beta_range(NULL, range));
    REFUSED(HL_ERR_NULL, hl_ising_beta_range(&graph, NULL));
    REFUSED(HL_ERR_KIND, hl_ising_create(&graph, HL_ISING_FIXED + 1, NULL, &model));
    opts.order = 2;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.order = HL_ISING_NATURAL;
    opts.update = -1;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.update = HL_ISING_SCATTER;
    opts.acceptance = 3;
    REFUSED(HL_ERR_OPTION, hl_ising_create(&graph, 0, &opts, &model));
    opts.acceptance = HL_ISING_HEAT_BATH;
    opts.tau_coupling = (double)INFINITY;
    REFUSED(HL_ERR_TAU_COUPLING, hl_ising_create(&graph, 0, &opts, &model));

#define WRONG(status, field, value)                                     \
    do {                                                                \
        graph = ring();                                                 \
        graph.field = value;                                            \
        REFUSED(status, hl_ising_create(&graph, 0, NULL, &model));      \
    } while (0)
#define CHANGED(status, field, index, value)                            \
    do {                                                                \
        memcpy(changed_##field, field, sizeof changed_##field);         \
        changed_##field[index] = value;                                 \
        WRONG(status, field, changed_##field);                          \
    } while (0)

    WRONG(HL_ERR_NULL, row_pointers, NULL);
    WRONG(HL_ERR_NULL, neighbours, NULL);
    WRONG(HL_ERR_NULL, couplings, NULL);
    WRONG(HL_ERR_LAYERS, layers, 1);
    WRONG(HL_ERR_NO_SITES, sites, 0);
#define changed_row_pointers changed_pointers
    CHANGED(HL_ERR_ROW_POINTER, row_pointers, 0, 1);
    CHANGED(HL_ERR_ROW_POINTER, row_pointers, 3, 9);
    CHANGED(HL_ERR_SITE_RANGE, neighbours, 0, SITES);
    CHANGED(HL_ERR_SELF_LOOP, neighbours, 0, 0);
    CHANGED(HL_ERR_DUPLICATE_EDGE, neighbours, 0, 1);
    CHANGED(HL_ERR_ASYMMETRIC, neighbours, 0, 3);
    CHANGED(HL_ERR_ASYMMETRIC, couplings, 0, 7.0);
    CHANGED(HL_ERR_COUPLING, couplings, 0, (double)NAN);
    CHANGED(HL_ERR_COUPLING, couplings, 0, 1e39);
    CHANGED(HL_ERR_FIELD, fields, 5, (double)-INFINITY);
    for (size = 0; size < COUNT(changed_couplings); size++)
        changed_couplings[size] = 3e9;
    graph = ring();
    graph.couplings = changed_couplings;
    REFUSED(HL_ERR_UNEQUAL, hl_ising_create(&graph, HL_ISING_AUTO, NULL, &model));
    graph = ring();
    memcpy(changed_fields, fields, sizeof changed_fields);
    changed_fields[0] = 0.001;
    graph.fields = changed_fields;
    REFUSED(HL_ERR_QUANTUM, hl_ising_create(&graph, HL_ISING_I8_EXACT, NULL, &model));

    graph = ring();
    graph.layers = UINT32_C(0xffffffe0);
    graph.sites = COUNT(no_links) - 1;
    graph.row_pointers = no_links;
    graph.fields = NULL;
    REFUSED(HL_ERR_NO_MEMORY, hl_ising_create(&graph, 0, NULL, &model));
    CHECK(model == NULL);

    graph = ring();
    OK(hl_ising_create(&graph, HL_ISING_F32_FAST, NULL, &model));
    REFUSED(HL_ERR_NULL, hl_ising_set_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_set_spins(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_get_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_get_spins(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_sweep(NULL, sixteen, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_sweep(model, NULL, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_LANES, hl_ising_sweep(model, four, 1.0f, 1.0f, 1, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_sweep(model, sixteen, (float)NAN, 1.0f, 1, NULL));
    REFUSED(HL_ERR_BETA, hl_ising_sweep(model, sixteen, 1.0f, (float)INFINITY, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_rounding(NULL, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_rounding(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_energy(NULL, &energy, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_energy(model, NULL, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_energy(model, &energy, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_acceptance(NULL, 1.0f, 1.0f, &info.kind));
    REFUSED(HL_ERR_NULL, hl_ising_acceptance(model, 1.0f, 1.0f, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_magnetisation(NULL, sums));
    REFUSED(HL_ERR_NULL, hl_ising_magnetisation(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_overlaps(NULL, spins, sums));
    REFUSED(HL_ERR_NULL, hl_ising_overlaps(model, NULL, sums));
    OK(hl_ising_get_spins(model, spins));
    REFUSED(HL_ERR_NULL, hl_ising_overlaps(model, spins, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_layer_energies(NULL, &energy, sums));
    REFUSED(HL_ERR_NULL, hl_ising_layer_energies(model, NULL, sums));
    REFUSED(HL_ERR_NULL, hl_ising_layer_energies(model, layer_energies, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_copy_layer(NULL, 0, spins));
    REFUSED(HL_ERR_NULL, hl_ising_copy_layer(model, 0, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_copy_layer(model, LAYERS, spins));
    REFUSED(HL_ERR_NULL, hl_ising_set_layer(NULL, 0, spins));
    REFUSED(HL_ERR_NULL, hl_ising_set_layer(model, 0, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_set_layer(model, LAYERS, spins));
    REFUSED(HL_ERR_NULL, hl_ising_swap_layers(NULL, model, 0, 1));
    REFUSED(HL_ERR_NULL, hl_ising_swap_layers(model, NULL, 0, 1));
    REFUSED(HL_ERR_OVERLAP, hl_ising_swap_layers(model, model, 0, 1));
    OK(hl_ising_words(model, &size));
    CHECK(size <= sizeof words / sizeof words[0]);
    REFUSED(HL_ERR_NULL, hl_ising_words(NULL, &size));
    REFUSED(HL_ERR_NULL, hl_ising_words(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_copy_words(NULL, words, size));
    REFUSED(HL_ERR_NULL, hl_ising_copy_words(model, NULL, size));
    REFUSED(HL_ERR_LENGTH, hl_ising_copy_words(model, words, size - 1));
    OK(hl_ising_copy_words(model, words, size));
    REFUSED(HL_ERR_NULL, hl_ising_set_words(NULL, &beyond, 1, words, size));
    REFUSED(HL_ERR_NULL, hl_ising_set_words(model, NULL, 1, words, size));
    REFUSED(HL_ERR_NULL, hl_ising_set_words(model, &beyond, 0, NULL, size));
    REFUSED(HL_ERR_LENGTH, hl_ising_set_words(model, &beyond, 0, words, size + 1));
    REFUSED(HL_ERR_INDEX, hl_ising_set_words(model, &beyond, 1, words, size));
    REFUSED(HL_ERR_NULL, hl_ising_order(NULL, changed_neighbours));
    REFUSED(HL_ERR_NULL, hl_ising_order(model, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_describe(NULL, &info));
    REFUSED(HL_ERR_NULL, hl_ising_describe(model, NULL));
    OK(hl_ising_get_spins(model, spins));
    spins[SPINS - 1] = 0;
    REFUSED(HL_ERR_SPIN, hl_ising_set_spins(model, spins));
    REFUSED(HL_ERR_SPIN, hl_ising_overlaps(model, spins, sums));
    OK(hl_ising_get_spins(model, spins));
    CHECK(spins[SPINS - 1] == 1);
    hl_ising_destroy(model);
    hl_ising_destroy(NULL);
    hl_random_mt19937_destroy(four);
    hl_random_mt19937_destroy(sixteen);
}
