// Uses the whole library, in C99 and in C++. It checks every status and prints results, which
// tests/c_api/ compares with the crate's. `digest` lines carry the FNV-1a hash of the bytes of a
// result.
//
// The shared library exports no kernel of hotloops_kernels.h; programs that link it define SHARED.
#include "hotloops.h"
#ifndef SHARED
#include "hotloops_kernels.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/check.h"
#include "consumer/random.h"
#include "consumer/exp.h"
#include "consumer/bits.h"
#include "consumer/numbers.h"
#include "consumer/clifford.h"
#include "consumer/clifford_layers.h"
#include "consumer/correlation.h"
#include "consumer/hardround.h"
#include "consumer/ising.h"
#include "consumer/exchange.h"
#include "consumer/worldlines.h"
#include "consumer/trap.h"
#ifndef SHARED
#include "consumer/kernels.h"
#include "consumer/ising_kernels.h"
#endif

static void results(void)
{
    random_family();
    random_states();
    exp_family();
    bits_family();
    bits_kernels();
    reduce_family();
    matmul_family();
    clifford_family();
    clifford_layers_f32();
    clifford_layers_f64();
    correlation_family();
    hardround_family();
    ising_family();
    ising_lattices();
    ising_copies();
    ising_traps();
    exchange_family();
    worldline_family();
#ifndef SHARED
    bits_engine();
    reduce_engine();
    matmul_engine();
    hardround_engine();
    ising_kernels();
    ising_exact_kernel();
    ising_wide_kernel();
#endif
}

static void variants(void)
{
    const size_t count = hl_variant_count();
    const char *const fast = "exp/fast_f32/";
    char name[64];
    size_t index, chosen = 0;
    CHECK(!hl_variant_is_chosen(count) && !hl_variant_is_chosen(SIZE_MAX));
    for (index = 0; index < count; index++) {
        hl_function function;
        chosen += hl_variant_is_chosen(index) != 0;
        OK(hl_variant_name(index, name, sizeof name));
        function = hl_variant_find(name);
        printf("variant %s %s\n", name, function != NULL ? "found" : "missing");
        if (function != NULL && strncmp(name, fast, strlen(fast)) == 0) {
            const float x[3] = {-1.0f, 0.0f, 2.5f};
            float y[3], z[3];
            ((exp_kernel *)function)(x, y, 3);
            hl_exp_fast_f32(x, z, 3);
            CHECK(memcmp(y, z, sizeof y) == 0);
        }
        REFUSED(HL_ERR_LENGTH, hl_variant_name(index, name, strlen(name)));
        OK(hl_variant_name(index, name, strlen(name) + 1));
    }
    REFUSED(HL_ERR_INDEX, hl_variant_name(count, name, sizeof name));
    REFUSED(HL_ERR_INDEX, hl_variant_name(SIZE_MAX, name, sizeof name));
    REFUSED(HL_ERR_NULL, hl_variant_name(0, NULL, sizeof name));
    CHECK(chosen > 0 && chosen < count);
    CHECK(hl_variant_find("exp/fast_f32/avx1024_assembly") == NULL);
    CHECK(hl_variant_find("") == NULL);
    CHECK(hl_variant_find(NULL) == NULL);
}

static void instruction_sets(void)
{
    const char *const words[] = {"scalar", "sse2", "avx2", "avx2gfni", "avx512", "avx512icl", "neon"};
    const char *const first = hl_isa_active();
    size_t i;
    REFUSED(HL_ERR_NULL, hl_isa_set(NULL));
    REFUSED(HL_ERR_ISA_UNKNOWN, hl_isa_set("AVX2"));
    CHECK(!hl_isa_holds("narrow") && !hl_isa_holds("") && !hl_isa_holds(NULL));
    CHECK(!(hl_isa_holds("narrow_256") && hl_isa_holds("narrow_512")));
    CHECK(hl_isa_usable(first) && !hl_isa_usable("AVX2") && !hl_isa_usable("auto") && !hl_isa_usable(NULL));
    for (i = 0; i < COUNT(words); i++) {
        const hl_status status = hl_isa_set(words[i]);
        printf("isa %s %d\n", words[i], (int)status);
        if (status == HL_OK) {
            CHECK(strcmp(hl_isa_active(), words[i]) == 0);
            CHECK(hl_isa_usable(words[i]) && hl_isa_usable("scalar"));
            results();
        } else {
            REFUSED(HL_ERR_ISA_UNAVAILABLE, hl_isa_set(words[i]));
            CHECK(!hl_isa_usable(words[i]));
        }
    }
    OK(hl_isa_set("auto"));
    CHECK(strcmp(hl_isa_active(), first) == 0);
}

int main(void)
{
    int status;
    CHECK(strcmp(hl_version(), HL_VERSION) == 0);
    CHECK(strcmp(hl_status_string(HL_OK), "success") == 0);
    CHECK(strcmp(hl_status_string(1), "unknown status") == 0);
    printf("version %s\nactive %s\n", hl_version(), hl_isa_active());
    results();
    instruction_sets();
    variants();
    random_errors();
    bits_errors();
    bits_null_pointers();
    numbers_errors();
    clifford_errors();
    clifford_layer_errors();
    correlation_errors();
    hardround_errors();
    ising_errors();
    exchange_errors();
    worldline_errors();
#ifndef SHARED
    ising_kernels_errors();
#endif
    for (status = 1; status < (int)COUNT(refused); status++)
        if (refused[status])
            printf("refused %d %s\n", -status, hl_status_string((hl_status)-status));
    return 0;
}
