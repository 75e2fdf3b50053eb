// The layers of the Clifford family for one type: REAL, and OF(name) that appends its suffix.

// Packs the weights and runs a layer forward, backward, and for the gradients of its weights.
static void OF(clifford_layer)(const char *name, const hl_clifford_plan *plan, size_t batch, const size_t *size)
{
    size_t lengths[5], needed, i;
    REAL *all[8];
    hl_clifford_packed *packed;
    OK(hl_clifford_plan_lengths(plan, batch, size, lengths));
    {
        // x, y, weights, bias, gy, gx, gw, gbias
        const size_t counts[8] = {lengths[0], lengths[1], lengths[2], lengths[3],
                                  lengths[1], lengths[0], lengths[2], lengths[3]};
        size_t array;
        for (array = 0; array < 8; array++) {
            all[array] = (REAL *)malloc(counts[array] * sizeof(REAL));
            for (i = 0; i < counts[array]; i++)
                all[array][i] = (REAL)((int)(i * (array + 5) % 11) - 5) / 4;
        }
    }
    {
        REAL *const memory = (REAL *)malloc(lengths[4] * sizeof(REAL));
        REAL *workspace;
        OK(OF(hl_clifford_packed_create)(plan, all[2], all[3], memory, lengths[4], &packed));
        OK(hl_clifford_packed_workspace(packed, batch, size, &needed));
        workspace = (REAL *)malloc(needed * sizeof(REAL));
        OK(OF(hl_clifford_forward)(packed, batch, size, all[0], all[1], workspace, needed));
        digest(name, all[1], lengths[1] * sizeof(REAL));
        hl_clifford_packed_destroy(packed);
        free(workspace);

        OK(OF(hl_clifford_packed_create_backward)(plan, all[2], memory, lengths[4], &packed));
        OK(hl_clifford_packed_workspace(packed, batch, size, &needed));
        workspace = (REAL *)malloc(needed * sizeof(REAL));
        OK(OF(hl_clifford_backward)(packed, batch, size, all[4], all[5], workspace, needed));
        digest(name, all[5], lengths[0] * sizeof(REAL));
        hl_clifford_packed_destroy(packed);
        free(workspace);
        free(memory);

        OK(OF(hl_clifford_backward_weights_workspace)(plan, batch, size, &needed));
        workspace = (REAL *)malloc(needed * sizeof(REAL));
        OK(OF(hl_clifford_backward_weights)(plan, batch, size, all[0], all[4], all[6], all[7], workspace, needed));
        digest(name, all[6], lengths[2] * sizeof(REAL));
        digest(name, all[7], lengths[3] * sizeof(REAL));
        free(workspace);
    }
    for (i = 0; i < 8; i++)
        free(all[i]);
}

