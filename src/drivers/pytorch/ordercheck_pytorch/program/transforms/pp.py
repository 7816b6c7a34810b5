"""Pipeline parallel: torch.distributed.pipelining, the model cut by hand as torchtitan does: every rank copies the whole
and drops what is not its stage's."""

from __future__ import annotations

import copy

from torch import nn

from ..case import Item
from .subject import Pipeline, Site, Subject, degree, holder_of_layers, layers_of

SCHEDULES = ("gpipe", "1f1b", "zero_bubble")


def apply_pp(subject: Subject, item: Item, site: Site) -> None:
    stages = degree(item)
    stage = site.axis("pp").get_local_rank()
    subject.model = stage_of(subject.model, stage, stages)
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    microbatches = int(item.options["microbatches"]) if "microbatches" in item.options else None
    subject.pipeline = Pipeline(schedule=schedule, microbatches=microbatches, stage=stage, stages=stages)


def stage_of(model: nn.Module, stage: int, stages: int) -> nn.Module:
    """Layers are dealt out as evenly as can be; the first stage has the embedding, the last one norm and output."""
    part = copy.deepcopy(model)
    layers = layers_of(part)
    count = len(layers)
    first, end = stage * count // stages, (stage + 1) * count // stages
    for index, name in enumerate(list(layers)):
        if not first <= index < end:
            del layers[name]
    holder = holder_of_layers(part)
    if stage > 0:
        holder.tok_embeddings = None  # type: ignore[assignment]
    if stage < stages - 1:
        holder.norm = None  # type: ignore[assignment]
        holder.output = None  # type: ignore[assignment]
    return part


def cannot_pp(item: Item) -> str:
    if "interleaved" in item.options:
        return f"pp:interleaved is not built; expected {', '.join(SCHEDULES)}"
    return ""
