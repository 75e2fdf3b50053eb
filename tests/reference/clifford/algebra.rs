//! Generators, products and the order of blades.

use hotloops::clifford::Signature;

use crate::clifford::signatures;

#[test]
fn generators_anticommute_and_have_their_squares() {
    for signature in signatures() {
        for (i, &square) in signature.squares().iter().enumerate() {
            let e = signature.index(1 << i);
            assert_eq!(signature.product(e, e), (0, square));
            for k in 0..i {
                let other = signature.index(1 << k);
                let (blade, sign) = signature.product(other, e);
                assert_eq!((signature.bitmap(blade), sign), (1 << i | 1 << k, 1));
                assert_eq!(signature.product(e, other), (blade, -1));
            }
        }
    }
}

#[test]
fn products_are_associative() {
    for signature in signatures() {
        let blades = signature.blades();
        for (p, q, r) in (0..blades * blades * blades).map(|i| (i % blades, i / blades % blades, i / blades / blades)) {
            let (pq, first) = signature.product(p, q);
            let (left, second) = signature.product(pq, r);
            let (qr, third) = signature.product(q, r);
            let (right, fourth) = signature.product(p, qr);
            assert_eq!((left, first * second), (right, third * fourth), "{signature:?} {p} {q} {r}");
        }
    }
}

#[test]
fn blades_are_ordered_by_grade_then_by_generators() {
    let signature = Signature::new(&[0, 1, 1, 1]).unwrap();
    let bitmaps: Vec<_> = (0..16).map(|index| signature.bitmap(index)).collect();
    assert_eq!(bitmaps, [0, 1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14, 15]);
    let bitmaps: Vec<_> = (0..8).map(|index| Signature::new(&[1, 1, 1]).unwrap().bitmap(index)).collect();
    assert_eq!(bitmaps, [0, 1, 2, 4, 3, 5, 6, 7]);
    let nonzero = (0..16).map(|j| signature.factors(j).count()).sum::<usize>();
    assert_eq!(nonzero, 192);
}
