//! Every rung's result is right.

use std::time::Duration;

use super::run;
use crate::ladder::{Effort, Part};

#[test]
fn every_rung_is_right() {
    let effort = Effort { budget: Duration::ZERO, is_quick: true, threads: vec![1, 2] };
    let mut names = Vec::new();
    for part in run(&effort, &mut |_| ()) {
        match part {
            Part::Table(table) => {
                let wrong: Vec<_> = table.rows.iter().filter(|row| !row.is_verified).collect();
                assert!(wrong.is_empty(), "{}: {wrong:?}", table.name);
                names.push(table.name);
            }
            Part::Curves(curves) => {
                assert!(curves.lines.iter().all(|line| line.is_verified), "{}", curves.name);
                names.push(curves.name);
            }
        }
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (14, 14), "{names:?}");
}
