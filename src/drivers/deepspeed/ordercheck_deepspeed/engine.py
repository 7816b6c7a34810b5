"""deepspeed.initialize, and an optimizer that steps its engine."""

from __future__ import annotations

import contextlib
import functools
import math
import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from ordercheck_pytorch.api import Case, Item, Program, Site, apply_default_optimizer

from .observed import StepsOfEngine

LAYER_SPECS = {
    "use_default_specs": False,
    "layer_specs": [
        {"patterns": [r".*\.(wq|wk|wv|w1|w3)\.weight$"], "partition_type": "column"},
        {"patterns": [r".*\.(wo|w2)\.weight$"], "partition_type": "row"},
    ],
}
GROUPS: dict[str, Any] = {}  # the globals of deepspeed.utils.groups at import


def prepare(device: str) -> None:
    os.environ["DS_ACCELERATOR"] = device
    backend: Any = import_module("deepspeed.comm.torch")
    backend.build_shm_op = lambda: None
    groups = import_module("deepspeed.utils.groups")
    GROUPS.update({name: value for name, value in vars(groups).items() if is_state(value)})


def is_state(value: Any) -> bool:
    return value is None or isinstance(value, (int, dict))


def begin(case: Case) -> None:
    """Forgets process groups, which DeepSpeed keeps in globals: those of an earlier case are gone."""
    groups = import_module("deepspeed.utils.groups")
    for name, value in GROUPS.items():
        if not name.startswith("__"):
            setattr(groups, name, type(value)() if isinstance(value, dict) else value)
    comm: Any = import_module("deepspeed.comm.comm")
    comm.cdb = None


def connect() -> None:
    """DeepSpeed takes the process group that exists, and wants to know which rank of the machine this is."""
    os.environ["LOCAL_RANK"] = str(dist.get_rank())
    import_module("deepspeed").init_distributed()


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    initialize(program, site, {"stage": 0})


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    """Without a persistence threshold, ZeRO-3 would keep parameters as small as those of this model on every rank."""
    stage = 2 if item.options.get("reshard") == "never" else 3
    buckets = {"reduce_bucket_size": 1 << 20, "allgather_bucket_size": 1 << 20}
    initialize(program, site, {"stage": stage, "stage3_param_persistence_threshold": 0, **buckets})


def initialize(program: Program, site: Site, zero: dict[str, Any]) -> None:
    connect()
    if program.optimizer is None:
        apply_default_optimizer(program, site)
    config: dict[str, Any] = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": zero}
    config["gradient_clipping"] = 0.0  # DeepSpeed's default is 1.0; one rank does not clip
    if site.degrees["tp"] > 1:
        config["tensor_parallel"] = {"autotp_size": site.degrees["tp"], "partition_config": LAYER_SPECS}
    engine = import_module("deepspeed").initialize(
        model=program.model, optimizer=program.optimizer, config=config
    )[0]
    engine.zero_grad = lambda set_to_none=True: type(engine).zero_grad(engine)
    program.model = engine
    program.gradient_factor *= site.degrees["dp_replicate"] * site.degrees["dp_shard"]  # ZeRO averages
    program.on_microbatch.append(engine.set_gradient_accumulation_boundary)
    program.around_loss.append(functools.partial(backward_of, engine))
    steps: Any = StepsOfEngine(engine, program, site.kept["steps"])
    program.optimizer = steps


@contextlib.contextmanager
def backward_of(engine: Any) -> Iterator[None]:
    plain = torch.Tensor.backward

    def backward(loss: torch.Tensor) -> None:
        with patch.object(torch.Tensor, "backward", plain):
            engine.backward(loss)

    with patch.object(torch.Tensor, "backward", backward):
        yield


def cannot_average(item: Item) -> str:
    count = math.prod(item.degrees)
    return f"{item.name} divides gradients by {count}; expected a power of two" if count & (count - 1) else ""


def cannot_shard(item: Item) -> str:
    if "reshard" not in item.options:
        return "expected a ZeRO stage: fsdp:reshard=always is 3, fsdp:reshard=never is 2"
    return cannot_average(item)
