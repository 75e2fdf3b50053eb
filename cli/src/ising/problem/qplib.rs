//! Files of QPLIB (Furini et al., "QPLIB: a library of quadratic programming instances", Math. Prog. Comp. 11 (2019),
//! appendix B) whose variables are binary and free of constraints.
//!
//! The objective is `x Q x / 2 + b x + q` with a symmetric Q, of which a file lists the lower triangle: an entry `i j`
//! is the factor of `x_i x_j`, an entry `i i` twice that of `x_i`.

use super::Problem;
use super::lines::{self, Entries, count, site, size};
use super::spins::reversible;
use crate::coo::real;

/// The objective of a file.
#[derive(Debug, PartialEq)]
struct File {
    is_max: bool,
    diagonal: Vec<f64>,
    products: Vec<(u32, u32, f64)>,
    constant: f64,
}

/// Whether a text has the type and the sense of a problem in its second and third line.
pub fn is_likely(text: &str) -> bool {
    let mut words = text.lines().filter(|line| !line.trim().is_empty() && !is_comment(line)).map(first_word);
    let (_, kind, sense) = (words.next(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_type(kind) && of_sense(sense).is_ok()
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['!', '%', '#'])
}

fn is_type(word: &str) -> bool {
    let sets = ["LDCQ", "CBMIG", "NBLDCQ"];
    word.len() == 3 && word.chars().zip(sets).all(|(letter, set)| set.contains(letter.to_ascii_uppercase()))
}

fn of_sense(word: &str) -> Result<bool, String> {
    match word.to_lowercase().as_str() {
        "minimize" => Ok(false),
        "maximize" => Ok(true),
        _ => Err(format!("expected minimize or maximize, found `{word}`")),
    }
}

/// A type: whether the objective has a list of products.
fn of_type(word: &str) -> Result<bool, String> {
    if !is_type(word) {
        return Err(format!("expected the type of the problem, three letters such as QBN, found `{word}`"));
    }
    let letters: Vec<char> = word.to_uppercase().chars().collect();
    let remedy = "only unconstrained problems of binary variables (QBN, QBB) are read";
    match letters[..] {
        [_, 'B', 'N' | 'B'] => Ok(letters[0] != 'L'),
        [_, 'B', _] => Err(format!("type {word}: the problem has constraints; {remedy}; add them as penalties")),
        _ => Err(format!("type {word}: not all variables are binary; {remedy}; write the others in bits")),
    }
}

/// Reads a file up to the constant of the objective; starting points and names follow. The error names the line.
fn read(text: &str) -> Result<File, String> {
    let mut data = lines::data(text, is_comment);
    data.next("the name")?;
    // Words behind a value are a comment.
    let mut value = |expected: &str| data.next(expected).map(|(line, words)| (line, words[0]));
    let at = |line: usize| move |why: String| format!("line {line}: {why}");
    let (line, word) = value("the type of the problem, such as QBN")?;
    let has_products = of_type(word).map_err(at(line))?;
    let (line, word) = value("minimize or maximize")?;
    let is_max = of_sense(word).map_err(at(line))?;
    let (line, word) = value("the number of variables")?;
    let sites = size(word).map_err(at(line))?;
    let mut products = Entries::default();
    if has_products {
        let (line, word) = value("the number of quadratic terms")?;
        let total = count::<usize>(word).map_err(at(line))?;
        for index in 0..total {
            let (line, words) = data.next(&format!("quadratic term {} of {total}", index + 1))?;
            let [i, j, value, ..] = words[..] else {
                return Err(at(line)(format!("expected `i j q`, found {} words", words.len())));
            };
            let (i, j) = (site(i, 1, sites).map_err(at(line))?, site(j, 1, sites).map_err(at(line))?);
            products.add(line, (i.min(j), i.max(j), real(value).map_err(at(line))?), 1)?;
        }
    }
    let (mut diagonal, products) = lines::split(products.list, sites);
    diagonal.iter_mut().for_each(|entry| *entry /= 2.0);
    let mut value = |expected: &str| data.next(expected).map(|(line, words)| (line, words[0]));
    let (line, word) = value("the default of linear terms")?;
    let mut linear = vec![real(word).map_err(at(line))?; sites as usize];
    let (line, word) = value("the number of other linear terms")?;
    let total = count::<usize>(word).map_err(at(line))?;
    let mut own = Entries::default();
    for index in 0..total {
        let (line, words) = data.next(&format!("linear term {} of {total}", index + 1))?;
        let [i, value, ..] = words[..] else {
            return Err(at(line)(format!("expected `i b`, found {} words", words.len())));
        };
        let i = site(i, 1, sites).map_err(at(line))?;
        own.add(line, (i, i, real(value).map_err(at(line))?), 1)?;
        linear[i as usize] = own.list[index].2;
    }
    let (line, words) = data.next("the constant")?;
    let constant = real(words[0]).map_err(at(line))?;
    diagonal.iter_mut().zip(linear).for_each(|(entry, value)| *entry += value);
    Ok(File { is_max, diagonal, products, constant })
}

/// The error names the line.
pub fn parse(text: &str) -> Result<Problem, String> {
    let mut file = read(text)?;
    if file.is_max {
        file.diagonal.iter_mut().for_each(|value| *value = 0.0 - *value);
        file.products.iter_mut().for_each(|(.., value)| *value = 0.0 - *value);
        file.constant = 0.0 - file.constant;
    }
    reversible(file.is_max, file.diagonal, &file.products, file.constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objective of the paper's example: x1^2 + x2^2 + x3^2 - x1 x2 - x2 x3 - 0.2 x1 - 0.4 x2 - 0.2 x3.
    const EXAMPLE: &str = "! ---\nBAND # name\nQBN # type\nMinimize # sense\n3 # variables\n5 # terms\n\
        1 1 2.0 5 lines\n2 1 -1.0 |\n2 2 2.0 |\n\n3 2 -1.0 |\n3 3 2.0 |\n-0.2 default\n1 # others\n\
        2 -0.4 1 line\n0.5 constant\n1.0E+20 infinity\n0\n0\n0\n0\n0\n0\n";

    #[test]
    fn reads_the_objective() {
        let products = vec![(0, 1, -1.0), (1, 2, -1.0)];
        let expected = File { is_max: false, diagonal: vec![0.8, 0.6, 0.8], products, constant: 0.5 };
        assert_eq!(read(EXAMPLE).unwrap(), expected);
        assert!(is_likely(EXAMPLE) && !is_likely("3 2\n1 2 1\n2 3 1\n") && !is_likely(""));
        let box_constrained = EXAMPLE.replace("QBN", "qbb").replace("Minimize", "maximize");
        assert_eq!(read(&box_constrained).unwrap(), File { is_max: true, ..expected });
        let linear = "a\nLBN\nminimize\n2\n1\n1\n2 -3\n0\n";
        let expected = File { is_max: false, diagonal: vec![1.0, -3.0], products: Vec::new(), constant: 0.0 };
        assert_eq!(read(linear).unwrap(), expected);
    }

    #[test]
    fn names_the_line_and_what_is_wrong_with_it() {
        let remedy = "only unconstrained problems of binary variables (QBN, QBB) are read";
        for (from, to, message) in [
            (
                "QBN",
                "QBL",
                &format!("line 3: type QBL: the problem has constraints; {remedy}; add them as penalties")[..],
            ),
            (
                "QBN",
                "QMB",
                &format!("line 3: type QMB: not all variables are binary; {remedy}; write the others in bits"),
            ),
            ("QBN", "QQN", "line 3: expected the type of the problem, three letters such as QBN, found `QQN`"),
            ("Minimize", "min", "line 4: expected minimize or maximize, found `min`"),
            ("3 # var", "0 # var", "line 5: the problem is empty"),
            ("5 # terms", "6 # terms", "line 13: expected `i j q`, found 2 words"),
            ("5 # terms", "4 # terms", "line 13: `-0.2` is not a number of this kind (0, 1, 2, ..)"),
            ("2 1 -1.0 |", "4 1 -1.0 |", "line 8: `4` is not a number from 1 to 3"),
            ("2 1 -1.0 |", "2 1", "line 8: expected `i j q`, found 2 words"),
            ("3 2 -1.0 |", "1 2 -1.0 |", "line 11: the pair 1 2 is already given on line 8"),
            ("2 -0.4 1 line", "2", "line 15: expected `i b`, found 1 words"),
            ("0.5 constant", "inf", "line 16: `inf` is not a finite number"),
        ] {
            assert_eq!(read(&EXAMPLE.replacen(from, to, 1)).unwrap_err(), message, "{to}");
        }
        let cut = &EXAMPLE[..EXAMPLE.find("0.5").unwrap()];
        assert_eq!(read(cut).unwrap_err(), "ends after line 15, where the constant is missing");
        assert_eq!(read("").unwrap_err(), "ends after line 0, where the name is missing");
    }
}
