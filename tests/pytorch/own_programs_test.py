"""Programs of users through the real worker: every bug is seen, and its twin without the bug has the bits of one rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from real_worker import Worker, numbers


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


def run(worker: Worker, stack: str, function: str, model: str = "model") -> dict[str, Any]:
    apply = f"own_programs:{function}" if function else ""
    return worker.run(stack, model=f"own_programs:{model}", apply=apply, steps=3)  # type: ignore[arg-type]


def buffers(record: dict[str, Any]) -> list[tuple[str, str]]:
    return [(b["name"], b["value"]) for b in record["buffers"] if not b["local"]]


RIGHT = [
    ("fsdp=2", "shard", "model"),  # a child called "module"
    ("fsdp=2", "shard_wrapped", "model"),
    ("ddp=2", "replicate", "model"),
    ("fsdp=2", "shard", "adapted"),
    ("fsdp=2", "shard", "tied"),
    ("fsdp=2", "shard", "dropping"),
    ("ddp=2", "replicate", "dropping"),
    ("fsdp=2", "shard_checkpointed", "dropping"),
    ("tp=2", "shard_embedding", "model"),
    ("tp=2", "shard_blocks", "model"),
    ("cp=2", "leave", "model"),
    ("cp=2", "sequences_in_parts", "model"),
]
WRONG = [
    ("fsdp=2", "shard_with_gate_detached", "model"),
    ("fsdp=2", "swap_blocks", "model"),
    ("ddp=2", "replicate_without_sending", "model"),
    ("fsdp=2", "untied", "tied"),
    ("fsdp=2", "shard_and_seed_by_rank", "dropping"),
    ("fsdp=2", "shard_checkpointed_drawing_anew", "dropping"),
    ("cp=2", "sequences_in_parts_never_reduced", "model"),
]


@pytest.mark.parametrize(("stack", "function", "model"), RIGHT)
def test_a_right_program_has_the_bits_of_one_rank(
    worker: Worker, stack: str, function: str, model: str
) -> None:
    assert numbers(run(worker, stack, function, model)) == numbers(run(worker, "", "", model))


@pytest.mark.parametrize(("stack", "function", "model"), WRONG)
def test_a_wrong_one_has_not(worker: Worker, stack: str, function: str, model: str) -> None:
    record, reference = run(worker, stack, function, model), run(worker, "", "", model)
    assert record["ending"] == "completed", record["failure"]
    owed = [(p["name"], p["gradient"], p["value"]) for p in reference["parameters"]]
    assert [(p["name"], p["gradient"], p["value"]) for p in record["parameters"]] != owed


REFUSED = [
    ("fsdp=2", "shard_flat", "FullyShardedDataParallel (FSDP1) lays parameters end to end"),
    ("fsdp=2", "shard_flat_on_an_accelerator", "FullyShardedDataParallel (FSDP1) needs an accelerator"),
    (
        "tp=2",
        "with_a_part",
        ", the model as built has [120, 16]: a plain tensor does not say what it is a part of",
    ),
    ("ddp=2", "replicate_compressed", "aten::copy_ casts float64 to bfloat16"),
    ("fsdp=2", "shard_gathering_bf16", "casts float64 to bfloat16"),
    ("fsdp=2", "shard_reducing_bf16", "casts float64 to bfloat16"),
    ("fsdp=2", "shard_reducing_float32", "casts float64 to float32"),
    ("fsdp=2", "shard_casting_outputs", "casts float64 to float32"),
    ("fsdp=2", "shard_under_autocast", "autocast to bfloat16 has no effect on float64"),
    ("fsdp=2", "shard_as_bf16", "casts float64 to bfloat16"),
    ("fsdp=2", "sum_of_float32", "all_reduce of float32"),
    ("fsdp=2", "shard_with_numpy", "Tensor.numpy hands a float to code outside of torch"),
    ("fsdp=2", "shard_with_library", "_test::leaky_relu is written in C++ outside of ATen"),
]


@pytest.mark.parametrize(("stack", "function", "said"), REFUSED)
def test_what_cannot_be_judged_is_refused_with_its_cause(
    worker: Worker, stack: str, function: str, said: str
) -> None:
    record = run(worker, stack, function)
    assert record["ending"] == "unsupported", record["failure"]
    assert said in record["failure"]["message"]


def adapted(worker: Worker, stack: str, function: str) -> dict[str, Any]:
    """A reference names the function that it has the adapters of."""
    named = {"apply" if stack else "reference_apply": f"own_programs:{function}"}
    return worker.run(stack, model="own_programs:model", steps=3, **named)  # type: ignore[arg-type]


def test_adapters_that_a_function_adds_are_compared_with_those_of_one_rank(worker: Worker) -> None:
    reference = adapted(worker, "", "adapt_and_shard")
    names = [p["name"] for p in reference["parameters"]]
    assert names[-2:] == ["module.gate.down.weight", "module.gate.up.weight"]
    assert all(p["has_gradient"] and p["changed"] for p in reference["parameters"][-2:])
    assert [p["name"] for p in reference["parameters"] if p["frozen"]] == ["module.gate.weight"]
    assert (
        "own_programs:adapt_and_shard adds module.gate.down.weight and 1 more on one rank too"
        in reference["notes"]
    )
    assert numbers(adapted(worker, "fsdp=2", "adapt_and_shard")) == numbers(reference)


def test_adapters_added_after_fully_shard_are_never_reduced(worker: Worker) -> None:
    wrong, reference = (adapted(worker, stack, "shard_and_adapt") for stack in ("fsdp=2", ""))
    assert wrong["ending"] == "completed", wrong["failure"]
    assert not wrong["parameters"][-1]["replicas_agree"]
    assert [p["gradient"] for p in wrong["parameters"]] != [p["gradient"] for p in reference["parameters"]]


def test_a_reference_is_the_model_as_built_unless_the_function_adds_a_parameter(worker: Worker) -> None:
    as_built = run(worker, "", "")
    for function in ("shard", "adapt_and_shard_with_a_mesh_only", "swap_blocks", "untied"):
        assert numbers(adapted(worker, "", function)) == numbers(as_built)


def test_a_function_that_casts_is_applied_on_one_rank_too(worker: Worker) -> None:
    """On a mesh of one rank, with the axes of the stack. The model has no `layers`."""

    def losses(stack: str, **named: str) -> list[str]:
        record = worker.run(stack, model="own_programs:model", arithmetic="float32", steps=2, **named)  # type: ignore[arg-type]
        assert record["ending"] == "completed", record["failure"]
        return [step["loss"][0] for step in record["steps"]]

    cast = losses("tp=1,fsdp=1:mp=bf16", reference_apply="own_programs:shard_bf16_beside_tp")
    assert cast == losses("fsdp=1:mp=bf16", reference_apply="own_programs:shard_bf16")
    assert cast != losses("", reference_apply="own_programs:shard_bf16"), "as built: float32"
    assert cast[0] == losses("fsdp=2:mp=bf16", apply="own_programs:shard_bf16")[0]


def test_a_factory_of_other_weights_on_every_rank_is_refused(worker: Worker) -> None:
    record = run(worker, "fsdp=2", "shard", "model_of_the_rank")
    assert record["ending"] == "unsupported", record["failure"]
    assert "model_of_the_rank builds embed.weight on rank 1 otherwise" in record["failure"]["message"]


def test_what_no_gradient_reaches_is_told_from_what_is_frozen(worker: Worker) -> None:
    record = run(worker, "fsdp=2", "shard", "adapted")
    assert [p["name"] for p in record["parameters"] if not p["frozen"] and not p["has_gradient"]] == [
        "unused",
        "silent",
    ]
    assert [p["name"] for p in record["parameters"] if not p["frozen"] and p["has_gradient"]] == [
        "down.weight",
        "up.weight",
    ]


def test_ranks_that_start_apart_say_so(worker: Worker) -> None:
    record = run(worker, "ddp=2", "replicate")
    assert any("the ranks of dp_replicate started with different values" in n for n in record["notes"])


def test_a_buffer_is_held_against_one_rank(worker: Worker) -> None:
    reference = run(worker, "", "", "counting")
    assert [name for name, _ in buffers(reference)] == ["seen", "calls"]
    local = run(worker, "fsdp=2", "shard", "counting_its_own")
    assert numbers(local) == numbers(reference)
    assert buffers(local) == buffers(reference)[1:]
    twice = run(worker, "fsdp=2", "shard_and_count_twice", "counting_its_own")
    assert numbers(twice) == numbers(reference)
    assert buffers(twice) != buffers(reference)[1:]


def test_a_buffer_that_ranks_have_apart_is_seen(worker: Worker) -> None:
    record = run(worker, "fsdp=2", "shard", "counting")
    assert {b["name"]: b["replicas_agree"] for b in record["buffers"]} == {"seen": False, "calls": True}


def test_a_bug_in_the_imaginary_part_of_a_buffer_is_seen(worker: Worker) -> None:
    def trained(stack: str, function: str) -> dict[str, Any]:
        apply = f"rotary:{function}" if function else ""
        return worker.run(stack, model="rotary:model", apply=apply, steps=3)  # type: ignore[arg-type]

    reference = trained("", "")
    assert numbers(trained("fsdp=2", "shard")) == numbers(reference)
    wrong = trained("fsdp=2", "shard_turning_back")
    assert [p["gradient"] for p in wrong["parameters"]] != [p["gradient"] for p in reference["parameters"]]
    assert any("table from complex64 to complex128" in note for note in reference["notes"])
