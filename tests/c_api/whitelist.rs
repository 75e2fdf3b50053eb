//! No instruction stands outside the bundle of its ISA word: every function of the C library and
//! every assembly object is disassembled, and an assembler that knows this bundle alone must take
//! it all back. What an instruction belongs to, the assembler says; what a bundle is, `src/frame/level.rs`.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use hotloops::isa::Isa;
use hotloops::kernel::Form;

use crate::{assembly, c, code};

/// Instructions as text under the names of their functions.
type Code = Vec<(String, String)>;

/// The assembler's names of the features that `isa` may use beyond the architecture as such.
fn features(isa: Isa) -> Vec<String> {
    let source = fs::read_to_string(format!("{}/src/frame/level.rs", c::ROOT)).unwrap();
    let rows = source.split("\nisas! {").nth(1).unwrap().split("\n}\n").next().unwrap();
    let row = rows.split("    /// ").find(|row| {
        let head = row.lines().nth(1).unwrap_or_default().trim();
        head.split([' ', '[', '{']).next() == Some(isa.word())
    });
    let quoted = row.unwrap().split('"').skip(1).step_by(2);
    quoted
        .map(|feature| match feature {
            "bmi1" => "bmi".into(),
            "avx512vbmi2" | "avx512vpopcntdq" | "avx512bitalg" | "avx512vnni" => feature.replace("avx512", "avx512_"),
            _ => feature.into(),
        })
        .collect()
}

/// What an assembler limited to the features of `isa` says against `code`, by line.
fn outside(isa: Isa, code: &Code) -> Vec<String> {
    let march = match std::env::consts::ARCH {
        // Landing pads are no-operations where they are unknown.
        "x86_64" => format!("generic64+ibt{}", features(isa).iter().map(|name| format!("+{name}")).collect::<String>()),
        _ => "armv8-a".into(),
    };
    let mut assembler = Command::new(c::tool("as"))
        .args([&format!("-march={march}"), "-o", "/dev/null", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = code.iter().map(|(_, instruction)| format!("{instruction}\n")).collect();
    let mut input = assembler.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = assembler.wait_with_output().unwrap();
    writer.join().unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    let errors = complaints.lines().filter_map(|line| line.split_once(": Error: ")).map(|(place, error)| {
        let line: usize = place.rsplit(':').next().unwrap().parse().unwrap();
        let (function, instruction) = &code[line - 1];
        format!("{}: {function}: {instruction}: {error}", isa.word())
    });
    let errors: Vec<_> = errors.collect();
    assert_eq!(errors.is_empty(), output.status.success(), "{complaints}");
    errors
}

/// The ISA word of a function: the end of an assembly function's name, the module of one in Rust,
/// else no more than any CPU has.
fn word(symbol: &str) -> Isa {
    let is_word = |name: &str| Isa::ALL.iter().copied().find(|isa| isa.word() == name);
    if symbol.starts_with("hl_") {
        return symbol.rsplit('_').next().and_then(is_word).unwrap_or(Isa::scalar);
    }
    // In mangled names an identifier follows its length.
    let named = |isa: &&Isa| symbol.contains(&format!("{}{}", isa.word().len(), isa.word()));
    match symbol.contains("hotloops") {
        true => Isa::ALL.iter().rev().find(named).copied().unwrap_or(Isa::scalar),
        false => Isa::scalar,
    }
}

/// The instructions of an object or archive by ISA word, without those of the compiler's run-time library.
fn disassembled(file: &Path) -> BTreeMap<&'static str, Code> {
    let listing = c::succeed(Command::new(c::tool("objdump")).args(["-d", "-w", "--no-show-raw-insn"]).arg(file));
    let mut code = BTreeMap::<_, Code>::new();
    let (mut function, mut isa, mut ours) = (String::new(), Isa::scalar, true);
    for line in listing.lines() {
        if let Some(member) = line.split(":     file format").next().filter(|member| member.len() < line.len()) {
            ours = member.starts_with("hotloops");
        } else if let Some(symbol) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            function = symbol.1.to_owned();
            isa = word(&function);
        } else if let Some((_, instruction)) = line.split_once(":\t").filter(|_| ours || function.starts_with("hl_")) {
            code.entry(isa.word()).or_default().push((function.clone(), plain(&function, isa, instruction)));
        }
    }
    code
}

