// Worldlines of quantum systems.

enum { SLICES = 1 << 16, ROOM = 4096 };

// The mean energy of the ring of six sites with unit couplings in a field of 1.5 at beta = 2, by free fermions.
static const double exact_energy = -9.915723809363897;

// An anneal, a run, a line that is set again, and an exchange of two fields.
static void worldline_family(void)
{
    hl_ising_graph graph = ring();
    const double equal[12] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const hl_ising_transverse schedule[3] = {{2.0, 4.0}, {2.0, 2.0}, {2.0, 1.5}}, *const at = &schedule[2];
    hl_ising_worldlines *lines[2] = {NULL, NULL};
    hl_ising_replica_exchange *exchange = NULL;
    hl_random_mt19937 *const rng = generator(16);
    hl_ising_beta ladder[2];
    hl_ising_energies energies[2];
    uint64_t segments[2], kinks = 0, total = 0, swaps = 0;
    int64_t magnetisation = 0;
    int8_t spins[SITES], spin = 0;
    int32_t positions[ROOM];
    const size_t lags[3] = {SLICES / 8, SLICES / 4, SLICES / 2};
    const double taus[3] = {0.25, 0.5, 1.0};
    double means[2], correlation[3], mean_of[3] = {0.0, 0.0, 0.0}, gap = 0.0, energy, transverse, sum = 0.0;
    uint64_t clusters = 0;
    uint32_t is_frustrated = 0;
    size_t site, count = 0, again = 0;
    int k;
    graph.layers = SLICES;
    OK(hl_ising_worldlines_create(&graph, &lines[0]));
    OK(hl_ising_worldlines_sweep(lines[0], rng, schedule, 3, 20, &segments[0]));
    OK(hl_ising_worldlines_sweep(lines[0], rng, at, 1, 10, &segments[1]));
    OK(hl_ising_worldlines_energy(lines[0], at, &means[0], &means[1]));
    OK(hl_ising_worldlines_energies(lines[0], &energies[0]));
    OK(hl_ising_worldlines_magnetisation(lines[0], &magnetisation));
    OK(hl_ising_worldlines_kinks(lines[0], &kinks));
    OK(hl_ising_worldlines_get_spins(lines[0], SLICES / 3, spins));
    digest("segments", segments, sizeof segments);
    digest("means", means, sizeof means);
    digest("sums", &energies[0], sizeof energies[0]);
    digest("magnetisation", &magnetisation, sizeof magnetisation);
    digest("spins", spins, sizeof spins);

    // Copied line by line.
    OK(hl_ising_worldlines_create(&graph, &lines[1]));
    for (site = 0; site < SITES; site++) {
        OK(hl_ising_worldlines_get_line(lines[0], site, &spin, NULL, 0, &again));
        OK(hl_ising_worldlines_get_line(lines[0], site, &spin, positions, ROOM, &count));
        CHECK(count == again && count % 2 == 0);
        total += count;
        OK(hl_ising_worldlines_set_line(lines[1], site, spin, positions, count));
    }
    CHECK(total == kinks && kinks > 0);
    OK(hl_ising_worldlines_energies(lines[1], &energies[1]));
    CHECK(energies[0].space == energies[1].space && energies[0].tau == energies[1].tau);

    for (k = 0; k < 2; k++)
        OK(hl_ising_worldlines_weights(lines[0], &schedule[k + 1], &ladder[k]));
    digest("weights", ladder, sizeof ladder);
    OK(hl_ising_replica_exchange_create(ladder, 2, 5, &exchange));
    for (k = 0; k < 40; k++) {
        for (site = 0; site < 2; site++) {
            size_t rung = 0;
            OK(hl_ising_replica_exchange_temperature_of(exchange, site, &rung));
            OK(hl_ising_worldlines_sweep(lines[site], rng, &schedule[1 + rung], 1, 1, NULL));
            OK(hl_ising_worldlines_energies(lines[site], &energies[site]));
        }
        OK(hl_ising_replica_exchange_exchange(exchange, energies, 2, NULL));
    }
    OK(hl_ising_replica_exchange_swaps(exchange, 0, &swaps));
    CHECK(swaps > 5);
    digest("swaps", &swaps, sizeof swaps);
    OK(hl_ising_worldlines_sweep_clusters(lines[0], rng, at, 10, &clusters));
    OK(hl_ising_worldlines_correlation(lines[0], lags, 3, correlation));
    digest("clusters", &clusters, sizeof clusters);
    digest("correlation", correlation, sizeof correlation);
    OK(hl_ising_worldlines_is_frustrated(lines[0], &is_frustrated));
    CHECK(is_frustrated == 1);
    hl_ising_worldlines_destroy(lines[1]);
    hl_ising_worldlines_destroy(lines[0]);

    graph.couplings = equal;
    graph.fields = NULL;
    OK(hl_ising_worldlines_create(&graph, &lines[0]));
    for (k = 0; k < 20000; k++) {
        OK(hl_ising_worldlines_sweep(lines[0], rng, at, 1, 1, NULL));
        OK(hl_ising_worldlines_energy(lines[0], at, &energy, &transverse));
        sum += k < 1000 ? 0.0 : energy;
        OK(hl_ising_worldlines_correlation(lines[0], lags, 3, correlation));
        for (site = 0; site < 3; site++)
            mean_of[site] += correlation[site] / 20000;
    }
    // The standard error is 0.02.
    CHECK(fabs(sum / 19000 - exact_energy) < 0.08);
    // The lowest excitation is 1.03; at such early times others have their part.
    OK(hl_ising_correlation_gap(2.0, taus, mean_of, &gap));
    CHECK(gap > 0.9 && gap < 3.5);
    OK(hl_ising_worldlines_is_frustrated(lines[0], &is_frustrated));
    CHECK(is_frustrated == 0);
    hl_ising_worldlines_destroy(lines[0]);
    hl_ising_replica_exchange_destroy(exchange);
    hl_random_mt19937_destroy(rng);
}

