//! Every function against published cases, other libraries and judgements of every argument.

use super::*;
use crate::functions::ALL;
use crate::{Algorithm, Problem, SearchPlan, functions};

/// Hard cases from the lists of CORE-MATH (files NAME.wc, four of each at random): the function, the
/// bits of the argument, and -log2 of the distance to the nearest breakpoint in half ulps, computed
/// with 400 bits by mpmath.
const PUBLISHED: &[(&str, u64, f64)] = &[
    ("exp", 0x4080_ad70_d4e9_3da7, 44.078),
    ("exp", 0xbf92_3ee7_d72d_c652, 44.483),
    ("exp", 0xc021_ffc2_214e_43ab, 44.665),
    ("exp", 0xbe8b_83db_1e11_41ef, 45.954),
    ("exp2", 0xbec5_973d_14e3_e12f, 44.578),
    ("exp2", 0xbe9e_15e4_cb95_0d10, 45.265),
    ("exp2", 0xbf8b_5a64_691e_bd72, 46.437),
    ("exp2", 0xc008_7c48_c24b_c6ba, 44.239),
    ("exp10", 0x3f58_9b7e_b990_b30a, 45.539),
    ("exp10", 0xbe57_6ef1_efb6_ca65, 44.445),
    ("exp10", 0xbe5b_e6fa_2f89_37db, 44.272),
    ("exp10", 0x3ffd_7780_fd73_91a7, 46.678),
    ("expm1", 0xbefa_7343_943b_b154, 45.738),
    ("expm1", 0xc005_426d_2529_5ef7, 43.271),
    ("expm1", 0xbee2_ad0b_64ab_4c19, 43.942),
    ("expm1", 0x4065_3893_5ac1_b369, 43.589),
    ("exp2m1", 0xbe91_cebb_b647_2765, 44.727),
    ("exp2m1", 0xbf16_2cd4_3888_b953, 45.580),
    ("exp2m1", 0xbec8_240b_6fe1_6ce9, 43.520),
    ("exp2m1", 0xbf21_32a6_b931_e1ab, 44.663),
    ("log", 0x47b7_1bcd_e155_07d9, 47.069),
    ("log", 0x7def_6c5a_1f1a_2c82, 49.942),
    ("log", 0x457a_195a_f6a1_ffba, 49.126),
    ("log", 0x7df2_3899_5541_5083, 47.032),
    ("log2", 0x3ee0_ba96_0b49_7f83, 44.958),
    ("log2", 0x3fe6_0e86_e038_0a64, 44.378),
    ("log2", 0x3fea_fb45_c873_1320, 44.308),
    ("log2", 0x3f69_f4f6_13f0_239a, 44.486),
    ("log10", 0x6162_09ac_b96d_4893, 48.899),
    ("log10", 0x78af_c987_679b_f1da, 49.382),
    ("log10", 0x5a3e_055f_3c62_ab8a, 48.383),
    ("log10", 0x561f_1fa2_9a88_285f, 49.035),
    ("log1p", 0xbf7b_491b_e713_f912, 48.791),
    ("log1p", 0x5436_030d_a78f_4825, 47.040),
    ("log1p", 0x679e_300e_5440_15a5, 47.500),
    ("log1p", 0x615f_190b_b365_e1a6, 48.666),
    ("log2p1", 0xbfea_38fc_f847_bed4, 43.735),
    ("log2p1", 0xbfee_47ad_e611_9b7d, 44.428),
    ("log2p1", 0xbfe6_443f_7700_264e, 43.905),
    ("log2p1", 0xbfe8_67c8_d38b_16ea, 44.312),
    ("log10p1", 0x3fe0_c721_2e2b_0b99, 45.659),
    ("log10p1", 0x3fe0_c05b_59e9_4928, 43.266),
    ("log10p1", 0x3fe1_c042_0df5_9489, 43.589),
    ("log10p1", 0x3fe0_51e8_b5a9_fafc, 45.067),
    ("cbrt", 0x3ffe_622e_465e_efe6, 44.621),
    ("cbrt", 0x3ff2_feaa_c55e_c287, 44.066),
    ("cbrt", 0x3ffa_76be_b272_82a2, 45.138),
    ("cbrt", 0x400f_4360_dfbb_56a1, 44.921),
    ("rsqrt", 0x3fe3_d878_80f6_8800, 46.046),
    ("rsqrt", 0x3feb_9169_33fd_4487, 43.274),
    ("rsqrt", 0x3ffb_4e0e_dfd7_b765, 45.757),
    ("rsqrt", 0x3ff8_200d_4c50_796c, 45.491),
    ("sin", 0x3e57_1374_4912_3fda, 43.113),
    ("sin", 0x3f6c_14fb_0505_3410, 44.978),
    ("sin", 0x3e6e_3cf4_7654_2be2, 44.057),
    ("sin", 0x403b_d06f_91c0_47c7, 43.263),
    ("cos", 0x7546_ac5b_262c_a1ff, 60.776),
    ("cos", 0x3e84_7e70_54af_0990, 43.422),
    ("cos", 0x3f1e_2355_6296_d15b, 44.006),
    ("cos", 0x3e78_a85c_24f7_0660, 43.351),
    ("tan", 0x400b_d8d5_c280_05fa, 44.103),
    ("tan", 0x3ece_3700_2f7d_dbe8, 43.420),
    ("tan", 0x4025_b9d4_0665_a545, 43.081),
    ("tan", 0x3f25_2ab1_eb53_16e0, 45.230),
    ("asin", 0x3f02_5ef7_84be_e893, 44.196),
    ("asin", 0x3edd_772d_497c_840a, 44.806),
    ("asin", 0x3ee7_7b68_c189_9f2a, 45.158),
    ("asin", 0x3fad_5f52_16b0_d41e, 46.483),
    ("acos", 0x3e90_e41c_a651_a5f4, 43.507),
    ("acos", 0x3e7e_adb7_1cc6_9886, 43.459),
    ("acos", 0x3e70_4239_e5c6_9896, 44.365),
    ("acos", 0x3ec0_2e86_118a_29bc, 43.373),
    ("atan", 0x4263_beb0_ddc7_211d, 46.058),
    ("atan", 0x3fc2_e5f5_e520_c200, 44.212),
    ("atan", 0x41df_35ae_c001_59f5, 44.089),
    ("atan", 0x40a9_aa53_a1b0_dd04, 44.390),
    ("sinh", 0x406c_1ba5_dc94_b5d7, 45.184),
    ("sinh", 0x3eb5_d52f_5b06_95af, 49.174),
    ("sinh", 0x3fa6_f18d_3ca9_0cf2, 46.020),
    ("sinh", 0x3e6e_3cf4_7654_2be8, 43.571),
    ("cosh", 0x3eb5_c1d6_ba14_3a6d, 44.136),
    ("cosh", 0x3fc9_448e_5fc9_b9a3, 45.756),
    ("cosh", 0x3f4e_d94d_3684_9038, 47.134),
    ("cosh", 0x3e50_0000_0000_009a, 43.733),
    ("tanh", 0x3f31_1334_51c9_4a04, 45.118),
    ("tanh", 0x3f92_4c7e_14c2_fa6e, 44.214),
    ("tanh", 0x3fb6_be5d_06a0_dee2, 43.340),
    ("tanh", 0x3ebf_71e1_cfae_5ed7, 43.271),
    ("asinh", 0x6f01_65db_a914_585f, 44.103),
    ("asinh", 0x431f_b9eb_136f_0bbf, 44.871),
    ("asinh", 0x67b7_3edd_5a2b_2839, 44.112),
    ("asinh", 0x79bf_1888_66a7_c5a3, 44.568),
    ("acosh", 0x7e2f_6d8e_f0cd_7f62, 45.515),
    ("acosh", 0x6931_e545_a1aa_50d7, 44.230),
    ("acosh", 0x5cfe_09c3_2da4_a1b0, 44.466),
    ("acosh", 0x5636_a2d8_08a2_a7ee, 45.238),
    ("atanh", 0x3f0a_c6bb_0243_65c4, 43.277),
    ("atanh", 0x3eb8_7695_d956_369f, 46.177),
    ("atanh", 0x3eeb_8e5c_a33a_4a65, 45.455),
    ("atanh", 0x3f87_94a9_506c_478b, 43.159),
    ("erf", 0x3f24_ab7e_a06c_e56e, 43.655),
    ("erf", 0x3f9d_ee50_20c3_a396, 43.873),
    ("erf", 0x3fb2_5797_46e3_803f, 44.033),
    ("erf", 0x3ff7_359b_acda_aa50, 44.482),
    ("erfc", 0x4028_1108_f0fc_548f, 43.403),
    ("erfc", 0xbfd1_e7b6_951a_1c3c, 45.431),
    ("erfc", 0x4020_430d_467b_d124, 46.525),
    ("erfc", 0x3fda_41c7_c533_b5df, 43.210),
    ("sinpi", 0x3f6c_7cef_bfcd_1424, 46.867),
    ("sinpi", 0x3f2a_1216_40cf_dc3a, 43.299),
    ("sinpi", 0x3f4d_64ca_e255_46a2, 43.863),
    ("sinpi", 0x3e8c_be68_69e6_ae3c, 43.298),
    ("cospi", 0x3f77_57a6_8973_d76c, 45.076),
    ("cospi", 0x4049_73cf_65ee_62a2, 44.749),
    ("cospi", 0x3eb3_8187_d376_dda2, 44.448),
    ("cospi", 0x3fb5_3868_a5aa_89c2, 44.040),
    ("tanpi", 0x3e70_532b_039c_bba0, 44.965),
    ("tanpi", 0x3fc6_a94a_d55e_e392, 48.957),
    ("tanpi", 0x3e51_6378_38c8_fbc0, 44.508),
    ("tanpi", 0x3f42_0929_3568_0ba3, 45.821),
    ("asinpi", 0x3f38_78ad_945a_6d1f, 47.868),
    ("asinpi", 0x3f3c_1249_751e_14a3, 44.462),
    ("asinpi", 0x3e79_c15d_7f4f_5528, 45.674),
    ("asinpi", 0x3fe6_1b0e_f527_6ff4, 46.131),
    ("acospi", 0x3fca_f7bd_c243_ed1b, 45.493),
    ("acospi", 0x3f0e_c6ad_55f2_eb3b, 44.731),
    ("acospi", 0x3ec0_806a_b307_eb41, 43.542),
    ("acospi", 0x3f84_98af_cf5f_9398, 43.176),
    ("atanpi", 0x4233_11fb_3edc_6ef4, 46.896),
    ("atanpi", 0x3fb5_c1ed_a958_f98b, 44.106),
    ("atanpi", 0x41b9_6427_9654_6ee3, 43.468),
    ("atanpi", 0x4170_b7e2_39fc_efc2, 43.400),
];

