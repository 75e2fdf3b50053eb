// Models in which Metropolis may go round in circles.

static void ising_traps(void)
{
    // A triangle without fields, and with one that never cancels.
    const uint32_t rows[4] = {0, 2, 4, 6}, others[6] = {1, 2, 0, 2, 0, 1};
    const double values[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, field[3] = {0.5, 0.0, 0.0};
    hl_ising_graph graph;
    uint32_t may_trap = 7;
    int has_field;
    graph.layers = 2;
    graph.sites = 3;
    graph.row_pointers = rows;
    graph.neighbours = others;
    graph.couplings = values;
    for (has_field = 0; has_field < 2; has_field++) {
        hl_ising_model *model = NULL;
        graph.fields = has_field ? field : NULL;
        OK(hl_ising_create(&graph, HL_ISING_I8_EXACT, NULL, &model));
        OK(hl_ising_may_trap(model, &may_trap));
        CHECK(may_trap == (has_field ? 0u : 1u));
        REFUSED(HL_ERR_NULL, hl_ising_may_trap(model, NULL));
        hl_ising_destroy(model);
    }
    may_trap = 7;
    REFUSED(HL_ERR_NULL, hl_ising_may_trap(NULL, &may_trap));
    CHECK(may_trap == 7);
}
