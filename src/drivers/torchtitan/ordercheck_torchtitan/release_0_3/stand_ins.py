"""What stands in for parts of torchtitan and torch that want an accelerator, and what is set back before every case."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from ordercheck_pytorch.api import Case
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding
from torch.distributed.tensor.experimental._context_parallel import _attention as context_parallel
from torch.nn.attention.flex_attention import create_block_mask, create_mask

from .chunked_loss import CURRENT
from .job import spmd_backend_of
from .package import part
from .parallelize import OPEN


def prepare(device: str) -> None:
    # torchtitan takes the accelerator that torch finds, or "cuda" where it finds none.
    with patch("torch._utils._get_available_device_type", lambda: device):
        part("tools.utils")
    # As its init_distributed does: what backward recomputes reads the mesh of the thread that ran forward.
    torch.autograd.set_multithreading_enabled(False)
    experts = part("models.common.moe").GroupedExperts
    experts.forward, experts.sums_over = experts_one_by_one, None
    attention = part("models.common.attention")
    attention.FlexAttention._compiled_flex_attn = staticmethod(dense_attention)
    for module in (attention, context_parallel):
        vars(module)["_compiled_create_block_mask"] = create_block_mask
    if device == "cpu":
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default)(
            attention_by_heads
        )
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default)(
            attention_backward_by_heads
        )
        import_module("spmd_types").set_dist(GlooLists())


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
    CURRENT.clear()
    eval_frame: Any = torch._C._dynamo.eval_frame
    eval_frame._set_lru_cache(True)
    torch._dynamo.config.capture_scalar_outputs = False
    part("distributed.utils").set_spmd_backend(spmd_backend_of(case))


class OfWhole(torch.autograd.Function):
    """Partial sums of the ranks of a group, as others of the same total: all of it on the first rank."""

    @staticmethod
    def forward(ctx: Any, partial: torch.Tensor, group: Any) -> torch.Tensor:
        whole = partial.clone()
        dist.all_reduce(whole, group=group)
        return whole if dist.get_rank(group) == 0 else torch.zeros_like(whole)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, None]:
        return gradients[0], None


def experts_one_by_one(self: Any, x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """GroupedExperts.forward without its casts to bfloat16, with a product an expert. Where tp splits an expert's width, it
    returns partial sums, which are multiplied by scores of the router."""
    w1, w2, w3 = (
        w.to_local() if isinstance(w, DTensor) else w for w in (self.w1_EFD, self.w2_EDF, self.w3_EFD)
    )
    pieces = []
    for expert, rows in enumerate(x.split(counts.to(torch.int64).tolist())):
        hidden = torch.nn.functional.silu(rows @ w1[expert].T) * (rows @ w3[expert].T)
        pieces.append(hidden @ w2[expert].T)
    partial = torch.cat(pieces)
    return partial if self.sums_over is None else OfWhole.apply(partial, self.sums_over)


def dense_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, block_mask: Any, scale: float | None, **options: Any
) -> tuple[torch.Tensor, None]:
    """flex_attention without score_mod, of tensors [batch, heads, length, width]: every score is computed, and the mask's rule
    asked for each. A key's head serves as many heads of queries as there are to it."""
    mask = create_mask(block_mask.mask_mod, q.shape[0], 1, q.shape[2], k.shape[2], device=q.device.type)
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], dim=1) for each in (k, v))
    scores = (q @ k.transpose(-1, -2)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1) @ v, None


def attention_by_heads(q: Any, k: Any, v: Any, *more: Any, **options: Any) -> list[Any]:
    """Output and logsumexp of q, k and v, each [batch, heads, ...], whole or split over heads."""
    return [([p] * 2, [p] * 3 + [None] * len(more)) for p in (Replicate(), Shard(1))]


def attention_backward_by_heads(*arguments: Any, **options: Any) -> list[Any]:
    """Gradients of q, k and v, of the output's, q, k, v, the output and logsumexp."""
    return [([p] * 3, [p] * 6 + [None] * (len(arguments) - 6)) for p in (Replicate(), Shard(1))]
