//! Sums and dot products allocate nothing.

use hotloops::reduce::{self, Repro};

use crate::counting::calls;

#[test]
fn sums_allocate_nothing() {
    let x = vec![1.0f64; 100_000];
    let mut sum = Repro::new();
    let reductions = calls(|| {
        let plain = [reduce::sum(&x), reduce::asum(&x), reduce::dot(&x, &x).unwrap()];
        sum.extend(&x);
        let sums = [plain, [reduce::sum2(&x), reduce::kahan(&x), reduce::sum_repro(&x)]];
        assert_eq!(sums, [[1e5; 3]; 2]);
        assert_eq!(reduce::dot2(&x, &x), Ok(1e5));
    });
    assert_eq!(reductions, 0);
}
