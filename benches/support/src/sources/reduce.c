// Sums of floats rung by rung, and strength reduction. build.rs compiles this file once without auto-vectorisation and
// once with it.

#include <stddef.h>
#include <stdint.h>

#define JOIN(name, build) hotloops_bench_##name##_##build
#define IN_BUILD(name, build) JOIN(name, build)
#define EXPORT(name) IN_BUILD(name, BUILD)

#define TIMES_2(M) M(0) M(1)
#define TIMES_4(M) TIMES_2(M) M(2) M(3)
#define TIMES_8(M) TIMES_4(M) M(4) M(5) M(6) M(7)
#define TIMES_16(M) TIMES_8(M) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)

#define ADD_TO_ONE(l) sum += x[i + l];
#define DECLARE(l) float s##l = 0.0f;
#define ADD_TO_ITS_OWN(l) s##l += x[i + l];
#define COLLECT(l) sum += s##l;

static float loop(const float *x, size_t n) {
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

// Fewer branches and counters, the same chain of additions.
#define UNROLLED(width)                                                                                                \
    static float unrolled_##width(const float *x, size_t n) {                                                          \
        float sum = 0.0f;                                                                                              \
        size_t i = 0;                                                                                                  \
        for (; i + width <= n; i += width) {                                                                           \
            TIMES_##width(ADD_TO_ONE)                                                                                  \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            sum += x[i];                                                                                               \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
UNROLLED(4)
UNROLLED(8)

// Independent chains of additions.
#define ACCUMULATORS(width)                                                                                            \
    static float accumulators_##width(const float *x, size_t n) {                                                      \
        TIMES_##width(DECLARE) float sum = 0.0f;                                                                       \
        size_t i = 0;                                                                                                  \
        for (; i + width <= n; i += width) {                                                                           \
            TIMES_##width(ADD_TO_ITS_OWN)                                                                              \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            sum += x[i];                                                                                               \
        }                                                                                                              \
        TIMES_##width(COLLECT) return sum;                                                                             \
    }
ACCUMULATORS(2)
ACCUMULATORS(4)
ACCUMULATORS(8)
ACCUMULATORS(16)

float EXPORT(sum)(size_t rung, const float *x, size_t n) {
    static float (*const RUNGS[])(const float *, size_t) = {
        loop, unrolled_4, unrolled_8, accumulators_2, accumulators_4, accumulators_8, accumulators_16,
    };
    return RUNGS[rung](x, n);
}

// Sums of functions of integers. The operands are variables, so that the compiler cannot reduce them itself.

static uint32_t divide(const uint32_t *x, size_t n, uint32_t divisor) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] / divisor;
    }
    return sum;
}

// For x below 2^31 and a divisor from 2 to 2^31.
static uint32_t divide_by_reciprocal(const uint32_t *x, size_t n, uint32_t divisor) {
    unsigned shift = 31;
    while (shift < 62 && (uint64_t)1 << (shift - 31) < divisor) {
        shift++;
    }
    uint64_t reciprocal = (((uint64_t)1 << shift) + divisor - 1) / divisor;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)(x[i] * reciprocal >> shift);
    }
    return sum;
}

static uint32_t remainder_of(const uint32_t *x, size_t n, uint32_t power) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] % power;
    }
    return sum;
}

static uint32_t mask(const uint32_t *x, size_t n, uint32_t power) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] & (power - 1);
    }
    return sum;
}

static uint32_t multiply(const uint32_t *x, size_t n, uint32_t power) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum ^= x[i] * power;
    }
    return sum;
}

static uint32_t shift_left(const uint32_t *x, size_t n, uint32_t power) {
    unsigned shift = 0;
    while (power >> shift > 1) {
        shift++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum ^= x[i] << shift;
    }
    return sum;
}

uint32_t EXPORT(strength)(size_t rung, const uint32_t *x, size_t n, uint32_t operand) {
    static uint32_t (*const RUNGS[])(const uint32_t *, size_t, uint32_t) = {
        divide, divide_by_reciprocal, remainder_of, mask, multiply, shift_left,
    };
    return RUNGS[rung](x, n, operand);
}

static void quotients(const float *x, size_t n, float divisor, float *y) {
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] / divisor;
    }
}

static void quotients_by_reciprocal(const float *x, size_t n, float divisor, float *y) {
    float reciprocal = 1.0f / divisor;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * reciprocal;
    }
}

void EXPORT(quotients)(size_t rung, const float *x, size_t n, float divisor, float *y) {
    static void (*const RUNGS[])(const float *, size_t, float, float *) = {quotients, quotients_by_reciprocal};
    RUNGS[rung](x, n, divisor, y);
}
