// Replica exchange.

enum { TEMPERATURES = 4 };

// Energies are measured once by the library and once here. The state is saved and restored midway.
static void exchange_family(void)
{
    const hl_ising_beta ladder[TEMPERATURES]
        = {{0.25f, 0.5f}, {0.3125f, 0.4375f}, {0.375f, 0.375f}, {0.4375f, 0.3125f}};
    const hl_ising_graph graph = ring();
    hl_ising_model *models[TEMPERATURES] = {NULL, NULL, NULL, NULL};
    hl_ising_replica_exchange *exchange = NULL, *told = NULL, *copy = NULL;
    hl_random_mt19937 *const rng = generator(16);
    uint64_t attempts[TEMPERATURES - 1], swaps[TEMPERATURES - 1], trips[1 + TEMPERATURES];
    size_t places[TEMPERATURES], replica, temperature, size = 0, round, swapped = 0, again = 0;
    uint8_t bytes[2][1024], decided[TEMPERATURES - 1];
    OK(hl_ising_replica_exchange_create(ladder, TEMPERATURES, 7, &exchange));
    OK(hl_ising_replica_exchange_create(ladder, TEMPERATURES, 7, &told));
    for (replica = 0; replica < TEMPERATURES; replica++)
        OK(hl_ising_create(&graph, HL_ISING_AUTO, NULL, &models[replica]));
    OK(hl_ising_replica_exchange_state_size(exchange, &size));
    CHECK(size <= sizeof bytes[0]);
    for (round = 0; round < 100; round++) {
        hl_ising_energies energies[TEMPERATURES];
        for (replica = 0; replica < TEMPERATURES; replica++) {
            hl_ising_beta beta;
            OK(hl_ising_replica_exchange_beta(exchange, replica, &beta));
            OK(hl_ising_sweep(models[replica], rng, beta.space, beta.tau, 1, NULL));
            OK(hl_ising_energy(models[replica], &energies[replica].space, &energies[replica].tau));
        }
        OK(hl_ising_replica_exchange_step(exchange, models, TEMPERATURES, &swapped));
        for (temperature = 0; temperature < TEMPERATURES; temperature++) {
            OK(hl_ising_replica_exchange_replica_at(told, temperature, &replica));
            places[temperature] = replica;
        }
        for (temperature = 0; temperature + 1 < TEMPERATURES; temperature++) {
            const hl_ising_energies of_pair[2] = {energies[places[temperature]], energies[places[temperature + 1]]};
            OK(hl_ising_replica_exchange_decide(told, 0, temperature, of_pair, &decided[temperature]));
        }
        if (round % 2 == 0)
            OK(hl_ising_replica_exchange_exchange(told, energies, TEMPERATURES, &again));
        else
            OK(hl_ising_replica_exchange_apply(told, decided, TEMPERATURES - 1, &again));
        CHECK(swapped == again && swapped == (size_t)decided[0] + decided[1] + decided[2]);
        if (round == 50) {
            OK(hl_ising_replica_exchange_get_state(exchange, bytes[0], size));
            hl_ising_replica_exchange_destroy(exchange);
            OK(hl_ising_replica_exchange_create_from_state(bytes[0], size, &exchange));
            OK(hl_ising_replica_exchange_create(ladder, 2, 1, &copy));
            OK(hl_ising_replica_exchange_set_state(copy, bytes[0], size));
            OK(hl_ising_replica_exchange_len(copy, &temperature));
            CHECK(temperature == TEMPERATURES);
            OK(hl_ising_replica_exchange_get_state(copy, bytes[1], size));
            CHECK(memcmp(bytes[0], bytes[1], size) == 0);
        }
    }
    for (temperature = 0; temperature < TEMPERATURES; temperature++) {
        OK(hl_ising_replica_exchange_replica_at(exchange, temperature, &replica));
        OK(hl_ising_replica_exchange_temperature_of(exchange, replica, &places[replica]));
        CHECK(places[replica] == temperature);
        OK(hl_ising_replica_exchange_round_trips_of(exchange, temperature, &trips[1 + temperature]));
    }
    for (temperature = 0; temperature + 1 < TEMPERATURES; temperature++) {
        OK(hl_ising_replica_exchange_attempts(exchange, temperature, &attempts[temperature]));
        OK(hl_ising_replica_exchange_swaps(exchange, temperature, &swaps[temperature]));
    }
    OK(hl_ising_replica_exchange_round_trips(exchange, &trips[0]));
    OK(hl_ising_replica_exchange_get_state(exchange, bytes[0], size));
    OK(hl_ising_replica_exchange_get_state(told, bytes[1], size));
    CHECK(memcmp(bytes[0], bytes[1], size) == 0);
    digest("exchange", bytes[0], size);
    digest("places", places, sizeof places);
    digest("attempts", attempts, sizeof attempts);
    digest("swaps", swaps, sizeof swaps);
    digest("trips", trips, sizeof trips);
    for (replica = 0; replica < TEMPERATURES; replica++)
        hl_ising_destroy(models[replica]);
    hl_ising_replica_exchange_destroy(exchange);
    hl_ising_replica_exchange_destroy(told);
    hl_ising_replica_exchange_destroy(copy);
    hl_random_mt19937_destroy(rng);
}

