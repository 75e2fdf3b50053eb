from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

@dataclass(frozen=True)
class Samples:
    samples: NDArray[np.int8]
    energies: NDArray[np.float64]
    variables: list[Hashable]
    info: dict[str, Any] = ...
    @property
    def first(self) -> tuple[dict[Hashable, int], float]: ...

# A dimod.Sampler if dimod is installed; then the samples are a dimod.SampleSet, otherwise Samples. Options of `sample`:
# beta_range: tuple[float, float], beta_schedule: Sequence[float],
# beta_schedule_type: Literal["geometric", "linear", "custom"], device: int | Literal["cpu", "auto", "all"],
# initial_states: Any,
# initial_states_generator: Literal["none", "tile", "random"], interrupt_function: Callable[[], bool],
# kind: Literal["auto", "bits", "dense", "f32-fast", "f32-poly", "fixed", "i16-exact", "i8-exact", "single"],
# num_reads: int, num_sweeps: int, num_sweeps_per_beta: int,
# proposal_acceptance_criteria: Literal["Metropolis", "Gibbs"], randomize_order: Literal[False], seed: int,
# threads: int, time_limit: float.
class Sampler:
    parameters: ClassVar[dict[str, list[str]]]
    properties: ClassVar[dict[str, Any]]
    def sample_ising(
        self,
        h: Mapping[Hashable, float] | Sequence[float],
        J: Mapping[tuple[Hashable, Hashable], float],
        **options: Any,
    ) -> Any: ...
    def sample_qubo(self, Q: Mapping[tuple[Hashable, Hashable], float], **options: Any) -> Any: ...
    def sample(self, bqm: Any, **options: Any) -> Any: ...
    def may_trap(self, bqm: Any, num_reads: int = 1) -> bool: ...

# A dimod.Sampler if dimod is installed. Options of `sample`: Gamma: float, Hd_field: Sequence[float],
# Hp_field: Sequence[float], beta_range: tuple[float, float],
# beta_schedule_type: Literal["geometric", "linear", "custom"], breaks_buffer_out: None, breaks_in: None,
# chain_coupler_strength: Literal[1], initial_states: Any,
# initial_states_generator: Literal["none", "tile", "random"], interrupt_function: Callable[[], bool],
# make_info_json_serializable: bool, num_breaks: None, num_reads: int, num_sweeps: int, num_sweeps_per_beta: int,
# project_states: tuple[bool, bool], qubits_per_chain: Literal[1], qubits_per_update: Literal[1],
# schedule_sample_interval: int, seed: int, slices: int, threads: int, time_limit: float.
class PathIntegral:
    parameters: ClassVar[dict[str, list[str]]]
    properties: ClassVar[dict[str, Any]]
    def sample_ising(
        self,
        h: Mapping[Hashable, float] | Sequence[float],
        J: Mapping[tuple[Hashable, Hashable], float],
        **options: Any,
    ) -> Any: ...
    def sample_qubo(self, Q: Mapping[tuple[Hashable, Hashable], float], **options: Any) -> Any: ...
    def sample(self, bqm: Any, **options: Any) -> Any: ...

class Worldlines:
    def __init__(
        self,
        pairs: NDArray[np.int64],
        couplings: NDArray[np.float64],
        fields: NDArray[np.float64],
        slices: int = 65536,
        seed: int = 0,
    ) -> None: ...
    def sweep(self, beta: float, gamma: float, sweeps: int = 1, clusters: int = 0) -> int: ...
    def series(
        self,
        beta: float,
        gamma: float,
        count: int,
        every: int = 1,
        clusters: int = 0,
        lags: Sequence[int] | None = None,
    ) -> dict[str, NDArray[np.float64]]: ...
    def spins(self, slice: int = 0) -> NDArray[np.int8]: ...
    def set_spins(self, spins: NDArray[np.int8]) -> None: ...
    def kinks(self, site: int) -> NDArray[np.int32]: ...
    @property
    def slices(self) -> int: ...
    @property
    def sites(self) -> int: ...

def correlation_gap(
    beta: float, taus: NDArray[np.float64], values: NDArray[np.float64]
) -> float | None: ...

class SquareLattice:
    def __init__(self, rows: int, columns: int, seed: int = 0) -> None: ...
    def sweep(
        self,
        beta: float,
        sweeps: int = 1,
        *,
        acceptance: Literal["auto", "metropolis", "heat_bath"] = "auto",
        threads: int | None = None,
    ) -> int: ...
    def energy(self) -> int: ...
    def magnetisation(self) -> int: ...
    spins: NDArray[np.int8]
    sweeps: int
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def seed(self) -> int: ...
