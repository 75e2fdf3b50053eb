//! Facts of CPUs: where one holds, a call skips the rows that name it. Only speed depends on them.

/// The part of CPUID from which facts follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpu<'a> {
    /// 12 letters.
    pub vendor: &'a [u8],
    /// Both include the extended fields.
    pub family: u32,
    pub model: u32,
    /// Whether the instruction set `avx2gfni` is there.
    pub has_gfni: bool,
}

impl Cpu<'_> {
    fn is_amd(&self, family: u32) -> bool {
        self.vendor == b"AuthenticAMD" && self.family == family
    }
}

/// A row has the word and its test.
macro_rules! facts {
    ($cpu:ident: $($(#[$doc:meta])* $word:ident if $test:expr;)+) => {
        /// A property of a CPU that decides between rows where CPUs with the same instruction sets differ. It has the
        /// same name in declarations (`avx512 unless narrow_512`) and in the output of `hotloops list`.
        #[allow(non_camel_case_types)]
        #[repr(i32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fact { $($(#[$doc])* $word),+ }

        impl Fact {
            /// All facts.
            pub const ALL: &[Fact] = &[$(Fact::$word),+];

            /// The name.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Fact::$word => stringify!($word)),+ }
            }

            /// Its bit in a set.
            pub(crate) const fn bit(self) -> u32 {
                1 << self as u32
            }
        }

        /// Bit set of the facts of a CPU.
        pub(crate) fn facts_of($cpu: Cpu) -> u32 {
            let mut set = 0;
            $(if $test {
                set |= Fact::$word.bit();
            })+
            set
        }
    };
}

facts! { cpu:
    /// 256-bit operations run as two halves: Zen 1 and Zen+, and Hygon's.
    narrow_256 if cpu.is_amd(0x17) && cpu.model < 0x30 || cpu.vendor == b"HygonGenuine" && cpu.family == 0x18;
    /// 512-bit operations run as two halves: Zen 4.
    narrow_512 if cpu.is_amd(0x19) && matches!(cpu.model, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf);
    /// Rows of `avx2gfni` can run; some are faster than those of AVX-512 without GFNI.
    gfni if cpu.has_gfni;
}

#[cfg(test)]
mod tests {
    use super::Fact::*;
    use super::*;

    #[test]
    fn facts_follow_from_cpuid() {
        let check = |vendor: &[u8], family, models: &[u32], has_gfni, facts: &[Fact]| {
            let expected = facts.iter().fold(0, |set, fact| set | fact.bit());
            for &model in models {
                let found = facts_of(Cpu { vendor, family, model, has_gfni });
                assert_eq!(found, expected, "family {family:#x}, model {model:#x}");
            }
        };
        let (amd, intel) = (b"AuthenticAMD", b"GenuineIntel");
        // Naples, Pinnacle Ridge, Picasso; then Zen 2: Rome, Renoir, Matisse.
        check(amd, 0x17, &[0x01, 0x08, 0x18, 0x2f], false, &[narrow_256]);
        check(amd, 0x17, &[0x30, 0x31, 0x60, 0x71], false, &[]);
        check(b"HygonGenuine", 0x18, &[0x00], false, &[narrow_256]);
        // Genoa, Raphael, Phoenix, Bergamo; then Zen 3, of the same family: Milan, Vermeer, Rembrandt, Cezanne.
        check(amd, 0x19, &[0x10, 0x11, 0x1f, 0x60, 0x61, 0x74, 0x7f, 0xa0, 0xaf], true, &[narrow_512, gfni]);
        check(amd, 0x19, &[0x01, 0x21, 0x44, 0x50], false, &[]);
        check(amd, 0x19, &[0x0f, 0x20, 0x5f, 0x80, 0x9f, 0xb0], false, &[]);
        // Zen 5; then Skylake-X, Ice Lake and Granite Rapids.
        check(amd, 0x1a, &[0x11], true, &[gfni]);
        check(intel, 6, &[0x55], false, &[]);
        check(intel, 6, &[0x6a, 0xad], true, &[gfni]);
        // Another vendor with the same family and model.
        check(intel, 0x19, &[0x11], false, &[]);
        check(b"", 0x17, &[0x01], false, &[]);
    }
}