static void exchange_errors(void)
{
    const hl_ising_beta ladder[2] = {{0.25f, 0.5f}, {0.5f, 0.25f}}, wrong[2] = {{0.25f, 0.5f}, {(float)NAN, 0.25f}};
    const hl_ising_energies energies[2] = {{0.0, 0.0}, {0.0, (double)NAN}}, zero[2] = {{0.0, 0.0}, {0.0, 0.0}};
    hl_ising_model *models[2] = {NULL, NULL};
    hl_ising_replica_exchange *exchange = NULL;
    hl_ising_beta beta;
    uint64_t count;
    size_t index, size = 0;
    uint8_t bytes[256];
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_create(NULL, 2, 1, &exchange));
    REFUSED(HL_ERR_LADDER, hl_ising_replica_exchange_create(ladder, 1, 1, &exchange));
    REFUSED(HL_ERR_BETA, hl_ising_replica_exchange_create(wrong, 2, 1, &exchange));
    REFUSED(HL_ERR_STATE_TRUNCATED, hl_ising_replica_exchange_create_from_state(NULL, 0, &exchange));
    CHECK(exchange == NULL);
    OK(hl_ising_replica_exchange_create(ladder, 2, 1, &exchange));
    REFUSED(HL_ERR_LENGTH, hl_ising_replica_exchange_exchange(exchange, energies, 1, NULL));
    REFUSED(HL_ERR_ENERGY, hl_ising_replica_exchange_exchange(exchange, energies, 2, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_decide(exchange, 0, 1, energies, bytes));
    REFUSED(HL_ERR_ENERGY, hl_ising_replica_exchange_decide(exchange, 0, 0, energies, bytes));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_decide(NULL, 0, 0, energies, bytes));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_decide(exchange, 0, 0, NULL, bytes));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_decide(exchange, 0, 0, zero, NULL));
    REFUSED(HL_ERR_LENGTH, hl_ising_replica_exchange_apply(exchange, bytes, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_apply(NULL, bytes, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_apply(exchange, NULL, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_step(exchange, models, 2, NULL));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_beta(exchange, 2, &beta));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_temperature_of(exchange, 2, &index));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_replica_at(exchange, 2, &index));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_attempts(exchange, 1, &count));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_swaps(exchange, 1, &count));
    REFUSED(HL_ERR_INDEX, hl_ising_replica_exchange_round_trips_of(exchange, 2, &count));
    OK(hl_ising_replica_exchange_state_size(exchange, &size));
    CHECK(size <= sizeof bytes);
    OK(hl_ising_replica_exchange_get_state(exchange, bytes, size));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_create(ladder, 2, 1, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_create_from_state(NULL, size, &exchange));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_create_from_state(bytes, size, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_exchange(NULL, energies, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_exchange(exchange, NULL, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_step(NULL, NULL, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_step(exchange, NULL, 2, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_len(NULL, &index));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_len(exchange, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_beta(NULL, 0, &beta));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_beta(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_temperature_of(NULL, 0, &index));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_temperature_of(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_replica_at(NULL, 0, &index));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_replica_at(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_attempts(NULL, 0, &count));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_attempts(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_swaps(NULL, 0, &count));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_swaps(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_round_trips(NULL, &count));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_round_trips(exchange, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_round_trips_of(NULL, 0, &count));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_round_trips_of(exchange, 0, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_state_size(NULL, &size));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_state_size(exchange, NULL));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_get_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_get_state(exchange, NULL, size));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_set_state(NULL, bytes, size));
    REFUSED(HL_ERR_NULL, hl_ising_replica_exchange_set_state(exchange, NULL, size));
    bytes[size - 1] ^= 1;
    REFUSED(HL_ERR_STATE_CORRUPT, hl_ising_replica_exchange_set_state(exchange, bytes, size));
    hl_ising_replica_exchange_destroy(exchange);
    hl_ising_replica_exchange_destroy(NULL);
}