static void worldline_errors(void)
{
    hl_ising_graph graph = ring();
    const hl_ising_transverse at = {1.0, 1.0}, wrong = {1.0, -1.0};
    const int32_t kinks[2] = {4, 3};
    hl_ising_worldlines *lines = NULL;
    hl_random_mt19937 *const rng = generator(16), *const narrow = generator(8);
    hl_ising_beta beta;
    hl_ising_energies energies;
    uint64_t number = 0;
    int64_t magnetisation = 0;
    int8_t spins[SITES] = {0}, spin = 0;
    int32_t positions[2];
    const size_t lags[2] = {0, LAYERS};
    const double taus[3] = {0.1, 0.2, 0.5}, late[3] = {0.1, 0.2, 0.6}, values[3] = {0.3, 0.2, 0.3};
    double energy, transverse, gap = 0.0;
    uint32_t is_frustrated = 0;
    size_t count = 0;
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_create(NULL, &lines));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_create(&graph, NULL));
    graph.layers = 1;
    REFUSED(HL_ERR_LAYERS, hl_ising_worldlines_create(&graph, &lines));
    CHECK(lines == NULL);
    graph.layers = LAYERS;
    OK(hl_ising_worldlines_create(&graph, &lines));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep(NULL, rng, &at, 1, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep(lines, NULL, &at, 1, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep(lines, rng, NULL, 1, 1, NULL));
    REFUSED(HL_ERR_LANES, hl_ising_worldlines_sweep(lines, narrow, &at, 1, 1, NULL));
    REFUSED(HL_ERR_RANGE, hl_ising_worldlines_sweep(lines, rng, &wrong, 1, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep_clusters(NULL, rng, &at, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep_clusters(lines, NULL, &at, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_sweep_clusters(lines, rng, NULL, 1, NULL));
    REFUSED(HL_ERR_LANES, hl_ising_worldlines_sweep_clusters(lines, narrow, &at, 1, NULL));
    REFUSED(HL_ERR_RANGE, hl_ising_worldlines_sweep_clusters(lines, rng, &wrong, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_is_frustrated(NULL, &is_frustrated));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_is_frustrated(lines, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_correlation(NULL, lags, 1, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_correlation(lines, NULL, 1, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_correlation(lines, lags, 1, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_worldlines_correlation(lines, lags + 1, 1, &energy));
    REFUSED(HL_ERR_NULL, hl_ising_correlation_gap(1.0, NULL, values, &gap));
    REFUSED(HL_ERR_NULL, hl_ising_correlation_gap(1.0, taus, NULL, &gap));
    REFUSED(HL_ERR_NULL, hl_ising_correlation_gap(1.0, taus, values, NULL));
    REFUSED(HL_ERR_RANGE, hl_ising_correlation_gap(0.0, taus, values, &gap));
    REFUSED(HL_ERR_RANGE, hl_ising_correlation_gap(1.0, late, values, &gap));
    OK(hl_ising_correlation_gap(1.0, taus, values, &gap));
    CHECK(isnan(gap));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energy(NULL, &at, &energy, &transverse));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energy(lines, NULL, &energy, &transverse));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energy(lines, &at, NULL, &transverse));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energy(lines, &at, &energy, NULL));
    REFUSED(HL_ERR_RANGE, hl_ising_worldlines_energy(lines, &wrong, &energy, &transverse));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energies(NULL, &energies));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_energies(lines, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_weights(NULL, &at, &beta));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_weights(lines, NULL, &beta));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_weights(lines, &at, NULL));
    REFUSED(HL_ERR_RANGE, hl_ising_worldlines_weights(lines, &wrong, &beta));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_magnetisation(NULL, &magnetisation));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_magnetisation(lines, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_kinks(NULL, &number));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_kinks(lines, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_get_spins(NULL, 0, spins));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_get_spins(lines, 0, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_worldlines_get_spins(lines, LAYERS, spins));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_set_spins(NULL, spins));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_set_spins(lines, NULL));
    REFUSED(HL_ERR_SPIN, hl_ising_worldlines_set_spins(lines, spins));
    REFUSED(HL_ERR_SITE_RANGE, hl_ising_worldlines_set_line(lines, SITES, 1, positions, 0));
    REFUSED(HL_ERR_SPIN, hl_ising_worldlines_set_line(lines, 0, 0, positions, 0));
    REFUSED(HL_ERR_EVEN, hl_ising_worldlines_set_line(lines, 0, 1, kinks, 1));
    REFUSED(HL_ERR_INDEX, hl_ising_worldlines_set_line(lines, 0, 1, kinks, 2));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_set_line(lines, 0, 1, NULL, 2));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_set_line(NULL, 0, 1, kinks, 2));
    positions[0] = 2;
    positions[1] = 9;
    OK(hl_ising_worldlines_set_line(lines, 3, -1, positions, 2));
    REFUSED(HL_ERR_LENGTH, hl_ising_worldlines_get_line(lines, 3, &spin, positions, 1, &count));
    REFUSED(HL_ERR_SITE_RANGE, hl_ising_worldlines_get_line(lines, SITES, &spin, positions, 2, &count));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_get_line(NULL, 3, &spin, positions, 2, &count));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_get_line(lines, 3, NULL, positions, 2, &count));
    REFUSED(HL_ERR_NULL, hl_ising_worldlines_get_line(lines, 3, &spin, positions, 2, NULL));
    OK(hl_ising_worldlines_get_line(lines, 3, &spin, positions, 2, &count));
    CHECK(spin == -1 && count == 2 && positions[0] == 2 && positions[1] == 9);
    hl_ising_worldlines_destroy(lines);
    hl_ising_worldlines_destroy(NULL);
    hl_random_mt19937_destroy(rng);
    hl_random_mt19937_destroy(narrow);
}
