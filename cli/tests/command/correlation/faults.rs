//! Errors name the fault and leave no file.

use std::fs;

use super::{printed, write};
use crate::support::{folder, refused, unreadable};

#[test]
fn faults_are_named_and_leave_no_file() {
    let folder = folder("g6_faults");
    let out = folder.join("out.csv");
    type Check = fn(&[&str], &str);
    let fault = |check: Check, text: &str, bins: &str, extra: &[&str], names: &str| {
        let points = write(&folder.join("points.csv"), text);
        let words = [&["correlation", points.as_str(), "--bins", bins, "--out", out.to_str().unwrap()], extra].concat();
        check(&words, names);
        assert!(!out.exists(), "{text:?}");
    };
    let faulty = |text: &str, bins: &str, extra: &[&str], names: &str| fault(unreadable, text, bins, extra, names);
    let wrong = |text: &str, bins: &str, extra: &[&str], names: &str| fault(refused, text, bins, extra, names);
    let good = "x,y,theta\n1,2,0\n3,4,0\n";
    faulty("x,z,theta\n1,2,0\n", "0:5:1", &[], "no column y");
    faulty("x,y\n1,2\n", "0:5:1", &[], "neither theta nor psi_re");
    faulty("x,y,psi_re\n1,2,0\n", "0:5:1", &[], "no column psi_im");
    faulty("x,y,theta,psi_re,psi_im\n1,2,0,1,0\n", "0:5:1", &[], "both theta and psi_re");
    faulty("x,x,y,theta\n1,1,2,0\n", "0:5:1", &[], "two columns x");
    faulty("x,y,theta\n1,2,0\n3,four,0\n", "0:5:1", &[], "line 3: y = `four`");
    faulty("x,y,theta\n1,NaN,0\n", "0:5:1", &["--strict"], "line 2: y = `NaN` is not a finite number");
    faulty("x,y,theta\n1,2,inf\n", "0:5:1", &[], "line 2: theta");
    faulty("x,y,theta\n1,2\n", "0:5:1", &[], "line 2: has 2 fields, but the first line names 3");
    faulty("x,y,psi_re,psi_im\n1,2,0.8,0.8\n", "0:5:1", &[], "line 2: psi = 0.8 + 0.8 i has a magnitude above 1");
    wrong(good, "5:0:1", &[], "LO = 5 is not less than HI = 0");
    wrong(good, "0:5", &[], "three numbers");
    wrong(good, "0:5:-1", &[], "WIDTH = -1 is not positive");
    wrong(good, "0:5:0", &[], "WIDTH = 0 is not positive");
    wrong(good, "-1:5:1", &[], "LO = -1 is negative");
    wrong(good, "0:nan:1", &[], "HI = NaN is not a finite number");
    wrong(good, "0:5:inf", &[], "WIDTH = inf is not a finite number");
    wrong(good, "0:5:10", &[], "no bin of width 10 fits between 0 and 5");
    wrong(good, "0:1e6:1", &[], "more than 65536 bins");
    wrong(good, "1e17:1.0000000000000006e17:1", &[], "edges coincide");
    wrong(good, "0:5:one", &[], "three numbers");
    wrong(good, "0:5:1", &["--box", "ten,20"], "'ten,20' for '--box <X,Y>': expected two positive numbers");
    wrong(good, "0:5:1", &["--box", "-9,20"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "0,20"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "20,1e300"], "two positive numbers");
    wrong(good, "0:5:1", &["--bos", "20,20"], "'--bos'");
    wrong(good, "0:5:1", &["--fold", "six"], "'six' for '--fold <N>'");
    wrong(good, "0:5:1", &["--threads", "0"], "--threads");
    faulty("x,y,theta\n1,2,0\n\n3,-1e301,0\n", "0:5:1", &[], "line 4: y = -1e301 is too far");
    faulty("x,y,theta\n\n\n1,2,0\r\n\n\n3,four,0", "0:5:1", &[], "line 7: y = `four`");
    faulty("x,y\n1,2\n3,4\n1e301,0.5\n", "0:5:1", &["--neighbours", "1"], "line 4: x = 1e301 is too far");
    wrong(good, "0:5:1", &["--box", "10"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "9,20"], "beyond half of --box, 4.5");
    wrong(good, "0:5:1", &["--svg", out.to_str().unwrap()], "is the file of --out");
    wrong(good, "0:5:1", &["--svg", folder.join("points.csv").to_str().unwrap()], "is the file of POINTS");
    let mask = folder.join("mask.csv");
    fs::write(&mask, "x,y\n0,0\n9,0\n9,9\n").unwrap();
    let mask = mask.to_str().unwrap();
    wrong(good, "0:5:1", &["--mask", mask, "--svg", mask], "is the file of --mask");
    wrong(good, "0:5:1", &["--ignore-theta"], "--ignore-theta has no effect");
    wrong(good, "0:5:1", &["--rdf", "--fold", "4"], "--fold");
    wrong(good, "0:5:1", &["--rdf", "--ignore-theta"], "--ignore-theta");
    wrong(good, "0:5:1", &["--voronoi", "--fold", "4,6,4"], "--fold: 4 stands twice");
    faulty(good, "0:5:1", &["--neighbours", "1"], "names theta, but --neighbours");
    faulty("x,y,psi_re,psi_im\n1,2,1,0\n3,4,1,0\n", "0:5:1", &["--neighbours", "1"], "names psi_re, but --neighbours");
    faulty("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "2"], "--neighbours 2: each point has 1 others");
    wrong("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "0"], "--neighbours");
    wrong("x,y,frame\n1,2,0\n", "0:5:1", &["--rdf", "--frame", "all"], "--frames takes all frames");
    let lines = "x,y,frame\n1,2,0\n2,3,0\n1,2,1\n1,3,1\n";
    faulty(lines, "0:5:1", &["--rdf", "--average"], "frame 1: the points lie on a line parallel to an axis");
    wrong("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "1", "--rdf"], "--rdf");
    unreadable(&["correlation", "/nowhere.csv", "--bins", "0:5:1"], "/nowhere.csv");
    let points = write(&folder.join("empty.csv"), "x,y,theta\n");
    let text = printed(&["correlation", &points, "--bins", "0:2:1"]);
    assert_eq!(text, "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,0,0,\n");
}
