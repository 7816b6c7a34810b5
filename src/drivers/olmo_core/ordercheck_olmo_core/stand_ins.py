"""Stand-ins for what OLMo-core reads of absent packages and of CUDA, and what is reset before every case."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch
from ordercheck_pytorch.api import Case

from .job import begin_job
from .package import part

DYNAMIC_SOURCES: list[str] = []  # as torch has them


def prepare(device: str) -> None:
    # olmo_core.io reads these when it is imported. Nothing of a case reads files.
    import_module("requests.exceptions")
    import_module("cached_path.schemes").S3Client.recoverable_errors = ()
    widen_names(part("config").DType)
    if device == "cpu":
        part("distributed.parallel.context_parallel").all_to_all = all_to_all_of_one_length


def all_to_all_of_one_length(group: Any, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Replaces its all_to_all. On gloo torch.distributed.nn.all_to_all scatters from a rank of the group as from a rank of the
    world, so it fails in every group but the first. All tensors of Ulysses have one length, as all_to_all_single needs."""
    received = part("distributed.nn").all_to_all_single(group, torch.cat(tensors))
    return list(received.chunk(len(tensors)))


def widen_names(dtypes: type) -> None:
    """Makes DType.as_pt return the dtype of the case for "float32": it looks that string up, which nothing widens."""
    stock = dtypes.as_pt  # type: ignore[attr-defined]

    def as_pt(self: object) -> torch.dtype:
        found: torch.dtype = stock(self)
        return torch.get_default_dtype() if found is torch.float32 else found

    dtypes.as_pt = as_pt  # type: ignore[attr-defined]


def begin(case: Case) -> None:
    """Resets what the job before set in this process: apply_compile adds to the sources that are dynamic."""
    if not DYNAMIC_SOURCES:
        DYNAMIC_SOURCES.append(torch.compiler.config.dynamic_sources)
    torch.compiler.config.dynamic_sources = DYNAMIC_SOURCES[0]
    begin_job()
