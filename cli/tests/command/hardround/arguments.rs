//! Wrong arguments.

use std::path::PathBuf;

use super::{PIECE, printed};
use crate::support::{folder, refused, unreadable, words};

#[test]
fn wrong_arguments_say_what_is_right() {
    let out: PathBuf = folder("hardround_arguments").join("out.tsv");
    let fails = |arguments: &str, names: &str| {
        refused(&words(&format!("hardround search {arguments} --out {}", out.display())), names);
        assert!(!out.exists(), "{arguments}");
    };
    fails("--func lgamma --from 1 --to 2 --bits 40", "exp, exp2, exp10, expm1, ");
    fails("--func exp --from 2 --to 1 --bits 40", "begins at 0x1p+1, not below its end 0x1p+0");
    fails("--func exp --from 1 --to 1 --bits 40", "not below its end");
    fails("--func exp --from NaN --to 2 --bits 40", "is not finite; expected a number such as 0x1.8p+0");
    fails("--func exp --from 1 --to inf --bits 40", "is not finite; expected");
    fails("--func exp --from one --to 2 --bits 40", "expected a number such as 0x1.8p+0 or 1.5");
    fails("--func exp --from 0x1.8 --to 0xp0 --bits 40", "expected a number such as 0x1.8p+0 or 1.5");
    fails("--func log --from 0 --to 1 --bits 40", "from 0x1p-1074 = 5e-324 to 0x1.fffffffffffffp+1023");
    fails("--func log2 --from -2 --to -1 --bits 40", "this function can be searched from 0x1p-1074");
    fails("--func exp --from 1 --to 710 --bits 40", "from -0x1.74e6666666666p+9 = -7.458e2 to 0x1.62e42fefa39efp+9 = ");
    fails("--func exp2 --from -1077 --to 1 --bits 40", "from -0x1.0dp+10 = -1.076e3 to");
    fails("--func sin --from 1e15 --to 2e15 --bits 40", "the result changes its binade too often");
    fails(
        "--func sin --from -1 --to 1 --bits 40",
        "arguments closer to zero than 0x1p-96 cannot be searched; this function can be searched from \
         -0x1.fffffffffffffp+1023 to -0x1p-96 and from 0x1p-96 to 0x1.fffffffffffffp+1023",
    );
    for within in ["0", "-0x1p-33", "0x1p-60", "0.5", "1e300"] {
        let arguments = format!("--func exp --from 1 --to 2 --within {within}");
        fails(&arguments.replace("--within ", "--within="), "the bound must be from 0x1p-59 to 0x1p-5 ulp");
    }
    fails("--func exp --from 1 --to 2 --modes nearest --within 1", "the bound must be from 0x1p-58 to 0x1p-4 ulp");
    for (modes, min, max) in [("all", 4, 58), ("nearest", 3, 57), ("directed", 3, 57)] {
        let range = format!("with --modes {modes}, the number of bits must be from {min} to {max}");
        for bits in [0, min - 1, max + 1, 65535] {
            let arguments = format!("--func exp --from 1 --to 2 --modes {modes} --bits {bits}");
            let of_all = "--bits <M>': expected a whole number from 3 to 58".to_owned();
            fails(&arguments, &if (3..=58).contains(&bits) { format!("--bits {bits}: {range}") } else { of_all });
        }
        for bits in [min, max] {
            printed(&format!(
                "hardround search --func exp --from 1 --to 0x1.0000000001p0 --modes {modes} --bits {bits}"
            ));
        }
    }
    fails("--func exp --from 1 --to 2 --bits 65536", "--bits");
    fails("--func exp --from 1 --to 2 --bits few", "--bits");
    fails("--func exp --from 1 --to 2 --bits 40 --within 0x1p-41", "cannot be used with");
    fails("--func exp --from 1 --to 2", "--within <ULPS>");
    fails("--func exp --from 1 --bits 40", "--to <X> is required: binary64 has too many numbers");
    fails("--func exp --precision binary128 --bits 40", "binary16, bfloat16, binary32, binary64, x87");
    fails("--func exp --precision binary32 --from 1 --to 0x1.0000001p0 --bits 8 --shard 2/1", "expected I/N");
    for shard in ["0/4", "5/4", "4", "1/0", "a/b", "1/4/2", "-1/4", "/"] {
        let arguments = format!("--func exp --from 1 --to 2 --bits 40 --shard={shard}");
        fails(&arguments, "expected I/N with I from 1 to N, such as 3/64");
    }
    fails("--func exp --from 1 --to 2 --bits 40 --shard 1/4 --format wc", "--shard: use --format tsv");
    for grid in ["3", "2^1", "2^-1075", "2^x", "2"] {
        fails(&format!("--func exp --from 1 --to 2 --bits 40 --grid {grid}"), "expected a power of 2 such as 2^-53");
    }
    fails("--func exp --from 1 --to 2 --bits 40 --grid 2^-70", "--grid: 2^-70 is below 2^-256, or too fine");
    fails("--func exp --from 1.1 --to 1.2 --bits 40 --grid 2^0", "no multiple of it is between");
    fails("--func exp --from 1 --to 2 --bits 40 --modes up", "all, nearest, directed");
    fails("--func exp --from 1 --to 2 --bits 40 --format csv", "tsv, wc, index");
    fails("--func exp --from 1 --to 2 --bits 40 --threads 0", "expected a whole number from 1 to 1024");
    refused(&words(&format!("{PIECE} --out /nowhere/out.tsv")), "--out /nowhere/out.tsv");
    refused(&["hardround", "merge"], "<FILES>...");
    unreadable(&["hardround", "verify", "/nowhere.tsv"], "/nowhere.tsv");
    refused(&["hardround"], "Usage");
}
