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
