"""An exact kernel gives its result the form that the stock kernel gives: shape, strides, dtype, the operand that it is or lies
in, and what it wrote into. Views, wrappers and captured graphs rely on it. Of every kernel in the table, since each has a case
in tests/data/exact/cases.tsv."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from cases import Case, all_cases, laid_out
from ordercheck_pytorch.program.exact.dropout import DROPOUT
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.kernels import KERNELS

CASES = all_cases()
LAYOUTS = ("plain", "transposed", "second", "offset", "permuted")
# The stock kernel takes no mask of truth values: autograd's attention hands it numbers.
NOT_STOCK = {"attention with a mask of booleans"}
Form = list[tuple[Any, ...]]


def tensors_of(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [x for one in value for x in tensors_of(one)] if isinstance(value, (list, tuple)) else []


def inputs_of(case: Case, draw: random.Random) -> dict[str, Any]:
    """Every operand in a layout of its own; one that is not written to may be one row, repeated."""
    written = {a.name for a in case.overload._schema.arguments if a.alias_info}

    def somehow(name: str, x: torch.Tensor) -> torch.Tensor:
        layout = draw.choice((*LAYOUTS, "repeated"))
        if layout != "repeated":
            return laid_out(x, layout)
        if name in written or not x.ndim:
            return x
        dim = draw.randrange(x.ndim)
        return x.narrow(dim, 0, min(1, x.shape[dim])).expand(x.shape)

    inputs = {}
    for name, value in case.inputs("plain").items():
        if isinstance(value, torch.Tensor):
            inputs[name] = somehow(name, value)
        elif isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            inputs[name] = [somehow(name, x) for x in value]
        else:
            inputs[name] = value
    return inputs


def form_of(case: Case, inputs: dict[str, Any]) -> Form:
    operands = [(name, x, x._version) for name, value in inputs.items() for x in tensors_of(value)]
    form: Form = []
    returned = case.overload(**inputs)
    for x in returned if isinstance(returned, (list, tuple)) else [returned]:
        if x is None:
            form.append((None,))
            continue
        lies_in = [name for name, one, _ in operands if one.numel() and shares(one, x)]
        is_one = [name for name, one, _ in operands if one is x]
        form.append(
            (
                tuple(x.shape),
                x.stride(),
                x.storage_offset(),
                x.dtype,
                x.untyped_storage().nbytes(),
                lies_in,
                is_one,
            )
        )
    form.append(
        tuple((name, one.shape, one.stride(), one._version - before) for name, one, before in operands)
    )
    return form


def shares(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def forms(times: int) -> dict[tuple[str, int], Form]:
    return {
        (case.name, time): form_of(case, inputs_of(case, random.Random(f"{case.name}/{time}")))
        for case in CASES
        if case.name not in NOT_STOCK
        for time in range(times)
    }


def test_every_kernel_gives_the_form_of_the_stock_kernel() -> None:
    stock = forms(6)
    with exact_kernels(20):
        exact = forms(6)
    assert {case.operator for case in CASES if case.name not in NOT_STOCK} >= set(KERNELS) - {"histc"} - set(
        DROPOUT
    )
    assert {key: (exact[key], form) for key, form in stock.items() if exact[key] != form} == {}


def test_another_stride_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (case for case in CASES if case.name == "softmax")
    inputs = case.inputs("transposed")
    stock = form_of(case, inputs)
    kernel = KERNELS["_softmax"]
    monkeypatch.setitem(KERNELS, "_softmax", lambda *args: kernel(*args).t().contiguous().t())
    with exact_kernels(20):
        assert form_of(case, inputs) != stock