/// An instruction as the assembler reads it.
fn plain(function: &str, isa: Isa, instruction: &str) -> String {
    let mut text = instruction.split([';', '#']).next().unwrap().trim();
    if cfg!(target_arch = "aarch64") {
        text = instruction.split("//").next().unwrap().trim();
    }
    // A target address is not of interest: `jmp 40 <name+0x40>`.
    if let Some((before, _)) = text.split_once(" <") {
        return format!("{} .", before.rsplit_once([' ', '\t']).map_or("", |(before, _)| before));
    }
    // Padding of any length is one instruction under many prefixes.
    if text.contains("nop") {
        return "nop".into();
    }
    let by_hand = function.starts_with("hl_") && isa != Isa::scalar;
    match text {
        "bti\tc" => "hint #34".into(),
        // Behind a CPUID bit.
        "xgetbv" if isa == Isa::scalar => "nop".into(),
        // What compilers write for `bsf` of what is not zero: older CPUs pass over the prefix.
        _ if text.starts_with("tzcnt") && !by_hand && !features(isa).contains(&"bmi".into()) => {
            text.replace("tzcnt", "rep bsf")
        }
        _ => text.into(),
    }
}

/// What is outside in an object or archive, and the number of instructions of each word that was seen.
fn judged(file: &Path) -> (Vec<String>, BTreeMap<&'static str, usize>) {
    let code = disassembled(file);
    let errors = Isa::ALL.iter().filter_map(|isa| Some(outside(*isa, code.get(isa.word())?)));
    (errors.flatten().collect(), code.iter().map(|(word, code)| (*word, code.len())).collect())
}

#[test]
fn no_instruction_is_outside_its_bundle() {
    let Some(library) = c::library() else { return };
    let (errors, seen) = judged(&library.members);
    println!("instructions: {seen:?}");
    for row in hotloops::kernels().flat_map(|kernel| kernel.variants) {
        assert!(seen.contains_key(row.isa.word()), "nothing of {} was seen", row.isa.word());
    }
    assert!(errors.is_empty(), "{} instructions, the first: {:#?}", errors.len(), &errors[..errors.len().min(20)]);
}

/// The same of the assembly in this program, which cargo builds: an object that stands in for another is found
/// without the C library.
#[test]
fn no_assembly_of_this_program_is_outside_its_bundle() {
    if c::CC.is_none() {
        return println!("not run: the crate was built without a C compiler");
    }
    let (errors, seen) = judged(&std::env::current_exe().unwrap());
    for row in hotloops::kernels().flat_map(|kernel| kernel.variants).filter(|row| row.form == Form::Assembly) {
        assert!(seen.contains_key(row.isa.word()), "nothing of {} was seen", row.isa.word());
    }
    assert!(errors.is_empty(), "{} instructions, the first: {:#?}", errors.len(), &errors[..errors.len().min(20)]);
}

/// Every assembly file of this architecture, assembled by itself, without the library around it.
#[test]
fn assembly_leaves_alone_what_is_below_the_stack_pointer() {
    let Some(cc) = c::CC.filter(|_| cfg!(feature = "assembly")) else {
        return println!("not run: the crate was built without assembly");
    };
    let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("below.o");
    for source in assembly::sources().iter().filter(|source| source.arch == std::env::consts::ARCH) {
        let path = &source.path;
        c::succeed(Command::new(cc).arg(format!("-I{}/asm", c::ROOT)).args(["-c", "-o"]).arg(&object).arg(path));
        let options = code::options(&source.arch);
        let listing = c::succeed(Command::new(c::tool("objdump")).args(options).arg(&object));
        let instructions = code::functions(&listing).into_values().flatten();
        let below: Vec<_> = instructions.filter(|(_, text)| code::is_below_the_stack(&source.arch, text)).collect();
        assert!(below.is_empty(), "{}: {below:?}", path.display());
    }
}

