"""Published projects: their parts on real ranks, and what torchtitan 0.2.2 is known to get wrong."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tomllib
import torch
from ordercheck_pytorch.projects import packages
from ordercheck_pytorch.projects.project import DRIVERS, UnknownProject, newest_for_torch, project_named
from real_worker import Worker, numbers
from torch.distributed.fsdp._fully_shard._fsdp_param import FSDPParam

TORCHTITAN = project_named("torchtitan")
ACCELERATE = project_named("accelerate")

needs_torchtitan = pytest.mark.skipif(
    not TORCHTITAN.is_installed,
    reason=f"{TORCHTITAN.name} is not in the cache; scripts/test puts it there",
)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker(project="torchtitan")
    yield worker
    assert worker.close() == 0


@pytest.fixture(scope="module")
def accelerates() -> Iterator[Worker]:
    worker = Worker(project="accelerate")
    yield worker
    assert worker.close() == 0


ProjectWorkers = Callable[[str], Worker]


@pytest.fixture(scope="module")
def project_worker() -> Iterator[ProjectWorkers]:
    """Starts a project's worker for its first test. Skips where the project is not in the cache or the torch is not for it."""
    workers: dict[str, Worker] = {}

    def of(name: str) -> Worker:
        project = project_named(name)
        if not project.is_installed:
            pytest.skip(f"{project.name} is not in the cache; scripts/test puts it there")
        if name == "automodel" and not hasattr(FSDPParam, "to_accumulated_grad_if_needed"):
            pytest.skip(f"torch {torch.__version__} has no method that {project.name} replaces")
        if name not in workers:
            # OLMo-core imports packaging. It comes with torch 2.15, not with 2.11; accelerate's folder has it.
            packaging = str(ACCELERATE.folder) if name == "olmo_core" else ""
            workers[name] = Worker(project=name, users_code=packaging)
        return workers[name]

    yield of
    for worker in workers.values():
        assert worker.close() == 0


def run(worker: Worker, model: str, stack: str) -> dict[str, Any]:
    return worker.run(stack, model=model)


@needs_torchtitan
@pytest.mark.parametrize(
    ("model", "stack"),
    [
        ("llama3", "tp=2,ac,compile,fsdp=2"),
        ("llama3", "tp=2,ac,simple_fsdp=2,compile@model"),
        ("llama4", "ep=2,ac,compile,fsdp=2"),
        ("deepseek_v3", "ep=2,sac,fsdp=2"),
        ("qwen3", "tp=2,fsdp=2"),
        ("qwen3_moe", "ep=2,fsdp=2"),
    ],
)
def test_parts_of_torchtitan_have_the_bits_of_one_rank(worker: Worker, model: str, stack: str) -> None:
    assert numbers(run(worker, model, stack)) == numbers(run(worker, model, ""))


def needs(project: str) -> Any:
    name = project_named(project).name
    return pytest.mark.skipif(
        not project_named(project).is_installed,
        reason=f"{name} is not in the cache; scripts/test puts it there",
    )


@needs("accelerate")
@pytest.mark.parametrize(
    "stack", ["ac,compile,fsdp=2", "hsdp=2x2", "ddp=2,compile:wrap", "optimizer=adamw,fsdp=2"]
)
def test_parts_of_accelerate_have_the_bits_of_one_rank(accelerates: Worker, stack: str) -> None:
    assert numbers(accelerates.run(stack)) == numbers(accelerates.run(""))


@pytest.fixture(scope="module")
def fabrics() -> Iterator[Worker]:
    worker = Worker(project="lightning")
    yield worker
    assert worker.close() == 0


@needs("lightning")
@pytest.mark.parametrize("stack", ["tp=2,ac,fsdp=2", "compile:wrap@model,ddp=2"])
def test_parts_of_lightning_have_the_bits_of_one_rank(fabrics: Worker, stack: str) -> None:
    assert numbers(fabrics.run(stack)) == numbers(fabrics.run(""))


