//! The sweeps, generic over the vectors of all instruction sets. A row is `N` vectors.

use super::scalar::{BITS, BLOCK, Header, MAX_DEGREE, OWN, PLANE, Rule, Sweep, classes as class_count, flips, is_even};
use crate::math::vector::{Int, Mask};

/// Maximum number of classes of a site.
const CLASSES: usize = MAX_DEGREE / 2;
/// Words of a row.
const ROW: usize = 16;

/// A row of vectors.
type Row<V, const N: usize> = [V; N];

/// The classes, the undecided lanes and the flips of the sites of a block. `unions` is scratch
/// memory for the unions of all subsets of the classes; the first one is empty.
struct BlockState<V, const N: usize> {
    unions: [Row<V, N>; 1 << CLASSES],
    classes: [[Row<V, N>; CLASSES]; BLOCK],
    undecided: [Row<V, N>; BLOCK],
    flips: [Row<V, N>; BLOCK],
}

#[inline(always)]
unsafe fn and_not<V: Int<Element = u32>>(a: V, b: V) -> V {
    // SAFETY: the CPU has the instruction set, here and below.
    unsafe { a.and(b.xor(V::splat(!0))) }
}

/// Whether all lanes are 0.
#[inline(always)]
unsafe fn is_zero<V: Int<Element = u32, Mask: Mask>>(a: V) -> bool {
    // SAFETY: as above.
    unsafe { a.equals(V::splat(0)).bits() == u32::MAX >> (32 - V::LANES) }
}

/// Bits of the number of ones among `bonds`: carry-save adders, three bonds at a time.
#[inline(always)]
unsafe fn count<V: Int<Element = u32>, const D: usize>(bonds: [V; D]) -> [V; 4] {
    // SAFETY: as above.
    unsafe {
        let zero = V::splat(0);
        let mut sums = [zero; 4];
        for pair in bonds.chunks(2) {
            let other = if pair.len() == 2 { pair[1] } else { zero };
            // The carry of three addends, then of two.
            let half = sums[0].xor(pair[0]);
            let mut carry = sums[0].and(pair[0]).or(half.and(other));
            sums[0] = half.xor(other);
            for sum in &mut sums[1..] {
                (*sum, carry) = (sum.xor(carry), sum.and(carry));
            }
        }
        sums
    }
}

/// The classes of a site, its certain flips, and those that the first random bit decides, by the
/// number of its unsatisfied bonds.
#[inline(always)]
unsafe fn classify<V: Int<Element = u32>, R: Rule, const D: usize>(sums: [V; 4]) -> ([V; CLASSES], V, V) {
    // SAFETY: as above.
    unsafe {
        let zero = V::splat(0);
        let (mut classes, mut certain, mut even) = ([zero; CLASSES], zero, zero);
        for unsatisfied in 0..D + 1 {
            let mut equal = V::splat(!0);
            for (bit, &sum) in sums[..(D + 1).next_power_of_two().ilog2() as usize].iter().enumerate() {
                equal = if unsatisfied >> bit & 1 == 1 { equal.and(sum) } else { and_not(equal, sum) };
            }
            if let Some(class) = R::class(D, unsatisfied) {
                classes[class] = classes[class].or(equal);
            }
            if flips(D, unsatisfied) {
                certain = certain.or(equal);
            }
            if is_even(D, unsatisfied) {
                even = even.or(equal);
            }
        }
        (classes, certain, even)
    }
}

/// One step of the comparison of random numbers with thresholds, from the most significant bit on.
#[inline(always)]
unsafe fn compare<V: Int<Element = u32>>(undecided: &mut V, less: &mut V, threshold: V, random: V) {
    // SAFETY: as above.
    unsafe {
        *less = less.or(and_not(undecided.and(threshold), random));
        *undecided = and_not(*undecided, random.xor(threshold));
    }
}

/// The index of the union of the classes in code `k`.
#[inline(always)]
unsafe fn code(codes: *const u8, k: usize) -> usize {
    // SAFETY: the caller's codes.
    usize::from(unsafe { codes.add(k).read() }) & ((1 << CLASSES) - 1)
}