#[test]
fn what_is_below_the_stack_pointer_is_found() {
    let bad = [
        ("x86_64", "mov    QWORD PTR [rsp-0x8],rdi"),
        ("x86_64", "lea    r10,[rsp-0x80]"),
        ("x86_64", "vmovups YMMWORD PTR [rsp+rax*1-0x40],ymm0"),
        ("x86_64", "push   QWORD PTR [rsp-0x8]"),
        ("aarch64", "str\tx0, [sp, #-8]"),
        ("aarch64", "sub\tx9, sp, #0x80"),
        ("aarch64", "stur\tq0, [sp, #-16]"),
    ];
    let good = [
        ("x86_64", "lea    rsp,[rsp-0x40]"),
        ("x86_64", "mov    QWORD PTR [rsp+0x8],rdi"),
        ("x86_64", "sub    rsp,0x40"),
        ("x86_64", "mov    rax,QWORD PTR [rdi-0x8]"),
        ("aarch64", "str\tx0, [sp, #-16]!"),
        ("aarch64", "sub\tsp, sp, #0x80"),
        ("aarch64", "ldr\tx0, [sp, #8]"),
    ];
    assert!(bad.iter().all(|(arch, text)| code::is_below_the_stack(arch, text)));
    assert!(!good.iter().any(|(arch, text)| code::is_below_the_stack(arch, text)));
}

/// The test can fail: instructions that one word's bundle lacks and the next one's has.
#[test]
fn what_is_planted_is_found() {
    if c::CC.is_none() {
        return println!("not run: the crate was built without a C compiler");
    }
    let planted: &[(Isa, &str, Isa)] = match std::env::consts::ARCH {
        "x86_64" => &[
            (Isa::sse2, "haddps %xmm1,%xmm0", Isa::avx2),
            (Isa::sse2, "pshufb %xmm1,%xmm0", Isa::avx2),
            (Isa::sse2, "pmulld %xmm1,%xmm0", Isa::avx2),
            (Isa::sse2, "popcnt %rax,%rax", Isa::avx2),
            (Isa::sse2, "tzcnt %rax,%rax", Isa::avx2),
            (Isa::sse2, "vaddps %xmm2,%xmm1,%xmm0", Isa::avx2),
            (Isa::scalar, "vfmadd231ss %xmm2,%xmm1,%xmm0", Isa::avx2),
            (Isa::avx2, "vgf2p8mulb %ymm2,%ymm1,%ymm0", Isa::avx2gfni),
            (Isa::avx2, "vpaddd %ymm17,%ymm1,%ymm0", Isa::avx512),
            (Isa::avx2, "vpternlogd $255,%ymm2,%ymm1,%ymm0", Isa::avx512),
            (Isa::avx2gfni, "vaddps %zmm2,%zmm1,%zmm0", Isa::avx512),
            (Isa::avx2gfni, "kmovq %k1,%rax", Isa::avx512),
            (Isa::avx512, "vpermb %zmm2,%zmm1,%zmm0", Isa::avx512icl),
            (Isa::avx512, "vpopcntq %zmm1,%zmm0", Isa::avx512icl),
            (Isa::avx512, "vgf2p8affineqb $0,%zmm2,%zmm1,%zmm0", Isa::avx512icl),
            (Isa::avx512, "vpdpbusd %zmm2,%zmm1,%zmm0", Isa::avx512icl),
            (Isa::avx512icl, "vaddph %zmm2,%zmm1,%zmm0", Isa::avx512icl),
            (Isa::avx512icl, "lzcnt %rax,%rax", Isa::avx512icl),
        ],
        _ => &[
            (Isa::neon, "ptrue p0.b", Isa::neon),
            (Isa::neon, "sdot v0.4s, v1.16b, v2.16b", Isa::neon),
            (Isa::neon, "ldadd x0, x1, [x2]", Isa::neon),
            (Isa::neon, "fadd v0.8h, v1.8h, v2.8h", Isa::neon),
        ],
    };
    let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted.o");
    for (isa, instruction, next) in planted {
        let judge = |isa: &Isa| {
            let text = format!("hl_planted_{}:\n nop\n {instruction}\n ret\n", isa.word());
            let source = object.with_extension("s");
            fs::write(&source, text).unwrap();
            let march = if cfg!(target_arch = "aarch64") { &["-march=armv9-a+fp16"][..] } else { &[] };
            c::succeed(Command::new(c::tool("as")).args(march).arg("-o").args([&object, &source]));
            judged(&object).0
        };
        assert_eq!(judge(isa).len(), 1, "{}: {instruction}", isa.word());
        // Some are in no bundle.
        assert_eq!(judge(next).is_empty(), isa != next, "{}: {instruction}", next.word());
    }
}
