// Lemmas about single floats that exp.py assumes, for all 2^32 of them.
#include <emmintrin.h>
#include <smmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t bits(__m128 x) {
    uint32_t word;
    memcpy(&word, &x, 4);
    return word;
}

static __m128 number(uint32_t word) {
    return _mm_castsi128_ps(_mm_cvtsi32_si128((int)word));
}

int main(void) {
    uint32_t word = 0;
    do {
        float x;
        memcpy(&x, &word, 4);
        __m128 low = number(0xc2aeac50), high = number(0x42b17218);
        if (x != x || x < _mm_cvtss_f32(low))
            continue;
        // min(x, HIGH) * LOG2E
        __m128 t = _mm_mul_ss(_mm_min_ss(number(word), high), number(0x3fb8aa3b));
        uint32_t nearest = bits(_mm_round_ss(t, t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        uint32_t whole = bits(_mm_cvtepi32_ps(_mm_cvtps_epi32(t)));
        if (nearest != whole && !(nearest == 0x80000000 && whole == 0)) {
            printf("integral(t) and to_float(to_int(t)) differ at x = %08x\n", (unsigned)word);
            return 1;
        }
        if (_mm_cvtss_f32(t) != _mm_cvtss_f32(t))
            return 1;
    } while (++word);
    return 0;
}
