"""Where ranks have their tensors, and what their collectives go over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .staged_group import NAME as STAGED

# The usual one first.
COLLECTIVES = {"cpu": ("gloo", STAGED), "cuda": ("nccl", STAGED)}


class CannotSetUp(Exception):
    """What was asked for cannot be had. One line."""


@dataclass(frozen=True)
class RankSetup:
    device: str = "cpu"
    collectives: str = ""  # "": the usual one, and with fewer GPUs than ranks what goes through the host

    def backend_for(self, ranks: int, gpus: int) -> str:
        """Of torch.distributed, by name. NCCL before 2.30.3 takes one rank a GPU."""
        if self.device == "cpu" or ranks <= gpus:
            return self.collectives or COLLECTIVES[self.device][0]
        if self.collectives not in ("", STAGED):
            raise CannotSetUp(
                f"{ranks} ranks on {self.collectives} need a GPU each, and {gpus} can be had; "
                f"collectives of ranks that share one are {STAGED}"
            )
        return STAGED

    def beside_versions(self, backend: str) -> list[str]:
        """What a record says beside the versions of torch: nothing of what is usual."""
        return [] if backend == COLLECTIVES[self.device][0] else [f"{backend} collectives"]


def setup_of(environment: Mapping[str, str], gpus: int) -> RankSetup:
    """`gpus`: how many there are; below 0 where nobody knows."""
    device = environment.get("ORDERCHECK_DEVICE", "cpu")
    if device not in COLLECTIVES:
        raise CannotSetUp(f"ORDERCHECK_DEVICE: expected {' or '.join(COLLECTIVES)}, got '{device}'")
    if device == "cuda" and gpus <= 0:
        raise CannotSetUp("ORDERCHECK_DEVICE: cuda needs a GPU, and NVML tells of none on this machine")
    collectives = environment.get("ORDERCHECK_WORLD", "")
    if collectives and collectives not in COLLECTIVES[device]:
        expected = " or ".join(COLLECTIVES[device])
        raise CannotSetUp(
            f"ORDERCHECK_WORLD: expected {expected} for tensors on {device}, got '{collectives}'"
        )
    return RankSetup(device, collectives)
