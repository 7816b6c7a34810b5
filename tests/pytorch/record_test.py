"""Records out of reports, and which of several errors counts."""

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from ordercheck_pytorch.worker.blame import first_cause, placed
from ordercheck_pytorch.worker.flight import Slot
from ordercheck_pytorch.worker.record import empty_record, fill
from ordercheck_pytorch.worker.report import RankError, RankReport
from ordercheck_pytorch.worker.tensors import bytes_of, hash_of
from run_message import COUNTERS

SHAPES: dict[str, tuple[int, ...]] = {"first.weight": (2,), "second.weight": (1,)}


def report(rank: int, **values: list[float]) -> RankReport:
    """Of a rank that holds these; its gradients are the values."""
    data = {name: bytes_of(torch.tensor(v)) for name, v in values.items()}
    names = {f"{name}.weight": hash_of(d) for name, d in data.items()}
    return RankReport(
        rank=rank,
        shapes=SHAPES,
        losses=[0.5 + rank],
        gradient_norms=[1.0],
        gradients=[names],
        values=names,
        changed=dict.fromkeys(names, rank == 1),
        data={hash_of(d): d for d in data.values()},
        range_used=0.25 * rank,
        counters={"matmul_flops": 7, "graph_breaks": -1},
        notes=[f"note {rank}", "both"],
    )


def record_of(reports: list[RankReport], keep: str = "hashes", folder: str = "") -> dict[str, Any]:
    case = SimpleNamespace(text="x", world_size=len(reports), settings=SimpleNamespace(arithmetic="exact"))
    record = empty_record(case, "pytorch", ["torch 1"], "cpu", COUNTERS)  # type: ignore[arg-type]
    fill(record, reports, keep, folder)
    return record


def test_replicas_that_agree() -> None:
    record = record_of([report(1, first=[1, 2], second=[3]), report(0, first=[1, 2], second=[3])])
    assert record["steps"] == [
        {"loss": ["3fe0000000000000", "3ff8000000000000"], "gradient_norm": ["3ff0000000000000"] * 2}
    ]
    first, second = record["parameters"]
    assert (first["name"], first["shape"], first["replicas_agree"]) == ("first.weight", [2], True)
    assert first["value"] == first["gradient"][0] == hash_of(struct.pack("<dd", 1, 2))
    assert second["changed"]  # rank 1 says so
    assert record["range_used"] == "3fd0000000000000"
    assert record["notes"] == ["both", "note 0", "note 1"]
    assert (record["counters"]["matmul_flops"], record["counters"]["graph_breaks"]) == (7, -1)
    assert record["counters"]["saved_bytes_peak"] == -1


def test_replicas_that_differ() -> None:
    record = record_of([report(0, first=[1, 2], second=[3]), report(1, first=[1, 4], second=[3])])
    assert [p["replicas_agree"] for p in record["parameters"]] == [False, True]


def test_stages_that_hold_different_parameters(tmp_path: Path) -> None:
    record = record_of([report(0, first=[1, 2]), report(1, second=[3])], "values", str(tmp_path))
    assert [p["replicas_agree"] for p in record["parameters"]] == [True, True]
    assert [(e["phase"], e["module"], e["file"]) for e in record["trace"]] == [
        ("backward", "gradient of first.weight", "00000.f64"),
        ("backward", "gradient of second.weight", "00001.f64"),
        ("optimizer", "first.weight", "00002.f64"),
        ("optimizer", "second.weight", "00003.f64"),
    ]
    assert (tmp_path / "00002.f64").read_bytes() == struct.pack("<dd", 1, 2)


def test_what_no_rank_holds_is_no_number() -> None:
    record = record_of([report(0, first=[1, 2])])
    assert record["parameters"][1]["value"] == hash_of(b"")
    assert "no rank holds second.weight after the last step" in record["notes"]


def error(rank: int, time: int, message: str, ending: str = "failed") -> RankError:
    return RankError(rank=rank, time=time, ending=ending, message=message)


def test_the_news_of_another_ranks_end_is_no_cause() -> None:
    news = error(0, 1, "RuntimeError: [gloo] Connection closed by peer [127.0.0.1]:1")
    cause = error(2, 5, "ValueError: no")
    assert first_cause([news, cause]) == cause
    assert first_cause([news, error(1, 9, "rank 1 exited with code 3", "died")]).rank == 1
    assert first_cause([error(3, 2, news.message), news]) == news


def test_of_ranks_that_say_the_same_it_is_the_lowest() -> None:
    assert first_cause([error(3, 1, "a"), error(1, 2, "a"), error(0, 3, "b")]).rank == 1


def test_a_dead_rank_was_where_its_slot_says() -> None:
    dead = error(1, 1, "rank 1 was killed by signal 9 (Killed)", "died")
    slot = Slot(phase="backward", module="output", sequence=4, used=True)
    found = placed(dead, [Slot(), slot])
    assert (found.phase, found.module, found.sequence) == ("backward", "output", -1)
    assert placed(dead, [Slot(), Slot()]) == dead
