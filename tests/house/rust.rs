//! Rust files as text: comments and strings blanked, functions, imports.

/// Blanks comments, strings and character literals. Line breaks stay.
pub fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => at + line_length(&bytes[at..]),
            b'/' if bytes[at..].starts_with(b"/*") => after(bytes, at + 2, b"*/"),
            b'"' => string_end(bytes, at + 1),
            b'r' if !continues_a_word(bytes, at) => match raw_string(bytes, at) {
                Some(end) => end,
                None => at,
            },
            b'\'' if is_character(bytes, at) => {
                let inner = if bytes[at + 1] == b'\\' { at + 3 } else { at + 2 };
                after(bytes, inner, b"'")
            }
            _ => at,
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(out).expect("whole literals are blanked")
}

fn line_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len())
}

fn after(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let found = bytes[from..].windows(end.len()).position(|window| window == end);
    found.map_or(bytes.len(), |found| from + found + end.len())
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn continues_a_word(bytes: &[u8], at: usize) -> bool {
    // The r of a byte string br".." begins it too.
    let before = if at > 0 && matches!(bytes[at - 1], b'b' | b'c') { at - 1 } else { at };
    before > 0 && (bytes[before - 1].is_ascii_alphanumeric() || bytes[before - 1] == b'_')
}

fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + 1 + hashes;
    (bytes.get(open) == Some(&b'"')).then(|| after(bytes, open + 1, &[b"\"", &b"#".repeat(hashes)[..]].concat()))
}

/// Whether a quote begins a character, not a lifetime.
fn is_character(bytes: &[u8], at: usize) -> bool {
    let Ok(rest) = std::str::from_utf8(&bytes[at + 1..bytes.len().min(at + 5)])
        .or_else(|error| std::str::from_utf8(&bytes[at + 1..at + 1 + error.valid_up_to()]))
    else {
        return false;
    };
    let mut rest = rest.chars();
    match rest.next() {
        Some('\\') => true,
        Some(_) => rest.next() == Some('\''),
        None => false,
    }
}

/// The functions of a blanked file that have a body, with their number of lines.
pub fn functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(open) = body(&text[at..]) else { continue };
        if !name.is_empty() {
            let end = at + open + closing(&text[at + open..]);
            found.push((name, text[at..end].matches('\n').count() + 1));
        }
    }
    found
}

/// Where the body of a function begins. Declarations and pointer types have none.
fn body(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return None,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' | '}' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The paths of all `use` declarations of a blanked file, groups written out.
pub fn imports(text: &str) -> Vec<Vec<String>> {
    let starts = text.match_indices("use ").filter(|(at, _)| {
        !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_') && !text[..*at].ends_with("r#")
    });
    starts.filter_map(|(at, _)| text[at + 4..].split_once(';')).flat_map(|(tree, _)| expand(tree)).collect()
}

fn expand(tree: &str) -> Vec<Vec<String>> {
    let segments = |path: &str| -> Vec<String> {
        let path = path.split(" as ").next().unwrap();
        path.split("::").map(str::trim).filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
    };
    let Some((head, group)) = tree.trim().split_once('{') else { return vec![segments(tree)] };
    let (head, mut parts, mut depth, mut start) = (segments(head), Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(expand).map(|path| head.iter().cloned().chain(path).collect()).collect()
}

/// The names of the modules that a blanked file declares in files of their own.
pub fn modules(text: &str) -> Vec<String> {
    let declared = text.match_indices("mod ").filter(|(at, _)| {
        text[..*at].rsplit('\n').next().unwrap().chars().all(|c| c.is_alphanumeric() || " ()_:".contains(c))
    });
    declared
        .filter_map(|(at, _)| text[at + 4..].split_once(';'))
        .map(|(name, _)| name.trim().to_owned())
        .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect()
}

/// Whether a blanked file defines a name.
pub fn defines(text: &str, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type", "union", "macro_rules!"];
    kinds.iter().any(|kind| {
        text.match_indices(&format!("{kind} {name}")).any(|(at, found)| {
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !is_word(text[..at].chars().next_back()) && !is_word(text[at + found.len()..].chars().next())
        })
    })
}
