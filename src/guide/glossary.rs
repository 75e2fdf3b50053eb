//! Terms used throughout the documentation.
//!
//! # Everywhere
//! - **kernel**: one function with a C symbol, a scalar reference and a table of variants.
//! - **variant**: one implementation of a kernel: an instruction set and a form (reference,
//!   intrinsics, assembly).
//! - **row** of a kernel: a variant's entry in the kernel's table, best first. (A *row* of a matrix
//!   or of bits is just that.)
//! - **cap**: the best instruction set that calls may use, set by `HOTLOOPS_ISA` or
//!   [`isa::set`](crate::isa::set).
//! - **lane**: one element of a vector register. In [`random`](crate::random) and
//!   [`reduce`](crate::reduce) also one of the independent streams or partial sums that the
//!   *contract* fixes, whatever the vector length of the CPU.
//! - **tail**: the elements left over after the last whole vector or block.
//! - **quantum**: the unit of a model; all its values are integer multiples of it.
//!
//! # [`random`](crate::random)
//! - **interlaced**: word `i` of generator `l` is stored at index `i * lanes + l`, so that one
//!   vector holds the same word of all generators.
//!
//! # [`bitslice`](crate::bitslice)
//! - **plane**: one bit of every element, packed; bit-slicing turns an array of integers into
//!   planes.
//! - **slice**, **tile**: two layouts of planes. Sliced planes are contiguous over the whole array
//!   (or block); a tile holds all planes of 64 elements.
//! - **chunk**, **block**: 512 elements, the unit of the kernels; 2048 elements, the unit of the
//!   in-place transposition.
//!
//! # [`hamming`](crate::hamming)
//! - **popcount**: the number of set bits.
//! - **sketch**, **fingerprint**: a row of bits that describes an object; similar objects have
//!   similar rows.
//!
//! # [`fingerprints`](crate::fingerprints)
//! - **index**, **position**: rows stored as bit planes, sorted by popcount; the place of a row in
//!   that order.
//! - **miss**: a one of the query that a row lacks (or of the row that the query lacks). A row with
//!   more misses than its **budget** is **dead**; a **survivor** is tested with its score.
//!
//! # [`reduce`](crate::reduce)
//! - **compensation term**: the accumulated rounding errors of a sum, kept separately.
//! - **binned sum**: a sum whose terms are split into parts of fixed magnitude, so that the result
//!   is independent of their order.
//!
//! # [`matmul`](crate::matmul)
//! - **panel**: the rows of A or columns of B that one blocking pass keeps in a cache.
//! - **sliver**: the part of a panel that one micro-kernel call reads: a few rows of A, or a few
//!   columns of B, packed.
//! - **tile**: the block of C that a micro-kernel keeps in registers.
//!
//! # [`clifford`](crate::clifford)
//! - **generator**, **square**: e1, e2, ..; the square of a generator is +1, -1 or 0.
//! - **blade**, **grade**: a product of different generators; their number.
//! - **multivector**: one coefficient for each blade.
//! - **signature**: the squares of the generators, which determine the algebra.
//! - **reverse**, **grade involution**: signs of the blades, for the generators in reverse order; for
//!   their negatives.
//! - **path**: the grades of two factors and of the part of their product that a weight counts for.
//! - **tap**: one of the points of a convolution's kernel.
//! - **pass**, **form**: a product of real matrices that is part of a product of multivectors; a sum of
//!   blades with signs, which is an entry of such a matrix.
//!
//! # [`correlation`](crate::correlation)
//! - **cell**: a rectangle of the plane; points are sorted by cell, and only nearby cells are
//!   compared.
//! - **word**: a 64-bit entry of a table, for one bin or one edge: the number of pairs and the sum of their products.
//! - **tile**: up to 16 points of neighbouring cells of a row, which are compared with those of another tile at once.
//! - **edge**: a limit of a distance bin. (In [`ising`](crate::ising), an edge of a graph is a coupling.)
//! - **psi**: the orientation of a point as a complex number of magnitude at most 1.
//! - **image**: a copy of a point, shifted by whole periods. (An
//!   [`Image`](crate::correlation::Image) is a grid of pixels.)
//!
//! # [`hardround`](crate::hardround)
//! - **breakpoint**: a number at which rounding changes; for rounding to nearest a **midpoint**
//!   between two neighbouring floats.
//! - **hard case**: an argument whose function value is closer to a breakpoint than a given bound.
//! - **exact case**: an argument whose result is a breakpoint.
//! - **stream**: a long run of consecutive arguments that are all hard cases.
//! - **unit**: up to 2^34 arguments, the smallest part of a search that a thread, rank or
//!   checkpoint handles.
//! - **self-check**: a second search of sampled blocks, by another algorithm.
//! - **judge**: the evaluation that decides a candidate: by the search's own arithmetic, or by MPFR.
//! - **domain**: an interval of arguments over which the ulp of the argument and of the result is
//!   constant.
//! - **block**: a run of arguments for which one Taylor polynomial is used.
//! - **survivor**: an argument that the fast test could not exclude; it is checked exactly.
//!
//! # [`ising`](crate::ising)
//! - **site**, **layer**: a layered model has the same graph of sites in each layer; spin (layer,
//!   site) is also coupled to its two neighbours in the adjacent layers (imaginary time, for a
//!   quantum model).
//! - **group**: 16, 32 or 64 layers whose spins at one site share a vector.
//! - **local field**: the derivative of the energy with respect to a spin, up to its sign: field
//!   plus the sum of coupling times neighbour.
//! - **sweep**: one visit of every spin.
//! - **rung**: one temperature (or transverse field) of the ladder of a replica exchange.
//! - **replica**: one configuration that moves along the ladder.