/// Visits one site as far as its own planes decide it.
///
/// # Safety
/// `own` points to its row, `links` to its links, `random` to its planes.
#[inline(always)]
unsafe fn visit<V: Int<Element = u32>, R: Rule, const N: usize, const D: usize>(
    block: &mut BlockState<V, N>,
    b: usize,
    own: *const u32,
    sweep: &Sweep,
    links: *const u32,
    codes: *const u8,
    random: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (spins, signs) = (sweep.spins.cast::<u32>(), sweep.signs.cast::<u32>());
        for n in 0..N {
            let column = n * V::LANES;
            let spin = V::load(own.add(column));
            let mut bonds = [V::splat(0); D];
            for (j, bond) in bonds.iter_mut().enumerate() {
                let [neighbour, sign] = links.add(2 * j).cast::<[u32; 2]>().read_unaligned().map(|row| row as usize);
                let sign = V::load(signs.add(ROW * sign + column));
                *bond = spin.xor(V::load(spins.add(ROW * neighbour + column))).xor(sign);
            }
            let (classes, certain, even) = classify::<V, R, D>(count(bonds));
            let live = V::load(sweep.live.cast::<u32>().add(column));
            let count = class_count(D);
            for (class, &members) in classes[..count].iter().enumerate() {
                for subset in 0..1 << class {
                    block.unions[subset | 1 << class][n] = block.unions[subset][n].or(members);
                }
            }
            let mut undecided = block.unions[(1 << count) - 1][n].and(live);
            let mut less = V::splat(0);
            for k in 0..OWN {
                let threshold = block.unions[code(codes, k)][n];
                compare(&mut undecided, &mut less, threshold, V::load(random.add(PLANE * k + column)));
            }
            for (slot, members) in block.classes[b].iter_mut().zip(classes) {
                slot[n] = members;
            }
            block.undecided[b][n] = undecided;
            block.flips[b][n] = less.xor(certain).or(and_not(even, V::load(random.add(column))));
        }
    }
}

