//! The shapes to multiply.

use std::fmt;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// Squares from 4 to 2048, contiguous
    Squares,
    /// Neither square nor round
    Odd,
    /// A or B transposed
    Transposed,
    /// Rows a power of two apart, and 16 elements more
    Strides,
    /// One or two sizes small
    Thin,
    /// Shapes that programs call BLAS with: vectors, few rows, covariances, convolutions; syrk
    Real,
}

/// C = A B, with C of m x n, row-major. A transposed operand is stored column by column.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Only the upper triangle of C is wanted, and B has the elements of A.
    pub symmetric: bool,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a_transposed: bool,
    pub b_transposed: bool,
    /// Elements between the rows.
    pub pad: usize,
}

impl Cell {
    /// Contiguous operands, `kind` of which says whether A and B are transposed: `TN`.
    pub fn new([m, n, k]: [usize; 3], kind: &str) -> Self {
        let [a_transposed, b_transposed] = [0, 1].map(|i| kind.as_bytes()[i] == b'T');
        Cell { symmetric: false, m, n, k, a_transposed, b_transposed, pad: 0 }
    }

    pub fn flops(&self) -> f64 {
        let elements = if self.symmetric { self.n * (self.n + 1) / 2 } else { self.m * self.n };
        2.0 * (elements * self.k) as f64
    }

    /// Rows, columns and row stride of A as stored.
    pub fn a(&self) -> (usize, usize, usize) {
        let (rows, columns) = if self.a_transposed { (self.k, self.m) } else { (self.m, self.k) };
        (rows, columns, columns + self.pad)
    }

    /// As [`Cell::a`].
    pub fn b(&self) -> (usize, usize, usize) {
        let (rows, columns) = if self.b_transposed { (self.n, self.k) } else { (self.k, self.n) };
        (rows, columns, columns + self.pad)
    }

    /// As [`Cell::a`].
    pub fn c(&self) -> (usize, usize, usize) {
        (self.m, self.n, self.n + self.pad)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let letter = |transposed| if transposed { 'T' } else { 'N' };
        let Cell { m, n, k, pad, .. } = self;
        let mut name = format!("{m}x{n}x{k} {}{}", letter(self.a_transposed), letter(self.b_transposed));
        if *pad > 0 {
            name += &format!(" +{pad}");
        }
        f.pad(&name)
    }
}

/// The cells of one thread, in the order of the table.
pub fn all() -> Vec<(Group, Cell)> {
    let cell = |group, sizes, kind, pad| (group, Cell { pad, ..Cell::new(sizes, kind) });
    let mut cells = Vec::new();
    for size in [
        4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 28, 32, 48, 63, 64, 65, 96, 100, 127, 128, 160, 192, 256, 512, 1000, 1024,
        2048,
    ] {
        cells.push(cell(Group::Squares, [size; 3], "NN", 0));
    }
    for (sizes, kind) in [([17, 19, 23], "NN"), ([37, 53, 71], "NN"), ([37, 53, 71], "NT")] {
        cells.push(cell(Group::Odd, sizes, kind, 0));
    }
    for (size, kinds) in [(16, &["NT", "TN", "TT"][..]), (64, &["NT", "TN", "TT"]), (256, &["NT", "TN"])] {
        cells.extend(kinds.iter().map(|kind| cell(Group::Transposed, [size; 3], kind, 0)));
    }
    for size in [512, 1024] {
        for kind in ["NN", "NT", "TN", "TT"] {
            cells.extend([0, 16].map(|pad| cell(Group::Strides, [size; 3], kind, pad)));
        }
    }
    for sizes in [
        [10_000, 8, 64],
        [10_000, 4, 64],
        [1000, 1, 1000],
        [1000, 2, 1000],
        [1000, 3, 1000],
        [2, 1000, 1000],
        [1, 1000, 1000],
        [1024, 1024, 8],
        [256, 256, 4],
        [8, 4096, 256],
        [64, 64, 8192],
        [16, 16, 16384],
    ] {
        cells.push(cell(Group::Thin, sizes, "NN", 0));
    }
    for (sizes, kind) in [
        ([1000, 1, 1000], "NN"),
        ([1024, 1, 1024], "NN"),
        ([4096, 1, 4096], "NN"),
        ([256, 1, 256], "TN"),
        ([1000, 1, 1000], "TN"),
        ([4000, 1, 50], "TN"),
        ([4096, 1, 4096], "TN"),
        ([1, 1000, 1000], "TN"),
        ([1, 4096, 4096], "NN"),
        ([1, 4096, 11008], "NT"),
        ([1, 11008, 4096], "NT"),
        ([4, 4096, 4096], "NN"),
        ([8, 4096, 4096], "NN"),
        ([16, 4096, 4096], "NN"),
        ([16, 11008, 4096], "NN"),
        ([16, 1000, 1000], "NN"),
        ([32, 4096, 4096], "NN"),
        ([33, 4096, 4096], "NN"),
        ([128, 4096, 4096], "NN"),
        ([50, 50, 100_000], "TN"),
        ([200, 200, 20_000], "TN"),
        ([64, 3136, 576], "NN"),
        ([1000, 1000, 1], "NN"),
        ([3, 3, 3], "NN"),
        ([4, 4, 4], "NN"),
        ([8, 8, 8], "NN"),
        ([4096, 4096, 4096], "NN"),
    ] {
        cells.push(cell(Group::Real, sizes, kind, 0));
    }
    cells
}

/// C = A^T A.
pub fn symmetric() -> Vec<Cell> {
    let cell = |(n, k)| Cell { symmetric: true, ..Cell::new([n, n, k], "TN") };
    [(50, 100_000), (200, 20_000), (1000, 1000)].map(cell).to_vec()
}

/// The cells of two threads.
pub fn threaded() -> Vec<Cell> {
    let cell = |sizes| Cell::new(sizes, "NN");
    [[256; 3], [512; 3], [1024; 3], [2048; 3], [128, 4096, 4096]].map(cell).to_vec()
}
