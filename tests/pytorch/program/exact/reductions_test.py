"""Reductions of c10d round their terms, and nothing else: one rank's sum is its rounded term."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from ordercheck_pytorch.program.exact.grid import rounded
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.reductions import can_round_reductions

pytestmark = pytest.mark.skipif(
    not can_round_reductions(), reason="this torch has no torch.library.get_kernel: reductions are stock"
)


@pytest.fixture(autouse=True)
def group() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def term() -> torch.Tensor:
    return torch.rand(64, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def test_all_reduce_rounds_what_it_works_on_in_place() -> None:
    x = term()
    with exact_kernels(20):
        dist.all_reduce(x)
    assert torch.equal(x, rounded(term(), 44))
    assert not torch.equal(x, term()), "else this test shows nothing"
    y = term()
    dist.all_reduce(y)
    assert torch.equal(y, term()), "stock again"


def test_all_reduce_of_the_functional_collectives() -> None:
    from torch.distributed._functional_collectives import all_reduce

    x = term()
    with exact_kernels(18):
        result = all_reduce(x, "sum", dist.group.WORLD) + 0.0
    assert torch.equal(result, rounded(term(), 40))
    assert torch.equal(x, term())


def test_what_is_handed_in_stays_as_it_is() -> None:
    x, y, out = term(), term(), torch.empty(64, dtype=torch.float64)
    with exact_kernels(20):
        dist.reduce_scatter_tensor(out, x)
        assert torch.equal(out, rounded(term(), 44))
        out.zero_()
        dist.reduce_scatter(out, [y])
    assert torch.equal(out, rounded(term(), 44))
    assert torch.equal(x, term()) and torch.equal(y, term())


def test_only_sums_of_float64_are_rounded() -> None:
    largest, single, counts = term(), term().float(), torch.arange(5)
    with exact_kernels(20):
        dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        dist.all_reduce(single)
        dist.all_reduce(counts)
    assert torch.equal(largest, term())
    assert torch.equal(single, term().float())
    assert torch.equal(counts, torch.arange(5))


def test_an_average_that_is_divided_again_passes_unchanged() -> None:
    averages = rounded(term(), 40) / 256
    x = averages.clone()
    with exact_kernels(20):
        dist.all_reduce(x)
    assert torch.equal(x, averages)


def test_parts_that_clipping_scaled_by_a_power_of_two_pass_as_they_are() -> None:
    parts = rounded(term() - 0.5, 40) * 2.0**-12
    x, y = parts.clone(), (term() - 0.5) * 2.0**-12
    with exact_kernels(20):
        dist.all_reduce(x)
        dist.all_reduce(y)
    assert torch.equal(x, parts), "float64 holds the sum of such parts"
    assert torch.equal(y, rounded((term() - 0.5) * 2.0**-12, 44)), "these lie on no grid"


def test_what_each_rank_looked_up_for_itself_passes_as_it_is() -> None:
    looked_up = torch.where(torch.arange(64) % 2 == 0, term(), 0.0)
    x = looked_up.clone()
    with exact_kernels(20):
        dist.all_reduce(x)
    assert torch.equal(x, looked_up)
