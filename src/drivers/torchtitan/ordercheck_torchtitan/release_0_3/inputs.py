"""What its trainer does to a batch between data loading and forward (Trainer.post_dataloading_process)."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import Program
from torch import nn

from .package import part


def feed(program: Program, dims: Any | None) -> None:
    """From now on the model gets positions and masks beside its tokens, as the loader has them. `dims` is None on one rank."""
    model = program.model
    beside: dict[str, Any] = {}

    def prepared(batch: list[Any]) -> list[Any]:
        inputs, labels, more = prepare(model, dims, *batch)
        beside.clear()
        beside.update(more)
        return [inputs, labels]

    program.on_batch.append(prepared)
    model.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {**kwargs, **beside}), with_kwargs=True
    )


def prepare(model: nn.Module, dims: Any | None, inputs: Any, labels: Any) -> tuple[Any, Any, dict[str, Any]]:
    more: dict[str, Any] = {}
    has_masks = uses_flex(model)
    if has_masks or (dims is not None and dims.cp_enabled):
        more["positions"] = torch.arange(inputs.shape[1], device=inputs.device).expand(inputs.shape)
    if has_masks:
        more["attention_masks"] = model.get_attention_masks(positions=more["positions"])  # type: ignore[operator]
    if dims is None:
        return inputs, labels, more
    if dims.cp_enabled:
        inputs, labels, more = part("distributed.context_parallel").prepare_context_parallel_input(
            inputs, labels, more, dims.get_mesh("cp"), inputs.device, None
        )
    if dims.spmd_backend == "full_dtensor":
        inputs, labels, more = part("distributed.full_dtensor").parallelize_inputs(dims, inputs, labels, more)
    elif dims.spmd_backend == "spmd_types":
        annotate = part("distributed.spmd_types").annotate_input_spmd_types
        inputs, labels, more = annotate(dims, inputs, labels, more)
    return inputs, labels, more


def uses_flex(model: nn.Module) -> bool:
    flex = part("models.common.attention").FlexAttention
    return any(isinstance(module, flex) for module in model.modules())
