//! Ranks share the runs of an anneal and the rungs of an exchange.

use std::fs;
use std::process::Output;

use super::{is_the_same_by_ranks, kill_rank, mpirun};
use crate::hardround::success;
use crate::support::{folder, run, shipped, stderr, words};

#[test]
fn ranks_sample_ising_problems() {
    let folder = folder("ranks_ising");
    let model = shipped();
    for line in [
        "--sweeps 300 --format json --samples OUT",
        "--sweeps 100 --runs 3 --copies 1 --kind single --every 7 --series OUT --format json",
        "--sweeps 60 --slices 8 --beta 4 --gamma-max 3 --gamma 0.1 --runs 5 --format json",
        "--sweeps 2000 --target -94 --every 3 --format json --samples OUT",
        "--method exchange --sweeps 160 --every 2 --format json --samples OUT",
        "--method exchange --sweeps 60 --replicas 5 --copies 40 --observables --format json --rungs OUT",
        "--method exchange --sweeps 60 --replicas 7 --copies 3 --spacing geometric --format json --series OUT",
        "--method exchange --sweeps 40 --slices 8 --beta 4 --ladder 0.2,0.5,1,2 --format json --samples OUT",
        "--method exchange --sweeps 40 --ladder 1 --format json --spins OUT",
    ] {
        is_the_same_by_ranks(&folder, &format!("ising {model} {line}"));
    }
    let output = mpirun(2, &format!("ising {model} --time 1s"));
    let Some(mut command) = output else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("--time: the ranks of mpirun").count(), 1, "{}", stderr(&output));
}

/// Open MPI counts the messages. An anneal sends rank 0 the arguments, the records and the state of the models.
#[test]
fn ranks_of_an_anneal_meet_at_its_end() {
    for sweeps in [10, 5000] {
        let Some(mut command) = mpirun(2, &format!("ising {} --sweeps {sweeps}", shipped())) else { return };
        command.env("OMPI_MCA_pml", "ob1,monitoring");
        command.env("OMPI_MCA_pml_monitoring_enable", "1").env("OMPI_MCA_pml_monitoring_enable_output", "2");
        let output = command.output().unwrap();
        let counted = stderr(&output);
        let to_leader = counted.lines().find_map(|line| line.strip_prefix("E\t1\t0\t"));
        assert!(to_leader.is_some_and(|count| count.contains("\t3 msgs sent")), "{sweeps}: {counted}");
    }
}

/// A target that another rank has reached before.
#[test]
fn a_reached_target_stays_reached() {
    let folder = folder("ranks_ising_target");
    let path = folder.join("checkpoint");
    let job = format!(
        "ising {} --sweeps 2000 --every 3 --runs 4 --copies 8 --target -94.5 --seed 4 --format json --checkpoint {}",
        shipped(),
        path.display()
    );
    let lines = |output: Output| -> Vec<String> {
        success(&output).lines().filter(|line| !line.contains("\"seconds\"")).map(str::to_owned).collect()
    };
    let expected = lines(run(&words(&job)));
    let Some(mut command) = mpirun(4, &job) else { return };
    assert_eq!(lines(command.output().unwrap()), expected);
}

#[test]
fn samples_survive_their_ranks() {
    let folder = folder("ranks_ising_kill");
    for (method, sweeps) in [("anneal", 6000), ("exchange", 2000)] {
        let (path, out) = (folder.join(format!("{method}.checkpoint")), folder.join("samples"));
        let job = format!(
            "ising {} --method {method} --sweeps {sweeps} --format json --samples {}",
            shipped(),
            out.display()
        );
        let expected = (success(&run(&words(&job))), fs::read(&out).unwrap());
        let saving = format!("{job} --checkpoint {} --checkpoint-seconds 0", path.display());
        for rank in [2, 0] {
            let Some(mut command) = mpirun(3, &saving) else { return };
            kill_rank(&mut command, rank, &path, 1);
        }
        // Any number of ranks continues.
        let found = success(&mpirun(2, &saving).unwrap().output().unwrap());
        assert!((found, fs::read(&out).unwrap()) == expected, "{method}");
    }
}
