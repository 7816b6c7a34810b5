"""cp: keys and values are gathered before attention; tokens, labels and mask are cut along the sequence."""

from __future__ import annotations

from ...program.case import Case, Item
from .piece import INNER, Piece

ATTENTION = "torch.distributed.tensor.experimental._attention"


def cp(item: Item, case: Case) -> Piece:
    return Piece(
        apply=[
            "for block in inner(model).layers.values():",
            "    attention = block.attention.inner_attention",
            "    style = _ContextParallel(2, _ContextParallel.AttentionType.FLEX)",
            '    parallelize_module(attention, mesh["cp"], style)',
            '    (attention.mask,) = _context_parallel_shard(mesh["cp"], [attention.mask], [0])',
        ],
        imports=[
            f"from {ATTENTION} import _context_parallel_shard, _ContextParallel",
            "from torch.distributed.tensor.parallel import parallelize_module",
        ],
        functions=[INNER],
        split_batch=['tokens, labels = _context_parallel_shard(mesh["cp"], [tokens, labels], [1, 1])'],
        reduce_gradients=[
            "for p in [p for p in parameters.values() if p.grad is not None]:  # of the rank's tokens",
            "    axes = p.device_mesh.mesh_dim_names if isinstance(p, DTensor) else ()",
            '    if not any(axis.split("_")[-1] == "cp" for axis in axes):  # FSDP adds up by itself',
            "        grad = p.grad.to_local() if isinstance(p.grad, DTensor) else p.grad",
            '        dist.all_reduce(grad, group=mesh.get_group("cp"))',
        ],
    )
