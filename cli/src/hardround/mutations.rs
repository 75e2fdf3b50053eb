//! Damaged files: checkpoints, files of cases and lists, changed at random. The command rejects
//! such a file or reads the right units and cases from it; it never panics.
//!
//! `HOTLOOPS_SEED` repeats a run.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::sync::LazyLock;

use hotloops_hardround::{Algorithm, Format, Found, Modes, functions};
use sha2::{Digest, Sha256};

use super::io::{NamedPlan, Problem, hexadecimal};
use super::journal::{Done, Journal, KIND, Records, body};
use super::lists::List;
use super::problem;
use super::table;
use super::table::Table;
use crate::damage::{cuts, every_flip_is_refused, mutated, random};
use crate::failure::Failure;
use crate::job::checkpoint::{self, record};

/// Units, with the arguments found in each.
type Units = BTreeMap<u64, Vec<u64>>;

/// 2^37 arguments in 8 units, with the arguments found in them.
static SEARCH: LazyLock<(NamedPlan, Units)> = LazyLock::new(|| {
    let problem = Problem {
        function: &functions::Exp,
        format: Format::BINARY64,
        from: 1.0,
        to: 1.0 + (-15_f64).exp2(),
        grid: None,
        modes: Modes::All,
        within: (-33_f64).exp2(),
    };
    let plan = NamedPlan::new(&problem).unwrap_or_else(|_| panic!("a plan"));
    let search = |unit| plan.search(unit, Algorithm::Farey).unwrap_or_else(|_| panic!("a search")).cases;
    let units = (0..plan.units()).map(|unit| (unit, search(unit))).collect();
    (plan, units)
});

fn no_failure<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|_| panic!("refused"))
}

/// The units in a possible order of threads, the ends of all records (the search's first), and the
/// file.
fn checkpoint() -> (Vec<u64>, Vec<usize>, Vec<u8>) {
    let (plan, units) = &*SEARCH;
    let order = vec![3, 0, 1, 7, 2, 5, 4, 6];
    let (mut bytes, mut crc) = beginning(plan);
    let mut ends = vec![bytes.len()];
    for unit in &order {
        let body = body(&(*unit..unit + 1), &of(&units[unit]));
        let (record, last) = record(crc, &body);
        bytes.extend(record);
        ends.push(bytes.len());
        crc = last;
    }
    (order, ends, bytes)
}

/// The units that are done.
fn units_of(content: &Content) -> Vec<u64> {
    content.done.units.iter().cloned().flatten().collect()
}

/// The arguments found in these units, ascending.
fn all_of<'a>(units: impl IntoIterator<Item = &'a u64>) -> Vec<u64> {
    let mut found: Vec<u64> = units.into_iter().flat_map(|unit| &SEARCH.1[unit]).copied().collect();
    found.sort_unstable();
    found
}

/// The file of cases.
fn file(found: Vec<u64>) -> String {
    let plan = &SEARCH.0;
    let table = Table::new(plan.clone(), 0..plan.units(), of(&found));
    let mut text = Vec::new();
    table.write(&mut text, false).unwrap();
    String::from_utf8(text).unwrap()
}

/// Cases alone.
fn of(cases: &[u64]) -> Found {
    Found { cases: cases.to_vec(), ..Found::default() }
}

struct Content {
    done: Done,
    /// The end of the last record.
    end: usize,
}

fn read(bytes: &[u8], plan: &NamedPlan, part: &Range<u64>) -> Result<Content, Failure> {
    let mut records = Records::new(plan, part);
    let content = checkpoint::read(bytes, &KIND, &problem::lines(&plan.problem), |body| records.add(body));
    let end = content.map_err(|fault| fault.of("file"))?.end as usize;
    Ok(Content { done: records.finish().map_err(|fault| fault.of("file"))?, end })
}

fn parse(bytes: &[u8]) -> Option<Content> {
    read(bytes, &SEARCH.0, &(0..8)).ok()
}

fn beginning(plan: &NamedPlan) -> (Vec<u8>, u32) {
    checkpoint::beginning(&KIND, &problem::lines(&plan.problem))
}

#[test]
fn a_checkpoint_with_a_changed_bit_is_refused() {
    let (_, _, bytes) = checkpoint();
    every_flip_is_refused("hardround", &bytes, |bytes| parse(bytes).is_none());
}

