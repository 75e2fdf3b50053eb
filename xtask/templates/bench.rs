
pub fn NAME(function: hotloops::FAMILY::NAME::Function) -> Work {
    const N: usize = 2048;
    let x: Vec<f32> = words(N).iter().map(|&word| word as f32).collect();
    let mut y = vec![0f32; N];
    // SAFETY: two arrays of N floats.
    work("float", N, move || unsafe { function(x.as_ptr(), y.as_mut_ptr(), N) })
}
