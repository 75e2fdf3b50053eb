// hotloops: hand-written assembly and intrinsics kernels with run-time dispatch, the same bits on every CPU.
//
// Kernels are functions whose only possible fault is a bad pointer: they return void, check nothing, allocate nothing,
// and take arrays of any alignment and of length 0. Functions whose arguments can be wrong in other ways return an
// hl_status; where it is not HL_OK, nothing was written. Their arrays are aligned as C has it, and may be null where
// their length is 0.
//
// Every function may be called from any thread at any time; but two threads may not use one handle (hl_mt19937,
// hl_ising_model) at once, unless both only read it (a const parameter). The library starts no thread and keeps nothing
// between calls but the choice of instruction set.
//
// The environment variable HOTLOOPS_ISA (scalar, sse2, avx2, avx512, avx512icl, neon) caps the instruction set; a
// word that is unknown, or that this CPU lacks, ends the process with a message. Results do not depend on it.
#ifndef HOTLOOPS_H
#define HOTLOOPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this header; hl_version() gives that of the library.
#define HL_VERSION "0.1.0"

// 0, or the negative number of what went wrong.
typedef int32_t hl_status;

enum {
    HL_OK = 0,
    HL_ERR_NULL = -1,             // a required pointer is null
    HL_ERR_LENGTH = -2,           // an array has the wrong length
    HL_ERR_TOO_LARGE = -3,        // a size is larger than the library supports
    HL_ERR_NO_MEMORY = -4,        // out of memory
    HL_ERR_ISA_UNKNOWN = -5,      // no instruction set has this name
    HL_ERR_ISA_UNAVAILABLE = -6,  // this CPU lacks the instruction set
    HL_ERR_LANES = -7,            // the number of lanes is not one that is allowed here
    HL_ERR_STATE_TRUNCATED = -8,  // the saved state is truncated
    HL_ERR_STATE_FOREIGN = -9,    // the saved state was not written by this library, or by another version of it
    HL_ERR_STATE_CORRUPT = -10,   // the saved state is damaged
    HL_ERR_LAYERS = -11,          // a layered model needs at least two layers
    HL_ERR_NO_SITES = -12,        // a layer needs at least one spin
    HL_ERR_SITE_RANGE = -13,      // a spin index is outside its layer
    HL_ERR_SELF_LOOP = -14,       // a coupling joins a spin to itself
    HL_ERR_DUPLICATE_EDGE = -15,  // two couplings join the same pair of spins
    HL_ERR_ASYMMETRIC = -16,      // a coupling is not the same in both directions
    HL_ERR_ROW_POINTER = -17,     // the row pointers of the graph do not ascend from zero
    HL_ERR_COUPLING = -18,        // a coupling is not a finite number
    HL_ERR_TAU_COUPLING = -19,    // the coupling between layers is not a finite number
    HL_ERR_FIELD = -20,           // a field is not a finite number
    HL_ERR_SPIN = -21,            // a spin is neither +1 nor -1
    HL_ERR_BETA = -22,            // an inverse temperature is not a finite number
    HL_ERR_KIND = -23,            // no kind of model has this number
    HL_ERR_OPTION = -24           // an option has no choice of this number
};

// The version of the library, "0.1.0".
const char *hl_version(void);

// The sentence of a status, as beside the constants above; never null.
const char *hl_status_string(hl_status status);

// ---- Instruction sets and variants ---------------------------------------------------------------------------------

// The name of the best instruction set in force; never null.
const char *hl_isa_active(void);

// Caps every kernel at the instruction set called `word`, from the next call on, in place of HOTLOOPS_ISA.
// HL_ERR_NULL, HL_ERR_ISA_UNKNOWN, HL_ERR_ISA_UNAVAILABLE.
hl_status hl_isa_set(const char *word);

// A function of a type that is known from its name; to be cast.
typedef void (*hl_function)(void);

// The number of variants: all rows of all kernels.
size_t hl_variant_count(void);

// Writes the name of variant `index`, such as "exp/fast_f32/avx2_assembly", as a C string into name[0..size].
// HL_ERR_NULL, HL_ERR_TOO_LARGE from hl_variant_count() on, HL_ERR_LENGTH where `size` does not suffice (64 does).
hl_status hl_variant_name(size_t index, char *name, size_t size);

// The code of the variant called `name`, to be cast to the type of its kernel (for "exp/fast_f32/avx2_assembly"
// that of hl_exp_fast_f32); null where no variant has this name or this CPU lacks what it needs.
hl_function hl_variant_find(const char *name);

// ---- random: interlaced streams of the Mersenne Twister MT19937 ----------------------------------------------------

// A generator of 4, 8 or 16 lanes, each a Mersenne Twister of its own: number t of lane k is its number t * lanes + k.
typedef struct hl_mt19937 hl_mt19937;

