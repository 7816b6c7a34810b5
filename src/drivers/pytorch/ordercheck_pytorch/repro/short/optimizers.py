"""torch.optim, and the trainer's clipping.

Clipping takes the largest element for the norm: the root of a sum of squares would round otherwise in every layout. The
threshold is half the norm of one rank, so that the factor is 0.5, and parts of a sum may be multiplied by it."""

from __future__ import annotations

from ...program.case import Case, Item
from ...program.transforms.optimizer import LEARNING_RATES
from .piece import Piece
from .text import WIDTH


def optimizer(item: Item, case: Case) -> Piece:
    foreach = ", foreach=False" if item.options.get("foreach") == "off" else ""
    lr = float(item.options.get("lr", LEARNING_RATES[item.mode or "adamw"]))
    made = [f"optimizer = torch.optim.SGD(model.parameters(), lr={lr}{foreach})"]
    if item.mode != "sgd":
        decay = float(item.options.get("weight_decay", "0.1"))
        arguments = f"lr={lr}, betas=(0.9, 0.95), weight_decay={decay}{foreach}"
        made = called("optimizer = torch.optim.AdamW(model.parameters(), ", arguments)
    how = item.options.get("clip", "0")
    if how == "0":
        return Piece(made, clip="")
    if how == "per_mesh":
        stages = [axis for axis, splits in case.splits.items() if splits == "layers" and case.mesh[axis] > 1]
        groups = ", ".join(f'mesh.get_group("{axis}")' for axis in stages)
        clip = f"clip_per_mesh(optimizer, max_norm, [{groups}]{foreach})"
        return Piece(made, ["import math"], [CLIP_PER_MESH], clip=clip)
    call = f"torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm, math.inf{foreach})"
    return Piece(made, ["import math"], clip=call)


def called(start: str, arguments: str) -> list[str]:
    one = f"{start}{arguments})"
    return [one] if len(one) <= WIDTH else [f"{start.rstrip()}", f"    {arguments})"]


CLIP_PER_MESH = """\
def clip_per_mesh(optimizer, max_norm, stages, foreach=None):  # and over stages, as torchtitan
    meshes = {}
    for p in [p for p in optimizer.param_groups[0]["params"] if p.grad is not None]:
        meshes.setdefault(getattr(p.grad, "device_mesh", None), []).append(p)
    grads = [[p.grad for p in parameters] for parameters in meshes.values()]
    norms = [full(torch.nn.utils.get_total_norm(of_mesh, math.inf)) for of_mesh in grads]
    norm = max(norms, default=torch.zeros(()))
    for stage in stages:
        dist.all_reduce(norm, dist.ReduceOp.MAX, group=stage)
    for parameters in meshes.values():
        torch.nn.utils.clip_grads_with_norm_(parameters, max_norm, norm, foreach)
"""
