"""The range guard refuses what it cannot vouch for."""

import pytest
import torch
from ordercheck_pytorch.program.arithmetic import Numerics, rounded
from ordercheck_pytorch.program.guard import OutOfRange, RangeGuard, Unsupported


def on_grid(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return rounded(torch.randn(*shape, generator=generator, dtype=torch.float64), 20)


def test_a_product_on_the_grid_passes_and_uses_range() -> None:
    a, b = on_grid(4, 8), on_grid(8, 3)
    with RangeGuard(20, 1) as guard:
        product = a @ b
    assert torch.equal(product, a @ b)
    assert 0 < guard.range_used < 1
    with RangeGuard(20, 2) as twice:
        a @ b
    assert twice.range_used == 2 * guard.range_used


def test_an_operand_off_the_grid_is_refused() -> None:
    a, b = on_grid(4, 8), on_grid(8, 3)
    a[0, 0] += 2.0**-21
    with (
        pytest.raises(Unsupported, match=r"an operand of aten\.mm is not on the grid 2\^-20"),
        RangeGuard(20, 1),
    ):
        a @ b


def test_a_product_out_of_range_is_told() -> None:
    a, b = on_grid(4, 8) * 2.0**8, on_grid(8, 3) * 2.0**8
    with pytest.raises(OutOfRange, match=r"aten\.mm adds up"), RangeGuard(20, 1):
        a @ b


def test_a_sum_off_every_grid_is_refused() -> None:
    terms = torch.tensor([1 / 3, 2.0**-60], dtype=torch.float64)
    with pytest.raises(Unsupported, match=r"aten\.sum sums terms that are not on a grid"), RangeGuard(20, 1):
        terms.sum()
    with RangeGuard(20, 1) as guard:
        Numerics("exact").sum_last(terms)
    assert guard.range_used > 0


def test_a_sum_inside_an_operator_is_refused() -> None:
    with (
        pytest.raises(Unsupported, match=r"cannot vouch for the sums inside aten\._softmax"),
        RangeGuard(20, 1),
    ):
        torch.softmax(on_grid(2, 4), dim=-1)
