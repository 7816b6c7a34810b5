"""A user's model and inputs are cast to the arithmetic without losing anything, and the casts are listed."""

import pytest
import rotary
import torch
from ordercheck_pytorch.program.cast import cast_model
from ordercheck_pytorch.program.exact.kernels import Unsupported
from ordercheck_pytorch.program.task import moved
from torch import nn
from torch.nn.utils import parametrizations


def test_complex_numbers_stay_complex_and_integers_stay() -> None:
    model = rotary.Rotating()
    table = model.table.clone()
    notes = cast_model(model, torch.float64)
    assert model.table.dtype is torch.complex128
    assert torch.equal(model.table, table.to(torch.complex128))
    assert table.imag.count_nonzero() > 0, "else this test shows nothing"
    assert {name: buffer.dtype for name, buffer in model.named_buffers()} == {
        "table": torch.complex128,
        "gain": torch.float64,
        "shift": torch.int64,
        "masked": torch.bool,
    }
    assert notes == [
        "cast: 3 tensors from float32 to float64; table from complex64 to complex128; gain from bfloat16 to float64"
    ]


def test_float32_arithmetic_has_complex64() -> None:
    model = rotary.Rotating().double()
    model.table = torch.ones(24, 8, dtype=torch.complex128)
    cast_model(model, torch.float32)
    assert model.table.dtype is torch.complex64


def test_a_model_of_the_arithmetic_has_no_note() -> None:
    model = nn.Linear(2, 2, dtype=torch.float64)
    assert cast_model(model, torch.float64) == []


def test_ties_and_parametrizations_stay() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    cast_model(model, torch.float64)
    assert model[1].weight is model[0].weight
    normed = parametrizations.weight_norm(nn.Linear(3, 3))
    cast_model(normed, torch.float64)
    assert normed.weight.dtype is torch.float64


def test_quantized_tensors_stay() -> None:
    model = nn.Module()
    model.register_buffer("quantized", torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8))
    assert cast_model(model, torch.float64) == []
    assert model.quantized.dtype is torch.qint8


def test_a_lazy_model_is_refused() -> None:
    with pytest.raises(Unsupported, match="weight has no values before the first forward"):
        cast_model(nn.LazyLinear(3), torch.float64)


def test_complex_inputs_stay_complex() -> None:
    given = {"x": torch.ones(2, dtype=torch.complex64), "n": torch.ones(2, dtype=torch.int32)}
    got = moved(given, "cpu", torch.float64)
    assert (got["x"].dtype, got["n"].dtype) == (torch.complex128, torch.int32)
