// Clifford layers as plain loops, rung by rung. build.rs compiles this file once without auto-vectorisation and once
// with it.
//
// Blades are innermost in inputs and outputs, outermost in weights. The product of the blades p of the input and
// factor[j * blades + p] of the weight is the blade j of the output, with the sign at the same index; a sign of 0 marks
// a product that is 0.

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define JOIN(name, build) hotloops_bench_##name##_##build
#define IN_BUILD(name, build) JOIN(name, build)
#define EXPORT(name) IN_BUILD(name, BUILD)

enum { DIMENSIONS = 3 };

struct layer {
    size_t blades;
    const uint8_t *factor;
    const float *sign;
    // Rows of a linear layer; 1 for a convolution.
    size_t batch;
    size_t inputs;
    size_t outputs;
    // Of a convolution; 1 in the dimensions that it lacks. Padding is half of the taps.
    size_t size[DIMENSIONS];
    size_t taps[DIMENSIONS];
    const float *x;
    const float *w;
    float *y;
};

static float *allocate(size_t n) {
    float *memory = malloc((n + 1) * sizeof *memory);
    if (!memory) {
        abort();
    }
    return memory;
}

// The matrix of the layer: rows are blades and channels of the output, columns those of the input and the taps.
static float *kernel_of(const struct layer *of, size_t taps) {
    const size_t blades = of->blades, inputs = of->inputs, outputs = of->outputs;
    float *kernel = allocate(blades * outputs * blades * inputs * taps), *at = kernel;
    for (size_t j = 0; j < blades; j++) {
        for (size_t o = 0; o < outputs; o++) {
            for (size_t p = 0; p < blades; p++) {
                const float sign = of->sign[j * blades + p];
                const float *w = of->w + (of->factor[j * blades + p] * outputs + o) * inputs * taps;
                for (size_t i = 0; i < inputs * taps; i++) {
                    *at++ = sign * w[i];
                }
            }
        }
    }
    return kernel;
}

// The kernel is built at each call, then one matrix is multiplied by another in a triple loop.
static void with_kernel(const struct layer *of) {
    const size_t blades = of->blades, inputs = of->inputs, outputs = of->outputs, columns = blades * inputs;
    float *kernel = kernel_of(of, 1), *x = allocate(columns);
    for (size_t b = 0; b < of->batch; b++) {
        for (size_t i = 0; i < inputs; i++) {
            for (size_t p = 0; p < blades; p++) {
                x[p * inputs + i] = of->x[(b * inputs + i) * blades + p];
            }
        }
        for (size_t j = 0; j < blades; j++) {
            for (size_t o = 0; o < outputs; o++) {
                const float *row = kernel + (j * outputs + o) * columns;
                float sum = 0.0f;
                for (size_t i = 0; i < columns; i++) {
                    sum += x[i] * row[i];
                }
                of->y[(b * outputs + o) * blades + j] = sum;
            }
        }
    }
    free(x);
    free(kernel);
}

// The weights are read where they are.
static void without_kernel(const struct layer *of) {
    const size_t blades = of->blades, inputs = of->inputs, outputs = of->outputs;
    for (size_t b = 0; b < of->batch; b++) {
        for (size_t o = 0; o < outputs; o++) {
            for (size_t j = 0; j < blades; j++) {
                float sum = 0.0f;
                for (size_t p = 0; p < blades; p++) {
                    const float sign = of->sign[j * blades + p], *x = of->x + b * inputs * blades + p;
                    const float *w = of->w + (of->factor[j * blades + p] * outputs + o) * inputs;
                    float part = 0.0f;
                    for (size_t i = 0; i < inputs; i++) {
                        part += x[i * blades] * w[i];
                    }
                    sum += sign * part;
                }
                of->y[(b * outputs + o) * blades + j] = sum;
            }
        }
    }
}