#[test]
fn a_checkpoint_cut_short_keeps_its_whole_records() {
    let (plan, units) = &*SEARCH;
    let (order, ends, bytes) = checkpoint();
    let expected = file(all_of(units.keys()));
    let ends_and_around = ends.iter().flat_map(|end| [end - 1, *end, end + 1]).filter(|&cut| cut <= bytes.len());
    for cut in cuts("hardround", &bytes).into_iter().chain(ends_and_around).chain([0, 1, 8]) {
        let content = parse(&bytes[..cut]).unwrap_or_else(|| panic!("{cut} bytes are refused"));
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(content.end, if whole == 0 { 0 } else { ends[whole - 1] }, "{cut} bytes");
        let mut kept: Vec<u64> = order[..whole.saturating_sub(1)].to_vec();
        kept.sort_unstable();
        assert_eq!(units_of(&content), kept, "{cut} bytes");
        assert!((0..plan.units()).all(|unit| content.done.contains(unit) == kept.contains(&unit)));
        let mut resumed = content.done.found.cases;
        let left = (0..plan.units()).filter(|unit| !kept.contains(unit));
        resumed.extend(left.flat_map(|unit| &units[&unit]));
        resumed.sort_unstable();
        assert_eq!(file(resumed), expected, "{cut} bytes");
    }
}

#[test]
fn mutated_checkpoints_lose_nothing() {
    let mut random = random("checkpoints");
    let (order, _, bytes) = checkpoint();
    let mut accepted = 0;
    for _ in 0..10_000 {
        let file = mutated(&bytes, &mut random);
        let Some(content) = parse(&file) else { continue };
        accepted += 1;
        // The file keeps complete records from the beginning, and less than one after them.
        assert!(bytes.starts_with(&file[..content.end]), "{file:?}");
        let mut kept = order[..content.done.count() as usize].to_vec();
        kept.sort_unstable();
        assert!(units_of(&content) == kept && content.done.found == of(&all_of(&kept)));
    }
    println!("{accepted} accepted");
    assert!(accepted < 5000);
}

/// Each record is whole, but one is left out, repeated or in another place.
#[test]
fn records_out_of_order_are_refused() {
    let (_, ends, bytes) = checkpoint();
    let records: Vec<&[u8]> = ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
    let is_refused = |records: &[&[u8]]| parse(&[&bytes[..ends[0]], &records.concat()].concat()).is_none();
    assert!(!is_refused(&records));
    for at in 0..records.len() - 1 {
        let (mut without, mut twice, mut exchanged) = (records.clone(), records.clone(), records.clone());
        without.remove(at);
        twice.insert(at, records[at]);
        exchanged.swap(at, at + 1);
        assert!(is_refused(&without) && is_refused(&twice) && is_refused(&exchanged), "record {at}");
    }
}

/// A length beyond that of any record is damage, although the file ends within such a record.
#[test]
fn an_impossible_length_is_refused() {
    let (mut bytes, crc) = beginning(&SEARCH.0);
    let length = (KIND.max_body as u32 + 1).to_le_bytes();
    bytes.extend(length);
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(&length);
    bytes.extend(hasher.finalize().to_le_bytes());
    bytes.extend([0; 99]);
    assert!(parse(&bytes).is_none());
}

/// The rest of a long torn record does not follow a short one that is written in its place.
#[test]
fn a_torn_record_leaves_nothing() {
    let (plan, units) = &*SEARCH;
    let path = std::env::temp_dir().join(format!("hotloops-torn-record-{}", std::process::id()));
    let cases: Vec<u64> = units[&1].iter().take(1).copied().collect();
    let (mut bytes, crc) = beginning(plan);
    let (long, _) = record(crc, &body(&(0..1), &of(&units[&0])));
    assert!(long.len() > 8 * 8, "{} cases", units[&0].len());
    bytes.extend(&long[..long.len() - 1]);
    fs::write(&path, bytes).unwrap();
    let (journal, done) = no_failure(Journal::open(&path, plan, &(0..8)));
    no_failure(journal.add(1, &of(&cases)));
    assert_eq!(done.units, []);
    drop(journal);
    let (_, done) = no_failure(Journal::open(&path, plan, &(0..8)));
    assert!(done.contains(1) && done.count() == 1);
    assert_eq!(done.found.cases, cases);
    fs::remove_file(&path).unwrap();
}

