//! Arrays of numpy.

/// The header of an array, format 1.0 of `.npy`: the type and the shape, as Python writes them. Its length is a
/// multiple of 64.
pub fn header(descr: &str, shape: &str) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    let length = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(64);
    let padding = length - MAGIC.len() - 2 - text.len() - 1;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    [MAGIC, &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}