// All blades of an output are summed side by side.
#define UNROLLED(BLADES)                                                                                               \
    static void unrolled_##BLADES(const struct layer *of) {                                                            \
        const size_t inputs = of->inputs, outputs = of->outputs;                                                       \
        for (size_t b = 0; b < of->batch; b++) {                                                                       \
            for (size_t o = 0; o < outputs; o++) {                                                                     \
                float sums[BLADES] = {0.0f};                                                                           \
                for (size_t i = 0; i < inputs; i++) {                                                                  \
                    const float *x = of->x + (b * inputs + i) * BLADES;                                                \
                    _Pragma("GCC unroll 8") for (size_t j = 0; j < BLADES; j++) {                                      \
                        _Pragma("GCC unroll 8") for (size_t p = 0; p < BLADES; p++) {                                  \
                            const float w = of->w[(of->factor[j * BLADES + p] * outputs + o) * inputs + i];            \
                            sums[j] += of->sign[j * BLADES + p] * x[p] * w;                                            \
                        }                                                                                              \
                    }                                                                                                  \
                }                                                                                                      \
                for (size_t j = 0; j < BLADES; j++) {                                                                  \
                    of->y[(b * outputs + o) * BLADES + j] = sums[j];                                                   \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
UNROLLED(2)
UNROLLED(4)
UNROLLED(8)

static void unrolled(const struct layer *of) {
    (of->blades == 2 ? unrolled_2 : of->blades == 4 ? unrolled_4 : unrolled_8)(of);
}

// Output channels are innermost and contiguous, in weights copied at each call.
static void reordered(const struct layer *of) {
    const size_t blades = of->blades, inputs = of->inputs, outputs = of->outputs;
    float *w = allocate(blades * inputs * outputs), *y = allocate(blades * outputs);
    for (size_t q = 0; q < blades; q++) {
        for (size_t o = 0; o < outputs; o++) {
            for (size_t i = 0; i < inputs; i++) {
                w[(q * inputs + i) * outputs + o] = of->w[(q * outputs + o) * inputs + i];
            }
        }
    }
    for (size_t b = 0; b < of->batch; b++) {
        for (size_t j = 0; j < blades; j++) {
            float *restrict sums = y + j * outputs;
            for (size_t o = 0; o < outputs; o++) {
                sums[o] = 0.0f;
            }
            for (size_t p = 0; p < blades; p++) {
                const float sign = of->sign[j * blades + p];
                for (size_t i = 0; i < inputs; i++) {
                    const float x = sign * of->x[(b * inputs + i) * blades + p];
                    const float *restrict row = w + (of->factor[j * blades + p] * inputs + i) * outputs;
                    for (size_t o = 0; o < outputs; o++) {
                        sums[o] += x * row[o];
                    }
                }
            }
        }
        for (size_t o = 0; o < outputs; o++) {
            for (size_t j = 0; j < blades; j++) {
                of->y[(b * outputs + o) * blades + j] = y[j * outputs + o];
            }
        }
    }
    free(y);
    free(w);
}

// The first tap over the input at a point, and the end of the taps over it.
static size_t first_tap(size_t taps, size_t at) { return at < taps / 2 ? taps / 2 - at : 0; }

static size_t last_tap(size_t taps, size_t at, size_t size) {
    const size_t end = size + taps / 2 - at;
    return end < taps ? end : taps;
}

// One number of the output of a convolution, at the point `at`: the sum over input planes and taps.
static float at_point(const struct layer *of, const float *x, const float *row, const size_t at[DIMENSIONS]) {
    const size_t *size = of->size, *taps = of->taps;
    size_t begin[DIMENSIONS], end[DIMENSIONS];
    for (size_t d = 0; d < DIMENSIONS; d++) {
        begin[d] = first_tap(taps[d], at[d]);
        end[d] = last_tap(taps[d], at[d], size[d]);
    }
    float sum = 0.0f;
    for (size_t plane = 0; plane < of->blades * of->inputs; plane++) {
        for (size_t u = begin[0]; u < end[0]; u++) {
            for (size_t v = begin[1]; v < end[1]; v++) {
                const size_t i = at[0] + u - taps[0] / 2, k = at[1] + v - taps[1] / 2, l = at[2] - taps[2] / 2;
                const float *from = x + ((plane * size[0] + i) * size[1] + k) * size[2];
                const float *w = row + ((plane * taps[0] + u) * taps[1] + v) * taps[2];
                for (size_t t = begin[2]; t < end[2]; t++) {
                    sum += from[l + t] * w[t];
                }
            }
        }
    }
    return sum;
}

// The kernel is built at each call, the input brought into planes, and the convolution done by loops.
static void convolution(const struct layer *of) {
    const size_t blades = of->blades, *size = of->size, points = size[0] * size[1] * size[2];
    const size_t taps = of->taps[0] * of->taps[1] * of->taps[2], columns = blades * of->inputs * taps;
    float *kernel = kernel_of(of, taps), *x = allocate(blades * of->inputs * points);
    for (size_t i = 0; i < of->inputs; i++) {
        for (size_t point = 0; point < points; point++) {
            for (size_t p = 0; p < blades; p++) {
                x[(p * of->inputs + i) * points + point] = of->x[(i * points + point) * blades + p];
            }
        }
    }
    for (size_t j = 0; j < blades; j++) {
        for (size_t o = 0; o < of->outputs; o++) {
            const float *row = kernel + (j * of->outputs + o) * columns;
            for (size_t point = 0; point < points; point++) {
                const size_t at[] = {point / (size[1] * size[2]), point / size[2] % size[1], point % size[2]};
                of->y[(o * points + point) * blades + j] = at_point(of, x, row, at);
            }
        }
    }
    free(x);
    free(kernel);
}

void EXPORT(layer)(size_t rung, const struct layer *of) {
    static void (*const RUNGS[])(const struct layer *) = {
        with_kernel, without_kernel, unrolled, reordered, convolution,
    };
    RUNGS[rung](of);
}

// Multivectors times the logistic function of a weighted sum (0), the sum (1) or the mean (2) of their blades.
void EXPORT(activation)(size_t kind, size_t blades, size_t channels, const float *w, const float *bias, size_t count,
                        const float *x, float *y) {
    for (size_t i = 0; i < count; i++, x += blades, y += blades) {
        const size_t channel = i % channels;
        float sum = kind == 0 ? bias[channel] : 0.0f;
        for (size_t p = 0; p < blades; p++) {
            sum += kind == 0 ? w[channel * blades + p] * x[p] : x[p];
        }
        if (kind == 2) {
            sum /= (float)blades;
        }
        const float gate = 1.0f / (1.0f + expf(-sum));
        for (size_t p = 0; p < blades; p++) {
            y[p] = x[p] * gate;
        }
    }
}
