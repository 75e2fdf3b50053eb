//! The ABI of the shared libraries is the one recorded in capi/abi.txt: exported symbols, prototypes,
//! constants, sizes and offsets of structures.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::c;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/capi/abi.txt");

const HEAD: &str = "\
# The ABI of the C library. The test `abi` compares it with the code. A line that changes or goes needs
# a new SONAME (CONTRIBUTING.md). To record: HOTLOOPS_RECORD_ABI=1 cargo test -p hotloops --test c_api abi
";

/// The tokens between the braces of a declaration.
fn body(declaration: &str) -> &str {
    declaration.split_once('{').unwrap().1.rsplit_once('}').unwrap().0
}

/// A C program that prints constants and structures, as in the record.
fn program() -> String {
    let mut program = "#include <hotloops.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n".to_owned();
    for declaration in c::declarations(c::HEADER) {
        if declaration.starts_with("enum {") {
            for name in body(&declaration).split(',').filter_map(|constant| constant.split_whitespace().next()) {
                writeln!(program, "printf(\"constant {name} %lld\\n\", (long long)({name}));").unwrap();
            }
        } else if declaration.starts_with("typedef struct") && declaration.contains('{') {
            let name = declaration.rsplit(' ').next().unwrap();
            writeln!(program, "printf(\"struct {name} of %zu bytes\\n\", sizeof({name}));").unwrap();
            let fields = body(&declaration).split([';', ',']).filter(|field| !field.trim().is_empty());
            for field in fields.map(|field| field.split('[').next().unwrap().split_whitespace().last().unwrap()) {
                let size = format!("sizeof((({name} *)0)->{field})");
                let line = format!("\"    {field} at %zu, %zu bytes\\n\", offsetof({name}, {field}), {size}");
                writeln!(program, "printf({line});").unwrap();
            }
        }
    }
    program + "return 0;\n}\n"
}

#[test]
fn the_abi_is_the_recorded_one() {
    let Some(library) = c::library() else { return };
    let [source, binary] = ["abi.c", "abi"].map(|name| library.prefix.join(name));
    fs::write(&source, program()).unwrap();
    let include = format!("-I{}", library.prefix.join("include").display());
    c::succeed(Command::new(c::CC.unwrap()).args(["-std=c99", &include, "-o"]).arg(&binary).arg(&source));
    let mut found = HEAD.to_owned() + &c::succeed(&mut c::run(&binary));
    let mut prototypes = c::prototypes(c::HEADER);
    prototypes.sort_by(|a, b| c::declared_name(a).cmp(c::declared_name(b)));
    prototypes.iter().for_each(|prototype| writeln!(found, "function {prototype}").unwrap());
    for name in ["hotloops", "hotloops_blas"] {
        let shared = library.prefix.join(format!("lib/lib{name}.so"));
        let listing = c::succeed(Command::new(c::tool("nm")).args(["-P", "-D", "--defined-only"]).arg(&shared));
        let symbols: BTreeSet<_> = listing.lines().map(|line| line.split(' ').next().unwrap()).collect();
        symbols.iter().for_each(|symbol| writeln!(found, "symbol of lib{name}.so: {symbol}").unwrap());
    }
    if std::env::var_os("HOTLOOPS_RECORD_ABI").is_some() {
        return fs::write(RECORD, found).unwrap();
    }
    let recorded = fs::read_to_string(RECORD).unwrap();
    let only = |a: &str, b: &str| {
        let other: BTreeSet<_> = b.lines().collect();
        a.lines().filter(|line| !other.contains(line)).collect::<Vec<_>>().join("\n  ")
    };
    let (gone, new) = (only(&recorded, &found), only(&found, &recorded));
    assert!(recorded == found, "recorded but gone:\n  {gone}\nnew:\n  {new}\n{HEAD}");
}