#[test]
fn checkpoints_with_right_checksums_of_wrong_contents_are_refused() {
    let mut random = random("forged");
    let (plan, units) = &*SEARCH;
    let refused = |bodies: &[Vec<u8>]| {
        let (mut bytes, mut crc) = beginning(plan);
        for body in bodies {
            let (record, last) = record(crc, body);
            bytes.extend(record);
            crc = last;
        }
        match parse(&bytes) {
            None => true,
            Some(content) => {
                let real = all_of(&units_of(&content));
                assert!(content.done.found.cases.iter().all(|index| real.contains(index)), "{bodies:?}");
                false
            }
        }
    };
    let body = |unit: u64, found: &[u64]| body(&(unit..unit.wrapping_add(1)), &of(found));
    assert!(!refused(&[body(0, &units[&0]), body(5, &units[&5])]));
    let case = units[&0][0];
    let reversed: Vec<u64> = units[&0].iter().rev().copied().collect();
    let repeated = [case, case];
    for found in [&[u64::MAX][..], &[case + 1], &[1 << 37], &reversed, &repeated, &units[&1]] {
        assert!(refused(&[body(0, found)]), "{found:?}");
    }
    assert!(
        refused(&[body(8, &[])]) && refused(&[body(u64::MAX, &[])]) && refused(&[vec![]]) && refused(&[vec![0; 9]])
    );
    assert!(refused(&[body(0, &units[&0]), body(0, &units[&0])]), "a unit done twice");
    let bodies = |ranges: &[[u64; 2]], found: &[u64]| -> Vec<Vec<u8>> {
        ranges.iter().map(|&[start, end]| super::journal::body(&(start..end), &of(found))).collect()
    };
    assert!(!refused(&bodies(&[[4, 8], [0, 3]], &[])));
    assert!(refused(&bodies(&[[0, 2]], &units[&0])), "cases of several units");
    for wrong in [&[[5, 5]][..], &[[5, 4]], &[[6, 9]], &[[8, 10]], &[[0, 3], [2, 4]], &[[2, 3], [0, 8]]] {
        assert!(refused(&bodies(wrong, &[])), "{wrong:?}");
    }
    for _ in 0..2000 {
        let unit = random.below(8);
        refused(&[mutated(&body(unit, &units[&unit]), &mut random)]);
    }
}

/// Units without cases share a record, and a search that ends at any time keeps all of them.
#[test]
fn units_without_cases_take_little_room() {
    let (plan, units) = &*SEARCH;
    let path = std::env::temp_dir().join(format!("hotloops-empty-units-{}", std::process::id()));
    let add = |to_add: &[u64]| {
        let (journal, done) = no_failure(Journal::open(&path, plan, &(0..8)));
        to_add.iter().for_each(|unit| no_failure(journal.add(*unit, &of(if *unit == 3 { &units[&3] } else { &[] }))));
        drop(journal);
        (done.units, fs::metadata(&path).unwrap().len())
    };
    let (_, before) = add(&[]);
    let (done, length) = add(&[5, 1, 3, 0, 4, 2]);
    assert_eq!(done, []);
    let (done, after) = add(&[]);
    assert_eq!((done.len(), &done[0], after), (1, &(0..6), length));
    fs::remove_file(&path).unwrap();
    // Three records: of unit 3, of units 0 to 2, of units 4 and 5. The thread may write in between.
    let most = 8 * units[&3].len() as u64 + 6 * 52;
    assert!((before + 8 * units[&3].len() as u64 + 3 * 52..=before + most).contains(&length), "{before} {length}");
}

