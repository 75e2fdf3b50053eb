// Constants of vectors, for SSE2, AVX2 and AVX-512. An including file defines LANES, the number of 32-bit
// lanes; 1 for values that the instructions broadcast.

        // A label, and the value in all lanes.
        .macro constant label, value, lanes=LANES
\label:
        .fill   \lanes, 4, \value
        .endm
