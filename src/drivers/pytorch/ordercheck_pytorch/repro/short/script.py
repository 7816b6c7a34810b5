"""Puts the short script together: a step on one rank and one with the stack, of the same model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...program.case import Case, Item
from ...program.data import SEQUENCES
from ...program.transforms.optimizer import DEFAULT_OPTIMIZER
from .catalogue import SHORT_FORMS
from .data_parallel import axes_of
from .piece import Piece
from .text import (
    FAILS,
    FORWARD_BACKWARD,
    HEADER,
    IMPORTS,
    MOST_LINES,
    VERDICT,
    WIDTH,
    merged,
    model_text,
    of_lines,
    spaced,
)


def short_pieces(case: Case) -> list[str]:
    """The script, cut where scripts of other cases go on alike."""
    # What changes numbers and nothing else.
    one_rank = replace(case, items=case.on_one_rank, apply="", mesh=dict.fromkeys(case.mesh, 1))
    pieces = pieces_of_items(case)
    imports = [*IMPORTS, *(line for piece in pieces for line in piece.imports)]
    imports += ["from torch.distributed.device_mesh import init_device_mesh"] if axes_of(case) else []
    before = [f"# {case.text}\n", HEADER.format(world=case.world_size), f"{merged(imports)}\n"]
    definitions = [model_text(), *dict.fromkeys(f for piece in pieces for f in piece.functions)]
    world = f'assert dist.get_world_size() == {case.world_size}, "expected {case.world_size} ranks"\n'
    reference, stack = on_one_rank(one_rank, pieces_of_items(one_rank)), with_the_stack(case, pieces)

    def with_gap(gap: str) -> list[str]:
        found = [*before, spaced(definitions[0], gap), *(gap + text for text in definitions[1:])]
        return [
            *found,
            f'\ndist.init_process_group("gloo")\n{world}',
            *reference,
            gap + FAILS,
            *stack,
            VERDICT,
        ]

    roomy = with_gap("\n")
    return roomy if "".join(roomy).count("\n") <= MOST_LINES else with_gap("")


def pieces_of_items(case: Case) -> list[Piece]:
    items = list(case.items)
    if all(item.name != DEFAULT_OPTIMIZER.name for item in items):
        items.append(DEFAULT_OPTIMIZER)
    return [commented(item, SHORT_FORMS[item.name].piece(item, case)) for item in items]


def commented(item: Item, piece: Piece) -> Piece:
    degrees = "x".join(map(str, item.degrees)) or item.mode
    options = "".join(f":{name}={value}" if value else f":{name}" for name, value in item.options.items())
    written = f"{item.name}={degrees}{options}" if degrees else f"{item.name}{options}"
    return replace(piece, apply=[f"# {written}", *piece.apply])


def on_one_rank(case: Case, pieces: Sequence[Piece]) -> list[str]:
    """In one microbatch: a sum has the same bits however it is cut."""
    lines = [
        *(line for piece in pieces for line in piece.apply if not line.startswith("#")),
        f"tokens, labels = batch = torch.randint(VOCABULARY, (2, {SEQUENCES}, LENGTH))",
        "loss = loss_of(model(tokens), labels)",
        "loss.backward()",
    ]
    if clip_of(pieces):
        lines += [
            "# By the largest element, to half: a root of a sum of squares rounds, a factor of 0.5 does not.",
            "max_norm = (max(p.grad.abs().max().item() for p in model.parameters()) + 1e-6) / 2",
        ]
    lines += finished("expected", "dict(model.named_parameters())", pieces)
    return ["# One rank.\n", of_lines(built(case)), of_lines(lines)]


def with_the_stack(case: Case, pieces: Sequence[Piece]) -> list[str]:
    mesh = []
    if axes := axes_of(case):
        degrees = "".join(f"{case.mesh[axis]}, " for axis in axes).strip()
        names = "".join(f'"{axis}", ' for axis in axes).strip()
        if len(axes) > 1:
            degrees, names = degrees.rstrip(","), names.rstrip(",")
        mesh.append(f'mesh = init_device_mesh("cpu", ({degrees}), mesh_dim_names=({names}))')
    lines = [*named(pieces), *part_of_rank(case)]
    lines += [line for piece in pieces for line in piece.split_batch]
    run = [piece.forward_backward for piece in pieces if piece.forward_backward]
    parts = case.settings.accumulation
    lines += run[-1] if run else [line.format(parts=parts) for line in FORWARD_BACKWARD]
    for axis in case.axes("batch", "sequence", "layers"):
        lines.append(f'dist.all_reduce(loss, group=mesh.get_group("{axis}"))')
    lines += [line for piece in pieces for line in piece.reduce_gradients]
    lines += [*sums_from(pieces), *finished("got", "parameters", pieces)]
    applied = [of_lines(piece.apply) for piece in pieces]
    return ["\n# The stack.\n", of_lines([*mesh, *built(case)]), *applied, of_lines(lines)]


def built(case: Case) -> list[str]:
    return [f"torch.manual_seed({case.settings.seed})", "model = Decoder()"]


def finished(result: str, parameters: str, pieces: Sequence[Piece]) -> list[str]:
    """Clipping first: an optimizer leaves gradients as they are."""
    clip = clip_of(pieces)
    return [*([clip] if clip else []), "optimizer.step()", f"{result} = seen(loss, {parameters})"]


def named(pieces: Sequence[Piece]) -> list[str]:
    """Without the children that wrappers put in, longer ones first: some end in another one."""
    lines, source = [], "model.named_parameters()"
    for prefix in sorted({p.prefix for p in pieces if p.prefix}, key=lambda prefix: (-len(prefix), prefix)):
        lines.append(f'parameters = {{n.replace("{prefix}", ""): p for n, p in {source}}}')
        source = "parameters.items()"
    return lines or [f"parameters = dict({source})"]


def part_of_rank(case: Case) -> list[str]:
    """Of axes that split the batch the last one is the fastest."""
    index = ""
    for axis in case.axes("batch"):
        place = f'mesh.get_local_rank("{axis}")'
        index = f"{index} * {case.mesh[axis]} + {place}" if index else place
    if not index:
        return ["tokens, labels = batch"]
    start = f"tokens, labels = batch.tensor_split({case.data_parallel_degree}, dim=1)"
    one = f"{start}[{index}]"
    return [one] if len(one) <= WIDTH else [f"index = {index}", f"{start}[index]"]


def sums_from(pieces: Sequence[Piece]) -> list[str]:
    """What was averaged is multiplied."""
    factor = 1
    for piece in pieces:
        factor = piece.factor(factor)
    if factor == 1:
        return []
    return [
        "for p in parameters.values():",
        "    if p.grad is not None:",
        f"        p.grad.mul_({factor})  # averaged over ranks, and the loss is a sum over all tokens",
    ]


def clip_of(pieces: Sequence[Piece]) -> str:
    """Of the last optimizer, whose step is taken."""
    return [piece.clip for piece in pieces if piece.clip is not None][-1]
