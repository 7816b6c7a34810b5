"""torchao 0.18.0: convert_to_float8_training beside PyTorch's own parallelism, on the llama of the pytorch engine.

`quantize=fp8` replaces every nn.Linear by a Float8Linear with dynamic scaling per tensor, torchao's default. Its products are
emulated in float32, because float8 products need an accelerator. Everything else is what the pytorch engine applies."""

from __future__ import annotations

from importlib import import_module

import torch
from ordercheck_pytorch.api import (
    TRANSFORMS,
    Item,
    Llama,
    Program,
    Project,
    Site,
    Transform,
    apply_default_optimizer,
    summed_cross_entropy,
)


def apply_quantize(program: Program, item: Item, site: Site) -> None:
    float8 = import_module("torchao.float8")
    config = float8.Float8LinearConfig(emulate=site.device == "cpu")
    program.model = float8.convert_to_float8_training(program.model, config=config)


OF_PYTORCH = ("tp", "ac", "compile", "fsdp", "hsdp", "ddp", "optimizer")

PROJECT = Project(
    requirements=("torchao==0.18.0",),
    models={"llama": lambda case: Llama().to(torch.get_default_dtype())},
    transforms={"quantize": Transform(apply_quantize, modes=("fp8",))}
    | {name: TRANSFORMS[name] for name in OF_PYTORCH},
    loss=summed_cross_entropy,
    optimizer=apply_default_optimizer,
    stand_ins={"products in float32 of values rounded to float8": "float8 products need an accelerator"},
)
