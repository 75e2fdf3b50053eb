//! The references: rows of eight words, one operation at a time.

use core::array::from_fn;

/// One bit for each of the 512 lanes of a group.
pub(super) type Row = [u64; 8];

/// Maximum number of sites of a block.
pub(super) const BLOCK: usize = 8;
/// Random planes that each site of a block draws by itself.
pub(super) const OWN: usize = 5;
/// Bits of an acceptance probability.
pub(super) const BITS: usize = 48;
/// Maximum number of quanta of a site.
pub(in crate::ising) const MAX_DEGREE: usize = 8;
/// Length of the argument `codes`.
pub(super) const CODES: usize = BITS * (MAX_DEGREE + 1);
/// Words of a random plane.
pub(super) const PLANE: usize = 16;

/// The arguments of a sweep.
pub(super) struct Sweep {
    pub spins: *mut u64,
    pub first: usize,
    pub blocks: usize,
    pub links: *const u32,
    pub signs: *const u64,
    pub codes: *const u8,
    pub random: *const u32,
    pub planes: *mut usize,
    pub live: *const u64,
    pub flips: *mut u64,
}

/// Number of classes of sites with `degree` bonds.
pub(super) const fn classes(degree: usize) -> usize {
    degree.div_ceil(2)
}

/// Whether a flip does not change the energy, so that the first random bit decides alone.
#[inline(always)]
pub(super) fn is_even(degree: usize, unsatisfied: usize) -> bool {
    2 * unsatisfied == degree
}

/// Whether a site with `unsatisfied` of its `degree` bonds unsatisfied flips unless a random number
/// prevents it.
#[inline(always)]
pub(super) fn flips(degree: usize, unsatisfied: usize) -> bool {
    2 * unsatisfied > degree
}

/// An acceptance rule.
pub(super) trait Rule {
    /// The class of a site with `unsatisfied` of its `degree` bonds unsatisfied.
    fn class(degree: usize, unsatisfied: usize) -> Option<usize>;
}

pub(super) struct Metropolis;
pub(super) struct HeatBath;

impl Rule for Metropolis {
    #[inline(always)]
    fn class(degree: usize, unsatisfied: usize) -> Option<usize> {
        if 2 * unsatisfied < degree { Some(unsatisfied) } else { None }
    }
}

impl Rule for HeatBath {
    #[inline(always)]
    fn class(degree: usize, unsatisfied: usize) -> Option<usize> {
        if is_even(degree, unsatisfied) { None } else { Some(unsatisfied.min(degree - unsatisfied)) }
    }
}

/// Exports a kernel of an instruction set, given its function of [`Sweep`] with the type arguments
/// before the rule.
macro_rules! export_sweep {
    ($isa:ident $name:ident $sweep:ident [$($types:tt)*] $rule:ident) => {
        $crate::frame::isa::$isa! {
            pub(crate) unsafe extern "C" fn $name(
                spins: *mut u64,
                first: usize,
                blocks: usize,
                links: *const u32,
                signs: *const u64,
                codes: *const u8,
                random: *const u32,
                planes: *mut usize,
                live: *const u64,
                flips: *mut u64,
            ) -> usize {
                let arguments = $crate::ising::bits::scalar::Sweep {
                    spins, first, blocks, links, signs, codes, random, planes, live, flips,
                };
                // SAFETY: the caller's contract.
                unsafe { $sweep::<$($types)* $crate::ising::bits::scalar::$rule>(arguments) }
            }
        }
    };
    ($isa:ident $sweep:ident $types:tt) => {
        $crate::ising::bits::scalar::export_sweep! { $isa sweep_bits $sweep $types Metropolis }
        $crate::ising::bits::scalar::export_sweep! { $isa sweep_heat_bits $sweep $types HeatBath }
    };
}
pub(super) use export_sweep;

export_sweep! { scalar sweep [] }

/// The header of a block: its number of sites and their degree.
#[derive(Clone, Copy)]
pub(super) struct Header(pub u32);

