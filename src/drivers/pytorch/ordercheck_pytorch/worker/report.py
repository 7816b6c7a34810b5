"""What a rank tells the front process of its case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CollectiveCount:
    kind: str
    group: str
    phase: str
    count: int
    bytes: int


@dataclass(frozen=True)
class BufferReport:
    shape: tuple[int, ...]
    is_local: bool
    value: str  # a hash; "" where the rank does not hold it, or where it is not compared


@dataclass
class RankReport:
    """Of a rank that came through. Tensors as hashes; their bytes only where values are kept."""

    rank: int
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)  # names of `shapes` that the model as built lacks
    losses: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    gradients: list[dict[str, str]] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    changed: dict[str, bool] = field(default_factory=dict)
    frozen: list[str] = field(default_factory=list)
    has_gradient: dict[str, bool] = field(default_factory=dict)  # other than zero, in a step
    buffers: dict[str, BufferReport] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)  # by hash; little-endian float64
    range_used: float = 0.0
    counters: dict[str, int] = field(default_factory=dict)
    collectives: list[CollectiveCount] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partial_operands: list[str] = field(default_factory=list)
    partials_apart: float = 0.0
    # Of a forward, by step and module and then by sample: where values are kept.
    outputs: dict[tuple[int, str], dict[int, tuple[tuple[int, ...], bytes]]] = field(default_factory=dict)


@dataclass(frozen=True)
class RankError:
    """Of a rank that raised, or whose process ended: then `end` says how."""

    rank: int
    time: int  # of the machine's monotonic clock, so that ranks can be compared
    ending: str  # failed, out_of_range, unsupported, died, killed
    message: str
    phase: str = "build"
    module: str = ""
    operation: str = ""
    group: str = ""
    sequence: int = -1
    end: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class StepDone:
    step: int


@dataclass(frozen=True)
class Order:
    """A case, as one rank is asked for it."""

    rank: int
    world_size: int
    case: dict[str, object]  # the case object of the run message
    keep: str
    fault: dict[str, object] | None
    device: str
    backend: str  # of torch.distributed
    store: str  # path of the file that ranks meet by
    flight_file: str
    phases: Sequence[str]  # in the order of the run message, by which the flight file numbers them
