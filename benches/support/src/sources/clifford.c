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
#include <string.h>

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
    // Of a convolution; 1 in the first dimensions, if it lacks them. Padding is half of the taps.
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

// The taps over the input at a point, in each dimension.
struct reach {
    size_t begin[DIMENSIONS];
    size_t end[DIMENSIONS];
};

static struct reach reach_of(const struct layer *of, const size_t at[DIMENSIONS]) {
    struct reach reach;
    for (size_t d = 0; d < DIMENSIONS; d++) {
        reach.begin[d] = first_tap(of->taps[d], at[d]);
        reach.end[d] = last_tap(of->taps[d], at[d], of->size[d]);
    }
    return reach;
}

// One number of the output of a convolution, at the point `at`: the sum over input planes and taps.
static float at_point(const struct layer *of, const float *x, const float *row, const size_t at[DIMENSIONS]) {
    const size_t *size = of->size, *taps = of->taps;
    const struct reach reach = reach_of(of, at);
    float sum = 0.0f;
    for (size_t plane = 0; plane < of->blades * of->inputs; plane++) {
        for (size_t u = reach.begin[0]; u < reach.end[0]; u++) {
            for (size_t v = reach.begin[1]; v < reach.end[1]; v++) {
                const size_t i = at[0] + u - taps[0] / 2, k = at[1] + v - taps[1] / 2, l = at[2] - taps[2] / 2;
                const float *from = x + ((plane * size[0] + i) * size[1] + k) * size[2];
                const float *w = row + ((plane * taps[0] + u) * taps[1] + v) * taps[2];
                for (size_t t = reach.begin[2]; t < reach.end[2]; t++) {
                    sum += from[l + t] * w[t];
                }
            }
        }
    }
    return sum;
}

static size_t points_of(const struct layer *of) { return of->size[0] * of->size[1] * of->size[2]; }

static size_t taps_of(const struct layer *of) { return of->taps[0] * of->taps[1] * of->taps[2]; }

// The input in planes, one for each blade and channel.
static float *planes_of(const struct layer *of) {
    const size_t blades = of->blades, points = points_of(of);
    float *x = allocate(blades * of->inputs * points);
    for (size_t i = 0; i < of->inputs; i++) {
        for (size_t point = 0; point < points; point++) {
            for (size_t p = 0; p < blades; p++) {
                x[(p * of->inputs + i) * points + point] = of->x[(i * points + point) * blades + p];
            }
        }
    }
    return x;
}

// The coordinates of a point.
static void place(const struct layer *of, size_t point, size_t at[DIMENSIONS]) {
    at[0] = point / (of->size[1] * of->size[2]);
    at[1] = point / of->size[2] % of->size[1];
    at[2] = point % of->size[2];
}

// A convolution by loops. Frees the kernel.
static void convolution_by(const struct layer *of, float *kernel) {
    const size_t points = points_of(of), columns = of->blades * of->inputs * taps_of(of);
    float *x = planes_of(of);
    for (size_t j = 0; j < of->blades; j++) {
        for (size_t o = 0; o < of->outputs; o++) {
            for (size_t point = 0; point < points; point++) {
                size_t at[DIMENSIONS];
                place(of, point, at);
                of->y[(o * points + point) * of->blades + j] =
                    at_point(of, x, kernel + (j * of->outputs + o) * columns, at);
            }
        }
    }
    free(x);
    free(kernel);
}

// The kernel is built at each call, the input brought into planes, and the convolution done by loops.
static void convolution(const struct layer *of) { convolution_by(of, kernel_of(of, taps_of(of))); }

void EXPORT(layer)(size_t rung, const struct layer *of) {
    static void (*const RUNGS[])(const struct layer *) = {
        with_kernel, without_kernel, unrolled, reordered, convolution,
    };
    RUNGS[rung](of);
}

enum { AXES = 3 };