@needs("lightning")
def test_lightning_does_not_swap_the_parameters_of_an_optimizer(fabrics: Worker) -> None:
    """As accelerate does: Strategy.setup_optimizer returns what it gets, and fully_shard has replaced the parameters."""
    record = fabrics.run("optimizer=adamw,fsdp=2")
    assert [p["name"] for p in record["parameters"] if p["changed"]] == []


@pytest.fixture(scope="module")
def deepspeeds() -> Iterator[Worker]:
    worker = Worker(project="deepspeed")
    yield worker
    assert worker.close() == 0


@needs("deepspeed")
@pytest.mark.parametrize(
    "stack",
    [
        "ddp=2",
        "fsdp=2:reshard=never",
        "tp=2:plan=blocks:rest=plain,fsdp=2:reshard=always",
        "ac:reentrant,fsdp=2:reshard=always",
    ],
)
def test_parts_of_deepspeed_have_the_bits_of_one_rank(deepspeeds: Worker, stack: str) -> None:
    assert numbers(deepspeeds.run(stack)) == numbers(deepspeeds.run(""))


@needs("deepspeed")
def test_zero_3_frees_what_the_non_reentrant_checkpoint_of_deepspeed_recomputes(deepspeeds: Worker) -> None:
    failure = deepspeeds.run("ac,fsdp=2:reshard=always")["failure"]
    assert failure["phase"] == "backward"
    assert "The size of tensor a (0) must match the size of tensor b" in failure["message"]


@needs("torchao")
def test_torchao_replaces_linear_layers_without_what_parallelism_attached_to_them() -> None:
    worker = Worker(project="torchao")
    first, alone = (
        worker.run(stack, arithmetic="float32") for stack in ("quantize=fp8,fsdp=2", "quantize=fp8")
    )
    last = worker.run("fsdp=2,quantize=fp8", arithmetic="float32")
    assert worker.close() == 0
    assert abs(norm(first) / norm(alone) - 1) < 0.02
    assert last["failure"]["phase"] == "forward"
    assert "aten.mm.default got mixed torch.Tensor and DTensor" in last["failure"]["message"]


@needs_torchtitan
def test_torchtitan_clips_no_mixture_of_plain_tensors_and_dtensors(worker: Worker) -> None:
    """What pytorch/torchtitan#1554 reports of ac before tp: a wrapped block is not split, what is around the blocks is."""
    failure = run(worker, "llama3", "ac,tp=2,optimizer=adamw:clip=1")["failure"]
    assert failure["phase"] == "optimizer"
    assert "aten._foreach_norm.Scalar: got mixed torch.Tensor and DTensor" in failure["message"]


@needs_torchtitan
def test_torchtitan_averages_gradients_over_replicas_though_its_loss_is_divided_already(
    worker: Worker,
) -> None:
    """pytorch/torchtitan#2318."""
    alone, replicated = (run(worker, "llama3", stack) for stack in ("", "ddp=2"))
    assert round(norm(alone) / norm(replicated), 6) == 2


@needs_torchtitan
def test_torchtitan_divides_no_loss_of_a_pipeline_before_backward(worker: Worker) -> None:
    """pytorch/torchtitan#2972: 209 tokens count in the first step."""
    alone, pipelined = (run(worker, "llama3", stack) for stack in ("", "pp=2"))
    assert round(norm(pipelined) / norm(alone)) == 209


def count(record: dict[str, Any], kind: str) -> int:
    """In forward and backward, in one microbatch of the 4 of 2 steps."""
    counted = [
        c["count"]
        for c in record["collectives"]
        if c["kind"] == kind and c["phase"] in ("forward", "backward")
    ]
    return sum(counted) // 4


@needs_torchtitan
@pytest.mark.parametrize(
    ("stack", "kind", "alone", "bucketed"),
    [
        ("simple_fsdp=2:reshard=never", "all_gather", 21, 4),
        ("simple_fsdp=2:reshard=never", "reduce_scatter", 21, 4),
        # Its pass knows all-gathers and reduce-scatters alone.
        ("simple_replicate=2", "all_reduce", 21, 21),
    ],
)
def test_simple_fsdp_sends_buckets_of_a_block(
    worker: Worker, stack: str, kind: str, alone: int, bucketed: int
) -> None:
    plain = run(worker, "llama3", f"{stack},compile=aot_eager@model")
    in_buckets = run(worker, "llama3", f"{stack}:bucket=transformer_block,compile=aot_eager@model")
    assert numbers(in_buckets) == numbers(plain) == numbers(run(worker, "llama3", ""))
    assert (count(plain, kind), count(in_buckets, kind)) == (alone, bucketed)


