"""The driver of torchtitan 0.3.0. Tests that run its models need torch 2.15 or newer; the others run in every Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ordercheck_pytorch.projects.project import project_named
from real_worker import Worker, numbers

TORCHTITAN = project_named("torchtitan")

needs_this_release = pytest.mark.skipif(
    TORCHTITAN.version != "0.3.0" or not TORCHTITAN.is_installed,
    reason="torchtitan 0.3.0 needs torch 2.15 or newer, and its folder in the cache",
)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker(project="torchtitan")
    yield worker
    assert worker.close() == 0


def message_of_failure(worker: Worker, stack: str, model: str) -> str:
    failure: dict[str, Any] = worker.run(stack, model=model)["failure"]
    return str(failure["message"])


@pytest.mark.parametrize(
    ("names", "calls"),
    [
        (["tp"], 1),
        (["tp", "cp", "ep"], 1),
        (["tp", "tp"], 2),
        (["tp", "ep", "tp"], 2),
        (["ep", "tp", "ep", "ep"], 3),
    ],
)
def test_a_second_item_of_an_axis_is_a_second_call(
    names: list[str], calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordercheck_torchtitan.release_0_3 import parallelize

    made: list[Any] = []
    monkeypatch.setattr(parallelize, "parallelize", lambda program, site: made.append(site))
    site: Any = SimpleNamespace(kept={})
    for name in names:
        item: Any = SimpleNamespace(name=name)
        parallelize.apply_parallel(None, item, site)  # type: ignore[arg-type]
    assert len(made) == calls


@needs_this_release
def test_torchtitan_refuses_a_second_tp(worker: Worker) -> None:
    assert "has already been parallelized" in message_of_failure(worker, "tp=2,tp=2", "llama3")
    assert numbers(worker.run("tp=2", model="llama3")) == numbers(worker.run("", model="llama3"))


def all_gathers(record: dict[str, Any]) -> int:
    """In forward and backward of all microbatches."""
    return sum(
        each["count"]
        for each in record["collectives"]
        if each["kind"] == "all_gather" and each["phase"] in ("forward", "backward")
    )


@needs_this_release
def test_a_compile_before_simple_fsdp_has_the_passes_of_the_job(worker: Worker) -> None:
    compiled = "compile=aot_eager@model"
    first = worker.run(f"{compiled},simple_fsdp=2:bucket=transformer_block", model="llama3")
    last = worker.run(f"simple_fsdp=2:bucket=transformer_block,{compiled}", model="llama3")
    without = worker.run(f"{compiled},simple_fsdp=2", model="llama3")
    assert numbers(first) == numbers(last) == numbers(without)
    assert all_gathers(first) == all_gathers(last) < all_gathers(without)


@needs_this_release
@pytest.mark.parametrize("stack", ["tp=2,fsdp=2", "simple_fsdp=2"])
def test_tied_weights_are_tied_again_after_fsdp(worker: Worker, stack: str) -> None:
    assert numbers(worker.run(stack, model="llama_tied")) == numbers(worker.run("", model="llama_tied"))


@needs_this_release
def test_torchtitan_refuses_tied_weights_in_a_pipeline(worker: Worker) -> None:
    refusal = "Weight tying is not supported with Pipeline Parallel"
    assert refusal in message_of_failure(worker, "pp=2", "llama_tied")


@needs_this_release
def test_kimi_has_the_bits_of_one_rank(worker: Worker) -> None:
    assert numbers(worker.run("ep=2,fsdp=2", model="kimi_k2")) == numbers(worker.run("", model="kimi_k2"))


@needs_this_release
@pytest.mark.parametrize(
    ("stack", "refusal"),
    [
        ("cp=2", "Context Parallel is not yet supported for Kimi K2.5"),
        ("fsdp=2:spmd=full_dtensor", "full_dtensor is not supported yet."),
    ],
)
def test_torchtitan_refuses_cp_and_full_dtensor_of_kimi(worker: Worker, stack: str, refusal: str) -> None:
    assert refusal in message_of_failure(worker, stack, "kimi_k2")


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("json", ""),
        ("nobody_has_this", "nobody_has_this: ModuleNotFoundError: No module named 'nobody_has_this'"),
    ],
)
def test_auto_parallel_is_declined_by_the_error_of_the_import(
    module: str, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordercheck_torchtitan.release_0_3 import auto_parallel

    monkeypatch.setattr(auto_parallel, "MODULE", module)
    assert auto_parallel.error_of_import.__wrapped__(Path("/nowhere"), ("absent_here",)) == error


@needs_this_release
def test_auto_parallel_is_declined_in_the_words_of_torchtitan(worker: Worker) -> None:
    record = worker.run("auto_parallel=2", model="llama3")
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"] == (
        "torchtitan/experiments/graph_trainer/autoparallel_api.py:13: "
        "ModuleNotFoundError: No module named 'autoparallel'"
    )


def all_to_alls(record: dict[str, Any]) -> int:
    return sum(each["count"] for each in record["collectives"] if each["kind"] == "all_to_all")


@needs_this_release
def test_chunks_of_experts_have_the_bits_of_one_rank_and_exchange_twice_as_often(worker: Worker) -> None:
    whole = worker.run("ep=2,simple_fsdp=2", model="deepseek_v3")
    chunked = worker.run("ep=2:chunks=2,simple_fsdp=2", model="deepseek_v3")
    assert numbers(chunked) == numbers(whole) == numbers(worker.run("", model="deepseek_v3"))
    assert all_to_alls(chunked) == 2 * all_to_alls(whole)


@needs_this_release
def test_dynamo_does_not_trace_a_forward_in_chunks(worker: Worker) -> None:
    stack = "ep=2:chunks=2,simple_fsdp=2,compile=aot_eager@model"
    assert "torch._check*() message closure" in message_of_failure(worker, stack, "deepseek_v3")


@needs_this_release
def test_chunks_are_declined_without_simple_fsdp(worker: Worker) -> None:
    record = worker.run("ep=2:chunks=2,fsdp=2", model="deepseek_v3")
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"].startswith("EP chunking is of graph_trainer")


@needs_this_release
@pytest.mark.parametrize("stack", ["", "tp=2,fsdp=2", "pp=2"])
def test_a_loss_in_chunks_has_the_bits_of_a_whole_one(worker: Worker, stack: str) -> None:
    assert numbers(worker.run(stack, model="llama3_chunked")) == numbers(worker.run("", model="llama3"))
