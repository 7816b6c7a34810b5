"""What a run adds up is bounded while it is measured, and refused where float64 would round it."""

import math

import pytest
import torch
from bits import drawn
from ordercheck_pytorch.process_state import CASE_STATE
from ordercheck_pytorch.program.exact.grid import OutOfRange
from ordercheck_pytorch.program.exact.install import exact_kernels, measured_range

LARGE = torch.full((4, 4), 2.0**6, dtype=torch.float64)  # 4 * 2^12 of the 2^13 that products have


def test_a_product_out_of_range_is_told() -> None:
    with (
        exact_kernels(20),
        measured_range(1),
        pytest.raises(OutOfRange, match=r"aten\.mm adds up 2 of what float64 holds"),
    ):
        LARGE @ LARGE


@pytest.mark.parametrize("name", ["sum", "mean", "cumsum", "add"])
def test_a_sum_out_of_range_is_told(name: str) -> None:
    x = torch.full((4,), 2.0**16, dtype=torch.float64)
    calls = {"sum": x.sum, "mean": x.mean, "cumsum": lambda: x.cumsum(0), "add": lambda: x + x}
    with exact_kernels(20), measured_range(1), pytest.raises(OutOfRange, match=f"aten.{name} "):
        calls[name]()


def test_nothing_is_told_unmeasured() -> None:
    with exact_kernels(20):
        LARGE @ LARGE
        assert CASE_STATE.range_used == 0
        with measured_range(1):
            drawn(3, 3) @ drawn(3, 3)
        assert 0 < CASE_STATE.range_used < 1
        LARGE @ LARGE


def test_fan_in_scales() -> None:
    a, b = drawn(4, 8), drawn(8, 3, seed=2)
    used = []
    for fan_in in (1, 2, 3):
        with exact_kernels(20), measured_range(fan_in):
            a @ b
            used.append(CASE_STATE.range_used)
    assert used[1] == 2 * used[0]
    assert used[2] == pytest.approx(3 * used[0])


def test_a_nan_is_out_of_range() -> None:
    x = drawn(4, 4)
    x[1, 2] = math.nan
    with exact_kernels(20), measured_range(1):
        for call in (lambda: x @ x, lambda: x.sum(), lambda: x + x):
            with pytest.raises(OutOfRange):
                call()


def test_the_bound_holds() -> None:
    """What is just within it adds up exactly."""
    x = torch.full((64, 64), 127 / 64, dtype=torch.float64) + drawn(64, 64) * 2.0**-20
    with exact_kernels(20), measured_range(1):
        whole = x @ x
        assert CASE_STATE.range_used < 1
        parts = x[:, :20] @ x[:20], x[:, 20:] @ x[20:]
    assert torch.equal(torch.stack(parts).sum(0), whole)
