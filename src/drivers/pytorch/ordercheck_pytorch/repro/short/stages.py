"""pp: every rank drops the layers of other stages, and a schedule runs its own."""

from __future__ import annotations

from ...program.case import Case, Item
from ...torch_compat import takes_scale_grads
from .piece import INNER, Piece


def pp(item: Item, case: Case) -> Piece:
    lines = [
        'stage, stages = mesh.get_local_rank("pp"), mesh["pp"].size()',
        "model = copy.deepcopy(model)",
        *KEEP_STAGE,
    ]
    schedule = "ScheduleGPipe" if "gpipe" in item.options else "Schedule1F1B"
    microbatches = item.options.get("microbatches", str(case.settings.accumulation))
    scale_grads = ", scale_grads=False" if takes_scale_grads(schedule_class(schedule)) else ""
    run = [
        line.format(schedule=schedule, microbatches=microbatches, scale_grads=scale_grads)
        for line in RUN_STAGE
    ]
    imports = ["import copy", f"from torch.distributed.pipelining import PipelineStage, {schedule}"]
    return Piece(lines, imports, [INNER], forward_backward=run)


def schedule_class(name: str) -> object:
    from torch.distributed import pipelining

    return getattr(pipelining, name)


KEEP_STAGE = (
    "count = len(inner(model).layers)",
    "kept = range(stage * count // stages, (stage + 1) * count // stages)",
    "for index in set(range(count)) - set(kept):",
    "    del inner(model).layers[str(index)]",
    "if stage > 0:",
    "    inner(model).tok_embeddings = None",
    "if stage < stages - 1:",
    "    inner(model).norm = inner(model).output = None",
)
RUN_STAGE = (
    'losses, group = [], mesh.get_group("pp")',
    'stage = PipelineStage(model, stage, stages, torch.device("cpu"), group=group)',
    "schedule = {schedule}(stage, {microbatches}, loss_fn=loss_of{scale_grads})",
    "inputs = [tokens] if group.rank() == 0 else []",
    "target = labels if group.rank() == stages - 1 else None",
    "schedule.step(*inputs, target=target, losses=losses)",
    "loss = sum(losses, torch.zeros((), dtype=torch.float64)).detach()",
)
