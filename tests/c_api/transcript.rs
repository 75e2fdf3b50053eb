//! Compares the output of consumer.c with the same results computed by the crate.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use hotloops::isa::{self, Isa};
use hotloops::kernel::{Code, Variant};

use crate::c;
use crate::kernels::kernel_results;
use crate::results::results;

/// The form of the library that a program links.
#[derive(Clone, Copy, PartialEq)]
pub enum Linked {
    Archive,
    /// It exports no kernel of hotloops_kernels.h: consumer.c is compiled with SHARED.
    Shared,
}

/// Asserts that consumer.c, linked with the archive, `printed` the crate's results.
pub fn assert_transcript(name: &str, printed: &str) {
    assert_transcript_of(Linked::Archive, name, printed);
}

/// Asserts that consumer.c `printed` the crate's results.
pub fn assert_transcript_of(linked: Linked, name: &str, printed: &str) {
    static EXPECTED: [OnceLock<String>; 2] = [const { OnceLock::new() }; 2];
    let expected = EXPECTED[linked as usize].get_or_init(|| transcript(linked));
    let (named, results): (Vec<_>, Vec<_>) = printed.lines().partition(|line| line.starts_with("named "));
    assert_arguments(linked, &named);
    let printed = results.join("\n");
    for (line, (printed, expected)) in printed.lines().zip(expected.lines()).enumerate() {
        assert_eq!(printed, expected, "{name}: line {line}, printed on the left");
    }
    assert_eq!(printed.lines().count(), expected.lines().count());
}

/// Pointers that may be null: prefixes of function names, with the parameters.
const MAY_BE_NULL: &[(&str, &str)] = &[
    ("", "opts"),
    ("", "periods"),
    ("", "flips"),
    ("", "swaps"),
    ("", "segments"),
    ("", "clusters"),
    ("hl_ising_worldlines_get_line", "kinks"),
    ("hl_ising_replica_exchange_apply", "made"),
    ("hl_correlation_image_create", "psi"),
    ("hl_correlation_points_create", "psi"),
    ("hl_correlation_psi_of_bonds_to_images", "weights"),
    ("hl_clifford_packed_create_", "bias"),
    ("hl_clifford_backward_weights_", "gbias"),
    ("hl_matmul_gemm_", "workspace"),
    ("hl_matmul_syrk_", "workspace"),
];

/// Argument names that are neither a parameter nor a structure member: bins given by `lo`, `hi` and
/// `width`, and a direction of the plane.
const OTHER_NAMES: &[&str] = &["bins", "y"];

/// Each line reports a function and the argument that its status named: a parameter or a structure
/// member. Every pointer that must not be null must have been named.
fn assert_arguments(linked: Linked, lines: &[&str]) {
    let parameters = |prototype: &str| -> Vec<(String, bool)> {
        let list = prototype.split_once('(').unwrap().1.trim_end_matches([' ', ')']);
        let name = |variable: &str| (variable.rsplit(' ').next().unwrap().to_owned(), variable.contains('*'));
        list.split(" , ").map(|variable| name(variable.trim())).collect()
    };
    let members: BTreeSet<_> = c::declarations(c::HEADER)
        .iter()
        .filter_map(|text| text.strip_prefix("typedef struct")?.split_once('{'))
        .flat_map(|(_, fields)| {
            let name = |field: &str| field.split('[').next().unwrap().trim().rsplit(' ').next().unwrap().to_owned();
            fields.split(';').map(name).collect::<Vec<_>>()
        })
        .collect();
    let named: BTreeSet<_> = lines.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
    let headers = if linked == Linked::Archive { &[c::HEADER, c::KERNELS][..] } else { &[c::HEADER] };
    let prototypes: Vec<_> = headers.iter().flat_map(|header| c::prototypes(header)).collect();
    for line in &named {
        let (function, argument) = line.split_once(' ').unwrap();
        let prototype = prototypes.iter().find(|text| c::declared_name(text) == function).expect(function);
        let own = parameters(prototype).iter().any(|(name, _)| name == argument);
        let is_known = own || members.contains(argument) || OTHER_NAMES.contains(&argument);
        assert!(is_known, "{function} has no argument {argument}");
    }
    for prototype in prototypes.iter().filter(|text| text.starts_with("hl_status hl_")) {
        let function = c::declared_name(prototype);
        let may_be_null =
            |name: &str| MAY_BE_NULL.iter().any(|(of, argument)| function.starts_with(of) && *argument == name);
        for (name, _) in parameters(prototype).iter().filter(|(name, pointer)| *pointer && !may_be_null(name)) {
            assert!(named.contains(&format!("{function} {name}")), "no status named {name} of {function}");
        }
    }
}

/// The expected output of consumer.c, computed by the crate.
fn transcript(linked: Linked) -> String {
    let mut lines = vec![format!("version {}", env!("CARGO_PKG_VERSION")), format!("active {}", isa::active().word())];
    let mut results = results();
    if linked == Linked::Archive {
        results.extend(kernel_results());
    }
    lines.extend(results.clone());
    for &isa in Isa::ALL {
        let status = if isa::detected(isa) { 0 } else { hotloops::Error::IsaUnavailable { isa }.status() };
        lines.push(format!("isa {} {status}", isa.word()));
        if isa::detected(isa) {
            lines.extend(results.clone());
        }
    }
    for kernel in hotloops::kernels() {
        let (family, name) = kernel.name();
        // The C library keeps only the best row per instruction set, and the next if a fact may skip that.
        let mut rows = kernel.variants.to_vec();
        let is_skipped = |row: &Variant<Code>, by: &Variant<Code>| by.unless.is_some() && by.unless != row.unless;
        rows.dedup_by(|row, best| row.isa == best.isa && !is_skipped(row, best));
        lines.extend(rows.iter().map(|row| {
            let found = if isa::detected(row.isa) { "found" } else { "missing" };
            format!("variant {family}/{name}/{row} {found}")
        }));
    }
    lines.extend(
        hotloops::STATUSES.iter().map(|(_, value, text)| format!("refused {value} {}", text.to_str().unwrap())),
    );
    lines.join("\n")
}
