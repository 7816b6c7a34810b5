"""FSDP2: fully_shard on every block, then on the root. hsdp shards within and replicates across."""

from __future__ import annotations

from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

from ..case import Item
from .subject import Site, Subject, layers_of
from .summed_gradients import sum_gradients


def apply_fsdp(subject: Subject, item: Item, site: Site) -> None:
    shard(subject, item, site.sharding_axes("dp_shard"))


def apply_hsdp(subject: Subject, item: Item, site: Site) -> None:
    shard(subject, item, site.sharding_axes("dp_replicate", "dp_shard"))


def shard(subject: Subject, item: Item, mesh: DeviceMesh) -> None:
    reshard = {"always": True, "never": False}.get(item.options.get("reshard", "default"))
    for block in layers_of(subject.model).values():
        if reshard is None:
            fully_shard(block, mesh=mesh)
        else:
            fully_shard(block, mesh=mesh, reshard_after_forward=reshard)
        sum_gradients(block)
    fully_shard(subject.model, mesh=mesh)
    sum_gradients(subject.model)
