//! Every reader of lines reports a fault in line k with the number k.

use std::fs;
use std::path::Path;

use crate::support::{folder, run, shipped, stderr};

/// Lines of a file.
const LINES: usize = 9;

/// A reader: its command (FILE stands for the file), the first lines of its file, a valid line for
/// each number, and wrong lines.
struct Reader<'a> {
    words: &'a [&'a str],
    head: &'a [&'a str],
    right: fn(usize) -> String,
    /// Lines without data, which must not change the number of other lines.
    fillers: &'a [&'a str],
    wrong: &'a [&'a [u8]],
}

impl Reader<'_> {
    fn check(&self, name: &str) {
        let path = folder(&format!("lines_of_{name}")).join(name);
        let words: Vec<&str> =
            self.words.iter().map(|&word| if word == "FILE" { path.to_str().unwrap() } else { word }).collect();
        for (end, wrong) in
            [b"\n".as_slice(), b"\r\n"].into_iter().flat_map(|end| self.wrong.iter().map(move |&wrong| (end, wrong)))
        {
            for filler in [None].into_iter().chain(self.fillers.iter().map(Some)) {
                for faulty in self.head.len() + 1..=LINES {
                    let mut text: Vec<u8> = Vec::new();
                    for number in 1..=LINES {
                        let line = match self.head.get(number - 1) {
                            _ if number == faulty => wrong.to_owned(),
                            Some(head) => head.as_bytes().to_owned(),
                            None if number % 3 == 2 && filler.is_some() => filler.unwrap().as_bytes().to_owned(),
                            None => (self.right)(number).into_bytes(),
                        };
                        text.extend([&line[..], end].concat());
                    }
                    fs::write(&path, &text).unwrap();
                    let output = run(&words);
                    let (said, shown) = (stderr(&output), String::from_utf8_lossy(&text));
                    assert_eq!(output.status.code(), Some(3), "{words:?}: {said}\n{shown}");
                    let place = format!("{}: line {faulty}: ", path.display());
                    let listed = format!("{}, line {faulty}: ", path.display());
                    assert!(
                        said.contains(&place) || said.contains(&listed),
                        "{words:?}, line {faulty}: {said}\n{shown}"
                    );
                }
            }
        }
        // All lines are read if none is wrong: the fault was the only one.
        let lines = (1..=LINES)
            .map(|number| self.head.get(number - 1).map_or_else(|| (self.right)(number), |head| head.to_string()));
        fs::write(&path, lines.map(|line| line + "\n").collect::<String>()).unwrap();
        let said = stderr(&run(&words));
        assert!(!said.contains("line "), "{words:?}: {said}");
    }
}

#[test]
fn models() {
    let wrong: &[&[u8]] = &[b"0 one 1", b"0 1", b"0 1 NaN", b"0 134217728 1", b"2 \xff 1", b"0 1 1 1"];
    let right = |number| format!("{number} {} 0.5 # {number}", number + 1);
    for words in [
        &["ising", "FILE", "--sweeps", "1", "--runs", "1"][..],
        &["ladder", "--model", "FILE", "--svg", "/absent/x.svg"],
    ] {
        Reader { words, head: &[], right, fillers: &["", "# 1 2 3", "  "], wrong }.check("model.coo");
    }
}

#[test]
fn fingerprints() {
    let wrong: &[&[u8]] = &[b"zz00\tx", b"0a0b", b"0a0b\t", b"0a\tx", b"0a0b\tx\rx", b"0a0b\t\xff"];
    let right = |number| format!("{number:04x}\tid {number}");
    let other = folder("lines_other").join("other.fps");
    fs::write(&other, "0a0b\tx\n").unwrap();
    let other = other.to_str().unwrap();
    for head in [&["#FPS1", "#num_bits=16", "#software=none"][..], &["#num_bits=16"]] {
        for files in [["FILE", other], [other, "FILE"]] {
            let words = ["fingerprints", "search", files[0], files[1]];
            Reader { words: &words, head, right, fillers: &[], wrong }.check("rows.fps");
        }
    }
}

#[test]
fn points() {
    let wrong: &[&[u8]] = &[b"1,two,0", b"1,2", b"1,2,0,0", b"1,inf,0", b"\xff,2,0", b"1,\"2,0", b"1,2,\"0\"0"];
    let right = |number| format!("{number},{number}.5,0.25");
    let words = ["correlation", "FILE", "--bins", "0:5:1"];
    Reader { words: &words, head: &["x,y,theta"], right, fillers: &["", " "], wrong }.check("points.csv");
}

#[test]
fn lists_of_cases() {
    let cases = folder("lines_cases").join("cases");
    let search = ["hardround", "search", "--func", "exp", "--from", "1", "--to", "0x1.000001p+0", "--bits", "20"];
    assert!(run(&[&search[..], &["--out", cases.to_str().unwrap()]].concat()).status.success());
    let right = |number| format!("0x1.00000000{number}p+0 {number}");
    let words = ["hardround", "compare", cases.to_str().unwrap(), "FILE"];
    Reader { words: &words, head: &[], right, fillers: &["", "# 0x1p+0"], wrong: &[b"one", b"0x1.8q+0", b"0x1.\xff"] }
        .check("list");
}

#[test]
fn records() {
    let record = Path::new(shipped()).with_file_name("../../benches/record/epyc_zen3.csv");
    let text = fs::read_to_string(record).unwrap();
    let path = folder("lines_record").join("record.csv");
    let lines: Vec<&str> = text.lines().collect();
    for faulty in (1..=12).chain([lines.len() / 2, lines.len()]) {
        for fault in ["@", "]", "\u{0}"] {
            let line = |(index, line): (usize, &&str)| {
                if index + 1 == faulty { format!("{fault}{line}\n") } else { format!("{line}\n") }
            };
            fs::write(&path, lines.iter().enumerate().map(line).collect::<String>()).unwrap();
            let output = run(&["bench", "--load", path.to_str().unwrap()]);
            let (said, place) = (stderr(&output), format!(": line {faulty}: "));
            assert!(output.status.code() == Some(3) && said.contains(&place), "line {faulty}: {said}");
        }
    }
    let mut bytes = text.into_bytes();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    bytes[end + 3] = 0xff;
    fs::write(&path, bytes).unwrap();
    let said = stderr(&run(&["bench", "--load", path.to_str().unwrap()]));
    assert!(said.ends_with("record.csv: line 2: is not UTF-8\n"), "{said}");
}
