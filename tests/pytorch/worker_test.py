"""The worker as its supervisor sees it, with a small program in the ranks."""

import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ordercheck_pytorch.worker import flight
from run_message import PHASES
from supervisor import Supervisor

WORLD = {"dp_shard": 2, "tp": 2}
MODULE = "layers.0.attention"


@pytest.fixture(scope="module")
def worker() -> Iterator[Supervisor]:
    started = Supervisor()
    yield started
    started.process.kill()


def fault(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "rank": 1, "module": MODULE, "phase": "forward", "sequence": 0} | more


def numbers(record: dict[str, Any]) -> Any:
    return record["steps"], record["parameters"]


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_hello(worker: Supervisor) -> None:
    hello = worker.hello
    assert (hello["type"], hello["protocol"], hello["engine"]) == ("hello", 5, "pytorch")
    assert [one["name"] for one in hello["transforms"]] == ["tp", "fsdp"]
    assert {"crash", "hang", "throw", "slow", "exit", "kill", "nonsense"} <= set(hello["faults"])
    assert "+" not in hello["versions"][0]


def test_a_case_gives_the_same_again_in_the_same_ranks(worker: Supervisor) -> None:
    first = worker.run(**WORLD)
    ranks = children(worker.process.pid)
    second = worker.run(**WORLD)
    assert first["ending"] == "completed", first["failure"]
    assert first == second
    assert first["world_size"] == len(first["steps"][0]["loss"]) == 4
    assert [p["changed"] for p in first["parameters"]] == [False, True]
    assert all(p["replicas_agree"] for p in first["parameters"])
    assert children(worker.process.pid) == ranks


def test_worlds_of_other_sizes(worker: Supervisor) -> None:
    assert worker.run()["ending"] == "completed"
    assert worker.run(tp=3)["world_size"] == 3


def test_stages_and_replicas(worker: Supervisor) -> None:
    whole = worker.run(pp=2)
    assert numbers(worker.run("halves", pp=2)) == numbers(whole)
    uneven = worker.run("uneven", tp=2)
    assert [p["replicas_agree"] for p in uneven["parameters"]] == [False, False]


def test_values_are_written(worker: Supervisor, tmp_path: Path) -> None:
    record = worker.run(keep="values", values_folder=str(tmp_path), **WORLD)
    assert [entry["module"] for entry in record["trace"]] == [
        "gradient of layers.0.attention.wq.weight",
        "gradient of layers.1.attention.wq.weight",
        "layers.0.attention.wq.weight",
        "layers.1.attention.wq.weight",
    ]
    assert record["trace"][2]["hash"] == record["parameters"][0]["value"]
    data = (tmp_path / record["trace"][2]["file"]).read_bytes()
    assert len(struct.unpack("<16d", data)) == 16
    assert worker.run(keep="none", **WORLD)["parameters"] == []


def test_an_error_of_all_ranks_is_the_first_ones(worker: Supervisor, tmp_path: Path) -> None:
    record = worker.run("value_error", flight_file=str(tmp_path / "flight"), **WORLD)
    failure = record["failure"]
    assert record["ending"] == "failed"
    assert failure["message"] == "ValueError: sizes do not fit"
    assert (failure["rank"], failure["phase"], failure["module"]) == (0, "forward", MODULE)
    assert len(failure["ranks"]) == 4


def test_an_error_of_one_rank_while_the_others_wait(worker: Supervisor, tmp_path: Path) -> None:
    record = worker.run("value_error_on_2", flight_file=str(tmp_path / "flight"), **WORLD)
    failure = record["failure"]
    assert (failure["rank"], failure["module"]) == (2, MODULE)
    # Ranks are ended one by one: rank 3 may hear of the end of rank 2, and leave its all_reduce, before its own.
    there = failure["ranks"][3]
    assert there.startswith("rank 3: forward")
    assert "in all_reduce #1 on tp" in there or there == "rank 3: forward, layers.1.attention"


def test_what_ends_a_case_without_a_fault_of_anybody(worker: Supervisor) -> None:
    refused = worker.run("cannot", **WORLD)
    assert (refused["ending"], refused["failure"]["message"]) == ("unsupported", "refused by the stub")
    left = worker.run("out_of_range", **WORLD)
    assert (left["ending"], left["failure"]["message"]) == (
        "out_of_range",
        "the sum left the range",
    )


