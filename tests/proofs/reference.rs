//! Runs the scalar reference of one kernel: bytes from standard input to standard output.

use std::io::{Read, Write};

fn main() {
    let name = std::env::args().nth(1).expect("a kernel");
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    let mut output = vec![0u8; input.len()];
    let (x, y, n) = (input.as_ptr(), output.as_mut_ptr(), input.len());
    // SAFETY: as many bytes on both sides; bit slices are one chunk, a stride of 64 bytes or of a tile.
    unsafe {
        use hotloops::{bitslice as b, exp};
        match name.as_str() {
            "fast_f32" => exp::fast_f32(x.cast(), y.cast(), n / 4),
            "poly_f32" => exp::poly_f32(x.cast(), y.cast(), n / 4),
            "slice_u8" => b::slice_u8(x, 1, y, 64),
            "tile_u8" => b::tile_u8(x, 1, y, 64),
            "slice_u16" => b::slice_u16(x.cast(), 1, y, 64),
            "tile_u16" => b::tile_u16(x.cast(), 1, y, 128),
            "slice_u32" => b::slice_u32(x.cast(), 1, y, 64),
            "tile_u32" => b::tile_u32(x.cast(), 1, y, 256),
            "slice_u64" => b::slice_u64(x.cast(), 1, y, 64),
            "tile_u64" => b::tile_u64(x.cast(), 1, y, 512),
            "unslice_u8" => b::unslice_u8(x, 64, 1, y),
            "untile_u8" => b::untile_u8(x, 64, 1, y),
            "unslice_u16" => b::unslice_u16(x, 64, 1, y.cast()),
            "untile_u16" => b::untile_u16(x, 128, 1, y.cast()),
            "unslice_u32" => b::unslice_u32(x, 64, 1, y.cast()),
            "untile_u32" => b::untile_u32(x, 256, 1, y.cast()),
            "unslice_u64" => b::unslice_u64(x, 64, 1, y.cast()),
            "untile_u64" => b::untile_u64(x, 512, 1, y.cast()),
            _ => panic!("no reference of {name}"),
        }
    }
    std::io::stdout().write_all(&output).unwrap();
}
