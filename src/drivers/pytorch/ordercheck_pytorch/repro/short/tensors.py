"""tp: torchtitan's plan, for the names of the model."""

from __future__ import annotations

from ...program.case import Case, Item
from .piece import INNER, Piece


def tp(item: Item, case: Case) -> Piece:
    is_whole = item.options.get("plan", "all") == "all"
    sequence_parallel = is_whole and item.options.get("sp", "on") == "on"
    between = "Shard(1)" if sequence_parallel else "Replicate()"
    lines = root_plan(between, sequence_parallel) if is_whole else []
    lines += block_plan(between, sequence_parallel)
    functions = [INNER]
    styles = ["ColwiseParallel", "RowwiseParallel", "parallelize_module"]
    styles += ["PrepareModuleInput", "SequenceParallel"] if sequence_parallel else []
    placements = ["Replicate", "Shard"] if sequence_parallel else ["Replicate"]
    if item.options.get("plan") == "blocks" and item.options.get("rest") != "plain":
        lines.append('replicate_rest(model, mesh["tp"])')
        placements.append("distribute_module")
        functions.append(REPLICATE_REST)
    imports = [
        f"from torch.distributed.tensor.parallel import {', '.join(styles)}",
        f"from torch.distributed.tensor import {', '.join(placements)}",
    ]
    return Piece(lines, imports, functions)


def root_plan(between: str, sequence_parallel: bool) -> list[str]:
    return [
        'parallelize_module(inner(model), mesh["tp"], {',
        f'    "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts={between}),',
        f'    "output": ColwiseParallel(input_layouts={between}, output_layouts=Replicate()),',
        *(['    "norm": SequenceParallel(),'] if sequence_parallel else []),
        "})",
    ]


def block_plan(between: str, sequence_parallel: bool) -> list[str]:
    lines = [
        "for block in inner(model).layers.values():",
        '    parallelize_module(block, mesh["tp"], {',
        '        **{f"attention.{name}": ColwiseParallel() for name in ("wq", "wk", "wv")},',
        f'        "attention.wo": RowwiseParallel(output_layouts={between}),',
    ]
    if sequence_parallel:
        whole = "PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())"
        lines += ['        "attention_norm": SequenceParallel(),', f'        "attention": {whole},']
    return [*lines, "    })"]


REPLICATE_REST = '''\
def replicate_rest(model, mesh):
    """Makes what the plan leaves replicated DTensors: clip_grad_norm_ takes those of one mesh."""
    def replicated(module, inputs, mesh):
        return tuple(DTensor.from_local(x, mesh, [Replicate()], run_check=False) for x in inputs)
    def plain(module, output, mesh):
        return output.to_local() if isinstance(output, DTensor) else output
    for module in list(model.modules()):
        if any(not isinstance(p, DTensor) for p in module.parameters(recurse=False)):
            distribute_module(module, mesh, None, replicated, plain)
'''
