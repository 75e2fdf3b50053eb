"""Simulated annealing of Ising problems and QUBOs, with the interface of a `dimod` sampler."""

from dataclasses import dataclass

import numpy as np

from ._hotloops import ising as _native


@dataclass(frozen=True)
class Samples:
    """Samples, best first: `samples` (int8) has a row for each read and a column for each of `variables`."""

    samples: np.ndarray
    energies: np.ndarray
    variables: list

    @property
    def first(self):
        """The best sample, as a dictionary, and its energy."""
        return dict(zip(self.variables, self.samples[0].tolist())), float(self.energies[0])


class Sampler:
    """Samples an Ising problem by annealing, with exact acceptance where the biases are multiples of a quantum.

    Energies are those of dimod: sum h s + sum J s s. If dimod is installed, results are a `dimod.SampleSet`,
    otherwise `hotloops.ising.Samples`.

    >>> from hotloops import ising
    >>> result = ising.Sampler().sample_ising({"a": 0.5}, {("a", "b"): -1.0}, num_reads=10, seed=1)
    >>> float(result.first[1])
    -1.5
    """

    parameters = {name: [] for name in ("num_reads", "num_sweeps", "beta_range", "beta_schedule_type", "seed", "threads")}
    properties = {"beta_schedule_options": ("linear", "geometric")}

    def sample_ising(
        self,
        h,
        J,
        num_reads=1,
        num_sweeps=1000,
        beta_range=None,
        beta_schedule_type="geometric",
        seed=None,
        threads=None,
    ):
        """`num_reads` samples of the problem with biases `h` and couplings `J`.

        `h` is a dictionary or a sequence, `J` a dictionary of pairs. Each read starts from random spins and makes
        `num_sweeps` sweeps while the inverse temperature rises over `beta_range`, by default from where spins flip
        with probability 1/2 against the strongest field to where 1 in 100 sites flips against the weakest one. The
        samples depend on `seed` (an integer below 2^32, random if None) and not on `threads` or the CPU.
        """
        order, h, pairs, biases = _problem(h, J)
        samples, energies = _anneal(h, pairs, biases, num_reads, num_sweeps, beta_range, beta_schedule_type, seed, threads)
        return _result(samples, energies, order, "SPIN")

    def sample_qubo(self, Q, **options):
        """Samples of the QUBO `Q`, a dictionary of pairs: the energy is sum Q[u, v] x_u x_v with x of 0 and 1."""
        h, J, offset = {}, {}, 0.0
        for (u, v), bias in Q.items():
            h.setdefault(u, 0.0)
            h.setdefault(v, 0.0)
            if u == v:
                h[u] += bias / 2
                offset += bias / 2
            else:
                h[u] += bias / 4
                h[v] += bias / 4
                J[u, v] = J.get((u, v), 0.0) + bias / 4
                offset += bias / 4
        options = {"num_reads": 1, "num_sweeps": 1000, "beta_range": None, "beta_schedule_type": "geometric",
                   "seed": None, "threads": None} | options
        order, h, pairs, biases = _problem(h, J)
        samples, energies = _anneal(h, pairs, biases, *options.values())
        return _result((samples + 1) // 2, energies + offset, order, "BINARY")

    def sample(self, bqm, **options):
        """Samples of a dimod binary quadratic model."""
        if bqm.vartype.name == "SPIN":
            return self.sample_ising(bqm.linear, bqm.quadratic, **options)
        Q, offset = bqm.to_qubo()
        result = self.sample_qubo(Q, **options)
        result.record.energy += offset
        return result


def _problem(h, J):
    if not hasattr(h, "items"):
        h = dict(enumerate(h))
    order = list(h)
    known = set(order)
    for u, v in J:
        if u == v:
            raise ValueError(f"J: couples {u!r} with itself")
        for variable in (u, v):
            if variable not in known:
                known.add(variable)
                order.append(variable)
    if not order:
        raise ValueError("h and J: there are no variables")
    place = {variable: site for site, variable in enumerate(order)}
    fields = np.array([float(h.get(variable, 0.0)) for variable in order])
    pairs = np.array([(place[u], place[v]) for u, v in J], dtype=np.int64).reshape(-1, 2)
    return order, fields, pairs, np.array([float(bias) for bias in J.values()])


def _anneal(h, pairs, biases, num_reads, num_sweeps, beta_range, beta_schedule_type, seed, threads):
    if num_reads < 1:
        raise ValueError(f"num_reads: is {num_reads}; at least 1")
    if num_sweeps < 1:
        raise ValueError(f"num_sweeps: is {num_sweeps}; at least 1")
    if seed is None:
        seed = int(np.random.default_rng().integers(1 << 32))
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"seed: is {seed}; expected an integer from 0 to 2^32 - 1")
    hot, cold = _beta_range(h, pairs, biases) if beta_range is None else (float(beta) for beta in beta_range)
    if not 0 < hot <= cold:
        raise ValueError(f"beta_range: expected 0 < {hot} <= {cold}")
    if beta_schedule_type == "geometric":
        betas = np.geomspace(hot, cold, num_sweeps)
    elif beta_schedule_type == "linear":
        betas = np.linspace(hot, cold, num_sweeps)
    else:
        raise ValueError(f"beta_schedule_type: {beta_schedule_type!r} is neither 'geometric' nor 'linear'")
    spins = _native.anneal(pairs, -biases, -h, num_reads, betas.tolist(), seed, threads)
    energies = spins @ h
    for start in range(0, num_reads, 1024):
        part = spins[start : start + 1024].astype(np.int8)
        energies[start : start + 1024] += (part[:, pairs[:, 0]] * part[:, pairs[:, 1]]) @ biases
    best = np.argsort(energies, kind="stable")
    return spins[best], energies[best]


def _beta_range(h, pairs, biases):
    """From a temperature at which the strongest field seldom holds a spin to one at which the weakest does."""
    strongest = np.abs(h)
    np.add.at(strongest, pairs.ravel(), np.repeat(np.abs(biases), 2))
    steps = np.abs(np.concatenate([h, biases]))
    steps = steps[steps > 0]
    if not len(steps):
        return 0.1, 1.0
    return np.log(2) / (2 * strongest.max()), np.log(100) / (2 * steps.min())


def _result(samples, energies, variables, vartype):
    try:
        import dimod
    except ImportError:
        return Samples(samples, energies, variables)
    return dimod.SampleSet.from_samples((samples, variables), vartype, energy=energies)


__all__ = ["Sampler", "Samples"]
