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
    @property
    def first(self) -> tuple[dict[Hashable, int], float]: ...

# The samples are a dimod.SampleSet if dimod is installed, Samples otherwise.
class Sampler:
    parameters: ClassVar[dict[str, list[str]]]
    properties: ClassVar[dict[str, Any]]
    def sample_ising(
        self,
        h: Mapping[Hashable, float] | Sequence[float],
        J: Mapping[tuple[Hashable, Hashable], float],
        num_reads: int = 1,
        num_sweeps: int = 1000,
        beta_range: tuple[float, float] | None = None,
        beta_schedule_type: Literal["geometric", "linear"] = "geometric",
        seed: int | None = None,
        threads: int | None = None,
    ) -> Any: ...
    def sample_qubo(self, Q: Mapping[tuple[Hashable, Hashable], float], **options: Any) -> Any: ...
    def sample(self, bqm: Any, **options: Any) -> Any: ...