impl Header {
    pub fn new(count: usize, degree: usize) -> Self {
        Header(count as u32 | (degree as u32) << 8)
    }

    pub fn count(self) -> usize {
        (self.0 & 0xff) as usize
    }

    pub fn degree(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// Words of the block in the stream.
    pub fn len(self) -> usize {
        1 + 2 * self.count() * self.degree()
    }
}

/// Random planes in order.
struct Planes {
    random: *const u32,
    used: usize,
    available: usize,
}

impl Planes {
    /// # Safety
    /// `available` planes can be read.
    unsafe fn next(&mut self) -> Option<Row> {
        if self.used == self.available {
            return None;
        }
        // SAFETY: the caller's contract.
        let words = unsafe { self.random.add(PLANE * self.used).cast::<[u32; PLANE]>().read_unaligned() };
        self.used += 1;
        Some(from_fn(|i| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32))
    }
}

/// Numbers that are compared with thresholds bit by bit, from the most significant bit on.
struct Comparison {
    /// Lanes in which all bits so far are equal.
    undecided: Row,
    /// Lanes in which the random number is less.
    less: Row,
}

impl Comparison {
    fn add(&mut self, threshold: Row, random: Row) {
        for i in 0..8 {
            self.less[i] |= self.undecided[i] & threshold[i] & !random[i];
            self.undecided[i] &= !(random[i] ^ threshold[i]);
        }
    }

