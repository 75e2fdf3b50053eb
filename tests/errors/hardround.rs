//! Hard-to-round cases: bad input returns an error that names it, and nothing is searched.

use hotloops::Error;
use hotloops::hardround::{self, Block, MAX_ARGUMENTS, MAX_DEGREE, MAX_LENGTH, MAX_WITHIN, Scan, Series, Test};

fn proof<T>(argument: &'static str) -> Result<T, Error> {
    Err(Error::Proof { argument })
}

#[test]
fn domains() {
    let mut bits = [7; 2];
    for test in [Test::Regular, Test::Lefevre] {
        let mut exists = |a: &[u64], b: &[u64], n, bytes| hardround::exists(a, b, n, 1, test, &mut bits[..bytes]);
        assert_eq!(exists(&[1; 9], &[1; 8], 5, 2), Err(Error::Length { argument: "b", expected: 9, found: 8 }));
        assert_eq!(exists(&[1; 9], &[1; 9], 5, 1), Err(Error::Length { argument: "bits", expected: 2, found: 1 }));
        assert_eq!(exists(&[1; 8], &[1; 8], MAX_ARGUMENTS + 1, 1), proof("n"));
        assert_eq!(bits, [7; 2]);
    }
}

#[test]
fn searches() {
    assert_eq!(Scan::new(MAX_WITHIN + 1).map(|_| ()), proof("within"));
    let mut scan = Scan::new(MAX_WITHIN).unwrap();
    let nothing = |_| panic!("nothing is searched");
    assert_eq!(scan.block(&Block::default(), MAX_LENGTH + 1, nothing), proof("length"));
}

#[test]
fn series() {
    assert_eq!(Series::new(&[], 5).map(|_| ()), proof("taylor"));
    assert_eq!(Series::new(&[[0; 4]; MAX_DEGREE + 2], 5).map(|_| ()), proof("taylor"));
    assert_eq!(Series::new(&[[0; 4]; MAX_DEGREE + 1], 33).map(|_| ()), proof("log2_length"));
    assert!(Series::new(&[[0; 4]; MAX_DEGREE + 1], 32).is_ok());
}
