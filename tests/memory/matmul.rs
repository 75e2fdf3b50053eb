//! Matrix products allocate at most their workspace, whose size is bounded.

use hotloops::matmul::{MatMut, MatRef, Options, PackedB, Plan, Strides, gemm, gemm_in, gemm_packed};

use crate::counting::calls;

#[test]
fn products_allocate_nothing_in_a_workspace() {
    for (n, own) in [(4, 0), (40, 0), (160, 2)] {
        for strides in [Strides::row_major(n), Strides::column_major(n), Strides { row: 2, column: 2 * n as isize }] {
            let a = vec![1.0f32; 2 * n * n];
            let mut c = vec![0.0f32; 2 * n * n];
            let (alpha, options) = (0.5, Options::default());
            let plan = Plan::new([n; 3], strides, strides, strides, &options).unwrap();
            let mut workspace = vec![0; plan.workspace_bytes()];
            let view = MatRef::strided(&a, n, n, strides).unwrap();
            let mut target = MatMut::strided(&mut c, n, n, strides).unwrap();
            let in_workspace = calls(|| {
                gemm_in(alpha, view, view, 1.0, target.reborrow(), &options, Some(&mut workspace)).unwrap();
            });
            assert_eq!(in_workspace, 0, "{n}, {strides:?}");
            // `gemm` allocates and frees its own workspace.
            assert!(calls(|| gemm(alpha, view, view, 1.0, target.reborrow()).unwrap()) <= own, "{n}, {strides:?}");
            let mut memory = vec![0.0; PackedB::<f32>::len(n, n).unwrap()];
            let mut large = vec![0; 4 << 20];
            let packed = calls(|| {
                let b = PackedB::new(view, &mut memory, &options).unwrap();
                gemm_packed(alpha, view, &b, 1.0, target.reborrow(), &options, Some(&mut large)).unwrap();
            });
            assert_eq!(packed, 0, "{n}, {strides:?}");
            assert_eq!(calls(|| plan.run(alpha, &a, &a, 1.0, &mut c, &mut workspace).unwrap()), 0, "{n}, {strides:?}");
        }
    }
}

#[test]
fn no_workspace_is_larger_than_four_mebibytes() {
    for n in [1, 100, 1000, 10_000, 100_000] {
        for m in [1, 20, 5000, 1 << 20] {
            for k in [1, 300, 3000, 1 << 20] {
                for c in [Strides::row_major(n), Strides::column_major(m), Strides { row: 3 * n as isize, column: 3 }] {
                    let [a, b] = [Strides::column_major(m), Strides::column_major(k)];
                    let plan = Plan::<f64>::new([m, n, k], a, b, c, &Options::default()).unwrap();
                    assert!(plan.workspace_bytes() <= 4 << 20, "{m} x {n} x {k}: {}", plan.workspace_bytes());
                }
            }
        }
    }
}
