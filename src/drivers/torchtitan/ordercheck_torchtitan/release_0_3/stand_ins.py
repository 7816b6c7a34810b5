"""What stands in for parts of torchtitan and torch that want an accelerator, and what is set back before every case."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from ordercheck_pytorch.api import Case
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from .job import spmd_backend_of
from .package import part
from .parallelize import OPEN


def prepare(device: str) -> None:
    # torchtitan takes the accelerator that torch finds, or "cuda" where it finds none.
    with patch("torch._utils._get_available_device_type", lambda: device):
        part("tools.utils")
    # As its init_distributed does: what backward recomputes reads the mesh of the thread that ran forward.
    torch.autograd.set_multithreading_enabled(False)
    part("models.common.moe").GroupedExperts.forward = experts_one_by_one
    if device == "cpu":
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default)(
            attention_by_heads
        )
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default)(
            attention_backward_by_heads
        )
        part_of_spmd_types().set_dist(GlooLists())


def part_of_spmd_types() -> Any:
    import spmd_types

    return spmd_types


class GlooLists:
    """torch.distributed, but for all_to_all of lists, which gloo takes of one length alone."""

    def __getattr__(self, name: str) -> Any:
        return getattr(dist, name)

    def all_to_all(self, outputs: list[torch.Tensor], inputs: list[torch.Tensor], group: Any = None) -> None:
        whole = torch.cat([each.flatten() for each in outputs])
        dist.all_to_all_single(
            whole,
            torch.cat([each.flatten() for each in inputs]),
            [each.numel() for each in outputs],
            [each.numel() for each in inputs],
            group=group,
        )
        for output, piece in zip(outputs, whole.split([each.numel() for each in outputs]), strict=True):
            output.copy_(piece.view_as(output))


def begin(case: Case) -> None:
    """What a case before set in this process, and the backend of this one, which helpers read without being told."""
    while OPEN:
        OPEN.pop().__exit__(None, None, None)
    eval_frame: Any = torch._C._dynamo.eval_frame
    eval_frame._set_lru_cache(True)
    torch._dynamo.config.capture_scalar_outputs = False
    part("distributed.utils").set_spmd_backend(spmd_backend_of(case))


def experts_one_by_one(self: Any, x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """GroupedExperts.forward without its casts to bfloat16, with a product an expert."""
    w1, w2, w3 = (
        w.to_local() if isinstance(w, part("models.common.moe").DTensor) else w
        for w in (self.w1_EFD, self.w2_EDF, self.w3_EFD)
    )
    pieces = []
    for expert, rows in enumerate(x.split(counts.to(torch.int64).tolist())):
        hidden = torch.nn.functional.silu(rows @ w1[expert].T) * (rows @ w3[expert].T)
        pieces.append(hidden @ w2[expert].T)
    return torch.cat(pieces)


def attention_by_heads(q: Any, k: Any, v: Any, *more: Any, **options: Any) -> list[Any]:
    """Output and logsumexp of q, k and v, each [batch, heads, ...], whole or split over heads."""
    return [([p] * 2, [p] * 3 + [None] * len(more)) for p in (Replicate(), Shard(1))]


def attention_backward_by_heads(*arguments: Any, **options: Any) -> list[Any]:
    """Gradients of q, k and v, of the output's, q, k, v, the output and logsumexp."""
    return [([p] * 3, [p] * 6 + [None] * (len(arguments) - 6)) for p in (Replicate(), Shard(1))]