/// Decides what the first planes left undecided. Returns the number of planes, or `None` if more
/// than `available` are needed.
///
/// # Safety
/// `random` points to the planes, `codes` to the codes of the degree.
#[inline(always)]
unsafe fn pool<V: Int<Element = u32, Mask: Mask>, const N: usize>(
    block: &mut BlockState<V, N>,
    count: usize,
    classes: usize,
    codes: *const u8,
    random: *const u32,
    available: usize,
) -> Option<usize> {
    // The minima, and the remainders below, prove bounds to the compiler.
    let (count, classes) = (count.min(BLOCK), classes.min(CLASSES));
    // SAFETY: the caller's contract.
    unsafe {
        let zero = [V::splat(0); N];
        let mut used = 0;
        loop {
            let mut undecided = zero;
            let mut chosen = [zero; BLOCK];
            for class in 0..classes {
                block.unions[1 << class] = zero;
            }
            for (b, chosen) in chosen[..count].iter_mut().enumerate() {
                for n in 0..N {
                    let own = block.undecided[b][n];
                    chosen[n] = and_not(own, undecided[n]);
                    block.undecided[b][n] = own.and(undecided[n]);
                    undecided[n] = undecided[n].or(own);
                    for class in 0..classes {
                        let members = block.classes[b][class][n].and(chosen[n]);
                        block.unions[1 << class][n] = block.unions[1 << class][n].or(members);
                    }
                }
            }
            if is_zero(any(undecided)) {
                return Some(used);
            }
            for class in 1..classes {
                for subset in 1..1 << class {
                    let union = united(block.unions[subset % (1 << CLASSES)], block.unions[1 << class]);
                    block.unions[(subset | 1 << class) % (1 << CLASSES)] = union;
                }
            }
            let mut less = zero;
            for k in OWN..BITS {
                if is_zero(any(undecided)) {
                    break;
                }
                if used == available {
                    return None;
                }
                let threshold = block.unions[code(codes, k)];
                for n in 0..N {
                    let random = V::load(random.add(PLANE * used + n * V::LANES));
                    compare(&mut undecided[n], &mut less[n], threshold[n], random);
                }
                used += 1;
            }
            for (flips, chosen) in block.flips[..count].iter_mut().zip(chosen) {
                for n in 0..N {
                    flips[n] = flips[n].xor(less[n].and(chosen[n]));
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn any<V: Int<Element = u32>, const N: usize>(row: [V; N]) -> V {
    let mut all = row[0];
    for &vector in &row[1..] {
        // SAFETY: the CPU has the instruction set.
        all = unsafe { all.or(vector) };
    }
    all
}

/// The union of two rows.
#[inline(always)]
unsafe fn united<V: Int<Element = u32>, const N: usize>(a: [V; N], b: [V; N]) -> [V; N] {
    let mut union = a;
    for n in 0..N {
        // SAFETY: as above.
        union[n] = unsafe { a[n].or(b[n]) };
    }
    union
}

/// # Safety
/// As for [`super::sweep_bits()`].
#[inline(always)]
pub(super) unsafe fn sweep<V: Int<Element = u32, Mask: Mask>, const N: usize, R: Rule>(arguments: Sweep) -> usize {
    let Sweep { spins, first, blocks, mut links, codes, random, planes, live, flips, .. } = arguments;
    // SAFETY: the caller's arrays; the links of a block follow its header.
    unsafe {
        let zero = [V::splat(0); N];
        let mut block = BlockState {
            unions: [zero; 1 << CLASSES],
            classes: [[zero; CLASSES]; BLOCK],
            undecided: [zero; BLOCK],
            flips: [zero; BLOCK],
        };
        let mut row = spins.cast::<u32>().add(ROW * first);
        let available = planes.read_unaligned();
        let mut flipped = 0u64;
        let (mut visited, mut used) = (0, 0);
        while visited < blocks {
            let header = Header(links.read_unaligned());
            let (count, degree) = (header.count().min(BLOCK), header.degree().min(MAX_DEGREE));
            if available - used < OWN * count {
                break;
            }
            let codes = codes.add(BITS * degree);
            let mut next = random.add(PLANE * used);
            for b in 0..count {
                let own = row.add(ROW * b);
                let links = links.add(1 + 2 * b * degree);
                match degree {
                    0 => visit::<V, R, N, 0>(&mut block, b, own, &arguments, links, codes, next),
                    1 => visit::<V, R, N, 1>(&mut block, b, own, &arguments, links, codes, next),
                    2 => visit::<V, R, N, 2>(&mut block, b, own, &arguments, links, codes, next),
                    3 => visit::<V, R, N, 3>(&mut block, b, own, &arguments, links, codes, next),
                    4 => visit::<V, R, N, 4>(&mut block, b, own, &arguments, links, codes, next),
                    5 => visit::<V, R, N, 5>(&mut block, b, own, &arguments, links, codes, next),
                    6 => visit::<V, R, N, 6>(&mut block, b, own, &arguments, links, codes, next),
                    7 => visit::<V, R, N, 7>(&mut block, b, own, &arguments, links, codes, next),
                    _ => visit::<V, R, N, 8>(&mut block, b, own, &arguments, links, codes, next),
                }
                next = next.add(PLANE * OWN);
            }
            used += OWN * count;
            let pooled = pool(&mut block, count, class_count(degree), codes, next, available - used);
            let Some(pooled) = pooled else {
                used -= OWN * count;
                break;
            };
            used += pooled;
            for b in 0..count {
                let mut words = [0u64; ROW / 2];
                for n in 0..N {
                    let (own, column) = (row.add(ROW * b + n * V::LANES), n * V::LANES);
                    let flips = block.flips[b][n].and(V::load(live.cast::<u32>().add(column)));
                    V::load(own).xor(flips).store(own);
                    flips.store(words.as_mut_ptr().cast::<u32>().add(column));
                }
                flipped += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
            row = row.add(ROW * count);
            links = links.add(header.len());
            visited += 1;
        }
        planes.write_unaligned(used);
        flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
        visited
    }
}
