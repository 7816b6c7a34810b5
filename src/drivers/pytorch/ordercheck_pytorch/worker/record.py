"""The record of a case (src/protocol/schema/record.json), put together from what its ranks report."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import Any

from ..observe.compiled_share import NOT_MEASURED
from .program import Case
from .report import RankError, RankReport
from .tensors import hash_of

# Of what no rank holds.
_NOTHING = hash_of(b"")


def bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def failure_of(error: RankError, ranks: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "phase": error.phase,
        "rank": error.rank,
        "module": error.module,
        "operation": error.operation,
        "group": error.group,
        "sequence": error.sequence,
        "message": error.message,
        "ranks": list(ranks),
    }


def empty_record(
    case: Case, engine: str, versions: Sequence[str], device: str, counters: Sequence[str]
) -> dict[str, Any]:
    """`counters`: their names, as the run message lists them."""
    return {
        "case": case.text,
        "engine": engine,
        "versions": list(versions),
        "device": device,
        "ending": "completed",
        "failure": None,
        "world_size": case.world_size,
        "steps": [],
        "parameters": [],
        "buffers": [],
        "collectives": [],
        "counters": dict.fromkeys(counters, NOT_MEASURED),
        "parity_owed": case.settings.arithmetic == "exact",
        "range_used": bits(0.0),
        "notes": [],
        "trace": [],
        "graphs": [],
        "plans": [],
    }


def fill(record: dict[str, Any], reports: Sequence[RankReport], keep: str, values_folder: str) -> None:
    """With what all ranks of a completed case saw."""
    reports = sorted(reports, key=lambda report: report.rank)
    first = reports[0]
    record["steps"] = [
        {
            "loss": [bits(report.losses[step]) for report in reports],
            "gradient_norm": [bits(report.gradient_norms[step]) for report in reports],
        }
        for step in range(len(first.losses))
    ]
    record["range_used"] = bits(max(report.range_used for report in reports))
    record["counters"] = {name: first.counters.get(name, NOT_MEASURED) for name in record["counters"]}
    record["collectives"] = [vars(count) for count in first.collectives]
    record["notes"] = sorted({note for report in reports for note in report.notes})
    if keep != "none":
        record["parameters"] = [_parameter(name, reports, record["notes"]) for name in _shapes(reports)]
        record["buffers"] = [_buffer(name, reports) for name in first.buffers]
    if keep == "values":
        record["trace"] = _written(reports, values_folder)


def _shapes(reports: Sequence[RankReport]) -> dict[str, tuple[int, ...]]:
    """Of the model as built, then of added parameters by name: a rank of a pipeline has only those of its stage."""
    added = {name: report.shapes[name] for report in reports for name in report.added}
    built = {name: shape for name, shape in reports[0].shapes.items() if name not in added}
    return built | {name: added[name] for name in sorted(added)}


def _parameter(name: str, reports: Sequence[RankReport], notes: list[str]) -> dict[str, Any]:
    holders = [report for report in reports if name in report.values]
    gradients = [
        [report.gradients[step].get(name, _NOTHING) for report in holders]
        for step in range(len(reports[0].gradients))
    ]
    values = [report.values[name] for report in holders]
    if not holders:
        notes.append(f"no rank holds {name} after the last step")
    return {
        "name": name,
        "shape": list(_shapes(reports)[name]),
        "gradient": [hashes[0] if hashes else _NOTHING for hashes in gradients],
        "value": values[0] if values else _NOTHING,
        "changed": any(report.changed[name] for report in holders),
        "frozen": all(name in report.frozen for report in holders or reports),
        "has_gradient": any(report.has_gradient.get(name, False) for report in holders),
        "replicas_agree": all(len(set(hashes)) <= 1 for hashes in [*gradients, values]),
    }


def _buffer(name: str, reports: Sequence[RankReport]) -> dict[str, Any]:
    values = [report.buffers[name].value for report in reports if report.buffers[name].value]
    return {
        "name": name,
        "shape": list(reports[0].buffers[name].shape),
        "value": values[0] if values else _NOTHING,
        "local": reports[0].buffers[name].is_local,
        "replicas_agree": len(set(values)) <= 1,
    }


def _written(reports: Sequence[RankReport], folder: str) -> list[dict[str, Any]]:
    """Step by step what modules put out in forward (program/module_outputs.py says of which layouts) and gradients, at last
    values, each in a file of its own."""
    trace: list[dict[str, Any]] = []

    def write(step: int, phase: str, what: str, name: str, held: Sequence[dict[str, str]]) -> None:
        holder = next((at for at, names in enumerate(held) if name in names), None)
        if holder is None:
            return
        digest = held[holder][name]
        file_name = f"{len(trace):05}.f64"
        with open(os.path.join(folder, file_name), "wb") as file:
            file.write(reports[holder].data[digest])
        shape = list(_shapes(reports)[name])
        trace.append(
            {"step": step, "phase": phase, "module": what, "shape": shape, "hash": digest, "file": file_name}
        )

    def write_output(place: tuple[int, str]) -> None:
        samples = {
            sample: kept for r in reversed(reports) for sample, kept in r.outputs.get(place, {}).items()
        }
        parts = [samples[sample] for sample in sorted(samples)]
        if len({shape for shape, _ in parts}) > 1:
            return
        data = b"".join(part for _, part in parts)
        file_name = f"{len(trace):05}.f64"
        with open(os.path.join(folder, file_name), "wb") as file:
            file.write(data)
        step, path = place
        shape = [len(parts), *parts[0][0]]
        trace.append(
            {
                "step": step,
                "phase": "forward",
                "module": path,
                "shape": shape,
                "hash": hash_of(data),
                "file": file_name,
            }
        )

    steps = len(reports[0].gradients)
    for step in range(steps):
        for place in reports[0].outputs:
            if place[0] == step:
                write_output(place)
        for name in _shapes(reports):
            write(step, "backward", f"gradient of {name}", name, [r.gradients[step] for r in reports])
    for name in _shapes(reports):
        write(steps - 1, "optimizer", name, name, [r.values for r in reports])
    return trace
