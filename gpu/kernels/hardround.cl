// Tests of domains of arguments for hard-to-round cases. Fractions of the tests have 52 bits.
#pragma OPENCL FP_CONTRACT OFF

// Whether k >= most / step, without a division.
inline bool exceeds(ulong k, ulong step, ulong most) {
    return mul_hi(k + 1ul, step) != 0 || (k + 1ul) * step > most;
}

// A test of one domain: whether some x < n may have b - a x mod 1 < w, in units of 2^-64.
inline bool is_regular(ulong a64, ulong b64, ulong n, ulong width) {
    const ulong a = a64 >> 12, b = b64 >> 12, w = (width >> 12) + ((width & 4095ul) != 0) + n - 1ul;
    ulong p = a, q = (1ul << 52) - a, d = b, u = 1, v = 1;
    if (p == 0) return d < w;
    bool in_q = d >= p;
    if (in_q) d -= p;
    for (;;) {
        ulong k = q / p;
        bool is_last = exceeds(k, v, n - u - 1ul);
        if (is_last) k = (n - u - 1ul) / v;
        ulong cut = min(d / p, k);
        q -= k * p;
        u += k * v;
        d -= cut * p;
        in_q = in_q && cut == k;
        if (is_last || q == 0) return d < w;
        k = p / q;
        is_last = exceeds(k, u, n - v - 1ul);
        if (is_last) k = (n - v - 1ul) / u;
        p -= k * q;
        v += k * u;
        if (!in_q && d >= p) {
            d -= p;
            d -= (d / q) * q;
            in_q = true;
        }
        if (is_last || p == 0) return d < w;
    }
}

inline ulong saturating_product(ulong a, ulong b) { return mul_hi(a, b) ? ~0ul : a * b; }

inline bool is_lefevre(ulong a64, ulong b64, ulong n, ulong width) {
    const ulong a = a64 >> 12, w = (width >> 12) + ((width & 4095ul) != 0) + n - 1ul;
    ulong p = a, q = (1ul << 52) - a, d = b64 >> 12, u = 1, v = 1;
    if (d < w) return true;
    if (p == 0) return false;
    for (uint turn = 0; turn < 1024u; turn++) {
        if (d < p) {
            ulong k = q / p;
            q -= k * p;
            u = add_sat(u, saturating_product(k, v));
            if (q == 0 || add_sat(u, v) >= n) return false;
            p -= q;
            v += u;
        } else {
            d -= p;
            if (d < w) return true;
            ulong k = p / q;
            p -= k * q;
            v = add_sat(v, saturating_product(k, u));
            if (p == 0 || add_sat(v, u) >= n) return false;
            q -= p;
            u += v;
        }
        if (p == 0 || q == 0) return false;
    }
    return true;
}

#ifdef LEFEVRE
#define TEST is_lefevre
#else
#define TEST is_regular
#endif

inline void append(uint i, uint room, global uint *passed, global uint *found) {
    uint place = atomic_inc(found);
    if (place < room) passed[place] = i;
}

// Appends the numbers of the lines (a[i], b[i]) that pass. `found` counts all; those past `room` are not written.
kernel void lines(global const ulong *a, global const ulong *b, uint count, ulong n, ulong w, uint room,
                  global uint *passed, global uint *found) {
    uint i = get_global_id(0);
    if (i < count && TEST(a[i], b[i], n, w)) append(i, room, passed, found);
}

// Integers modulo 2^128.
typedef struct { ulong low, high; } wide;
inline wide plus(wide a, wide b) {
    wide sum = {a.low + b.low, a.high + b.high};
    if (sum.low < a.low) sum.high += 1ul;
    return sum;
}
inline wide times(wide a, ulong b) {
    wide product = {a.low * b, a.high * b + mul_hi(a.low, b)};
    return product;
}

// The same for the domains of n arguments of a cubic c0 + c1 x + c2 x^2 + c3 x^3 (fractions of 2^-128): domain i
// begins at x = first + i n, with the line a = -(slope + bend n), b = value + above there.
kernel void domains(global const wide *c, ulong first, uint count, ulong n, ulong above, ulong w, uint room,
                    global uint *passed, global uint *found) {
    uint i = get_global_id(0);
    if (i >= count) return;
    ulong x = first + i * n;
    // The polynomial with its origin at x.
    wide twist = times(c[3], x), square = plus(c[2], times(twist, 3ul));
    wide value = plus(c[0], times(plus(c[1], times(plus(c[2], twist), x)), x));
    wide slope = plus(plus(c[1], times(plus(c[2], square), x)), times(square, n));
    if (TEST(0ul - slope.high, value.high + above, n, w)) append(i, room, passed, found);
}

inline float fraction(float s) { return s - (float)(int)s; }

// Words of a cell: z[3], h[3], y[2], per, ratio, min_y, row_slope, row_offset, width, slack, count.
// A group of 128 items a cell; bit i % 32 of word i / 32 of the cell's four for domain i.
kernel void rows(global const uint *cells, global uint *hits) {
    uint i = get_local_id(0);
    global const uint *cell = cells + 16u * get_group_id(0);
    local uint words[4];
    if (i < 4u) words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pairs = i * (i - 1u) / 2u;
    uint zi = cell[0] + i * cell[1] + pairs * cell[2], hi = cell[3] + i * cell[4] + pairs * cell[5];
    float y = (float)(int)(cell[6] + i * cell[7]);
    float per = as_float(cell[8]), ratio = as_float(cell[9]), min_y = as_float(cell[10]);
    y = y > min_y ? y : min_y;
    float z = as_float(zi >> 9 | 0x3f800000u), h = as_float(hi >> 9 | 0x3f800000u);
    float t = per / y, slope = t - ratio, s0 = (z - 1.0f) * slope + h, s1 = s0 + slope;
    float limit = as_float(cell[11]) * y + as_float(cell[12]), width = as_float(cell[13]) * t + as_float(cell[14]);
    bool hit = (z - 1.0f <= limit && fraction(s0) <= width) || (z <= limit && fraction(s1) <= width);
    if (i < cell[15] && hit) atomic_or(&words[i >> 5], 1u << (i & 31u));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4u) hits[4u * get_group_id(0) + i] = words[i];
}
