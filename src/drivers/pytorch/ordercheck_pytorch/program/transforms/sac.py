"""Selective activation checkpointing by operator: checkpoint_wrapper with a policy of what is kept.

policy   families joined by +: linear (the default: matrix products of linears), attention (the fused kernel), all_gather,
         reduce_scatter, all_reduce
n        of the linears, every n-th is kept; torchtitan keeps every second
preserve_rng_state=off   torch's argument"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

from ...torch_compat import checkpoint_wrapper
from ..case import Item
from .program import Program, Site, layers_of
from .transform import Transform

FAMILIES: dict[str, tuple[Any, ...]] = {
    "linear": (torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.linear.default),
    "attention": (torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,),
    "gather": (torch.ops._c10d_functional.all_gather_into_tensor.default,),
    "reduce_scatter": (torch.ops._c10d_functional.reduce_scatter_tensor.default,),
    "all_reduce": (torch.ops._c10d_functional.all_reduce.default,),
}


def apply_sac(program: Program, item: Item, site: Site) -> None:
    families = item.options.get("policy", "linear").split("+")
    kept = {op for family in families for op in FAMILIES[family]}
    every = int(item.options.get("n", "1"))
    preserves = item.options.get("preserve_rng_state", "on") == "on"
    layers = layers_of(program.model)
    for name, block in list(layers.items()):
        context_fn = contexts_of(kept, every, program.counters)
        layers.register_module(
            name, checkpoint_wrapper(block, context_fn=context_fn, preserve_rng_state=preserves)
        )


def contexts_of(kept: set[Any], every: int, counters: dict[str, int]) -> Callable[[], Any]:
    """Counts in operators_kept how often its policy answers that a result is to be kept, not recomputed."""
    counters.setdefault("operators_kept", 0)

    def contexts() -> Any:
        linears = {"forward": 0, "recompute": 0}

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            if op not in kept:
                return CheckpointPolicy.PREFER_RECOMPUTE
            if op in FAMILIES["linear"]:
                mode = "recompute" if ctx.is_recompute else "forward"
                linears[mode] += 1
                if linears[mode] % every != 0:
                    return CheckpointPolicy.PREFER_RECOMPUTE
            if not ctx.is_recompute:
                counters["operators_kept"] += 1
            return CheckpointPolicy.MUST_SAVE

        return create_selective_checkpoint_contexts(policy)

    return contexts


SAC = Transform(apply_sac, (f"policy={'|'.join(FAMILIES)}", "n", "preserve_rng_state"), ("block",))