    fn is_decided(&self) -> bool {
        self.undecided == [0; 8]
    }
}

/// A site of a block.
#[derive(Clone, Copy)]
struct Site {
    classes: [Row; MAX_DEGREE / 2],
    undecided: Row,
    /// Lanes that flip if their first random bit is 0.
    even: Row,
    /// Lanes that flip, as far as they are decided.
    flips: Row,
}

impl Site {
    const NONE: Self = Site { classes: [[0; 8]; MAX_DEGREE / 2], undecided: [0; 8], even: [0; 8], flips: [0; 8] };
}

/// The union of the classes in a code.
fn union(classes: &[Row], code: u8) -> Row {
    from_fn(|i| {
        let members = classes.iter().enumerate().filter(|(class, _)| code >> class & 1 == 1);
        members.fold(0, |union, (_, class)| union | class[i])
    })
}

/// # Safety
/// `links` points to the `degree` links of `row`, which refer to rows of `spins` and `signs`.
unsafe fn site<R: Rule>(row: Row, sweep: &Sweep, links: *const u32, degree: usize, live: Row) -> Site {
    let mut site = Site::NONE;
    let mut unsatisfied = [[0u8; 64]; 8];
    for j in 0..degree {
        // SAFETY: the caller's contract.
        let [neighbour, sign] = unsafe {
            let [spin, sign] = links.add(2 * j).cast::<[u32; 2]>().read_unaligned();
            [sweep.spins.cast::<Row>().add(spin as usize), sweep.signs.cast::<Row>().cast_mut().add(sign as usize)]
                .map(|row| row.read_unaligned())
        };
        for (i, lane) in (0..8).flat_map(|i| (0..64).map(move |lane| (i, lane))) {
            unsatisfied[i][lane] += ((row[i] ^ neighbour[i] ^ sign[i]) >> lane & 1) as u8;
        }
    }
    for (i, lane) in (0..8).flat_map(|i| (0..64).map(move |lane| (i, lane))) {
        let (unsatisfied, bit) = (usize::from(unsatisfied[i][lane]), live[i] & 1 << lane);
        if let Some(class) = R::class(degree, unsatisfied) {
            site.classes[class % site.classes.len()][i] |= bit;
            site.undecided[i] |= bit;
        }
        if flips(degree, unsatisfied) {
            site.flips[i] |= bit;
        }
        if is_even(degree, unsatisfied) {
            site.even[i] |= bit;
        }
    }
    site
}

/// The rows of flips of a block, or `None` if it needs more planes.
///
/// # Safety
/// `links` points to the links of the block, and `planes` are readable.
unsafe fn decide<R: Rule>(
    sweep: &Sweep,
    rows: *const Row,
    links: *const u32,
    header: Header,
    planes: &mut Planes,
    live: Row,
) -> Option<[Row; BLOCK]> {
    let (count, degree) = (header.count(), header.degree());
    let mut sites = [Site::NONE; BLOCK];
    // The minimum proves the bound to the compiler, as does the remainder below.
    let sites = &mut sites[..count.min(BLOCK)];
    // SAFETY: the 48 codes of the degree.
    let codes = unsafe { sweep.codes.add(BITS * degree).cast::<[u8; BITS]>().read_unaligned() };
    for (b, slot) in sites.iter_mut().enumerate() {
        // SAFETY: site `b` of the block and its links.
        *slot = unsafe { site::<R>(rows.add(b).read_unaligned(), sweep, links.add(2 * b * degree), degree, live) };
        let mut comparison = Comparison { undecided: slot.undecided, less: [0; 8] };
        for (k, &code) in codes[..OWN].iter().enumerate() {
            // SAFETY: the caller's contract.
            let random = unsafe { planes.next() }?;
            comparison.add(union(&slot.classes, code), random);
            if k == 0 {
                (0..8).for_each(|i| slot.flips[i] |= slot.even[i] & !random[i]);
            }
        }
        slot.undecided = comparison.undecided;
        (0..8).for_each(|i| slot.flips[i] ^= comparison.less[i]);
    }
    // In each round, a lane decides its first undecided site.
    while sites.iter().any(|site| site.undecided != [0; 8]) {
        let mut pool = [0; 8];
        let mut chosen = [[0; 8]; BLOCK];
        for (site, chosen) in sites.iter_mut().zip(&mut chosen) {
            *chosen = from_fn(|i| site.undecided[i] & !pool[i]);
            pool = from_fn(|i| pool[i] | site.undecided[i]);
            site.undecided = from_fn(|i| site.undecided[i] & !chosen[i]);
        }
        let mut comparison = Comparison { undecided: pool, less: [0; 8] };
        for &code in &codes[OWN..] {
            if comparison.is_decided() {
                break;
            }
            let threshold = sites.iter().zip(&chosen).fold([0; 8], |threshold: Row, (site, chosen)| {
                let own = union(&site.classes, code);
                from_fn(|i| threshold[i] | chosen[i] & own[i])
            });
            // SAFETY: the caller's contract.
            comparison.add(threshold, unsafe { planes.next() }?);
        }
        for (site, chosen) in sites.iter_mut().zip(&chosen) {
            (0..8).for_each(|i| site.flips[i] ^= comparison.less[i] & chosen[i]);
        }
    }
    Some(from_fn(|b| sites.get(b).map_or([0; 8], |site| site.flips)))
}

/// # Safety
/// As for [`super::sweep_bits()`].
unsafe fn sweep<R: Rule>(arguments: Sweep) -> usize {
    let Sweep { spins, first, blocks, mut links, random, planes, live, .. } = arguments;
    // SAFETY: the caller's arrays; the links of a block follow its header.
    unsafe {
        let live = live.cast::<Row>().read_unaligned();
        let mut rows = spins.cast::<Row>().add(first);
        let mut next = Planes { random, used: 0, available: planes.read_unaligned() };
        let mut flipped = 0u64;
        let (mut visited, mut used) = (0, 0);
        while visited < blocks {
            let header = Header(links.read_unaligned());
            let Some(flips) = decide::<R>(&arguments, rows, links.add(1), header, &mut next, live) else { break };
            for (b, flips) in flips.iter().take(header.count()).enumerate() {
                let row = rows.add(b).read_unaligned();
                rows.add(b).write_unaligned(from_fn(|i| row[i] ^ flips[i]));
                flipped += flips.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
            used = next.used;
            rows = rows.add(header.count());
            links = links.add(header.len());
            visited += 1;
        }
        planes.write_unaligned(used);
        arguments.flips.write_unaligned(arguments.flips.read_unaligned().wrapping_add(flipped));
        visited
    }
}