#[test]
fn published_cases_of_all_functions() {
    for &(name, bits, hardness) in PUBLISHED {
        let function = functions::by_name(name).unwrap();
        let x = f64::from_bits(bits);
        let case = no_failure(segments(function, Modes::All, x, x.next_up(), None))[0].judge(0).unwrap();
        assert!((case.bits_after_round - hardness).abs() < 0.001 && !case.exact, "{name} {hardness} {case:?}");
    }
}

/// Windows of 2^12 arguments in several binades of a function's domain.
fn problems(function: &'static dyn Function) -> Vec<Problem<'static>> {
    let (least, most) = function.domain();
    let mut random = Random(9);
    let mut problems = Vec::new();
    for magnitude in [1e-6, 0.01, 0.3, 0.9, 1.5, 7.0, 300.0] {
        for sign in [-1.0, 1.0] {
            let from = sign * magnitude * (1.0 + random.below(1 << 20) as f64 / (1 << 26) as f64);
            let to = from + from.abs() * (-38_f64).exp2();
            if from <= least || to > most {
                continue;
            }
            let grid = Some(Dyadic::of(from).exponent() - 50);
            problems.push(Problem {
                function,
                format: Format::BINARY64,
                from,
                to,
                grid,
                modes: Modes::All,
                within: (-13_f64).exp2(),
            });
        }
    }
    problems
}

/// A search finds what judging every argument finds.
#[test]
fn searches_of_all_functions_are_complete() {
    for &function in ALL {
        let mut cases = 0;
        for problem in problems(function) {
            let plan = no_failure(SearchPlan::new(&problem));
            let all = plan.range(&(0..plan.units()));
            let expected: Vec<u64> = all.filter(|&index| no_failure(plan.is_found(index))).collect();
            let (_, found) = found(&plan, Algorithm::Farey);
            assert_eq!(found, expected, "{problem:?}");
            cases += found.len();
        }
        assert!(cases > 1, "{function:?}: {cases}");
    }
}

/// Bounds over an interval hold at its points.
#[test]
fn bounds_hold() {
    for &function in ALL {
        for problem in problems(function) {
            let plan = no_failure(SearchPlan::new(&problem));
            let segment = plan.segments[0];
            let middle = segment.count / 2;
            let (bounds, _) = segment.bounds(middle, middle);
            for k in [0, middle, segment.count - 1] {
                let (here, _) = segment.bounds(k, 0);
                for (n, (here, bound)) in here.iter().zip(bounds).enumerate() {
                    assert!(*here <= bound + 1e-6 || n > 2 && bound < -80.0, "{segment:?} {n}: {here} {bound}");
                }
            }
        }
    }
}

#[test]
fn exact_cases_of_all_functions() {
    for (name, x, value) in [
        ("expm1", 0.0, 0.0),
        ("exp2m1", 54.0, 18_014_398_509_481_983.0),
        ("exp2m1", -3.0, -0.875),
        ("exp10m1", 3.0, 999.0),
        ("log10", 1e22, 22.0),
        ("log10", 1000.0, 3.0),
        ("log2p1", 7.0, 3.0),
        ("log2p1", -0.75, -2.0),
        ("log10p1", 99.0, 2.0),
        ("cbrt", -27.0, -3.0),
        ("cbrt", 0.125, 0.5),
        ("rsqrt", 0.25, 2.0),
        ("rsqrt", f64::from_bits(1), scaled(1.0, 537)),
        ("pow3o2", 2.25, 3.375),
        ("root4", 16.0, 2.0),
        ("root5", -32.0, -2.0),
        ("acos", 1.0, 0.0),
        ("acosh", 1.0, 0.0),
        ("cosh", 0.0, 1.0),
        ("erfc", 0.0, 1.0),
        ("sinpi", 1.5, -1.0),
        ("sinpi", 2.0, 0.0),
        ("cospi", 1.0, -1.0),
        ("cospi", 0.5, 0.0),
        ("tanpi", -0.25, -1.0),
        ("asinpi", -1.0, -0.5),
        ("acospi", 0.0, 0.5),
        ("atanpi", 1.0, 0.25),
    ] {
        let exact = functions::by_name(name).unwrap().exact(Dyadic::of(x)).map(Dyadic::to_f64);
        assert_eq!(exact, Some(value), "{name}({x})");
    }
    for (name, x) in [
        ("exp2m1", 66.0),
        ("exp10m1", 20.0),
        ("log10", 1e23),
        ("log10", 0.1),
        ("log2p1", 2.0),
        ("cbrt", 2.0),
        ("cbrt", 16.0),
        ("rsqrt", 2.0),
        ("pow3o2", 2.0),
        ("root4", 4.0),
        ("sinpi", 0.25),
        ("tanpi", 0.125),
    ] {
        assert_eq!(functions::by_name(name).unwrap().exact(Dyadic::of(x)), None, "{name}({x})");
    }
}

/// Arguments close to 0, where few or nearly all arguments are cases, subnormal results, results
/// near overflow, and arguments of many turns: a search finds what judging every argument finds.
#[test]
fn the_ends_of_the_range() {
    let windows: [(&str, f64, u32); 17] = [
        ("exp", f64::from_bits(0x3d63_42ff_ffff_fa34), 44),
        ("exp", -f64::from_bits(0x3d46_8400_0000_01fb), 44),
        ("exp", -f64::from_bits(0x3c90_0000_0000_0001), 40),
        ("exp2", 3e-13, 14),
        ("expm1", -1e-15, 14),
        ("sin", 1e-9, 14),
        ("sin", 1e-13, 30),
        ("tan", -1e-10, 16),
        ("asin", 1e-9, 14),
        ("cos", 1e-13, 40),
        ("exp", -740.0, 11),
        ("exp2", -1073.5, 11),
        ("exp10", -320.3, 11),
        ("exp", 709.78, 11),
        ("log", 1e-310, 11),
        ("sin", 1e22, 11),
        ("tan", -1e300, 11),
    ];
    let mut cases = 0;
    for (name, x, bits) in windows {
        let function = functions::by_name(name).unwrap();
        let [from, to] = [-2048_i64, 2048].map(|by| f64::from_bits(x.to_bits().wrapping_add_signed(by)));
        let (from, to) = if x < 0.0 { (to, from) } else { (from, to) };
        let within = scaled(1.0, -1 - bits as i32);
        let format = Format::BINARY64;
        let plan =
            no_failure(SearchPlan::new(&Problem { function, format, from, to, grid: None, modes: Modes::All, within }));
        let (_, found) = found(&plan, Algorithm::Farey);
        let all = plan.range(&(0..plan.units()));
        let expected: Vec<u64> = all.filter(|&index| no_failure(plan.is_found(index))).collect();
        assert_eq!(found, expected, "{name} {x:e}");
        println!("{name} {x:e}: {}", found.len());
        cases += found.len();
    }
    assert!(cases > 4096, "{cases}");
}

/// sqrt with a wrong list of exact cases.
struct Wrong(Option<Dyadic>);

impl crate::Formula for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }
    fn domain(&self) -> (f64, f64) {
        (1.0, 100.0)
    }
    fn jet<const N: usize>(&self, x: &crate::Jet<N>) -> crate::Jet<N> {
        x.sqrt()
    }
    fn exact(&self, x: Dyadic) -> Option<Dyadic> {
        self.0.filter(|_| x.to_f64() == 9.0)
    }
}

#[test]
fn wrong_exact_cases_are_errors() {
    let x = Dyadic::of(9.0);
    let missing = crate::Error::Undecided { function: "wrong".to_owned(), x };
    let value = Dyadic { m: 7, e: -1 };
    let wrong = crate::Error::NotExact { function: "wrong".to_owned(), x, value };
    for (exact, error) in [(None, missing), (Some(value), wrong)] {
        let function = Wrong(exact);
        let to = 9_f64.next_up();
        let format = Format::BINARY64;
        let within = scaled(1.0, -20);
        let problem = Problem { function: &function, format, from: 9.0, to, grid: None, modes: Modes::All, within };
        assert_eq!(crate::search(&problem), Err(error));
    }
    let function = Wrong(Some(Dyadic { m: 3, e: 0 }));
    let (from, to, within) = (8.999, 9.001, scaled(1.0, -30));
    let format = Format::BINARY32;
    let problem = Problem { function: &function, format, from, to, grid: None, modes: Modes::All, within };
    let report = no_failure(crate::search(&problem));
    assert_eq!(report.exact.iter().map(|case| case.x.to_f64()).collect::<Vec<_>>(), [9.0]);
}
