import copy
import pickle
import threading

import numpy as np
import pytest
from hotloops import ising


def sums(spins):
    wide = spins.astype(int)
    return (wide * (np.roll(wide, 1, 0) + np.roll(wide, 1, 1))).sum(), wide.sum()


@pytest.mark.parametrize("acceptance", ["auto", "metropolis", "heat_bath"])
@pytest.mark.parametrize("beta", [-0.3, 0.01, 0.4])
def test_threads_give_the_same_spins(beta, acceptance):
    one, many = (ising.SquareLattice(50, 300, seed=2**63) for _ in range(2))
    flips = sum(one.sweep(beta, acceptance=acceptance, threads=1) for _ in range(6))
    assert flips == many.sweep(beta, 6, acceptance=acceptance, threads=3) > 0
    assert (one.spins == many.spins).all() and one.sweeps == many.sweeps == 6
    assert (one.energy(), one.magnetisation()) == sums(one.spins)


def test_state():
    lattice = ising.SquareLattice(10, 130, seed=3)
    assert lattice.energy() == 2 * 1300 and lattice.magnetisation() == 1300 and lattice.seed == 3
    lattice.sweep(0.3, 5)
    pickled, copied = pickle.loads(pickle.dumps(lattice)), copy.deepcopy(lattice)
    other = ising.SquareLattice(10, 130, seed=3)
    other.spins, other.sweeps = lattice.spins, lattice.sweeps
    spins = lattice.spins
    spins[:] = 1
    assert (lattice.spins != spins).any()
    copies = (pickled, copied, other)
    for one in (lattice, *copies):
        one.sweep(0.44, 3)
    for one in copies:
        assert (lattice.spins == one.spins).all()
        assert (one.rows, one.columns, one.seed, one.sweeps) == (10, 130, 3, 8)
    with pytest.raises(ValueError, match="words"):
        lattice.__setstate__((9, np.zeros(3, np.uint64)))
    assert lattice.sweeps == 8


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_run_meanwhile(threads):
    lattice = ising.SquareLattice(1024, 1024)
    other = threading.Thread(target=lambda: lattice.sweep(0.4, 300, threads=threads))
    other.start()
    with pytest.raises(RuntimeError):
        while lattice.sweeps < 300:
            pass
    other.join()
    assert lattice.sweeps == 300


def test_energy_of_the_infinite_lattice():
    lattice = ising.SquareLattice(128, 256)
    lattice.sweep(0.3, 200)
    energies = []
    for _ in range(200):
        lattice.sweep(0.3, 2)
        energies.append(lattice.energy() / lattice.spins.size)
    assert abs(np.mean(energies) - 0.704499) < 0.005  # Onsager


def test_wrong_arguments():
    with pytest.raises(ValueError, match="rows"):
        ising.SquareLattice(5, 4)
    with pytest.raises(ValueError, match="columns"):
        ising.SquareLattice(4, 0)
    with pytest.raises(ValueError, match="rows"):
        ising.SquareLattice(2**60, 2**60)
    lattice = ising.SquareLattice(4, 6)
    for spins in (np.ones((4, 5), np.int8), np.ones(24, np.int8), np.zeros((4, 6), np.int8)):
        with pytest.raises(ValueError, match="spin"):
            lattice.spins = spins
    with pytest.raises(ValueError, match="sweeps"):
        lattice.sweeps = -1
    assert lattice.energy() == 48
