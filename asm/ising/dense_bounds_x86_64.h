// The constants of the dense bounds, for SSE2, AVX2 and AVX-512; RODATA includes them.

        constant .Lone, 1                                       // the lowest bit
        constant .Ltop, 0x80000000                              // 2^31
        constant .Lshift, 0xe0cafb0d                            // 64 in the exponent, minus the bits of sqrt(1/2)
        constant .Lmantissa, 0x7fffff
        constant .Lhalf, 0x3f3504f3                             // the bits of sqrt(1/2)
        constant .Lunit, 0x3f800000                             // 1.0
        constant .Lc6, 0x3df239cb                               // coefficients of ln(1 + t) / t
        constant .Lc5, 0xbe418e68
        constant .Lc4, 0x3e52fdf3
        constant .Lc3, 0xbe7ec8f0
        constant .Lc2, 0x3eaa834c
        constant .Lc1, 0xbf00014a
        constant .Lc0, 0x3f80001b
        constant .Lexponent_metropolis, 0x42be0000              // 95.0
        constant .Lexponent_heat, 0x42800000                    // 64.0
        constant .Lln2, 0x3f317218
        constant .Llargest, 0x46fffe80                          // 32767.25
.Lsmallest_metropolis:                  // 0.25
        constant .Lsmallest_level_metropolis, 0x3e800000
        constant .Lsmallest_heat, 0xc6ffff80                    // -32767.75
        constant .Llargest_level, 0x4effffff                    // 2147483520.0
        constant .Lsmallest_level_heat, 0xcf000000              // -2147483648.0
        constant .Lmagnitude, 0x7fffffff
        constant .Lrelative, 0x34d6bf95                         // 4e-7
        constant .Ledge, 0x49000000                             // 2^19
