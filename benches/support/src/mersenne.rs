//! MT19937 as the rungs of the paper generate it.

/// Words of state of one generator.
pub const WORDS: usize = 624;
/// Distance of the third word of the recurrence.
pub const SHIFT: usize = 397;
pub const MATRIX: u32 = 0x9908_b0df;
pub const UPPER: u32 = 0x8000_0000;

/// The state of a generator seeded by a number.
pub fn seeded(seed: u32) -> [u32; WORDS] {
    let mut state = [seed; WORDS];
    for i in 1..WORDS {
        let last = state[i - 1];
        state[i] = 1_812_433_253u32.wrapping_mul(last ^ last >> 30).wrapping_add(i as u32);
    }
    state
}

/// The word that replaces `this`.
#[inline(always)]
fn twist(this: u32, next: u32, far: u32) -> u32 {
    let merged = this & UPPER | next & !UPPER;
    far ^ merged >> 1 ^ (next & 1).wrapping_neg() & MATRIX
}

#[inline(always)]
fn temper(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c_5680;
    word ^= word << 15 & 0xefc6_0000;
    word ^ word >> 18
}

/// The textbook generator: renews its 624 words when they are used up.
pub struct Textbook {
    /// The words, all renewed at once.
    pub state: [u32; WORDS],
    /// Words used.
    pub position: usize,
}

impl Textbook {
    pub fn new(seed: u32) -> Self {
        Textbook { state: seeded(seed), position: WORDS }
    }

    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.position == WORDS {
            self.renew();
        }
        let word = self.state[self.position];
        self.position += 1;
        temper(word)
    }

    fn renew(&mut self) {
        let x = &mut self.state;
        for i in 0..WORDS - SHIFT {
            x[i] = twist(x[i], x[i + 1], x[i + SHIFT]);
        }
        for i in WORDS - SHIFT..WORDS - 1 {
            x[i] = twist(x[i], x[i + 1], x[i + SHIFT - WORDS]);
        }
        x[WORDS - 1] = twist(x[WORDS - 1], x[0], x[SHIFT - 1]);
        self.position = 0;
    }
}

/// Four generators, word i of generator k at `4 * i + k`: plain Rust in a shape that a compiler can
/// vectorise.
pub struct Interlaced {
    pub(crate) state: Box<[u32; 4 * WORDS]>,
    pub(crate) output: Box<[u32; 4 * WORDS]>,
    pub(crate) position: usize,
}

impl Interlaced {
    /// Generator k has the seed `seed + k`.
    pub fn new(seed: u32) -> Self {
        let lanes: [_; 4] = std::array::from_fn(|lane| seeded(seed.wrapping_add(lane as u32)));
        let state = Box::new(std::array::from_fn(|i| lanes[i % 4][i / 4]));
        Interlaced { state, output: Box::new([0; 4 * WORDS]), position: 4 * WORDS }
    }

    /// The next number, in the order of the words.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.position == 4 * WORDS {
            self.renew();
        }
        let word = self.output[self.position];
        self.position += 1;
        word
    }

    /// The next numbers, in the order of the words.
    pub fn fill(&mut self, mut numbers: &mut [u32]) {
        while !numbers.is_empty() {
            if self.position == 4 * WORDS {
                self.renew();
            }
            let ready = &self.output[self.position..];
            let count = ready.len().min(numbers.len());
            numbers.split_off_mut(..count).expect("as many").copy_from_slice(&ready[..count]);
            self.position += count;
        }
    }

    #[inline(never)]
    fn renew(&mut self) {
        const N: usize = 4 * WORDS;
        const M: usize = 4 * SHIFT;
        let x = &mut *self.state;
        for i in 0..N - M {
            x[i] = twist(x[i], x[i + 4], x[i + M]);
        }
        for i in N - M..N - 4 {
            x[i] = twist(x[i], x[i + 4], x[i + M - N]);
        }
        for i in N - 4..N {
            x[i] = twist(x[i], x[i + 4 - N], x[i + M - N]);
        }
        for (output, &word) in self.output.iter_mut().zip(x.iter()) {
            *output = temper(word);
        }
        self.position = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that the C++ standard specifies for `std::mt19937`.
    #[test]
    fn the_ten_thousandth_number_is_the_standards() {
        let mut random = Textbook::new(5489);
        assert_eq!((0..10_000).map(|_| random.next_u32()).last(), Some(4_123_659_995));
    }
}
