// The programs of Kuznetsov and Tolstoy (2009) for a block of 2048 integers, and steps from them. build.rs compiles
// this file once for each LEVEL: at -O2 (_o2) and at -O3 (_o3).

#include <stddef.h>
#include <stdint.h>

#define JOIN(a, b) a##b
#define WITH(name, level) JOIN(name, level)
#define AT(name) WITH(hotloops_bench_##name, LEVEL)

enum { PLANES = 32, COLUMNS = 64 };

#define ALL(term)                                                                                                     \
    (term(0) | term(1) | term(2) | term(3) | term(4) | term(5) | term(6) | term(7) | term(8) | term(9) | term(10) |   \
     term(11) | term(12) | term(13) | term(14) | term(15) | term(16) | term(17) | term(18) | term(19) | term(20) |    \
     term(21) | term(22) | term(23) | term(24) | term(25) | term(26) | term(27) | term(28) | term(29) | term(30) |    \
     term(31))

// The article's slicing: a word of a plane is gathered from 32 integers in one unrolled expression.
void AT(slice)(const uint32_t *block, uint32_t planes[PLANES][COLUMNS]) {
    for (unsigned column = 0; column < COLUMNS; column++) {
        const uint32_t *words = block + 32 * column;
        for (unsigned plane = 0; plane < PLANES; plane++) {
#define BIT(i) ((words[i] >> plane & 1) << (i))
            planes[plane][column] = ALL(BIT);
#undef BIT
        }
    }
}

static inline uint32_t element(const uint32_t planes[PLANES][COLUMNS], unsigned column, unsigned bit) {
#define BIT(i) ((planes[i][column] >> bit & 1) << (i))
    return ALL(BIT);
#undef BIT
}

// The inverse in the same form.
void AT(unslice)(const uint32_t planes[PLANES][COLUMNS], uint32_t *block) {
    for (unsigned column = 0; column < COLUMNS; column++) {
        for (unsigned bit = 0; bit < 32; bit++) {
            block[32 * column + bit] = element(planes, column, bit);
        }
    }
}

// Single integers.
void AT(gather)(const uint32_t planes[PLANES][COLUMNS], const size_t *indices, size_t n, uint32_t *out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = element(planes, indices[i] / 32, indices[i] % 32);
    }
}

#define ONES_2(n) n, n + 1, n + 1, n + 2
#define ONES_4(n) ONES_2(n), ONES_2(n + 1), ONES_2(n + 1), ONES_2(n + 2)
#define ONES_6(n) ONES_4(n), ONES_4(n + 1), ONES_4(n + 1), ONES_4(n + 2)
static const unsigned char ONES[256] = {ONES_6(0), ONES_6(1), ONES_6(1), ONES_6(2)};

static inline uint32_t ones_by_table(uint32_t word) {
    return ONES[word & 255] + ONES[word >> 8 & 255] + ONES[word >> 16 & 255] + ONES[word >> 24];
}

