"""Names of groups, by the ranks in them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch.distributed as dist
from ordercheck_pytorch.observe.groups import GroupNames, groups_of
from ordercheck_pytorch.observe.where import ModuleNames, clean, message_of
from torch import nn


def mesh(**degrees: int) -> dict[str, int]:
    return {axis: degrees.get(axis, 1) for axis in ("pp", "dp_replicate", "dp_shard", "cp", "tp")}


def test_the_last_axis_varies_fastest() -> None:
    names = groups_of(mesh(dp_shard=2, tp=2), rank=1)
    assert names == {(0, 1, 2, 3): "world", (1, 3): "dp_shard", (0, 1): "tp"}


def test_several_axes_together() -> None:
    names = groups_of(mesh(dp_replicate=2, dp_shard=2, tp=2), rank=0)
    assert names[(0, 2, 4, 6)] == "dp_replicate+dp_shard"
    assert names[(0, 1, 2, 3)] == "dp_shard+tp"
    assert names[(0, 4)] == "dp_replicate"


def test_a_mesh_of_one_axis_has_no_other_name_for_the_world() -> None:
    assert groups_of(mesh(pp=4), rank=2) == {(0, 1, 2, 3): "pp"}


def test_a_group_of_no_axis_goes_by_the_name_of_its_own_mesh_or_by_its_ranks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dist, "get_process_group_ranks", lambda group: [0, 3])
    monkeypatch.setattr(dist, "get_world_size", lambda: 4)

    def name_of(description: str) -> str:
        group: Any = SimpleNamespace(group_name=description, group_desc=description)
        return GroupNames(mesh(dp_shard=4), rank=0).of(group)

    assert name_of("mesh_efsdp") == "efsdp"
    assert name_of("undefined") == "ranks_0+3"
    assert name_of("") == "ranks_0+3"


def test_wrappers_are_no_part_of_a_path() -> None:
    assert clean("layers.0._checkpoint_wrapped_module._orig_mod.attention.wq") == "layers.0.attention.wq"


def test_a_replaced_module_and_the_one_that_it_wraps_have_one_name() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    names = ModuleNames()
    names.add(model)
    wrapper = nn.Module()
    wrapper._checkpoint_wrapped_module = model[0]
    model[0] = wrapper
    names.add(model)

    def at(self: nn.Module) -> str:
        import sys

        return names.of_stack(sys._getframe())

    assert at(wrapper) == at(wrapper._checkpoint_wrapped_module) == "0"
    assert at(nn.Linear(2, 2)) == ""


def test_the_message_is_one_line_that_says_something() -> None:
    assert message_of(ValueError("a\nb")) == "ValueError: a"
    assert message_of(RuntimeError("backend='x' raised:\nTypeError: no\nmore")) == (
        "RuntimeError: backend='x' raised: TypeError: no"
    )
    assert message_of(KeyError()) == "KeyError"
