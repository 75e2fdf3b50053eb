//! Published counts and the hardest case, by both algorithms.

use super::{WHOLE, hash, printed};

/// Published counts and lists, and others on which independent searches agree.
fn as_many_as_published(algorithm: &str) {
    let list = |arguments: &str, count: usize, sha256: Option<&str>| {
        let text = printed(&format!("{arguments} --format index --algorithm {algorithm}"));
        assert_eq!(text.lines().count(), count, "{arguments}");
        if let Some(sha256) = sha256 {
            assert_eq!(hash(&text), sha256, "{arguments}");
        }
    };
    let steps =
        "hardround search --func exp --from 0x1p0 --to 0x1.0008p0 --grid 2^-53 --modes directed --within 0x1p-33";
    list(steps, 243, Some("e993ab6cf544009c5ff1c33a4b2d8c4a24c5ca9c55990ec5fb59dbf960864c83"));
    let directed = "bcf36fdf22a9da2cac9e85dfd9a3ea67ff659befac2a8b8817c42c1e6f567c6f";
    list(&format!("{WHOLE} --within 0x1p-33 --modes directed"), 242, Some(directed));
    list(&format!("{WHOLE} --within 0x1p-33 --modes nearest"), 239, None);
    list(&format!("{WHOLE} --bits 32"), 481, None);
    let all = "0563a308d641570bc706397e79748eebdfe8166c218f30757f2ce1f5ba0aa876";
    list(&format!("{WHOLE} --within 0x1p-32"), 986, Some(all));
    list(&format!("{WHOLE} --within 0x1p-30"), 4068, None);
    let exp = |end: &str| format!("hardround search --func exp --from 0x1p0 --to {end}");
    list(&format!("{} --within 0x1p-37", exp("0x1.02p0")), 1016, None);
    list(&format!("{} --grid 2^-46 --within 0x1p-28", exp("0x1.004p0")), 1073, None);
    list(&format!("{} --grid 2^-40 --within 0x1p-25", exp("0x1.02p0")), 1020, None);
    list(&format!("{} --grid 2^-34 --within 0x1p-21", exp("0x1.04p0")), 543, None);
    // A second derivative below 0, with a third one above.
    list("hardround search --func log1p --from 0x1p0 --to 0x1.001p0 --within 0x1p-32", 1095, None);
}

#[test]
fn as_many_as_published_by_dual_rows() {
    as_many_as_published("dual");
}

#[test]
fn as_many_as_published_by_domains() {
    as_many_as_published("farey");
}

#[test]
fn the_hardest() {
    let text = printed(&format!("{WHOLE} --bits 36"));
    let bits = |line: &str| line.split('\t').nth(2).unwrap().parse::<f64>().unwrap();
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    lines.sort_by(|a, b| bits(b).total_cmp(&bits(a)));
    let fields: Vec<&str> = lines[0].split('\t').collect();
    // 2.91241e-13 half ulps.
    assert_eq!(fields[..1], ["0x1.00089b832fd81p+0"]);
    assert_eq!(fields[2..], ["41.643", "mid", "+", "+1.456207e-13"]);
    assert!(lines[1].contains("\t39.352\tmid\t") && lines[2].contains("\t38.763\trep\t"), "{lines:?}");
}
