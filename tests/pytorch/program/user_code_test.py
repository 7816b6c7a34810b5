"""A user's model becomes exact where it is made of stock linears and norms."""

import pytest
import torch
from ordercheck_pytorch.program import modules
from ordercheck_pytorch.program.arithmetic import Numerics
from ordercheck_pytorch.program.user_code import look_up, make_user_model
from torch import nn


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 6, bias=False), nn.RMSNorm(6, eps=1e-5), nn.Linear(6, 3, bias=False))


def biased() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 6))


def nothing() -> None:
    return None


def test_stock_modules_become_exact() -> None:
    model = make_user_model(f"{__name__}:small", Numerics("exact"), seed=1)
    assert [type(m) for m in model] == [modules.Linear, modules.RMSNorm, modules.Linear]  # type: ignore[attr-defined]
    assert list(model.state_dict()) == list(small().state_dict())
    assert {p.dtype for p in model.parameters()} == {torch.float64}
    stock = small().to(torch.float64)
    stock.load_state_dict(model.state_dict())
    x = torch.arange(8, dtype=torch.float64).reshape(2, 4) / 8
    torch.testing.assert_close(model(x), stock(x), rtol=0, atol=1e-4)


def test_weights_are_a_function_of_the_seed() -> None:
    first, again, other = (
        make_user_model(f"{__name__}:small", Numerics("exact"), seed) for seed in (1, 1, 2)
    )
    assert torch.equal(first[0].weight, again[0].weight)  # type: ignore[index]
    assert not torch.equal(first[0].weight, other[0].weight)  # type: ignore[index]


def test_plain_arithmetic_leaves_modules_alone() -> None:
    model = make_user_model(f"{__name__}:small", Numerics("float32"), seed=1)
    assert type(model[0]) is nn.Linear  # type: ignore[index]


def test_a_bias_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="no Linear with a bias"):
        make_user_model(f"{__name__}:biased", Numerics("exact"), seed=1)
    make_user_model(f"{__name__}:biased", Numerics("float32"), seed=1)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match=r"returned NoneType; expected an nn\.Module"):
        make_user_model(f"{__name__}:nothing", Numerics("exact"), seed=1)


def test_a_name_is_looked_up_through_classes() -> None:
    assert look_up("torch.nn:Linear.forward") is nn.Linear.forward