#[test]
fn checkpoints_of_other_searches_and_versions_are_refused_whatever_their_damage() {
    let mut random = random("others");
    let (plan, _) = &*SEARCH;
    let other = NamedPlan::new(&Problem { to: 1.0 + (-16_f64).exp2(), ..plan.problem.clone() });
    let other = other.unwrap_or_else(|_| panic!("a plan"));
    let (_, ends, bytes) = checkpoint();
    let why = |bytes: &[u8]| match read(bytes, &other, &(0..4)) {
        Err(Failure::Input(why)) => why.strip_prefix("file: ").unwrap().to_owned(),
        _ => panic!("accepted"),
    };
    assert_eq!(
        why(&bytes),
        "is a checkpoint of another search: to 0x1.0002p+0, not to 0x1.0001p+0; choose another file"
    );
    let older = String::from_utf8_lossy(&bytes[..ends[0]]).into_owned();
    assert!(older.contains(concat!("version ", env!("CARGO_PKG_VERSION"))));
    let (record, _) = record(crc32fast::hash(KIND.magic), b"version 0.0.1\nfunc exp\n");
    let now = env!("CARGO_PKG_VERSION");
    let version = format!("was written by another version: version 0.0.1, not version {now}; choose another file");
    assert_eq!(why(&[KIND.magic.as_slice(), &record].concat()), version);
    assert_eq!(why(b"hlhardr2 and so on"), "is a checkpoint of another version of this command; choose another file");
    assert_eq!(why(b"x,y\n"), "is not a checkpoint of `hotloops hardround search`; choose another file");
    for _ in 0..2000 {
        let mut file = bytes.clone();
        let at = random.below(bytes.len() as u64) as usize;
        file[at] ^= 1 << random.below(8);
        why(&file);
        // Not even a possible beginning of this search's own file.
        why(&bytes[..bytes.len().min(ends[0] + at)]);
    }
}

/// The text with hashes that fit it.
fn forged(text: &str) -> Option<String> {
    let (head, rest) = text.split_once("# check\t")?;
    let (_, lines) = rest.split_once('\n')?;
    let hash = |text: &str| hexadecimal(Sha256::new_with_prefix(text));
    let old = head.lines().find_map(|line| line.strip_prefix("# sha256\t"))?;
    let head = head.replace(old, &hash(lines));
    Some(format!("{head}# check\t{}\n{lines}", hash(&head)))
}

#[test]
fn mutated_files_of_cases_are_refused() {
    let mut random = random("files");
    let text = file(all_of(SEARCH.1.keys()));
    assert_eq!(forged(&text).as_ref(), Some(&text));
    let mut accepted = 0;
    for _ in 0..5000 {
        let file = mutated(text.as_bytes(), &mut random);
        let Ok(file) = String::from_utf8(file) else { continue };
        assert!(file == text || Table::parse(&file).is_err(), "{file}");
        // A file with right hashes may have any content; reading it must not panic.
        if let Some(Ok(table)) = forged(&file).map(|file| Table::parse(&file)) {
            accepted += 1;
            table.write(&mut std::io::sink(), false).unwrap();
        }
    }
    println!("{accepted} forged ones accepted");
}

#[test]
fn mutated_lists_keep_the_lines_that_are_whole() {
    let mut random = random("lists");
    let text = file(all_of(SEARCH.1.keys()));
    let whole = Table::parse(&text).unwrap_or_else(|_| panic!("a table"));
    let few = 24;
    let names: Vec<String> =
        whole.found.cases.iter().take(few).map(|&index| whole.plan.judge(index).x.to_string()).collect();
    // As lists are published: arguments alone, with comments, with more words, with both signs and
    // cases outside.
    let list =
        names.iter().enumerate().fold("# exp, 44 bits\n\n-0x1.8p-3\n0X1.8P+1\n".to_owned(), |list, (i, name)| {
            list + name + ["\n", " # hard\n", "\t0x1.5bfp+1\t44.2\n", "  \n", "\r\n"][i % 5]
        });
    let mut refused = 0;
    for _ in 0..10_000 {
        let Ok(list) = String::from_utf8(mutated(list.as_bytes(), &mut random)) else { continue };
        let Ok(parsed) = List::parse(&list, &whole) else {
            refused += 1;
            continue;
        };
        for (index, name) in whole.found.cases.iter().zip(&names) {
            let stands = list.lines().any(|line| line.split_whitespace().next() == Some(name));
            assert!(!stands || parsed.cases.contains(index), "{name} of {list}");
        }
        assert!(
            parsed.cases.is_sorted() && parsed.cases.iter().all(|index| whole.found.cases.contains(index)),
            "{list}"
        );
    }
    println!("{refused} refused");
    for word in ["0x", "0x1p", "0x1p+99999999999", "1e999999999", "0x.p0", "--1", "inf", "nan", "0x1.8p+0,", "\u{661}"]
    {
        let _ = table::argument(word);
    }
}
