//! Hexadecimal digits.

/// Digits in a step. The loops over a step become vector instructions.
const STEP: usize = 32;

/// Appends one byte per two digits; false if a character is not a digit.
pub fn decode(digits: &[u8], bytes: &mut Vec<u8>) -> bool {
    let start = bytes.len();
    bytes.resize(start + digits.len() / 2, 0);
    let (mut wrong, (steps, rest)) = ([0; STEP], digits.as_chunks::<STEP>());
    let (whole, last) = bytes[start..].as_chunks_mut::<{ STEP / 2 }>();
    for (digits, bytes) in steps.iter().zip(whole) {
        decode_step(digits, bytes, &mut wrong);
    }
    let mut padded = [b'0'; STEP];
    padded[..rest.len()].copy_from_slice(rest);
    let mut decoded = [0; STEP / 2];
    decode_step(&padded, &mut decoded, &mut wrong);
    let length = last.len();
    last.copy_from_slice(&decoded[..length]);
    wrong == [0; STEP]
}

#[inline(always)]
fn decode_step(digits: &[u8; STEP], bytes: &mut [u8; STEP / 2], wrong: &mut [u8; STEP]) {
    let mut values = [0; STEP];
    for i in 0..STEP {
        let number = digits[i].wrapping_sub(b'0');
        let letter = (digits[i] | 0x20).wrapping_sub(b'a');
        let is_number = number < 10;
        values[i] = if is_number { number } else { letter.wrapping_add(10) };
        wrong[i] |= u8::from(!is_number & (letter >= 6));
    }
    for i in 0..STEP / 2 {
        bytes[i] = values[2 * i] << 4 | values[2 * i + 1] & 15;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_at_every_place() {
        for length in [2, 30, 32, 34, 64, 70] {
            for place in 0..length {
                for character in 0..=255u8 {
                    let mut digits = vec![b'7'; length];
                    digits[place] = character;
                    let mut bytes = vec![1, 2];
                    let value = char::from(character).to_digit(16);
                    assert_eq!(decode(&digits, &mut bytes), value.is_some(), "{character} at {place} of {length}");
                    let Some(value) = value else { continue };
                    let mut expected = vec![0x77; length / 2];
                    let shift = if place % 2 == 0 { 4 } else { 0 };
                    expected[place / 2] = 0x77 & !(15 << shift) | (value as u8) << shift;
                    assert_eq!(bytes, [&[1, 2], &expected[..]].concat());
                }
            }
        }
    }
}
