"""Ranks start apart where a transform promises to send the first one's values, so that a promise not kept is seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from ordercheck_pytorch.program.apart import start_apart
from ordercheck_pytorch.program.case import Item
from ordercheck_pytorch.program.llama import make_llama
from ordercheck_pytorch.program.transforms.ddp import broadcast_by_ddp
from ordercheck_pytorch.program.transforms.program import Broadcast, Program
from ordercheck_pytorch.program.transforms.tp import broadcast_by_tp
from real_worker import Worker, numbers
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper


@pytest.fixture(scope="module")
def honest() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    assert worker.close() == 0


@pytest.fixture(scope="module")
def silent() -> Iterator[Worker]:
    worker = Worker(script="silent_worker.py")
    yield worker
    assert worker.close() == 0


@pytest.mark.parametrize("stack", ["ddp=2", "tp=2"])
def test_values_that_are_not_sent_are_seen_and_the_twin_is_equal(
    honest: Worker, silent: Worker, stack: str
) -> None:
    assert numbers(honest.run(stack)) == numbers(honest.run(""))
    record, reference = silent.run(stack), silent.run("")
    assert record["ending"] == "completed", record["failure"]
    assert any(loss != reference["steps"][0]["loss"][0] for loss in record["steps"][0]["loss"])


def named(program: Program, promised: Broadcast) -> set[str]:
    sent = {id(parameter) for parameter in promised.parameters}
    return {name for name, parameter in program.model.named_parameters() if id(parameter) in sent}


def program() -> Program:
    return Program(make_llama(torch.float64, 1))


def test_ddp_sends_every_parameter() -> None:
    one = program()
    assert named(one, broadcast_by_ddp(one, Item("ddp", (2,)))) == dict(one.model.named_parameters()).keys()


def test_tp_sends_what_its_column_and_row_styles_reach() -> None:
    one = program()
    every = set(dict(one.model.named_parameters()))
    norms = {name for name in every if "norm" in name}
    outside = {"tok_embeddings.weight", "output.weight"}
    assert named(one, broadcast_by_tp(one, Item("tp", (2,)))) == every - norms
    blocks = Item("tp", (2,), options={"plan": "blocks"})
    assert named(one, broadcast_by_tp(one, blocks)) == every - norms - outside


def test_tp_sends_nothing_of_a_block_whose_children_it_does_not_find() -> None:
    one = program()
    layers = one.model.layers
    for name, block in list(layers.items()):  # type: ignore[union-attr, operator]
        layers[name] = checkpoint_wrapper(block)  # type: ignore[operator, index]
    assert named(one, broadcast_by_tp(one, Item("tp", (2,)))) == {"tok_embeddings.weight", "output.weight"}


def test_the_first_rank_keeps_its_values_and_no_two_others_share_theirs() -> None:
    seen = []
    for place in range(3):
        one = program()
        start_apart(one.model, broadcast_by_ddp(one, Item("ddp", (4,))), place, seed=1)
        seen.append({name: p.detach().clone() for name, p in one.model.named_parameters()})
    for name, p in program().model.named_parameters():
        assert seen[0][name].equal(p)
        assert not seen[1][name].equal(p)
        assert not seen[1][name].equal(seen[2][name])
