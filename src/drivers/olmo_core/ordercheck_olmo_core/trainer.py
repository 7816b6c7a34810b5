"""Loss, optimizer and clipping as its train modules have them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from ordercheck_pytorch.api import Item, Program, Site

from .package import part


def apply_optimizer(program: Program, item: Item, site: Site) -> None:
    options = item.options
    build(program, float(options.get("lr", "1e-2")), float(options.get("weight_decay", "0.1")))
    max_norm = float(options.get("clip", "0"))
    if max_norm == 0:
        return
    modules = part("train.train_module.transformer")
    program.max_norm = max_norm

    def clip(model: Any) -> torch.Tensor:
        """The method of the train module, which reads of it the model or its parts."""
        if "pp_group" in site.kept:
            job = SimpleNamespace(model_parts=[model], pp_group=site.kept["pp_group"])
            norm: torch.Tensor = modules.TransformerPipelineTrainModule._clip_grad_norm(job, max_norm)
        else:
            norm = modules.TransformerTrainModule._clip_grad_norm(SimpleNamespace(model=model), max_norm)
        return norm

    program.clips_by = clip


def build_optimizer(program: Program, site: Site) -> None:
    """Of a stack that names none."""
    build(program, 1e-2, 0.1)


def build(program: Program, lr: float, weight_decay: float) -> None:
    config = part("optim").AdamWConfig(lr=lr, betas=(0.9, 0.95), weight_decay=weight_decay)
    program.optimizer = config.build(program.model, strict=True)
    # Every job builds an optimizer, so this is where the driver learns how the job calls the model. The engine's pipeline
    # computes the loss of the last stage from logits.
    program.on_batch.append(lambda batch: with_labels(program, batch))


def with_labels(program: Program, batch: list[Any]) -> list[Any]:
    """As train_batch calls the model, which returns its own loss."""
    inputs, labels = batch
    if program.pipeline is not None:
        return [inputs, labels]
    called_with = {"input_ids": inputs, "labels": labels, "loss_reduction": "sum", "return_logits": False}
    return [called_with, labels]


def cannot_build(item: Item) -> str:
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is what its _clip_grad_norm does; expected a number"
    return ""


def loss(output: Any, labels: torch.Tensor) -> torch.Tensor:
    """The model's own, or that of the logits of a pipeline's last stage."""
    if isinstance(output, torch.Tensor):
        output = output.flatten(0, 1)
        total, _ = part("nn.functional").cross_entropy_loss(output, labels.flatten(), reduction="sum")
    else:
        total = output.loss
    result: torch.Tensor = total
    return result
