//! `hotloops correlation` on tables as spreadsheets, MATLAB, Fortran, ImageJ, pandas and localisation programs write
//! them.

use std::fs;

use super::files::{counted, expected, refused, rows};
use crate::support::{folder, run, stderr, unreadable};

fn commas(x: f64) -> String {
    x.to_string().replace('.', ",")
}

fn fortran(x: f64) -> String {
    format!("{x:e}").replace('e', "D")
}

#[test]
fn tables_of_every_habit_are_read() {
    let [_, open] = expected("habits");
    let missing = "lines that lack a number (empty, NaN or NA) are left out: 4, the first is line 62; --strict refuses";
    let unnamed = "no line names the columns; the first is taken as x, the second as y";
    let of = |head: &str, row: fn(usize, [f64; 2]) -> String| head.to_owned() + &rows(row);
    for (text, words, said) in [
        (of("", |_, [x, y]| format!("{x} {y}")), &[][..], unnamed),
        (of("", |_, [x, y]| format!("{x:.3},{y:.3}")), &[], unnamed),
        (of("", |_, [x, y]| format!("{};{}", commas(x), commas(y))), &[], unnamed),
        (of("% from MATLAB\n", |_, [x, y]| format!("{x}\t{y}")), &[], unnamed),
        (of("% x y\n", |_, [x, y]| format!("{x} {y}")), &[], ""),
        (of("% a comment\nx,y\n", |_, [x, y]| format!("{x},{y}")), &[], ""),
        (of("x;y\n", |_, [x, y]| format!("{};{}", commas(x), commas(y))), &[], ""),
        (of("x\ty\n", |_, [x, y]| format!("{}\t{}", commas(x), commas(y))), &[], ""),
        (of("\"id\",\"x [nm]\",\"y [nm]\",\"sigma [nm]\"\n", |i, [x, y]| format!("{i},{x},{y},9")), &[], ""),
        (of(" ,Area,XM,YM\n", |i, [x, y]| format!("{},5,{x},{y}", i + 1)), &[], ""),
        (of(" ,XM,YM,X,Y\n", |i, [x, y]| format!("{i},5,6,{x},{y}")), &[], ""),
        (of(",x,y\n", |i, [x, y]| format!("{i},{x},{y}")), &[], ""),
        (of("x,y\n", |_, [x, y]| format!("{},{}", fortran(x), fortran(y).to_lowercase())), &[], ""),
        (of("", |i, [x, y]| format!("{i}5,{x},{y}")), &["--columns", "x=2,y=3"], ""),
        (of("a,b,x\n", |i, [x, y]| format!("{x},{y},{i}")), &["--columns", "X=A,y=b"], ""),
        (of("a (um),b (um)\n", |_, [x, y]| format!("{x},{y}")), &["--columns", "x=a,y=2"], ""),
        (of("x,y\n", |_, [x, y]| format!("{x},{y}")) + "nan,1\n,2\n3,NA\n1,N/A\n", &[], missing),
    ] {
        let (found, notes) = counted("habits", &text, words);
        assert_eq!(found, open, "{text}");
        assert!(notes.contains(said) && notes.is_empty() == said.is_empty(), "{text}: {notes}");
    }
}

#[test]
fn what_a_table_leaves_open_is_refused() {
    let plain = |_: usize, [x, y]: [f64; 2]| format!("{x},{y},1");
    for (text, why) in [
        (rows(plain), "the columns have no names; number them, as in --columns x=1,y=2"),
        ("0,1,2\n".to_owned() + &rows(plain), "line 1: `0,1,2` may be the names of columns or a point"),
        (
            "x;y\n1,5;2,5\n1.5;2\n".to_owned(),
            "line 3: x = `1.5` has the decimal mark `.`, but numbers before it have `,`",
        ),
        ("x,y\n\"1,5\",2\n".to_owned(), "line 2: x = `1,5` is not a finite number; it has a decimal comma"),
        ("x;y\n1,234,567;2\n".to_owned(), "line 2: x = `1,234,567` is not a finite number"),
        ("x [px],y [nm]\n1,2\n".to_owned(), "the first line names x [px] and y [nm], whose units differ"),
        ("x,y\n1,inf\n".to_owned(), "line 2: y = `inf` is not a finite number"),
        ("a,b\n1,2\n".to_owned(), "give --columns x=NAME,y=NAME"),
    ] {
        refused("open", &text, why);
    }
    let path = folder("g6_tables_refused").join("table.csv");
    let words = ["correlation", path.to_str().unwrap(), "--bins", "0:8:2"];
    let with = |text: &str, more: &[&str], why: &str| {
        fs::write(&path, text).unwrap();
        unreadable(&[&words[..], more].concat(), why);
    };
    with("x,y\n1,2\nnan,3\n", &["--rdf", "--strict"], "line 3: x = `nan` is not a finite number");
    with("x,y,theta [deg]\n1,2,30\n", &[], "names theta [deg], but angles are in radians");
    with("a,b\n1,2\n", &["--rdf", "--columns", "x=a,y=c"], "names no column c, which --columns names; it is: a,b");
    with("a,b\n1,2\n", &["--rdf", "--columns", "x=a,y=a"], "has one column for x and y, a");
    crate::support::refused(&[&words[..], &["--columns", "x=1,z=2"]].concat(), "`z` is none of x, y, theta");
    let twice = ["--columns", "frame=1", "--frame-column", "t"];
    crate::support::refused(&[&words[..], &twice].concat(), "--columns frame= and --frame-column name the same");
    // The size of a dump is known, so that no point of it is missing.
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y\nnan 1\n";
    with(dump, &["--rdf"], "line 6: frame 0: x = `nan` is not a finite number");
}

#[test]
fn lines_without_a_number_leave_other_frames_alone() {
    let text = "frame,x,y,theta\n0,1,1,0\n0,2,,0\n1,1,1,0\n1,nan,2,0\n0,1,2,NA\n2,,,\n";
    let path = folder("g6_tables_frames").join("film.csv");
    fs::write(&path, text).unwrap();
    let output = run(&["correlation", path.to_str().unwrap(), "--bins", "0:4:2", "--frames"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("are left out: 4, the first is line 3;"), "{}", stderr(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1 + 3 * 2);
}

#[test]
fn utf_16_is_read() {
    let [_, open] = expected("utf16");
    let text = "x\ty\tname\n".to_owned() + &rows(|_, [x, y]| format!("{x}\t{y}\t\u{b5}\u{1f600}"));
    let path = folder("g6_tables_utf16").join("table.txt");
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = ("\u{feff}".to_owned() + &text).encode_utf16().flat_map(order).collect();
        fs::write(&path, &bytes).unwrap();
        let output = run(&["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2"]);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), open);
        // Frames of it are found again.
        let film: String = text.replace("name", "frame").replace("\u{b5}\u{1f600}", "3");
        let bytes: Vec<u8> = ("\u{feff}".to_owned() + &film).encode_utf16().flat_map(order).collect();
        fs::write(&path, &bytes).unwrap();
        let output = run(&["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2", "--average"]);
        assert!(output.status.success(), "{}", stderr(&output));
        // The last unit is cut off.
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(
            stderr(&run(&["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2", "--average"]))
                .contains("line 61")
        );
    }
}
