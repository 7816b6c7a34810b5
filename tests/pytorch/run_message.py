"""Run messages as a supervisor writes them (src/record/schema/run.json), for tests and for bench/."""

from __future__ import annotations

from typing import Any

SPLITS = {"pp": "layers", "dp_replicate": "batch", "dp_shard": "batch", "cp": "sequence", "tp": "tensors"}
AXES_OF = {
    "pp": ["pp"],
    "tp": ["tp"],
    "cp": ["cp"],
    "fsdp": ["dp_shard"],
    "simple_fsdp": ["dp_shard"],
    "simple_hsdp": ["dp_replicate", "dp_shard"],
    "simple_replicate": ["dp_replicate"],
    "hsdp": ["dp_replicate", "dp_shard"],
    "ddp": ["dp_replicate"],
    "replicate": ["dp_replicate"],
}
NUMERIC = ("amp", "quantize", "optimizer")
CASTING = ("amp", "quantize")
HOW = ("in_backward",)  # options of these that say how and not what
SCOPES = dict.fromkeys(("ac", "sac", "compile", "fsdp", "hsdp"), "block") | {
    "cp": "attention",
    "ep": "experts",
}
PHASES = ["build", "apply", "forward", "recompute", "backward", "optimizer", "observe"]
COUNTERS = [
    "operators_recomputed",
    "operators_kept",
    "matmul_flops",
    "matmul_flops_recomputed",
    "saved_bytes_peak",
    "parameter_bytes_peak",
    "graph_captures",
    "graph_breaks",
    "products_in_scope",
    "products_in_graphs",
    "p2p_messages",
    "graph_step_ns",
    "graph_exposed_ns",
    "graph_held_bytes_peak",
    "graph_buckets",
]


def case_of(
    stack: str,
    *,
    engine: str = "pytorch",
    text: str = "",
    model: str = "llama",
    apply: str = "",
    batch: str = "",
    loss: str = "",
    optimizer: str = "",
    step: str = "",
    reference_apply: str = "",
    reference_ranks: int = 1,
    widen: str = "",
    arithmetic: str = "exact",
    seed: int = 1,
    steps: int = 2,
    accumulation: int | str = 2,
) -> dict[str, Any]:
    """The `case` object, of a stack of names, degrees and options; `text` is read by those who parse the notation."""
    degrees: dict[str, int] = {}
    items = []
    for word in filter(None, stack.split(",")):
        item = item_of(word)
        for index, axis in enumerate(item["axes"]):
            degrees[axis] = item["degrees"][index] if item["degrees"] else 2
        items.append(item)
    return {
        "text": text or f"{stack} arithmetic={arithmetic} model={model} apply={apply}",
        "engine": engine,
        "model": model,
        "apply": apply,
        "batch": batch,
        "loss": loss,
        "optimizer": optimizer,
        "step": step,
        "reference_apply": reference_apply,
        "reference_ranks": reference_ranks,
        "widen": widen,
        "items": items,
        "on_one_rank": on_one_rank(items),
        "mesh": mesh_of(**degrees),
        "settings": {
            "arithmetic": arithmetic,
            "grid": 20,
            "seed": str(seed),
            "steps": steps,
            "accumulation": int(accumulation),
        },
    }


def item_of(word: str) -> dict[str, Any]:
    word, _, scope = word.partition("@")
    head, *given = word.split(":")
    name, _, value = head.partition("=")
    has_degrees = value[:1].isdigit()
    options = [dict(zip(("name", "value"), option.partition("=")[::2], strict=True)) for option in given]
    by_option = f"{name}:mp" if any(option["name"] == "mp" for option in options) else ""
    return {
        "name": name,
        "degrees": [int(degree) for degree in value.split("x")] if has_degrees else [],
        "mode": "" if has_degrees else value,
        "options": options,
        "scope": scope or SCOPES.get(name, "model"),
        "axes": AXES_OF.get(name, []),
        "kind": "numeric" if name in NUMERIC else "layout",
        "casts": name if name in CASTING else by_option,
    }


def on_one_rank(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    left = []
    for item in items:
        if item["kind"] == "numeric":
            options = [option for option in item["options"] if option["name"] not in HOW]
            left.append({**item, "options": options})
        elif item["casts"]:
            mixed = [option for option in item["options"] if option["name"] == "mp"]
            left.append({**item, "degrees": [1 for _ in item["axes"]], "options": mixed})
    return left


def mesh_of(**degrees: int) -> list[dict[str, Any]]:
    return [{"axis": axis, "degree": degrees.get(axis, 1), "splits": what} for axis, what in SPLITS.items()]


def run_of(
    number: int,
    case: dict[str, Any],
    keep: str = "hashes",
    fault: dict[str, Any] | None = None,
    flight_file: str = "",
    values_folder: str = "",
) -> dict[str, Any]:
    return {
        "type": "run",
        "id": number,
        "case": case,
        "keep": keep,
        "mutant": "",
        "fault": fault,
        "flight_file": flight_file,
        "values_folder": values_folder,
        "coarse_factors": False,
        "counters": COUNTERS,
        "phases": PHASES,
    }
