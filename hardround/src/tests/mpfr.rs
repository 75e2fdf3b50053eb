//! The judge of this crate against MPFR.

use super::*;
use crate::functions::ALL;
use crate::{Format, Problem, mpfr};

/// Arguments of each function in several formats and modes, some of them exact cases.
#[test]
fn both_judges_agree() {
    let mut random = Random(11);
    let (mut judged, mut exact) = (0, 0);
    for &function in ALL {
        for format in [Format::BINARY16, Format::BINARY32, Format::BINARY64, Format::X87] {
            for modes in [Modes::All, Modes::Nearest, Modes::Directed] {
                let (least, most) = function.domain();
                let is_exact = function.exact(Dyadic { m: 1, e: 0 }).is_some() && most > 1.0;
                let from = f64::max(least, if is_exact { 1.0 } else { 0.5 * most.min(1.0) });
                let to = f64::min(1.9 * from, most);
                let problem = Problem { function, format, from, to, grid: None, modes, within: f64::exp2(-20.0) };
                let plan = SearchPlan::new(&problem).unwrap();
                let all = plan.range(&(0..plan.units()));
                for i in 0..40 {
                    let index = if i == 0 { all.start } else { all.start + random.below(all.end - all.start) };
                    let [ours, theirs] = [plan.judge(index), mpfr::judge(&problem, plan.judge(index).x).unwrap()];
                    let name = function.name();
                    assert_eq!((ours.x, ours.class, ours.exact), (theirs.x, theirs.class, theirs.exact), "{name}");
                    let [(one, above), (other, is_above)] = [&ours, &theirs].map(|case| (case.nearest, case.above));
                    assert_eq!((one.to_string(), above), (other.to_string(), is_above), "{name}({})", ours.x);
                    let scale = ours.distance_ulp.abs().max(f64::MIN_POSITIVE);
                    assert!((ours.distance_ulp - theirs.distance_ulp).abs() <= 1e-15 * scale, "{name}({})", ours.x);
                    judged += 1;
                    exact += u32::from(ours.exact);
                }
            }
        }
    }
    assert!(judged == ALL.len() * 4 * 3 * 40 && exact > 100, "{judged} {exact}");
}

/// All cases of windows in which the results are subnormal, next to 1 or of large arguments.
#[test]
fn both_judges_agree_about_cases() {
    for (name, from, to) in [
        ("exp", -708.6, -708.599_999),
        ("exp", -735.0, -734.999),
        ("exp", f64::exp2(-44.0), f64::exp2(-44.0) * 1.000_000_01),
        ("sin", f64::exp2(30.0), f64::exp2(30.0) + 0.5),
        ("erfc", 20.0, 20.000_000_03),
        ("erfc", 26.3, 26.300_000_03),
        ("erfc", 27.0, 27.000_000_03),
    ] {
        let function = crate::functions::by_name(name).unwrap();
        let (format, modes, within) = (Format::BINARY64, Modes::All, f64::exp2(-16.0));
        let problem = Problem { function, format, from, to, grid: None, modes, within };
        let plan = SearchPlan::new(&problem).unwrap();
        let found = plan.search(0, Algorithm::Dual).unwrap();
        assert!(!found.is_empty(), "{name} from {from}");
        let ends = found.streams.iter().flat_map(|stream| [stream.start, stream.end - 1]);
        for index in found.cases.iter().copied().take(500).chain(ends.take(100)) {
            let [ours, theirs] = [plan.judge(index), mpfr::judge(&problem, plan.judge(index).x).unwrap()];
            assert_eq!(
                theirs,
                Judged { distance_ulp: theirs.distance_ulp, bits_after_round: theirs.bits_after_round, ..ours }
            );
            assert!((ours.distance_ulp / theirs.distance_ulp - 1.0).abs() < 1e-15);
            assert!(theirs.distance_ulp.abs() < within);
        }
    }
}