static inline uint32_t ones_by_sums(uint32_t word) {
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    return ((word + (word >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

// Ones of a plane, or of the difference of two planes.
#define COUNT(name, ones)                                                                                             \
    static inline uint32_t name##_of(const uint32_t *a) {                                                             \
        uint32_t sum = 0;                                                                                             \
        for (unsigned column = 0; column < COLUMNS; column++) {                                                       \
            sum += ones(a[column]);                                                                                   \
        }                                                                                                             \
        return sum;                                                                                                   \
    }                                                                                                                 \
    static inline uint32_t name##_between(const uint32_t *a, const uint32_t *b) {                                     \
        uint32_t sum = 0;                                                                                             \
        for (unsigned column = 0; column < COLUMNS; column++) {                                                       \
            sum += ones(a[column] ^ b[column]);                                                                       \
        }                                                                                                             \
        return sum;                                                                                                   \
    }
COUNT(table, ones_by_table)
COUNT(sums, ones_by_sums)

// Popcounts on the diagonal, distances to its right.
#define DISTANCES(name)                                                                                               \
    void AT(distances_##name)(const uint32_t planes[PLANES][COLUMNS], uint32_t d[PLANES][PLANES]) {                   \
        for (unsigned i = 0; i < PLANES; i++) {                                                                       \
            d[i][i] = name##_of(planes[i]);                                                                           \
            for (unsigned j = i + 1; j < PLANES; j++) {                                                               \
                d[i][j] = name##_between(planes[i], planes[j]);                                                       \
            }                                                                                                         \
        }                                                                                                             \
    }
DISTANCES(table)
DISTANCES(sums)

// Popcounts on the diagonal, distances to its left, as the article's CUDA program fills the matrix.
void AT(lower)(const uint32_t planes[PLANES][COLUMNS], uint32_t d[PLANES][PLANES]) {
    for (unsigned i = 0; i < PLANES; i++) {
        for (unsigned j = 0; j < i; j++) {
            d[i][j] = table_between(planes[i], planes[j]);
        }
        d[i][i] = table_of(planes[i]);
    }
}

// Popcounts of the planes alone.
void AT(popcounts)(const uint32_t planes[PLANES][COLUMNS], uint32_t *counts) {
    for (unsigned i = 0; i < PLANES; i++) {
        counts[i] = table_of(planes[i]);
    }
}

#ifdef __SSE2__
#include <emmintrin.h>

// Bit sums of four words at a time.
static inline __m128i ones_of_vector(__m128i x) {
    const __m128i pairs = _mm_set1_epi32(0x55555555), nibbles = _mm_set1_epi32(0x33333333);
    const __m128i bytes = _mm_set1_epi32(0x0f0f0f0f);
    x = _mm_sub_epi32(x, _mm_and_si128(_mm_srli_epi32(x, 1), pairs));
    x = _mm_add_epi32(_mm_and_si128(x, nibbles), _mm_and_si128(_mm_srli_epi32(x, 2), nibbles));
    x = _mm_and_si128(_mm_add_epi32(x, _mm_srli_epi32(x, 4)), bytes);
    return _mm_sad_epu8(x, _mm_setzero_si128());
}

static inline uint32_t sum_of_vector(__m128i x) {
    return (uint32_t)_mm_cvtsi128_si32(x) + (uint32_t)_mm_cvtsi128_si32(_mm_unpackhi_epi64(x, x));
}

static inline uint32_t vector_of(const uint32_t *a) {
    __m128i sum = _mm_setzero_si128();
    for (unsigned column = 0; column < COLUMNS; column += 4) {
        sum = _mm_add_epi32(sum, ones_of_vector(_mm_loadu_si128((const __m128i *)(a + column))));
    }
    return sum_of_vector(sum);
}

static inline uint32_t vector_between(const uint32_t *a, const uint32_t *b) {
    __m128i sum = _mm_setzero_si128();
    for (unsigned column = 0; column < COLUMNS; column += 4) {
        __m128i left = _mm_loadu_si128((const __m128i *)(a + column));
        __m128i right = _mm_loadu_si128((const __m128i *)(b + column));
        sum = _mm_add_epi32(sum, ones_of_vector(_mm_xor_si128(left, right)));
    }
    return sum_of_vector(sum);
}
DISTANCES(vector)

// Slices 16 integers at a time: a vector has their bytes of one significance, and its sign bits are half a word of a
// plane.
void AT(slice_by_masks)(const uint32_t *block, uint32_t planes[PLANES][COLUMNS]) {
    for (unsigned half = 0; half < 2 * COLUMNS; half++) {
        const __m128i *words = (const __m128i *)(block + 16 * half);
        __m128i a = _mm_loadu_si128(words), b = _mm_loadu_si128(words + 1);
        __m128i c = _mm_loadu_si128(words + 2), d = _mm_loadu_si128(words + 3);
        // Three rounds of a transposition: bytes in the order of significance, then of the integers.
        __m128i e = _mm_unpacklo_epi8(a, b), f = _mm_unpackhi_epi8(a, b);
        __m128i g = _mm_unpacklo_epi8(c, d), h = _mm_unpackhi_epi8(c, d);
        a = _mm_unpacklo_epi8(e, f), b = _mm_unpackhi_epi8(e, f);
        c = _mm_unpacklo_epi8(g, h), d = _mm_unpackhi_epi8(g, h);
        e = _mm_unpacklo_epi8(a, b), f = _mm_unpackhi_epi8(a, b);
        g = _mm_unpacklo_epi8(c, d), h = _mm_unpackhi_epi8(c, d);
        __m128i bytes[4] = {_mm_unpacklo_epi64(e, g), _mm_unpackhi_epi64(e, g), _mm_unpacklo_epi64(f, h),
                            _mm_unpackhi_epi64(f, h)};
        for (unsigned byte = 0; byte < 4; byte++) {
            uint16_t *low = (uint16_t *)planes[8 * byte] + half;
            __m128i x = bytes[byte];
#define PLANE(bit)                                                                                                    \
    low[2 * COLUMNS * (bit)] = (uint16_t)_mm_movemask_epi8(x);                                                        \
    x = _mm_add_epi8(x, x)
            PLANE(7);
            PLANE(6);
            PLANE(5);
            PLANE(4);
            PLANE(3);
            PLANE(2);
            PLANE(1);
            PLANE(0);
#undef PLANE
        }
    }
}
#endif
