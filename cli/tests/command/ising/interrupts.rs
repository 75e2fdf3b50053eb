//! A signal within a long step.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::command;

use super::*;

/// A signal ends a step of many sweeps long before its measurement, and the continued run has the same results.
#[test]
fn a_signal_ends_a_long_step_at_once() {
    let folder = folder("long_steps");
    let file = folder.join("run.checkpoint");
    let name = file.to_str().unwrap();
    let common =
        ["ising", small(), "--threads", "1", "--checkpoint-seconds", "0", "--checkpoint", name, "--format", "json"];
    let anneal = ["--runs", "2", "--every", "600000", "--sweeps", "1000000"];
    let exchange = ["--method", "exchange", "--ladder", "0.5,1", "--every", "600000", "--sweeps", "1000000"];
    let slices = ["--slices", "64", "--beta", "1", "--ladder", "1,2", "--method", "exchange"];
    let quantum = [&slices[..], &["--every", "600000", "--sweeps", "1000000"]].concat();
    for options in [&anneal[..], &exchange, &quantum] {
        let _ = fs::remove_file(&file);
        let words = [&common[..], options].concat();
        let begin = Instant::now();
        let mut job = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !file.exists() {
            assert!(job.try_wait().unwrap().is_none(), "{words:?}");
            sleep(Duration::from_millis(1));
        }
        let step = begin.elapsed();
        sleep(step / 10);
        let begin = Instant::now();
        // SAFETY: sends a signal to a child that has not been waited for.
        unsafe { libc::kill(job.id() as i32, libc::SIGINT) };
        let output = job.wait_with_output().unwrap();
        let latency = begin.elapsed();
        assert_eq!(output.status.code(), Some(130), "{words:?}: {output:?}");
        assert!(latency < step / 2, "{words:?}: {latency:?} of a step of {step:?}");
        let continued = succeeds(&words);
        let _ = fs::remove_file(&file);
        assert!(continued == succeeds(&words), "{words:?}");
    }
}