@needs_torchtitan
@pytest.mark.parametrize("stack", ["fsdp=4", "ep=4,fsdp=4"])
def test_experts_without_a_token_and_one_with_all_have_the_bits_of_one_rank(
    worker: Worker, stack: str
) -> None:
    record = run(worker, "deepseek_v3_idle", stack)
    assert numbers(record) == numbers(run(worker, "deepseek_v3_idle", ""))


@needs_torchtitan
def test_routers_of_torchtitan_drift_apart_over_tensor_parallel_ranks(worker: Worker) -> None:
    """pytorch/torchtitan#2387: each rank keeps the gradient of its own part."""
    record = run(worker, "deepseek_v3", "tp=2,ep=2")
    disagreeing = [p["name"] for p in record["parameters"] if not p["replicas_agree"]]
    assert disagreeing == ["layers.1.moe.router.gate.weight"]


def test_indices_are_filled_as_by_a_loop() -> None:
    """Of torchtitan/models/moe/kernels.py, fill_indices_cpu; experts and ranks without tokens among them."""
    from ordercheck_torchtitan.release_0_2.stand_ins import fill_indices as fill

    random = torch.Generator().manual_seed(1)
    for experts, ranks in ((1, 1), (4, 2), (3, 4)):
        for _ in range(50):
            lengths = torch.randint(0, 5, (ranks * experts,), generator=random)
            lengths *= torch.randint(0, 2, lengths.shape, generator=random)
            begins = lengths.cumsum(0) - lengths
            sizes = (lengths.view(ranks, experts).sum(0).clamp_min(8) + 7) // 8 * 8
            offsets = sizes.cumsum(0) - sizes
            expected = torch.full((int(sizes.sum()) + 8,), -1, dtype=torch.int32)
            for expert in range(experts):
                place = int(offsets[expert])
                for rank in range(ranks):
                    at = rank * experts + expert
                    length = int(lengths[at])
                    expected[place : place + length] = torch.arange(length) + begins[at]
                    place += length
            assert torch.equal(fill(lengths, begins, offsets, experts, ranks, len(expected)), expected)


def test_conditions_of_pages_know_the_experts_of_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """matrix/models.toml says of each model with experts how many there are and where scores go."""
    from ordercheck_torchtitan.release_0_2 import PROJECT, models

    monkeypatch.setattr(models, "experts", lambda **more: models.EXPERTS | more)
    monkeypatch.setattr(models, "model_of", lambda family, sizes: sizes)
    listed = tomllib.loads((DRIVERS.parents[1] / "matrix/models.toml").read_text())["model"]
    told = {name: sizes for sizes in listed for name in sizes["names"]}
    assert told.pop("deepseek_v3_idle") == told["deepseek_v3"]
    for name, build in PROJECT.models.items():
        if name == "deepseek_v3_idle":
            continue
        experts = build(None).get("moe_args")
        assert (name in told) == (experts is not None), name
        if experts:
            assert told[name]["experts"] == experts["num_experts"]
            assert bool(told[name]["score_before_experts"]) == experts["score_before_experts"]


def test_the_newest_release_for_a_torch_is_meant_or_the_one_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ordercheck_torchtitan.release_0_2 import PROJECT as OLDER
    from ordercheck_torchtitan.release_0_3 import PROJECT as NEWER

    for version, meant in (("2.14.1+cpu", OLDER), ("2.15.0", NEWER), ("2.16.0", NEWER)):
        monkeypatch.setattr(packages.importlib.metadata, "version", lambda name, version=version: version)
        assert newest_for_torch(NEWER, OLDER) is meant
    monkeypatch.setenv("ORDERCHECK_RELEASE", "0.2.2")
    assert newest_for_torch(NEWER, OLDER) is OLDER


