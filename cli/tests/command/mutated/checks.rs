//! Independent counts of the content of an accepted input, against the answer of the command.

use serde_json::Value;

use super::End;

fn json(end: &End) -> Value {
    serde_json::from_slice(&end.stdout).unwrap()
}

/// Data lines of a model: lines with a word before the comment.
fn model_counts(bytes: &[u8]) -> [u64; 2] {
    let text = std::str::from_utf8(bytes).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.split('\n').map(|line| line.split('#').next().unwrap().split_whitespace().collect::<Vec<_>>());
    let pairs =
        lines.filter(|words| !words.is_empty()).map(|words| [0, 1].map(|at: usize| words[at].parse::<u64>().unwrap()));
    let pairs: Vec<[u64; 2]> = pairs.collect();
    let couplings = pairs.iter().filter(|[i, j]| i != j).count() as u64;
    [pairs.iter().flatten().max().unwrap() + 1, couplings]
}

pub fn ising(bytes: &[u8], end: &End) {
    let result = json(end);
    assert_eq!(["sites", "couplings"].map(|key| result[key].as_u64().unwrap()), model_counts(bytes));
}

pub fn ladder(bytes: &[u8], _: &End) {
    // The file was read; the missing folder is reported after that.
    model_counts(bytes);
}

pub fn fingerprints(bytes: &[u8], end: &End) {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line[0] != b'#');
    let count = lines.inspect(|line| assert!(line.ends_with(b"\n"))).count();
    // As queries or as targets.
    let said = [" queries", " targets"].map(|what| format!("{count}{what}"));
    let words = ["4 queries", "128 targets"];
    let is_said = said
        .iter()
        .zip(words.iter().rev())
        .any(|(said, other)| end.stderr.contains(said) && end.stderr.contains(other));
    assert!(is_said, "{count} fingerprints: {}", end.stderr);
}

pub fn points(bytes: &[u8], end: &End) {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty() && !line.starts_with('#')).peekable();
    let names = |line: &'_ str| -> Vec<String> {
        line.split(',').map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect()
    };
    // Numbers without names take those of the comment above them.
    let first = lines.peek().copied().unwrap_or("");
    let header = match names(first).iter().all(|word| word.parse::<f64>().is_ok()) {
        true => names(text.split('\n').take_while(|line| *line != first).last().unwrap().trim_start_matches('#')),
        false => names(lines.next().unwrap()),
    };
    let [x, y] = ["x", "y"].map(|name| header.iter().position(|column| *column == name).unwrap());
    let number = |word: &str| word.trim().trim_matches('"').parse::<f64>().unwrap();
    let points: Vec<[f64; 2]> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), header.len(), "{line}");
            [x, y].map(|column| number(fields[column]))
        })
        .collect();
    let printed = String::from_utf8(end.stdout.clone()).unwrap();
    let counted =
        printed.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse::<u64>().unwrap()).sum::<u64>();
    if points.iter().flatten().any(|value| value.abs() > 1e4) {
        return;
    }
    // All pairs closer than the end of the last bin, 50, up to rounding.
    let (mut near, mut about) = (0, 0);
    for (index, a) in points.iter().enumerate() {
        for b in &points[..index] {
            let distance = (a[0] - b[0]).hypot(a[1] - b[1]);
            near += u64::from(distance < 49.99);
            about += u64::from(distance < 50.01);
        }
    }
    assert!((near..=about).contains(&counted), "{counted} pairs, not {near} to {about}");
}

/// The fields of a record, numbers in one spelling.
fn record(bytes: &[u8]) -> Vec<Vec<String>> {
    let field = |field: &str| field.parse::<f64>().map_or(field.to_owned(), |number| number.to_string());
    let lines = csv::Reader::from_reader(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_records();
    lines.map(|line| line.unwrap().iter().map(field).collect()).collect()
}

pub fn bench(bytes: &[u8], end: &End) {
    assert_eq!(record(bytes), record(&end.stdout));
}

pub fn shown(bytes: &[u8], end: &End) {
    let lines = String::from_utf8(end.stdout.clone()).unwrap();
    for row in record(bytes) {
        assert!(lines.contains(row[0].rsplit('/').next().unwrap()), "{} is not shown", row[0]);
    }
}

pub fn checkpoint(bytes: &[u8], end: &End) {
    assert!(json(end)["best"]["energy"].is_number(), "{} bytes", bytes.len());
}