// The same for a connected product.
static void OF(clifford_connected)(const hl_clifford_plan *plan, size_t batch)
{
    size_t lengths[5], needed, i, array;
    REAL *all[8], *memory, *workspace;
    hl_clifford_packed *packed;
    OK(hl_clifford_plan_lengths(plan, batch, NULL, lengths));
    {
        // x, y, z, weights, gz, gx, gy, gw
        const size_t counts[8] = {lengths[0], lengths[0], lengths[1], lengths[2],
                                  lengths[1], lengths[0], lengths[0], lengths[2]};
        for (array = 0; array < 8; array++) {
            all[array] = (REAL *)malloc(counts[array] * sizeof(REAL));
            for (i = 0; i < counts[array]; i++)
                all[array][i] = (REAL)((int)(i * (array + 5) % 11) - 5) / 4;
        }
    }
    memory = (REAL *)malloc(lengths[4] * sizeof(REAL));
    OK(OF(hl_clifford_packed_create)(plan, all[3], NULL, memory, lengths[4], &packed));
    OK(hl_clifford_packed_workspace(packed, batch, NULL, &needed));
    workspace = (REAL *)malloc(needed * sizeof(REAL));
    OK(OF(hl_clifford_connected_forward)(packed, batch, all[0], all[1], all[2], workspace, needed));
    digest("clifford_connected", all[2], lengths[1] * sizeof(REAL));
    hl_clifford_packed_destroy(packed);
    free(workspace);

    OK(OF(hl_clifford_packed_create_backward)(plan, all[3], memory, lengths[4], &packed));
    OK(hl_clifford_packed_workspace(packed, batch, NULL, &needed));
    workspace = (REAL *)malloc(needed * sizeof(REAL));
    OK(OF(hl_clifford_connected_backward)(packed, batch, all[0], all[1], all[4], all[5], all[6], workspace, needed));
    digest("clifford_connected", all[5], lengths[0] * sizeof(REAL));
    digest("clifford_connected", all[6], lengths[0] * sizeof(REAL));
    hl_clifford_packed_destroy(packed);
    free(workspace);
    free(memory);

    OK(OF(hl_clifford_backward_weights_workspace)(plan, batch, NULL, &needed));
    workspace = (REAL *)malloc(needed * sizeof(REAL));
    OK(OF(hl_clifford_connected_backward_weights)(plan, batch, all[0], all[1], all[4], all[7], workspace, needed));
    digest("clifford_connected", all[7], lengths[2] * sizeof(REAL));
    free(workspace);
    for (i = 0; i < 8; i++)
        free(all[i]);
}

static void OF(clifford_act)(void)
{
    const int8_t plane[2] = {1, -1};
    REAL x[24], z[24], gx[24], weights[8], bias[6], gw[8], gbias[6];
    int32_t gate;
    int i;
    for (gate = HL_CLIFFORD_GATE_LINEAR; gate <= HL_CLIFFORD_GATE_SILU; gate++) {
        for (i = 0; i < 24; i++)
            x[i] = (REAL)(i % 7 - 3) / 2;
        for (i = 0; i < 8; i++) {
            weights[i] = (REAL)(i % 5 - 2) / 4;
            gw[i] = 1;
            bias[i % 6] = (REAL)(i % 6 - 2) / 8;
            gbias[i % 6] = 2;
        }
        OK(OF(hl_clifford_act)(plane, 2, gate, 3, 2, weights, bias, x, z));
        digest("clifford_act", z, sizeof z);
        OK(OF(hl_clifford_act_backward)(plane, 2, gate, 3, 2, weights, bias, x, z, gx, gw, gbias));
        digest("clifford_act", gx, sizeof gx);
        digest("clifford_act", gw, sizeof gw);
        digest("clifford_act", gbias, sizeof gbias);
    }
}

static void OF(clifford_layers)(void)
{
    const int8_t plane[2] = {1, -1}, projective[3] = {0, 1, 1};
    const size_t size[2] = {5, 6};
    const hl_clifford_window window = {2, {3, 2, 0}, {1, 2, 0}, {1, 0, 0}, {1, 2, 0}};
    int32_t mode;
    hl_clifford_plan *plan;
    for (mode = HL_CLIFFORD_EXACT; mode <= HL_CLIFFORD_AUTO; mode++) {
        OK(hl_clifford_plan_create_linear(plane, 2, 3, 5, mode, &plan));
        OF(clifford_layer)("clifford_linear", plan, 7, NULL);
        hl_clifford_plan_destroy(plan);
        OK(hl_clifford_plan_create_conv(plane, 2, 2, 3, &window, mode, &plan));
        OF(clifford_layer)("clifford_conv", plan, 2, size);
        hl_clifford_plan_destroy(plan);
    }
    OK(hl_clifford_plan_create_grades(projective, 3, 3, 5, HL_CLIFFORD_GRADES_WITH_NULL, &plan));
    OF(clifford_layer)("clifford_grades", plan, 7, NULL);
    hl_clifford_plan_destroy(plan);
    OK(hl_clifford_plan_create_connected(projective, 3, 3, 2, &plan));
    OF(clifford_connected)(plan, 7);
    hl_clifford_plan_destroy(plan);
    OF(clifford_act)();
}
