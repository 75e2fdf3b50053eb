// Constants of vectors, for SSE2 and AVX2. An including file defines LANES, the 32-bit lanes of a vector.

        // A label, and the value in all lanes.
        .macro constant label, value
\label:
        .fill   LANES, 4, \value
        .endm
