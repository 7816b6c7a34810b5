"""What a path through a function becomes: a stack for each of its models, its items in the order in which they act."""

from __future__ import annotations

from dataclasses import replace

from tree import MARKERS, SHARDS, Item, Note, merged

NUMERIC = ("optimizer", "amp", "quantize")


def stacks_of(items: tuple[Item, ...], notes: list[Note]) -> list[tuple[str, tuple[Item, ...]]]:
    """Each stack with the model that it is of, '' where there is one alone."""
    models = _models_of(items)
    parts = [(model, _of_model(items, model, models)) for model in models] or [("", items)]
    return [(model, _stage_first(_flag_inside(_unmarked(own), notes), notes)) for model, own in parts]


def _unmarked(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The transforms, adapters, and two more calls where their place is wrong: a forward between fully_shard and the optimizer,
    which matters where the root stays gathered, and a parameter that is frozen once DDP has the model."""
    roots: dict[str, set[str]] = {"sharded": set(), "ddp": set()}
    forward: Item | None = None
    kept: list[Item] = []
    for item in _with_prepared_optimizers(items):
        if item.name in SHARDS and not (item.scope == "model" and ("reshard", "always") in item.options):
            roots["sharded"].add(item.root)
        elif item.name == "ddp":
            roots["ddp"].add(item.root)
        if item.name == "adapter":
            kept.append(replace(item, name="lora"))
        elif item.name == "forward" and item.root in roots["sharded"]:
            forward = forward or item
        elif item.name == "backward":
            forward = None  # it shards the parameters again
        elif item.name == "frozen":
            if item.root in roots["ddp"]:
                kept.append(replace(item, name="freeze"))
        elif item.name not in MARKERS:
            if item.name == "optimizer" and forward is not None:
                kept.append(forward)
                forward = None
            kept.append(item)
    return merged(tuple(kept))


def _with_prepared_optimizers(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """accelerate gives an optimizer that it prepares the parameters that it made: as if it were built after that."""
    at = next((at for at, item in enumerate(items) if item.name == "prepared"), 0)
    before = [item for item in items[:at] if item.name != "optimizer"]
    return (*before, *(item for item in items[:at] if item.name == "optimizer"), *items[at:])


def _models_of(items: tuple[Item, ...]) -> list[str]:
    """The variables of which each holds a whole model: one transform is applied to each of them."""
    whole: dict[str, set[str]] = {}
    for item in items:
        if item.is_whole and item.root and item.name not in NUMERIC:
            whole.setdefault(item.root, set()).add(item.name)
    return [
        root
        for root, names in whole.items()
        if any(names & others for other, others in whole.items() if other != root)
    ]


def _of_model(items: tuple[Item, ...], model: str, models: list[str]) -> tuple[Item, ...]:
    return merged(tuple(item for item in items if item.root == model or item.root not in models))


def _flag_inside(items: tuple[Item, ...], notes: list[Note]) -> tuple[Item, ...]:
    """Hugging Face's flag checkpoints around the call of each block, hooks included, wherever its line stands."""
    flags = [item for item in items if item.is_flag]
    if not flags:
        return items
    flag, rest = flags[0], [item for item in items if not item.is_flag]
    inner = [at for at, item in enumerate(rest) if _is_outside_of_blocks(item)]
    last = len(rest) - next(
        (at for at, item in enumerate(reversed(rest)) if item.name not in NUMERIC), len(rest)
    )
    at = min([*inner, last])
    why = "the flag checkpoints around the call of each block, wherever this line stands: taken as applied there"
    notes.append(Note(flag.call, flag.file, flag.line, why, is_open=False))
    return (*rest[:at], flag, *rest[at:])


def _is_outside_of_blocks(item: Item) -> bool:
    return item.name == "compile" and (item.scope == "model" or ("wrap", "") in item.options)


def _stage_first(items: tuple[Item, ...], notes: list[Note]) -> tuple[Item, ...]:
    """PipelineStage takes a part that was cut before: the cut comes first, wherever the stage is made."""
    stages = [item for item in items if item.name == "pp" and item.scope == "stage"]
    if not stages or items[0] is stages[0]:
        return items
    why = "where the model is cut does not show: taken as cut before all else"
    notes.append(Note(stages[0].call, stages[0].file, stages[0].line, why, is_open=False))
    return (stages[0], *(item for item in items if item not in stages))
