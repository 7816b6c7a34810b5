"""The whole worker on real stacks: exact parity, a user's own code, and that observing and exact kernels change no path."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_worker import Worker, numbers

ROOT = Path(__file__).parents[2]
TRANSFORMERS = os.environ.get("ORDERCHECK_TRANSFORMERS", "")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


@pytest.mark.parametrize(
    "stack",
    [
        "tp=2,ac",
        "fsdp=2,ac",
        "ddp=2",
        "pp=2,fsdp=2",
        "pp=2:zero_bubble,ac",
        "compile",
        "sac",
        "cp=2,ac",
        "cp=2,fsdp=2",
        "cp=2,ddp=2",
        "pp=2,cp=2,compile",
        "tp=2,ddp=2:device_mesh",
        "pp=2:cut=in_place,ac",
        "tp=2:loss_parallel,ac",
        "pp=2,tp=2:loss_parallel",
    ],
)
def test_a_legal_stack_has_the_bits_of_one_rank(worker: Worker, stack: str) -> None:
    assert numbers(worker.run(stack)) == numbers(worker.run(""))


def test_without_the_grid_the_bits_differ(worker: Worker) -> None:
    assert numbers(worker.run("tp=2", arithmetic="plain")) != numbers(worker.run("", arithmetic="plain"))


def test_only_a_pipeline_that_copies_loses_what_is_compiled_in_place(worker: Worker) -> None:
    captured = {
        cut: worker.run(f"compile,pp=2:cut={cut}")["counters"]["graph_captures"]
        for cut in ("copy", "in_place")
    }
    assert captured["copy"] == 0
    assert captured["in_place"] > 0


def test_mixed_precision_computes_in_the_dtype_that_it_gathers(worker: Worker) -> None:
    plain, mixed = (worker.run(stack, arithmetic="float32") for stack in ("fsdp=2", "fsdp=2:mp=bf16"))
    gathered = [
        [c["bytes"] for c in record["collectives"] if (c["kind"], c["phase"]) == ("all_gather", "forward")]
        for record in (plain, mixed)
    ]
    assert gathered[0] == [2 * size for size in gathered[1]]
    assert numbers(mixed) == numbers(worker.run("fsdp=2:mp=bf16", arithmetic="float32"))


@pytest.mark.parametrize("stack", ["fsdp=2", "cp=2", "tp=2,ac,fsdp=2"])
def test_in_native_arithmetic_a_stack_repeats_itself_and_is_near_one_rank(worker: Worker, stack: str) -> None:
    once, again, alone = (worker.run(s, arithmetic="float32") for s in (stack, stack, ""))
    assert numbers(once) == numbers(again)
    assert not once["parity_owed"]
    losses = [
        struct.unpack(">d", bytes.fromhex(record["steps"][0]["loss"][0]))[0] for record in (once, alone)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_a_plan_that_matched_nothing_is_noted_and_its_numbers_differ(worker: Worker) -> None:
    record = worker.run("ac,tp=2")
    assert any("could not be resolved" in note for note in record["notes"])
    gradients = [p["gradient"] for p in record["parameters"]]
    assert gradients != [p["gradient"] for p in worker.run("")["parameters"]]


def test_both_engines_have_the_same_bits(worker: Worker) -> None:
    """Of a wrong order too: the first loss of the native engine, and that of one rank."""
    program = ROOT / "build/cpu/bin/ordercheck"
    if not program.exists():
        pytest.skip(f"no native engine is built: {program} is missing")
    asked = [str(program), "run", "ac,tp=2", "--format", "json"]
    native = json.loads(subprocess.run(asked, capture_output=True, text=True, check=False).stdout)[
        "difference"
    ]
    assert (native["what"], native["step"], native["rank"]) == ("loss", 0, 0)
    assert worker.run("ac,tp=2")["steps"][0]["loss"][0] == native["got"]
    assert worker.run("")["steps"][0]["loss"][0] == native["expected"]


@pytest.mark.parametrize("stack", ["tp=2,ac", "compile"])
def test_exact_kernels_leave_the_path_of_a_plain_run(worker: Worker, stack: str) -> None:
    exact, plain = worker.run(stack), worker.run(stack, arithmetic="plain")
    same = ("matmul_flops", "matmul_flops_recomputed", "graph_captures", "graph_breaks")
    assert {name: exact["counters"][name] for name in same} == {
        name: plain["counters"][name] for name in same
    }
    kept = [c for c in exact["collectives"] if c["phase"] in ("forward", "recompute", "backward")]
    assert kept == [c for c in plain["collectives"] if c["phase"] in ("forward", "recompute", "backward")]


def test_a_users_model_and_function(worker: Worker) -> None:
    reference = worker.run("", model="mine:network")
    right = worker.run("tp=2,ac,fsdp=2", model="mine:network", apply="mine:parallelize")
    assert numbers(right) == numbers(reference)
    assert "over dp_shard: 8 of 8 parameters split, 0 replicated, 0 not distributed" in right["notes"]
    plain = "4 not distributed (embed.weight, blocks.0.norm.weight, blocks.1.norm.weight, head.weight)"
    assert f"over tp: 4 of 8 parameters split, 0 replicated, {plain}" in right["notes"]
    wrong = worker.run("fsdp=2", model="mine:network", apply="mine:parallelize_one_block")
    assert wrong["parameters"] != reference["parameters"]


def test_what_a_user_named_wrongly_has_not_failed(worker: Worker) -> None:
    for named in ({"model": "mine:netwrok"}, {"apply": "mine:parallelise"}, {"batch": "mine:network"}):
        record = worker.run("fsdp=2", **{"model": "mine:network", "apply": "mine:parallelize", **named})
        assert record["ending"] == "unsupported", record
        assert record["failure"]["phase"] == "build"


def test_a_segfault_in_a_users_code_costs_its_case_alone(worker: Worker) -> None:
    good = worker.run("fsdp=2", model="mine:network", apply="mine:crash")
    assert good["ending"] == "died"
    assert "was killed by signal 11" in good["failure"]["message"]
    assert numbers(worker.run("fsdp=2")) == numbers(worker.run(""))


def test_what_exact_arithmetic_cannot_vouch_for_is_undecided(worker: Worker) -> None:
    record = worker.run("fsdp=2", model="other_models:convolving", apply="other_models:shard_whole")
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"] == "aten::convolution sums inside and has no exact kernel"
    assert (record["failure"]["phase"], record["failure"]["module"]) == ("forward", "mix")


def test_a_users_batch_and_loss(worker: Worker) -> None:
    """nn.Transformer: biases, layer norm, three kinds of attention, inputs that are no tokens."""
    own = {
        "model": "other_models:translator",
        "batch": "other_models:pairs",
        "loss": "other_models:cross_entropy",
    }
    sharded = worker.run("fsdp=2", apply="other_models:shard", **own)
    assert numbers(sharded) == numbers(worker.run("", **own))


@pytest.mark.skipif(
    not TRANSFORMERS,
    reason="ORDERCHECK_TRANSFORMERS names no folder that has transformers; scripts/test does",
)
def test_models_of_hugging_face() -> None:
    """As they are published, but for the float32 that norms, rotary table and router ask for."""
    worker = Worker(users_code=TRANSFORMERS)
    for model in ("llama", "mixtral"):
        own = {"model": f"hugging_face:{model}", "widen": "transformers"}
        reference = worker.run("", **own)
        sharded = worker.run("fsdp=2", apply="hugging_face:shard", **own)
        assert sharded["ending"] == "completed", sharded["failure"]
        assert numbers(sharded) == numbers(reference)
    assert worker.close() == 0


def test_float32_in_a_users_code_is_named_with_its_cure(worker: Worker) -> None:
    record = worker.run("", model="other_models:float32_inside")
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"].startswith(
        "aten::copy_ casts float64 to float32, and exact arithmetic is float64; --widen PACKAGE"
    )


@pytest.mark.parametrize("stack", ["fsdp=5"])
def test_shards_of_unequal_size_have_the_bits_of_one_rank(worker: Worker, stack: str) -> None:
    assert numbers(worker.run(stack)) == numbers(worker.run(""))


@pytest.mark.parametrize("function", ["forget_to_scale_back", "uninitialised"])
def test_what_is_no_number_on_several_ranks_alone_reaches_the_record(worker: Worker, function: str) -> None:
    """The guard watches one rank: a layout that blows up is told by its loss."""
    reference = worker.run("", model="mine:network")
    record = worker.run("fsdp=2", model="mine:network", apply=f"mine:{function}")
    assert record["ending"] == "completed", record["failure"]
    first = [struct.unpack(">d", bytes.fromhex(r["steps"][0]["loss"][0]))[0] for r in (record, reference)]
    assert [math.isfinite(loss) for loss in first] == [False, True]