// Makes a generator of 4, 8 or 16 lanes; lane k is seeded with lane_seeds[k] as by the authors' init_genrand and by
// std::mt19937. To be destroyed. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_NO_MEMORY.
hl_status hl_mt19937_create(uint32_t lanes, const uint32_t *lane_seeds, hl_mt19937 **generator);

// Makes a generator in a saved state. To be destroyed. Errors as for hl_mt19937_set_state, and HL_ERR_NO_MEMORY.
hl_status hl_mt19937_create_from_state(const uint8_t *bytes, size_t size, hl_mt19937 **generator);

// Frees a generator; null is legal.
void hl_mt19937_destroy(hl_mt19937 *generator);

// Fills dst[0..n] with numbers of 32 bits. HL_ERR_NULL.
hl_status hl_mt19937_fill_u32(hl_mt19937 *generator, uint32_t *dst, size_t n);

// Fills dst[0..n] with multiples of 2^-24 in [0, 1): the upper 24 bits of each number. HL_ERR_NULL.
hl_status hl_mt19937_fill_f32(hl_mt19937 *generator, float *dst, size_t n);

// Writes the number of bytes of the saved state. HL_ERR_NULL.
hl_status hl_mt19937_state_size(const hl_mt19937 *generator, size_t *size);

// Saves the state as `size` bytes, the same on every machine; `size` is that of hl_mt19937_state_size.
// HL_ERR_NULL, HL_ERR_LENGTH.
hl_status hl_mt19937_get_state(const hl_mt19937 *generator, uint8_t *bytes, size_t size);

// Takes over a saved state, and its number of lanes. HL_ERR_NULL, HL_ERR_STATE_TRUNCATED, HL_ERR_STATE_FOREIGN,
// HL_ERR_STATE_CORRUPT, HL_ERR_LENGTH for bytes past the end, HL_ERR_NO_MEMORY where the number of lanes changes.
hl_status hl_mt19937_set_state(hl_mt19937 *generator, const uint8_t *bytes, size_t size);

