"""What stands in for parts of torchtitan and torch that want an accelerator, and what is set back before every case."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.api import Case
from torch._subclasses.fake_impls import register_op_impl
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from .package import part

PLAIN: dict[str, Any] = {}  # functions of torchtitan as it defines them


def prepare(device: str) -> None:
    # torchtitan takes the accelerator that torch finds, or "cuda" where it finds none.
    with patch("torch._utils._get_available_device_type", lambda: device):
        part("tools.utils")
    if device == "cpu":
        part("models.moe.kernels").fill_indices_wrapper = fill_indices
        register_op_impl(torch.ops.aten.histc.default)(shape_of_histc)
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default)(
            attention_by_heads
        )
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default)(
            attention_backward_by_heads
        )


def begin(case: Case) -> None:
    """What apply_ac and apply_compile of a case before set in this process, and a counter of blocks."""
    eval_frame: Any = torch._C._dynamo.eval_frame
    eval_frame._set_lru_cache(True)
    torch._dynamo.config.capture_scalar_outputs = False
    part("distributed.activation_checkpoint")._layer_sac_count = 0
    moe = part("models.moe.moe")
    moe._run_experts_grouped_mm = PLAIN.setdefault("grouped", moe._run_experts_grouped_mm)


def fill_indices(
    lengths: torch.Tensor, begins: torch.Tensor, offsets: torch.Tensor, experts: int, ranks: int, size: int
) -> torch.Tensor:
    """Where the token of each place comes from, -1 for none: what its Triton kernel and fill_indices_cpu give. The latter asks
    for numbers in Python, which a graph of the whole model cannot hold."""
    lengths, begins = (
        each.view(ranks, experts).T.flatten() for each in (lengths, begins)
    )  # by expert, then by rank
    within = lengths.view(experts, ranks).cumsum(1) - lengths.view(experts, ranks)
    places = (offsets.unsqueeze(1) + within).flatten()
    at = torch.arange(size, device=lengths.device)
    segment = torch.searchsorted(places, at, right=True) - 1
    index = at - places[segment]
    return torch.where(index < lengths[segment], begins[segment] + index, -1).to(torch.int32)


def shape_of_histc(
    mode: Any, operator: Any, x: torch.Tensor, bins: int = 100, *more: Any, **bounds: Any
) -> torch.Tensor:
    return x.new_empty(bins)


def attention_by_heads(q: Any, k: Any, v: Any, *more: Any, **options: Any) -> list[Any]:
    """Output and logsumexp of q, k and v, each [batch, heads, ...], whole or split over heads."""
    return [([p] * 2, [p] * 3 + [None] * len(more)) for p in (Replicate(), Shard(1))]


def attention_backward_by_heads(*arguments: Any, **options: Any) -> list[Any]:
    """Gradients of q, k and v, of the output's, q, k, v, the output and logsumexp."""
    return [([p] * 3, [p] * 6 + [None] * (len(arguments) - 6)) for p in (Replicate(), Shard(1))]
