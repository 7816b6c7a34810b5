"""What is not built is refused in one sentence."""

from dataclasses import replace

import pytest
import torch
from ordercheck_pytorch.program.case import Case, Item, Settings
from ordercheck_pytorch.program.catalogue import TRANSFORMS, cannot
from ordercheck_pytorch.program.transforms.summed_gradients import divides_always
from ordercheck_pytorch.program.transforms.transform import Transform
from run_message import SPLITS
from torch.distributed.fsdp import FSDPModule


def case(*items: Item, **degrees: int) -> Case:
    mesh = {axis: degrees.get(axis, 1) for axis in SPLITS}
    return Case("", "llama", "", "", "", "", items, (), mesh, SPLITS, Settings())


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (Item("ep", (2,)), "not built: ep"),
        (Item("cp", (2,), options={"ring": ""}, scope="attention"), "not built: cp:ring"),
        (Item("tp", (2,), options={"loss": "on"}), "not built: tp:loss"),
        (Item("ac", scope="model"), "not built: ac@model"),
        (Item("pp", (2,), options={"interleaved": ""}), "not built: pp:interleaved"),
        (Item("ddp", (3,)), "ddp=3 divides every gradient by 3, which rounds; expected a power of two"),
        (
            Item("amp", mode="bf16", casts="amp"),
            "amp casts float32, and exact arithmetic is float64; expected arithmetic=float32",
        ),
        (
            Item("fsdp", (2,), options={"mp": "bf16"}, scope="block", casts="fsdp:mp"),
            "fsdp:mp casts float32, and exact arithmetic is float64; expected arithmetic=float32",
        ),
    ],
)
def test_an_item_that_is_not_built(item: Item, words: str) -> None:
    assert cannot(case(item)) == words


def test_a_policy_of_an_unknown_family_is_named() -> None:
    assert cannot(case(Item("sac", options={"policy": "linear+all_reduce"}, scope="block"))) == ""
    reason = cannot(case(Item("sac", options={"policy": "linear+norms"}, scope="block")))
    assert reason == "not built: sac:policy=linear+norms"


def test_hello_says_what_of_a_transform_is_built() -> None:
    assert TRANSFORMS["ddp"].built("ddp") == {
        "name": "ddp",
        "modes": [],
        "scopes": ["model"],
        "options": [{"name": name, "values": []} for name in ("no_sync", "bucket_kib", "device_mesh")],
    }
    assert "all_reduce" in TRANSFORMS["sac"].values["policy"]
    assert Transform(TRANSFORMS["optimizer"].apply, modes=("", "adamw")).built("x")["modes"] == ["", "adamw"]
    assert "ring" not in TRANSFORMS["cp"].values


def test_a_model_that_is_not_built() -> None:
    assert cannot(replace(case(), model="gpt")).startswith("model 'gpt' is not built")
    assert cannot(replace(case(), model="package:factory")) == ""


def test_a_rank_without_a_sample_is_refused() -> None:
    assert cannot(case(dp_replicate=4, dp_shard=4)).endswith(
        "leave a rank without a sample of the 16 of a step; expected a lower --accumulation or degree"
    )
    assert cannot(case(dp_replicate=2, dp_shard=4)) == ""


def test_every_transform_alone_is_built() -> None:
    for name, transform in TRANSFORMS.items():
        if name != "amp":
            assert cannot(case(Item(name, scope=transform.scopes[0]))) == ""


def test_items_of_a_users_function_are_not_judged() -> None:
    assert cannot(replace(case(Item("ep", (2,))), apply="package:function")) == ""


@pytest.fixture
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.usefixtures("without_gpu")
@pytest.mark.parametrize("name", ["fsdp", "hsdp"])
def test_fsdp2_of_torch_2_6_is_not_run_on_a_cpu(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu.Stream, "record_event")
    reason = cannot(case(Item(name, (2,), scope="block")))
    assert reason.startswith(f"{name} of torch ")
    assert reason.endswith(" needs an accelerator: torch.cpu.Stream has no record_event")


@pytest.mark.usefixtures("without_gpu")
def test_fsdp2_of_torch_2_7_divides_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not divides_always(torch.float64)
    monkeypatch.delattr(FSDPModule, "set_gradient_divide_factor")
    assert divides_always(torch.float64)
    assert not divides_always(torch.float32)
    assert cannot(case(Item("fsdp", (2,), scope="block"))) == ""
    assert cannot(case(Item("fsdp", (3,), scope="block"))).startswith("fsdp=3 divides every gradient by 3")
    assert "needs an accelerator" in cannot(case(Item("hsdp", (2, 2), scope="block")))