// Kernels: draw `n` numbers of 32 bits, or `n` floats in [0, 1), from the interlaced streams. `state` holds
// 624 * lanes words, word i of lane k at [i * lanes + k]; `lanes` is 4, 8 or 16; `*position`, below 624 * lanes, is
// the index of the next word to renew. State, position and dst do not overlap.
void hl_random_mt19937_u32(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
void hl_random_mt19937_f32(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);

// ---- exp: approximations of exp over arrays ------------------------------------------------------------------------

// Kernels: y[i] = exp(x[i]) for i in 0..n; `y` is `x` or does not overlap it. NaN gives NaN; no result is denormal.

// Fast: relative error -3.91 % to +2.00 % for -87.3 <= x < 128 ln 2; below as -87.3, above as the end; 0.961 at 0.
void hl_exp_fast_f32(const float *x, float *y, size_t n);

// Accurate: relative error -0.993 % to +0.496 % for -31.5 ln 2 <= x < 32 ln 2; 0 below, above as the end; 0.990 at 0.
void hl_exp_accurate_f32(const float *x, float *y, size_t n);

// Polynomial: relative error at most 4.3e-6 for -126 ln 2 <= x < 128 ln 2; 0 below, infinity above; 1 at 0.
void hl_exp_poly_f32(const float *x, float *y, size_t n);

// ---- ising: Metropolis sweeps of layered Ising models --------------------------------------------------------------

// `layers` equal layers of `sites` spins, +1 or -1, stacked into a ring. Inside a layer any graph couples the spins;
// between layers every spin is coupled to its copies in the layers below and above. A configuration has the weight
// exp(beta_space * Es + beta_tau * Et), where
//   Es = sum over layers of (sum over edges J_ij s_i s_j  +  sum over sites h_i s_i)
//   Et = tau_coupling * sum over sites and layers of s_i(layer) s_i(layer + 1)
typedef struct hl_ising_model hl_ising_model;

// What stands for exp in the acceptance of a flip.
enum {
    HL_ISING_F32_FAST = 0,  // hl_exp_fast_f32: wrong by up to 4 %, energies by about 1 %
    HL_ISING_F32_POLY = 1   // hl_exp_poly_f32: right to a few units in the sixth digit
};

// In which order the sites of a layer are visited.
enum {
    HL_ISING_COLOURED = 0,  // one colour of the graph after another: the fastest
    HL_ISING_NATURAL = 1    // by index
};

// How the sum over a spin's neighbours is had; with exact sums both give the same spins.
enum {
    HL_ISING_GATHER = 0,  // read the neighbours at each visit: the fastest, nothing drifts
    HL_ISING_SCATTER = 1  // keep the sums and update those of the neighbours of a flipped spin
};

// The graph of one layer in compressed sparse rows: the neighbours of site i and the couplings to them stand at
// row_pointers[i] .. row_pointers[i + 1], every edge at both of its sites.
typedef struct hl_ising_graph {
    uint32_t layers;               // at least 2
    uint32_t sites;                // at least 1
    const uint32_t *row_pointers;  // sites + 1 values, ascending from 0
    const uint32_t *neighbours;    // row_pointers[sites] values
    const float *couplings;        // row_pointers[sites] values, positive for parallel spins
    const float *fields;           // sites values, or null for none
} hl_ising_graph;

typedef struct hl_ising_opts {
    float tau_coupling;  // between a spin and its copies in the layers below and above
    int32_t order;       // HL_ISING_COLOURED, HL_ISING_NATURAL
    int32_t update;      // HL_ISING_GATHER, HL_ISING_SCATTER
} hl_ising_opts;

typedef struct hl_ising_info {
    uint32_t layers;
    uint32_t sites;
    uint32_t lanes;     // layers that are updated together: 16, or less where `layers` is not a larger multiple of 16
    uint32_t is_exact;  // 1 where all sums over neighbours are exact, so that both updates give the same spins
    size_t heap_bytes;  // memory of the model, fixed at its creation
} hl_ising_info;

// Makes a model of kind HL_ISING_F32_FAST or HL_ISING_F32_POLY, all spins +1, from `graph`, which is not needed
// afterwards. `opts` may be null: tau_coupling 1, coloured, gather. To be destroyed.
// HL_ERR_NULL, HL_ERR_KIND, HL_ERR_OPTION, HL_ERR_NO_MEMORY, HL_ERR_TOO_LARGE, and HL_ERR_LAYERS .. HL_ERR_FIELD for
// what is wrong with the model.
hl_status hl_ising_create(const hl_ising_graph *graph, int32_t kind, const hl_ising_opts *opts, hl_ising_model **model);

// Frees a model; null is legal.
void hl_ising_destroy(hl_ising_model *model);

// Sets all spins: spins[layer * sites + site] is +1 or -1. HL_ERR_NULL, HL_ERR_SPIN.
hl_status hl_ising_set_spins(hl_ising_model *model, const int8_t *spins);

// Writes all spins: spins[layer * sites + site] becomes +1 or -1. HL_ERR_NULL.
hl_status hl_ising_get_spins(const hl_ising_model *model, int8_t *spins);

// Visits every spin `sweeps` times at the inverse temperatures `beta_space` and `beta_tau`; the number of flips
// goes to `*flips` unless it is null. `rng` has 16 lanes. HL_ERR_NULL, HL_ERR_LANES, HL_ERR_BETA.
hl_status hl_ising_sweep(hl_ising_model *model, hl_mt19937 *rng, float beta_space, float beta_tau,
                         uint64_t sweeps, uint64_t *flips);

// Writes Es and Et of the present spins. HL_ERR_NULL.
hl_status hl_ising_energy(const hl_ising_model *model, double *space, double *tau);

// Writes the `sites` sites of a layer in the order in which they are visited. HL_ERR_NULL.
hl_status hl_ising_order(const hl_ising_model *model, uint32_t *order);

// Writes what a model is. HL_ERR_NULL.
hl_status hl_ising_describe(const hl_ising_model *model, hl_ising_info *info);

// One element of the graph as the kernels read it: for each site a header {degree, field}, then `degree` links
// {byte offset of the neighbour's row in its group (64 for each row), coupling}.
typedef struct hl_ising_link {
    uint32_t word;
    float value;
} hl_ising_link;

// Kernels: visit `count` sites of one group of 16 interlaced layers in order, which hl_ising_sweep does for all groups.
// A row holds one site in 16 layers: 16 floats. `below`, `above` and `random` point to `count` rows, of which row 0
// belongs to site `first`; `links` points to the header of that site; flips[k] counts the flips in lane k of 16.

// Neighbours are read: `spins` holds the rows of the group, +1 and -1. Acceptance by the fast exponential.
void hl_ising_sweep_fast_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// The same with acceptance by the polynomial exponential.
void hl_ising_sweep_poly_f32(float *spins, size_t first, size_t count, const float *below, const float *above,
                             const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                             uint32_t *flips);

// Sums are kept up to date: `state` holds rows of 4 s + s_below + s_above, `fields` rows of h_i + sum J_ij s_j; `below`
// and `above` are rows of `state` of the neighbouring groups, or zeros that collect what is to be added to them.
// Acceptance by the fast exponential.
void hl_ising_scatter_fast_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

// The same with acceptance by the polynomial exponential.
void hl_ising_scatter_poly_f32(float *state, float *fields, size_t first, size_t count, float *below, float *above,
                               const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
                               uint32_t *flips);

#ifdef __cplusplus
}
#endif

#endif
