//! Errors of `hotloops fingerprints search` name the fault.

use std::fs;
use std::path::Path;

use crate::support::{folder, refused, unreadable};

/// Asserts that a search with this text, as the queries or as the targets, names its fault and writes nothing.
fn is_refused_in(folder: &Path, text: &[u8], message: &str) {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (good, bad, out) = (path("good.fps"), path("bad.fps"), path("never.tsv"));
    fs::write(&good, "#FPS1\n#num_bits=12\nff0f\tx\n").unwrap();
    fs::write(&bad, text).unwrap();
    for words in [[&good, &bad], [&bad, &good]] {
        let words = ["fingerprints", "search", words[0], words[1], "--out", &out];
        unreadable(&words, &format!("hotloops: {bad}: {message}\n"));
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "nothing but the inputs: {message}");
}

#[test]
fn the_first_wrong_line_is_named() {
    let folder = folder("wrong_lines");
    let is_refused = |text: &[u8], message: &str| is_refused_in(&folder, text, message);
    for (rows, message) in [
        (
            "ff0f\ta\nzz0f\tb\n",
            "line 4: 'zz' is not hexadecimal; a line has the digits of a fingerprint, a tab and an id",
        ),
        ("ff0g\ta\n", "line 3: '0g' is not hexadecimal; a line has the digits of a fingerprint, a tab and an id"),
        (
            "ff0f\ta\r\n0x0f\tb\r\n",
            "line 4: '0x' is not hexadecimal; a line has the digits of a fingerprint, a tab and an id",
        ),
        ("ff0\ta\n", "line 3: has an odd number of hexadecimal digits, 3"),
        ("ff\ta\n", "line 3: has 2 hexadecimal digits, but num_bits=12 needs 4"),
        ("ff0f\ta\nff0f00\tb\n", "line 4: has 6 hexadecimal digits, but num_bits=12 needs 4"),
        ("ff0f\ta\nff1f\tb\n", "line 4: bit 12 is set, but num_bits=12 ends before it"),
        ("ff80\ta\n", "line 3: bit 15 is set, but num_bits=12 ends before it"),
        ("ff0f\ta\nff0f\n", "line 4: has no id; expected a tab and an id after the fingerprint"),
        ("ff0f\r\n", "line 3: has no id; expected a tab and an id after the fingerprint"),
        ("ff0f\t\n", "line 3: has no id after the tab"),
        ("ff0f\t\tb\n", "line 3: has no id after the tab"),
        ("\tb\n", "line 3: has no fingerprint before the tab"),
        ("ff0f b\n", "line 3: has a space after the fingerprint; expected a tab"),
        ("ff0f\ta\rb\n", "line 3: contains a carriage return before the end of the line"),
        ("ff0f\ta\n\nff0f\tb\n", "line 4: is blank"),
        ("ff0f\ta\n\r\n", "line 4: is blank"),
        ("ff0f\ta\n#num_bits=12\n", "line 4: is a header line after the first fingerprint"),
        ("ff0f\ta\nff0f\tb", "line 4: has no line feed at the end; the file may be truncated"),
        ("ff0f\ta\nff0", "line 4: has an odd number of hexadecimal digits, 3"),
        ("#num_bits=12\n", "line 3: num_bits is given twice"),
        ("#note\n", "line 3: '#note' is not #key=value"),
        ("", "contains no fingerprint"),
    ] {
        is_refused(format!("#FPS1\n#num_bits=12\n{rows}").as_bytes(), message);
    }
    for (text, message) in [
        ("#FPS2\n", "line 1: '#FPS2' is not #FPS1, the only supported version"),
        ("#FPS1", "line 1: has no line feed at the end; the file may be truncated"),
        ("#num_bits=0\n", "line 1: num_bits: '0' is not a number from 1 to 1073741823"),
        ("#FPS1\n#num_bits=many\n", "line 2: num_bits: 'many' is not a number from 1 to 1073741823"),
        ("#num_bits=1073741824\n", "line 1: num_bits: '1073741824' is not a number from 1 to 1073741823"),
        ("", "contains no fingerprint"),
        ("\n", "line 1: is blank"),
        ("molecule\n", "line 1: 'mo' is not hexadecimal; a line has the digits of a fingerprint, a tab and an id"),
        ("ab0\tx\n", "line 1: has an odd number of hexadecimal digits, 3"),
        ("ab\tx\nab00\ty\n", "line 2: has 4 hexadecimal digits, but the first fingerprint has 2"),
    ] {
        is_refused(text.as_bytes(), message);
    }
    is_refused(b"#FPS1\nff0f\t\xff\n", "line 2: the id is not UTF-8");
    is_refused(b"\x1f\x8b\x08\x00rest\n", "cannot be expanded: unexpected end of file");
    is_refused(b"\x28\xb5\x2f\xfdrest", "cannot be expanded: incomplete frame");
    is_refused(b"FPB1\r\n\0\0", "is a binary FPB file: convert it to FPS first");
    is_refused(b"\xfd7zXZ\0", "is compressed with xz: decompress it first");
    is_refused(b"PK\x03\x04", "is a zip archive: unpack it first");
    is_refused(b"#FPS1\n#type=a\n#type=b\n", "line 3: type is given twice");
    is_refused(b"#num_bytes=0\n", "line 1: num_bytes: '0' is not a number from 1 to 134217727");
    is_refused(b"#num_bits=9\n#num_bytes=1\n", "line 2: num_bits=9 and num_bytes=1 contradict each other");
    is_refused(b"#num_bytes=3\nff0f\tx\n", "line 2: has 4 hexadecimal digits, but num_bytes=3 needs 6");
}

