//! Which test holds which kernel's reference to the outside: variants are compared with references,
//! so nothing else would see a wrong one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A test function, its file, and kernels that it calls through the safe functions.
const OUTSIDE: &[(&str, &str, &[&str])] = &[
    ("published_outputs_by_seed", "reference/random.rs", &["random/mt19937_u32"]),
    ("floats_are_the_upper_24_bits", "reference/random.rs", &["random/mt19937_f32"]),
    ("fast_at_all_floats", "reference/exp.rs", &["exp/fast_f32"]),
    ("accurate_at_all_floats", "reference/exp.rs", &["exp/accurate_f32"]),
    ("poly_at_all_floats", "reference/exp.rs", &["exp/poly_f32"]),
    ("every_bit_of_a_block", "reference/bitslice.rs", &["bitslice/tile_u32", "bitslice/untile_u32"]),
    ("every_distance_of_the_arrays", "reference/bitslice.rs", &["bitslice/tile_u8", "bitslice/untile_u8"]),
    ("every_length_of_64_bits", "reference/bitslice.rs", &["bitslice/cut_tile", "bitslice/join_tile"]),
    (
        "long_arrays_in_blocks",
        "reference/bitslice.rs",
        &[
            "bitslice/slice_u8",
            "bitslice/slice_u16",
            "bitslice/slice_u32",
            "bitslice/slice_u64",
            "bitslice/unslice_u8",
            "bitslice/unslice_u16",
            "bitslice/unslice_u32",
            "bitslice/unslice_u64",
            "bitslice/tile_u16",
            "bitslice/tile_u64",
            "bitslice/untile_u16",
            "bitslice/untile_u64",
            "bitslice/pick",
            "bitslice/count_positions",
            "bitslice/stream",
            "bitslice/prefetch",
        ],
    ),
    ("distances_of_the_multiplied_block", "reference/hamming.rs", &["bitslice/transpose_u64x32x32", "hamming/slices"]),
    (
        "all_pairs_with_packed_rows",
        "reference/hamming.rs",
        &[
            "hamming/intersections",
            "hamming/counts",
            "hamming/distances",
            "hamming/tanimoto",
            "hamming/dice",
            "hamming/cosine",
        ],
    ),
    ("one_row_with_many", "reference/hamming.rs", &["hamming/shared", "hamming/differing"]),
    ("every_search_equals_brute_force", "switched/fingerprints.rs", &["hamming/misses"]),
    (
        "lanes_and_tree_are_those_of_the_documentation",
        "reference/reduce/order.rs",
        &["reduce/sum_f32", "reduce/asum_f32", "reduce/dot_f32", "reduce/sum_f64", "reduce/asum_f64", "reduce/dot_f64"],
    ),
    (
        "errors_are_within_their_bounds",
        "reference/reduce/rounding.rs",
        &[
            "reduce/sum2_f32",
            "reduce/dot2_f32",
            "reduce/kahan_f32",
            "reduce/binned_f32",
            "reduce/sum2_f64",
            "reduce/dot2_f64",
            "reduce/kahan_f64",
        ],
    ),
    ("the_reproducible_sum_is_its_definition", "reference/reduce/repro.rs", &["reduce/binned_f64"]),
    (
        "the_reproducible_dot_product_is_its_definition",
        "reference/reduce/repro.rs",
        &["reduce/products_f32", "reduce/products_f64"],
    ),
    ("exact_sums_are_exact_up_to_the_last_span", "reference/reduce/repro.rs", &["reduce/exact_f32"]),
    (
        "rows_of_a_matrix_have_the_sums_of_their_elements",
        "reference/reduce/order.rs",
        &["reduce/column_sums_f32", "reduce/column_sums_f64"],
    ),
    ("words_are_exchanged", "reference/reduce/vectors.rs", &["reduce/swap_u32"]),
    (
        "vectors_of_integers_are_exact_in_f32",
        "reference/reduce/vectors.rs",
        &[
            "reduce/axpy_f32",
            "reduce/scal_f32",
            "reduce/rot_f32",
            "reduce/amax_f32",
            "reduce/axpy_complex_f32",
            "reduce/scal_complex_f32",
            "reduce/amax_complex_f32",
            "reduce/dot_pairs_f32",
            "reduce/dot_crossed_f32",
        ],
    ),
    (
        "vectors_of_integers_are_exact_in_f64",
        "reference/reduce/vectors.rs",
        &[
            "reduce/axpy_f64",
            "reduce/scal_f64",
            "reduce/rot_f64",
            "reduce/amax_f64",
            "reduce/axpy_complex_f64",
            "reduce/scal_complex_f64",
            "reduce/amax_complex_f64",
            "reduce/dot_pairs_f64",
            "reduce/dot_crossed_f64",
        ],
    ),
    (
        "bits_are_those_of_a_chain_where_products_are_cut",
        "reference/matmul/chains.rs",
        &[
            "matmul/block_f32",
            "matmul/columns_f32",
            "matmul/transpose_f32",
            "matmul/block_f64",
            "matmul/columns_f64",
            "matmul/transpose_f64",
        ],
    ),
    (
        "bits_of_vectors_and_outer_products_are_those_of_a_chain",
        "reference/matmul/vectors.rs",
        &["matmul/vector_f32", "matmul/outer_f32", "matmul/vector_f64", "matmul/outer_f64"],
    ),
    (
        "bits_of_tiny_products_are_those_of_a_chain",
        "reference/matmul/chains.rs",
        &["matmul/tiny_f32", "matmul/tiny_f64"],
    ),
    ("dot_products_are_those_of_lanes", "reference/matmul/dots.rs", &["matmul/dots_f32", "matmul/dots_f64"]),
    (
        "both_modes_give_the_products_of_the_definition",
        "reference/clifford/linear.rs",
        &["clifford/forms_f32", "clifford/forms_f64", "clifford/blades_f32", "clifford/blades_f64"],
    ),
    ("images_agree_with_all_pairs_one_by_one", "reference/correlation/images.rs", &["correlation/offsets"]),
    (
        "points_agree_with_all_pairs_one_by_one",
        "reference/correlation/points.rs",
        &["correlation/scatter", "correlation/scatter_below", "correlation/edges", "correlation/counts"],
    ),
    (
        "transforms_agree_with_all_pairs_one_by_one",
        "reference/correlation/methods.rs",
        &["correlation/ntt_forward", "correlation/ntt_inverse", "correlation/ntt_combine", "correlation/ntt_multiply"],
    ),
    ("no_test_misses_a_case", "reference/hardround.rs", &["hardround/regular", "hardround/lefevre"]),
    ("any_polynomial_and_any_bound", "reference/hardround.rs", &["hardround/exhaust", "hardround/rows"]),
    ("long_parts", "reference/hardround.rs", &["hardround/arcs", "hardround/dual", "hardround/refine"]),
    (
        "every_shape_is_the_textbook_s",
        "switched/ising/trajectories.rs",
        &[
            "ising/sweep_fast_f32",
            "ising/sweep_poly_f32",
            "ising/sweep_heat_fast_f32",
            "ising/sweep_heat_poly_f32",
            "ising/scatter_fast_f32",
            "ising/scatter_poly_f32",
            "ising/scatter_heat_fast_f32",
            "ising/scatter_heat_poly_f32",
            "ising/sweep_i8",
            "ising/sweep_heat_i8",
            "ising/sweep_i16",
            "ising/sweep_heat_i16",
        ],
    ),
    (
        "dense_models_are_the_plain_loop_s",
        "switched/ising/dense.rs",
        &["ising/dense_bounds", "ising/dense_heat_bounds", "ising/dense_flips", "ising/dense_update"],
    ),
    (
        "real_couplings_are_the_plain_loop_s",
        "switched/ising/dense.rs",
        &["ising/dense_levels", "ising/dense_heat_levels", "ising/dense_flips_i32", "ising/dense_update_i32"],
    ),
    (
        "single_systems_are_the_textbook_s",
        "switched/ising/trajectories.rs",
        &["ising/sweep_blocks_i8", "ising/sweep_heat_blocks_i8"],
    ),
    (
        "single_systems_in_f32_are_the_textbook_s",
        "switched/ising/trajectories.rs",
        &["ising/sweep_blocks_f32", "ising/sweep_heat_blocks_f32"],
    ),
    (
        "single_systems_in_fixed_point_are_the_textbook_s",
        "switched/ising/trajectories.rs",
        &["ising/sweep_blocks_i64", "ising/sweep_heat_blocks_i64"],
    ),
    (
        "products_of_every_algebra_and_number_are_those_of_the_table",
        "reference/clifford/products.rs",
        &[
            "clifford/multiply_f32",
            "clifford/multiply_f64",
            "clifford/common_product_f32",
            "clifford/common_product_f64",
        ],
    ),
    ("activations_of_floats_are_their_formulas", "reference/clifford_act.rs", &["clifford/gate_f32"]),
    (
        "sandwiches_of_every_algebra_and_number_are_two_products",
        "reference/clifford/products.rs",
        &["clifford/common_sandwich_f32", "clifford/common_sandwich_f64"],
    ),
    (
        "weighted_products_of_every_algebra_and_number_are_those_of_the_table",
        "reference/clifford/weighted.rs",
        &["clifford/common_weighted_f32", "clifford/common_weighted_f64"],
    ),
    (
        "every_number_of_copies_is_the_plain_loop_s",
        "switched/ising/bits.rs",
        &["ising/sweep_bits", "ising/sweep_heat_bits"],
    ),
    ("lattices_are_the_plain_loop_s", "switched/ising/lattice.rs", &["ising/sweep_lattice"]),
    (
        "means_of_random_models_are_those_of_the_trotter_sum",
        "switched/worldlines.rs",
        &[
            "ising/worldline_breaks",
            "ising/worldline_sweep_i32",
            "ising/worldline_sweep_f64",
            "ising/worldline_overlaps",
        ],
    ),
];

#[test]
fn every_kernel_is_held_to_the_outside() {
    let named: BTreeSet<_> = OUTSIDE.iter().flat_map(|(.., kernels)| *kernels).map(|name| name.to_string()).collect();
    let kernels = hotloops::kernels().map(|kernel| kernel.name());
    let kernels: BTreeSet<_> = kernels.map(|(family, name)| format!("{family}/{name}")).collect();
    let missing: Vec<_> = kernels.difference(&named).collect();
    assert!(missing.is_empty(), "no test in tests/reference or tests/switched is named here for {missing:?}");
    let unknown: Vec<_> = named.difference(&kernels).collect();
    assert!(unknown.is_empty(), "no kernels: {unknown:?}");
}

#[test]
fn the_tests_named_exist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    if !folder.is_dir() {
        return println!("not run: there are no sources here");
    }
    for (test, file, _) in OUTSIDE {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(&format!("#[test]\nfn {test}() {{")), "{file} has no test {test}");
    }
}
