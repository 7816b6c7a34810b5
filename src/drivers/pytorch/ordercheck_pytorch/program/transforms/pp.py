"""Pipeline parallel: torch.distributed.pipelining, the model cut by hand: every rank drops what is not its stage's.

cut   copy (the default): of a deep copy of the model, as torchtitan does; in_place: of the model itself"""

from __future__ import annotations

import copy

from torch import nn

from ..case import Item
from .program import Pipeline, Program, Site, degree, holder_of_layers, layers_of
from .transform import Transform

SCHEDULES = ("gpipe", "1f1b", "zero_bubble")


def apply_pp(program: Program, item: Item, site: Site) -> None:
    stages, mesh = degree(item), site.axis("pp")
    stage = mesh.get_local_rank()
    if item.options.get("cut", "copy") == "copy":
        program.model = copy.deepcopy(program.model)
    keep_stage(program.model, stage, stages)
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    microbatches = int(item.options["microbatches"]) if "microbatches" in item.options else None
    program.pipeline = Pipeline(
        schedule=schedule, microbatches=microbatches, stage=stage, stages=stages, group=mesh.get_group()
    )


def keep_stage(model: nn.Module, stage: int, stages: int) -> None:
    """Layers are dealt out as evenly as can be; the first stage has the embedding, the last one norm and output."""
    layers = layers_of(model)
    count = len(layers)
    first, end = stage * count // stages, (stage + 1) * count // stages
    for index, name in enumerate(list(layers)):
        if not first <= index < end:
            del layers[name]
    holder = holder_of_layers(model)
    if stage > 0:
        holder.tok_embeddings = None  # type: ignore[assignment]
    if stage < stages - 1:
        holder.norm = None  # type: ignore[assignment]
        holder.output = None  # type: ignore[assignment]


PP = Transform(apply_pp, (*SCHEDULES, "microbatches", "cut"))