def test_what_to_install_is_read_without_importing_a_driver() -> None:
    told = {each.requirements[0]: each for each in packages.releases_of(DRIVERS / "torchtitan")}
    assert {name: each.oldest_torch for name, each in told.items()} == {
        "torchtitan==0.2.2": packages.OLDEST_TORCH,
        "torchtitan==0.3.0": "2.15",
    }


@needs_torchtitan
def test_what_stands_in_is_noted(worker: Worker) -> None:
    notes = run(worker, "llama3", "fsdp=2")["notes"]
    assert f"{TORCHTITAN.name}: an empty module stands in for datasets: reads data sets" in notes


def test_a_project_that_is_not_known_is_refused() -> None:
    with pytest.raises(
        UnknownProject, match=r"project 'nobody' is not known; expected one of .*: accelerate, .*torchtitan"
    ):
        project_named("nobody")
    asked = [sys.executable, "-m", "ordercheck_pytorch", "--project", "nobody"]
    answer = subprocess.run(asked, capture_output=True, text=True, cwd=DRIVERS / "pytorch", check=False)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.startswith("ordercheck_pytorch: project 'nobody' is not known")


def test_a_hello_is_of_the_project(worker: Worker, accelerates: Worker) -> None:
    for said, project in ((worker.hello, TORCHTITAN), (accelerates.hello, ACCELERATE)):
        assert [said["engine"], said["versions"][0]] == [
            project.name.split("@")[0],
            project.name.replace("@", " "),
        ]
        assert [one["name"] for one in said["transforms"]] == list(project.transforms)
        assert said["models"] == list(project.models)
    assert worker.hello["content_hash"] != accelerates.hello["content_hash"]


@needs_torchtitan
@pytest.mark.parametrize(
    ("model", "stack", "reason"),
    [
        ("llama5", "fsdp=2", f"{TORCHTITAN.name} has no model 'llama5'; expected llama"),
        ("llama3", "cp=2", "not built: cp"),
    ],
)
def test_what_a_project_does_not_have_is_refused(worker: Worker, model: str, stack: str, reason: str) -> None:
    record = run(worker, model, stack)
    assert record["ending"] == "unsupported"
    assert record["failure"]["message"].startswith(reason)


def norm(record: dict[str, Any]) -> float:
    first: float = struct.unpack(">d", bytes.fromhex(record["steps"][0]["gradient_norm"][0]))[0]
    return first


@pytest.mark.parametrize(
    ("project", "model", "stack"),
    [
        ("modalities", "llama", "tp=2,fsdp=2"),
        ("modalities", "gpt2_absolute", "ac,compile,fsdp=2"),
        ("olmo_core", "llama", "cp=2,ac,fsdp=2"),
        ("olmo_core", "olmo2", "tp=2,fsdp=2"),
        ("automodel", "llama", "tp=2,ac,fsdp=2"),
    ],
)
def test_parts_of_a_project_have_the_bits_of_one_rank(
    project_worker: ProjectWorkers, project: str, model: str, stack: str
) -> None:
    worker = project_worker(project)
    assert numbers(run(worker, model, stack)) == numbers(run(worker, model, ""))


def test_olmo_core_checkpoints_no_later_stage_of_a_pipeline(project_worker: ProjectWorkers) -> None:
    """It registers a checkpointed block under its position in the stage, and a stage keeps the keys of the whole model."""
    worker = project_worker("olmo_core")
    failure = run(worker, "llama", "pp=2,ac")["failure"]
    assert (failure["phase"], failure["rank"]) == ("apply", 1)
    assert "dictionary changed size during iteration" in failure["message"]
    assert numbers(run(worker, "llama", "ac,pp=2")) == numbers(run(worker, "llama", ""))


def test_modalities_compiles_no_checkpointed_block_with_an_empty_rotary_cache(
    project_worker: ProjectWorkers,
) -> None:
    """The first forward computes the table, its recomputation finds it, so the two compiled graphs save other tensors."""
    failure = run(project_worker("modalities"), "llama", "ac,compile")["failure"]
    assert failure["phase"] == "recompute"
    assert "have different metadata than during the forward pass" in failure["message"]
