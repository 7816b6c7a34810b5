"""The record of a case (src/protocol/schema/record.json), put together from what its ranks report."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from .program import Case
from .report import RankError, RankReport, TracePiece
from .tensors import hash_of

COUNTERS = (
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
)
NOT_MEASURED = -1

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


def empty_record(case: Case, engine: str, versions: Sequence[str], device: str) -> dict[str, Any]:
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
        "collectives": [],
        "counters": {name: NOT_MEASURED for name in COUNTERS},
        "parity_owed": case.settings.arithmetic == "exact",
        "range_used": bits(0.0),
        "notes": [],
        "trace": [],
        "graphs": [],
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
    record["counters"] = {name: first.counters.get(name, NOT_MEASURED) for name in COUNTERS}
    record["collectives"] = [vars(count) for count in first.collectives]
    record["notes"] = sorted({note for report in reports for note in report.notes})
    if keep != "none":
        record["parameters"] = [_parameter(name, reports, record["notes"]) for name in first.shapes]
    if keep == "values":
        record["trace"] = [
            {
                "step": piece.step,
                "phase": piece.phase,
                "module": piece.module,
                "shape": list(piece.shape),
                "hash": piece.hash,
                "file": _written(piece.data, number, values_folder),
            }
            for number, piece in enumerate(_all_pieces(reports))
        ]


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
        "shape": list(reports[0].shapes[name]),
        "gradient": [hashes[0] if hashes else _NOTHING for hashes in gradients],
        "value": values[0] if values else _NOTHING,
        "changed": any(report.changed[name] for report in holders),
        "replicas_agree": all(len(set(hashes)) <= 1 for hashes in [*gradients, values]),
    }


def _all_pieces(reports: Sequence[RankReport]) -> Iterable[TracePiece]:
    """Modules in order of execution, then gradients a step and at last values, as a step makes them."""
    yield from _module_pieces(reports)
    first = reports[0]
    for step in range(len(first.gradients)):
        for name, shape in first.shapes.items():
            for report in _holding(name, [(r, r.gradients[step]) for r in reports]):
                digest = report.gradients[step][name]
                yield TracePiece(step, "backward", f"gradient of {name}", shape, digest, report.data[digest])
    for name, shape in first.shapes.items():
        for report in _holding(name, [(r, r.values) for r in reports]):
            digest = report.values[name]
            last = len(first.gradients) - 1
            yield TracePiece(last, "optimizer", name, shape, digest, report.data[digest])


def _holding(name: str, held: Sequence[tuple[RankReport, dict[str, str]]]) -> list[RankReport]:
    """The lowest rank that holds it, if any does."""
    return [report for report, names in held if name in names][:1]


def _module_pieces(reports: Sequence[RankReport]) -> list[TracePiece]:
    """Every module once, as the lowest rank that ran it saw it.

    Ranks of later pipeline stages run other modules: forwards after those of lower ranks, backwards before.
    """
    steps = sorted({piece.step for report in reports for piece in report.trace})
    pieces: list[TracePiece] = []
    for step in steps:
        phases = dict.fromkeys(
            piece.phase for report in reports for piece in report.trace if piece.step == step
        )
        for phase in phases:
            runs = [[p for p in report.trace if (p.step, p.phase) == (step, phase)] for report in reports]
            lowest: dict[tuple[str, int], TracePiece] = {}
            for key, piece in (numbered for run in runs for numbered in _numbered(run)):
                lowest.setdefault(key, piece)
            in_order = reversed(runs) if phase == "backward" else runs
            keys = dict.fromkeys(key for run in in_order for key, _ in _numbered(run))
            pieces.extend(lowest[key] for key in keys)
    return pieces


def _numbered(run: Sequence[TracePiece]) -> list[tuple[tuple[str, int], TracePiece]]:
    """Each with its module and how often that ran before."""
    before: dict[str, int] = {}
    numbered = []
    for piece in run:
        number = before.get(piece.module, 0)
        before[piece.module] = number + 1
        numbered.append(((piece.module, number), piece))
    return numbered


def _written(data: bytes, number: int, folder: str) -> str:
    name = f"{number:05}.f64"
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    return name
