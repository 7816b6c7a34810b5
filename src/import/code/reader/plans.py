"""What a plan of tensor parallelism shows: sequence parallelism, and which modules of the root it splits."""

from __future__ import annotations

import re

from values import Value

STYLES = ("Parallel", "PrepareModule", "Replicate", "Shard", "Partial")
EMBEDDING = re.compile(r"(^|[._])(tok|embed|wte)")
IN_BLOCK = re.compile(r"(^|\.)(layers?|blocks?|h)(\.|$)|\*")


def facts_of(plan: Value, scope: str, target: str) -> frozenset[str]:
    """Of one call: "sequence", "rows", "columns", "root", and "unknown" if a style or a module does not show."""
    if not any(style in name for name in plan.mentions for style in STYLES):
        return frozenset(["unknown"])
    is_sequence = any("Sequence" in name or name == "Shard" for name in plan.mentions)
    facts = {"sequence"} if is_sequence else set()
    if scope in ("block", "inner", "attention", "experts"):
        return frozenset(facts)
    entries = plan.fields or ((target.rpartition(".")[2], plan),)
    for name, style in entries:
        if IN_BLOCK.search(name):
            continue
        if EMBEDDING.search(name):
            kinds = [word for word in ("Row", "Col") if any(word in one for one in style.mentions)]
            facts.add({"Row": "rows", "Col": "columns"}[kinds[0]] if len(kinds) == 1 else "unknown")
        else:
            facts.add("root")
    return frozenset(facts)


def options_of(facts: frozenset[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The options of tp that the plans show, and those that they leave open: "unknown", or "other" than notation has."""
    if not facts:
        return [], []
    is_unknown = "unknown" in facts
    written: list[list[str]] = []
    open_options: list[list[str]] = []
    if "sequence" not in facts:
        (open_options if is_unknown else written).append(["sp", "unknown" if is_unknown else "off"])
    if "rows" not in facts:
        if is_unknown:
            open_options.append(["plan", "unknown"])
        elif facts & {"columns", "root"}:
            open_options.append(["plan", "other"])
        else:
            written.append(["plan", "blocks"])
    return written, open_options