// The matrix of layers of vectors: a weight is a quaternion and a scale, in planes of `plane` weights, and rotates and
// scales a vector. Rows are axes and channels of the first dimension of the weights.
static float *rotations_of(const float *w, size_t channels, size_t columns) {
    const size_t plane = channels * columns;
    float *kernel = allocate(AXES * AXES * plane);
    for (size_t row = 0; row < channels; row++) {
        for (size_t k = 0; k < columns; k++) {
            const float *part = w + row * columns + k;
            const float scale = part[4 * plane];
            float a = part[0], b = part[plane], c = part[2 * plane], d = part[3 * plane];
            const float length = sqrtf(a * a + b * b + c * c + d * d + 1e-4f);
            a /= length, b /= length, c /= length, d /= length;
            const float matrix[AXES][AXES] = {
                {1.0f - 2.0f * (c * c + d * d), 2.0f * (b * c - a * d), 2.0f * (b * d + a * c)},
                {2.0f * (b * c + a * d), 1.0f - 2.0f * (b * b + d * d), 2.0f * (c * d - a * b)},
                {2.0f * (b * d - a * c), 2.0f * (c * d + a * b), 1.0f - 2.0f * (b * b + c * c)},
            };
            for (size_t j = 0; j < AXES; j++) {
                for (size_t p = 0; p < AXES; p++) {
                    kernel[((j * channels + row) * AXES + p) * columns + k] = scale * matrix[j][p];
                }
            }
        }
    }
    return kernel;
}

// Adds a number of the input at the point `at` to a plane of the output, at all points under the taps.
static void spread(const struct layer *of, float x, const float *w, float *y, const size_t at[DIMENSIONS],
                   const struct reach *reach) {
    const size_t *size = of->size, *taps = of->taps;
    for (size_t u = reach->begin[0]; u < reach->end[0]; u++) {
        for (size_t v = reach->begin[1]; v < reach->end[1]; v++) {
            const size_t i = at[0] + u - taps[0] / 2, k = at[1] + v - taps[1] / 2, l = at[2] - taps[2] / 2;
            float *to = y + (i * size[1] + k) * size[2];
            const float *row = w + (u * taps[1] + v) * taps[2];
            for (size_t t = reach->begin[2]; t < reach->end[2]; t++) {
                to[l + t] += x * row[t];
            }
        }
    }
}

// The kernel is built at each call; each number of the input is spread over the output.
static void transposed(const struct layer *of) {
    const size_t points = points_of(of), taps = taps_of(of);
    float *kernel = rotations_of(of->w, of->inputs, of->outputs * taps), *x = planes_of(of);
    float *y = allocate(AXES * of->outputs * points);
    memset(y, 0, AXES * of->outputs * points * sizeof *y);
    for (size_t row = 0; row < AXES * of->inputs; row++) {
        for (size_t point = 0; point < points; point++) {
            size_t at[DIMENSIONS];
            place(of, point, at);
            const struct reach reach = reach_of(of, at);
            for (size_t plane = 0; plane < AXES * of->outputs; plane++) {
                const float *w = kernel + (row * AXES * of->outputs + plane) * taps;
                spread(of, x[row * points + point], w, y + plane * points, at, &reach);
            }
        }
    }
    for (size_t o = 0; o < of->outputs; o++) {
        for (size_t point = 0; point < points; point++) {
            for (size_t j = 0; j < AXES; j++) {
                of->y[(o * points + point) * AXES + j] = y[(j * of->outputs + o) * points + point];
            }
        }
    }
    free(y);
    free(x);
    free(kernel);
}

// A convolution of a field of vectors, 3 x 3 taps, or a transposed one. Vectors are innermost in `x` and `y`; `w` has
// the shape (5, outputs, inputs, taps), or (5, inputs, outputs, taps) if transposed.
void EXPORT(vectors)(size_t is_transposed, size_t channels, const size_t *size, const float *w, const float *x,
                     float *y) {
    const struct layer of = {
        .blades = AXES,
        .batch = 1,
        .inputs = channels,
        .outputs = channels,
        .size = {1, size[0], size[1]},
        .taps = {1, 3, 3},
        .x = x,
        .w = w,
        .y = y,
    };
    if (is_transposed) {
        transposed(&of);
    } else {
        convolution_by(&of, rotations_of(w, channels, channels * taps_of(&of)));
    }
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