def test_a_failure_in_used_ranks_is_tried_in_fresh_ones(worker: Supervisor) -> None:
    good = worker.run(**WORLD)
    again = worker.run("fail_when_used", **WORLD)
    assert again["ending"] == "completed"
    assert again["notes"] == good["notes"], "what an earlier case left is no part of this one's record"
    assert numbers(again) == numbers(good)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("crash", "rank 1 was killed by signal 11 (Segmentation fault)"),
        ("exit", "rank 1 exited with code 3"),
        ("kill", "rank 1 was killed by signal 9 (Killed)"),
        ("throw", f"RuntimeError: asked to throw in {MODULE}"),
    ],
)
def test_faults_in_a_module(worker: Supervisor, tmp_path: Path, kind: str, words: str) -> None:
    good = worker.run(**WORLD)
    record = worker.run(fault=fault(kind), flight_file=str(tmp_path / "flight"), **WORLD)
    failure = record["failure"]
    assert record["ending"] == {"throw": "failed", "kill": "killed"}.get(kind, "died")
    assert failure["message"] == words
    assert (failure["rank"], failure["module"], failure["phase"]) == (1, MODULE, "forward")
    assert worker.run(**WORLD) == good


def test_a_fault_in_backward(worker: Supervisor, tmp_path: Path) -> None:
    record = worker.run(fault=fault("exit", phase="backward"), flight_file=str(tmp_path / "flight"), **WORLD)
    assert (record["failure"]["module"], record["failure"]["phase"]) == (MODULE, "backward")


def test_a_fault_in_a_phase(worker: Supervisor, tmp_path: Path) -> None:
    record = worker.run(
        fault=fault("throw", phase="apply", module=""), flight_file=str(tmp_path / "flight"), **WORLD
    )
    assert (record["failure"]["rank"], record["failure"]["phase"]) == (1, "apply")


def test_slow_is_not_wrong(worker: Supervisor) -> None:
    assert worker.run(fault=fault("slow"), **WORLD) == worker.run(**WORLD)


def test_a_wrong_shape_is_seen(worker: Supervisor, tmp_path: Path) -> None:
    """By gloo, in its own way: where the sizes of two ranks differ it ends the process."""
    record = worker.run(fault=fault("wrong_shape"), flight_file=str(tmp_path / "flight"), **WORLD)
    assert record["ending"] in ("failed", "died")
    assert (record["failure"]["operation"], record["failure"]["group"]) == ("all_reduce", "tp")
    assert worker.run(**WORLD)["ending"] == "completed"


def test_nonsense(worker: Supervisor) -> None:
    worker.ask(fault=fault("nonsense"), **WORLD)
    assert worker.process.stdout
    assert worker.process.stdout.readline() == b"this is not the protocol\n"
    assert worker.run(**WORLD)["ending"] == "completed"


def test_a_rank_that_dies_after_its_work(worker: Supervisor) -> None:
    record = worker.run("die_after_step", **WORLD)
    assert (record["ending"], record["failure"]["message"]) == ("died", "rank 1 exited with code 7")


def wait_until(true: Any) -> None:
    """However long a loaded machine takes."""
    while not true():
        time.sleep(0.01)


@pytest.mark.parametrize("apply", ["", "sleep_on_1"])
def test_a_hang_is_told_by_the_flight_file_and_ends_with_the_worker(tmp_path: Path, apply: str) -> None:
    """By a fault, which says where it hangs, and by a program that does not."""
    hanging, path = Supervisor(), str(tmp_path / "flight")
    hanging.ask(apply, fault=None if apply else fault("hang"), flight_file=path, **WORLD)

    def at_rest() -> bool:
        if not os.path.exists(path) or os.path.getsize(path) < 64 + 4 * 256:
            return False
        slots = flight.read(path, PHASES)
        rests = [slot.finished or slot.operation != "" for slot in slots]
        return rests == [True, False, True, True] and slots[1].module == MODULE

    wait_until(at_rest)
    ranks = children(hanging.process.pid)
    hanging.process.kill()
    hanging.process.wait()
    assert len(ranks) == 4
    wait_until(lambda: not any(os.path.exists(f"/proc/{rank}") for rank in ranks))


def test_it_ends_when_its_stdin_does() -> None:
    assert Supervisor().close() == 0
