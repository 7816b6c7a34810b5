"""What shards or replicates parameters: fsdp, hsdp, ddp, replicate."""

from __future__ import annotations

import math

import torch

from ...program.case import Case, Item
from ...program.transforms.program import degree
from ...program.transforms.summed_gradients import divides_always
from ...torch_compat import is_replicate_built_on_fsdp
from .piece import INNER, Piece

FSDP = "from torch.distributed.fsdp import fully_shard"
SUMS = "module.set_gradient_divide_factor(1.0)  # the loss is a sum over all tokens"


def fsdp(item: Item, case: Case) -> Piece:
    return sharded(item, case, [], "dp_shard")


def hsdp(item: Item, case: Case) -> Piece:
    return sharded(item, case, ["dp_replicate"], "dp_shard")


def sharded(item: Item, case: Case, outer: list[str], axis: str) -> Piece:
    """Parameters are sharded over the ranks that split the sequence too, since these have other tokens."""
    joined = [
        axis,
        *(name for name, what in case.splits.items() if what == "sequence" and name in axes_of(case)),
    ]
    names = ", ".join(f'"{name}"' for name in joined)
    lines, last = [], joined[0]
    if len(joined) > 1:
        last = "_".join(joined)
        lines.append(f'flat = mesh[{names}]._flatten("{last}")')
    where = f'mesh["{outer[0]}", "{last}"]' if outer else "flat" if len(joined) > 1 else f'mesh["{axis}"]'
    reshard = {"always": "True", "never": "False"}.get(item.options.get("reshard", "default"))
    of_blocks = f", reshard_after_forward={reshard}" if reshard else ""
    averages = divides_always(torch.float64)
    sums = [] if averages else [f"    {SUMS}"]
    if of_blocks:
        lines += [
            "for module in inner(model).layers.values():",
            f"    fully_shard(module, mesh={where}{of_blocks})",
            *sums,
        ]
        lines += [f"fully_shard(model, mesh={where})"] + (
            [] if averages else [SUMS.replace("module", "model")]
        )
    else:
        lines += [
            "for module in [*inner(model).layers.values(), model]:",
            f"    fully_shard(module, mesh={where})",
            *sums,
        ]
    # Its parameters are others than before: what averaged gradients of those has no hold of these.
    ranks = math.prod(case.mesh[name] for name in [*outer, *joined]) if averages else 1
    return Piece(lines, [FSDP], [INNER], factor=lambda factor: ranks)


def axes_of(case: Case) -> list[str]:
    """Those of the mesh: with several ranks, or asked for by an item."""
    asked_for = {axis for item in case.items for axis in item.axes}
    return [axis for axis, ranks in case.mesh.items() if ranks > 1 or axis in asked_for]


def ddp(item: Item, case: Case) -> Piece:
    lines = ['group = mesh.get_group("dp_replicate")']
    arguments = "process_group=group"
    if "bucket_kib" in item.options:
        arguments += f", bucket_cap_mb={int(item.options['bucket_kib']) / 1024}"
    lines.append(f"model = DistributedDataParallel(model, {arguments})")
    imports = ["from torch.nn.parallel import DistributedDataParallel"]
    return Piece(lines, imports, prefix="module.", factor=lambda factor: factor * degree(item))


def replicate(item: Item, case: Case) -> Piece:
    if not is_replicate_built_on_fsdp():
        lines = ['replicate(model, process_group=mesh.get_group("dp_replicate"))']
        imports = ["from torch.distributed._composable.replicate import replicate"]
        return Piece(lines, imports, factor=lambda factor: factor * degree(item))
    lines = [
        "for module in [*inner(model).layers.values(), model]:",
        '    replicate(module, mesh=mesh["dp_replicate"])',
        f"    {SUMS}",
    ]
    imports = ["from torch.distributed._composable.replicate_with_fsdp import replicate"]
    return Piece(lines, imports, [INNER], factor=lambda factor: 1)
