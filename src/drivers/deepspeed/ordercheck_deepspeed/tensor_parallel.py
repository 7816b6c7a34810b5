"""AutoTP: the function of DeepSpeedEngine that splits layers, called on its own."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from ordercheck_pytorch.api import Item, Program, Site
from torch.distributed.tensor import Shard

from .engine import LAYER_SPECS, connect


def apply_tp(program: Program, item: Item, site: Site) -> None:
    """_apply_autotp_partitioning reads two attributes of its engine; a later deepspeed.initialize finds the model split."""
    degree = site.degrees["tp"]
    deepspeed: Any = import_module("deepspeed")
    connect()
    groups = import_module("deepspeed.utils.groups")
    config = import_module("deepspeed.runtime.tensor_parallel.config")
    layers = import_module("deepspeed.module_inject.layers")
    layers.set_autotp_mode(training=True)
    groups._init_tp_mesh_device(tensor_model_parallel_size=degree)
    settings = config.TPTrainingConfig(autotp_size=degree, partition_config=LAYER_SPECS)
    self = SimpleNamespace(autotp_size=lambda: degree, local_rank=-1)
    deepspeed.DeepSpeedEngine._apply_autotp_partitioning(self, program.model, settings)
    say_layouts(program.model, site)


def cannot_split(item: Item) -> str:
    if item.options.get("plan") != "blocks" or item.options.get("rest") != "plain":
        return "AutoTP splits the layers of blocks alone: expected tp:plan=blocks:rest=plain"
    return ""


def say_layouts(model: Any, site: Site) -> None:
    """AutoTP keeps a slice as a plain parameter. Whole tensors are compared, and the layout of a slice is read from an
    attribute in which DDP keeps it too."""
    layers = import_module("deepspeed.module_inject.layers")
    for module in model.modules():
        if isinstance(module, layers.TensorParallel_Layer):
            dim = 1 if isinstance(module, layers.LinearAllreduce) else 0
            shape = module._orig_weight_shape
            module.weight._st_info = SimpleNamespace(
                mesh=site.axis("tp"), placements=[Shard(dim)], shape=shape, stride=(shape[1], 1)
            )
