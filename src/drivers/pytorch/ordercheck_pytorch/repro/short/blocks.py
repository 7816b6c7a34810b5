"""What wraps or compiles blocks: ac, sac, compile."""

from __future__ import annotations

from ...program.case import Case, Item
from ...program.transforms.sac import FAMILIES
from .piece import INNER, Piece, of_every_block
from .text import WIDTH

WRAPPER = "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import"
CHECKPOINTED = "_checkpoint_wrapped_module."
# Inductor's decompositions and partition, run operator by operator: what stands for `compile` without a C++ compiler.
WITHOUT_CODE = "aot_eager_decomp_partition"


def ac(item: Item, case: Case) -> Piece:
    reentrant = "reentrant" in item.options
    implementation = ", checkpoint_impl=CheckpointImpl.REENTRANT" if reentrant else ""
    names = "CheckpointImpl, checkpoint_wrapper" if reentrant else "checkpoint_wrapper"
    if item.mode == "selective":
        every = int(item.options.get("n", "2"))
        lines = [
            f"for name, block in list(inner(model).layers.items())[{every - 1} :: {every}]:",
            f"    inner(model).layers[name] = checkpoint_wrapper(block{implementation})",
        ]
    else:
        lines = of_every_block(f"checkpoint_wrapper(block{implementation})")
    return Piece(lines, [f"{WRAPPER} {names}"], [INNER], prefix=CHECKPOINTED)


def sac(item: Item, case: Case) -> Piece:
    families = item.options.get("policy", "linear").split("+")
    kept = [f"    torch.ops.{op}," for family in families for op in FAMILIES[family]]
    lines = [
        "kept = [",
        *kept,
        "]",
        "context_fn = functools.partial(create_selective_checkpoint_contexts, kept)",
        *of_every_block("checkpoint_wrapper(block, context_fn=context_fn)"),
    ]
    imports = [
        "import functools",
        f"{WRAPPER} checkpoint_wrapper",
        "from torch.utils.checkpoint import create_selective_checkpoint_contexts",
    ]
    return Piece(lines, imports, [INNER], prefix=CHECKPOINTED)


def compile(item: Item, case: Case) -> Piece:
    arguments = f'backend="{item.mode or WITHOUT_CODE}"'
    if "fullgraph" in item.options:
        arguments += ", fullgraph=True"
    wrap = "wrap" in item.options
    comment = "" if item.mode else "  # inductor up to its code"
    if item.scope == "model":
        call = f"model = torch.compile(model, {arguments})" if wrap else f"model.compile({arguments})"
        lines = [f"{call}{comment}"] if len(call + comment) <= WIDTH else [comment.strip(), call]
        return Piece(lines, prefix="_orig_mod." if wrap else "")
    if not wrap:
        lines = [f"for block in inner(model).layers.values():{comment}", f"    block.compile({arguments})"]
        return Piece(lines, functions=[INNER])
    lines = [
        "layers = inner(model).layers",
        f"for name, block in list(layers.items()):{comment}",
        f"    layers[name] = torch.compile(block, {arguments})",
    ]
    return Piece(lines, functions=[INNER], prefix="_orig_mod.")
