//! Bit planes on the device against the library's.

mod common;

use hotloops::bitslice::BLOCK;
use hotloops_gpu::bitslice::Slicer;

fn values(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| (i ^ 0x5bd1).wrapping_mul(0x9e37_79b9).rotate_left(i % 31)).collect()
}

#[test]
fn planes_have_the_bytes_of_the_library() -> Result<(), hotloops_gpu::Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let slicer = Slicer::new(&queue)?;
    for n in [0usize, 1, 7, 8, 31, 32, 33, 63, 2047, 2048, 2049, 5000, 65_536 + 77] {
        for stride in [n.div_ceil(8), n.div_ceil(8) + 5] {
            let values = values(n);
            let length = 32 * stride;
            let (mut planes, mut expected) = (vec![0xaa; length], vec![0xaa; length]);
            slicer.slice(&values, &mut planes, stride)?;
            hotloops::bitslice::slice(&values, &mut expected, stride)?;
            assert!(planes == expected, "{n} elements, stride {stride}");
            // Bits past the last element are ignored.
            for plane in planes.chunks_mut(stride.max(1)).filter(|_| n % 8 != 0) {
                plane[n / 8] |= 0xff << (n % 8);
            }
            let mut back = vec![0; n];
            slicer.unslice(&planes, stride, &mut back)?;
            assert!(back == values, "{n} elements back, stride {stride}");
            let mut counts = [0; 32];
            hotloops::bitslice::count_ones(&values, &mut counts)?;
            assert_eq!(slicer.count_ones(&values)?, counts, "{n} elements");
        }
    }
    Ok(())
}

#[test]
fn distances_are_those_of_the_library() -> Result<(), hotloops_gpu::Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let slicer = Slicer::new(&queue)?;
    for blocks in [0, 1, 3] {
        let values = values(blocks * BLOCK);
        let (mut found, mut expected) = (vec![7; 1024 * blocks], vec![7; 1024 * blocks]);
        slicer.distances(&values, &mut found)?;
        for (block, expected) in values.chunks(BLOCK).zip(expected.chunks_mut(1024)) {
            hotloops::hamming::slices_distance(block, expected)?;
        }
        assert!(found == expected, "{blocks} blocks");
    }
    Ok(())
}

#[test]
fn wrong_sizes_are_refused_by_name() -> Result<(), hotloops_gpu::Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let slicer = Slicer::new(&queue)?;
    let message = |result: Result<(), hotloops_gpu::Error>| result.unwrap_err().to_string();
    let mut planes = [0; 64];
    assert!(message(slicer.slice(&[0; 100], &mut planes, 12)).contains("stride"));
    assert!(message(slicer.slice(&[0; 100], &mut planes, 13)).contains("planes"));
    assert!(message(slicer.unslice(&planes, 13, &mut [0; 100])).contains("planes"));
    assert!(message(slicer.distances(&[0; 100], &mut [0; 50])).contains("elements: 100"));
    assert!(message(slicer.distances(&[0; 2048], &mut [0; 50])).contains("distances: 50"));
    Ok(())
}