/// Many threads find faults at once.
#[test]
fn the_first_of_many_wrong_lines_is_named() {
    let folder = folder("many_wrong_lines");
    let mut lines: Vec<String> = (0..300_000).map(|i| format!("{:04x}\tid{i}\n", 16 * (i % 4096) + i % 16)).collect();
    lines.iter_mut().for_each(|line| line.replace_range(2..3, "0"));
    for wrong in [299_999, 250_001, 123_456] {
        lines[wrong] = "ff0f\n".to_owned();
        let text = format!("#num_bits=12\n{}", lines.concat());
        is_refused_in(
            &folder,
            text.as_bytes(),
            &format!("line {}: has no id; expected a tab and an id after the fingerprint", wrong + 2),
        );
    }
}

#[test]
fn wrong_arguments_are_named() {
    let folder = folder("fingerprints_arguments");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (query, out) = (path("q.fps"), path("never.tsv"));
    fs::write(&query, "ff\tx\n").unwrap();
    type Check = fn(&[&str], &str);
    let ends = |check: Check, words: &[&str], message: &str| {
        check(&[&["fingerprints", "search"], words].concat(), message);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the input: {words:?}");
    };
    let is_refused = |words: &[&str], message: &str| ends(refused, words, message);
    let is_unreadable = |words: &[&str], message: &str| ends(unreadable, words, message);
    refused(&["fingerprints"], "search");
    refused(&["fingerprints", "serch"], "'serch'");
    is_refused(&[], "<QUERY>");
    is_refused(&[&query], "<DB>");
    is_unreadable(&[&query, &path("absent.fps"), "--out", &out], "absent.fps: No such file");
    is_unreadable(&[&path("absent.fps"), &query, "--out", &out], "absent.fps: No such file");
    is_unreadable(&[&query, folder.to_str().unwrap()], "fingerprints_arguments: ");
    let both = [&query[..], &query, "--out", &out];
    let with = |words: &[&str], message: &str| is_refused(&[&both[..], words].concat(), message);
    for measure in ["--tanimoto", "--dice", "--cosine"] {
        for value in ["1.01", "-0.1", "NaN", "inf", "high", ""] {
            with(&[measure, value], &format!("'{measure} <T>': expected a number from 0 to 1"));
        }
        with(&[measure, "0.5", measure, "0.6"], "cannot be used multiple times");
    }
    with(&["--dice", "0.5", "--cosine", "0.6"], "cannot be used with");
    with(&["--tanimoto", "0.5", "--dice", "0.6"], "cannot be used with");
    with(&["--top", "0"], "'--top <N>'");
    with(&["--top", "-1"], "-1");
    with(&["--top", "all"], "'--top <N>'");
    with(&["--top", "3", "--all"], "cannot be used with");
    with(&["--empty", "2"], "'--empty <0|1>'");
    with(&["--threads", "0"], "'--threads <N>'");
    with(&["--jaccard", "0.5"], "--jaccard");
    with(&["more.fps"], "more.fps");
    is_refused(&[&query, &query, "--out", &path("absent/x.tsv")], "--out ");
    is_refused(&[&query, &query, "--out", folder.to_str().unwrap()], "is a folder");
    is_refused(&[&query, &query, "--out", &query], "q.fps: is the file of QUERY");
    assert_eq!(fs::read_to_string(&query).unwrap(), "ff\tx\n");
}
