"""Which elements dropout sets to zero depends on the sample and on the generator's state, not on the layout."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact.draws import of_samples, refusing_draws
from ordercheck_pytorch.program.exact.dropout import native_dropout
from ordercheck_pytorch.program.exact.install import exact_kernels, keyed_draws
from ordercheck_pytorch.program.exact.kernels import Unsupported
from torch.utils.checkpoint import checkpoint

X = drawn(6, 5, 4)


def dropped(x: torch.Tensor, samples: range, seed: int = 1, p: float = 0.25) -> torch.Tensor:
    torch.manual_seed(seed)
    with refusing_draws(), of_samples(samples):
        return F.dropout(x, p)


@pytest.mark.parametrize("arithmetic", [lambda: exact_kernels(20), keyed_draws])
def test_a_part_of_a_batch_drops_what_the_batch_does(arithmetic: object) -> None:
    with arithmetic():  # type: ignore[operator]
        whole = dropped(X, range(6))
        for begin, end in ((0, 2), (2, 3), (3, 6)):
            assert same(dropped(X[begin:end], range(begin, end)), whole[begin:end])
        assert not same(dropped(X[:3], range(3, 6)), whole[:3]), "other samples drop other elements"
        assert not same(dropped(X, range(6), seed=2), whole)
    assert 0.1 < float((whole == 0).double().mean()) < 0.4
    assert same(whole[whole != 0], (X * (1 / 0.75))[whole != 0])


def test_each_call_draws_anew() -> None:
    with exact_kernels(20), refusing_draws(), of_samples(range(6)):
        torch.manual_seed(1)
        first, second = F.dropout(X), F.dropout(X)
        torch.manual_seed(1)
        assert same(F.dropout(X), first)
    assert not same(first, second)


def test_the_operator_of_compiled_graphs_drops_the_same() -> None:
    with exact_kernels(20):
        eager = dropped(X, range(6))
        torch.manual_seed(1)
        with refusing_draws(), of_samples(range(6)):
            compiled, mask = torch.ops.aten.native_dropout(X, 0.25, True)
    assert same(compiled, eager)
    assert mask.dtype is torch.bool


def test_what_another_device_draws_by_itself_is_refused() -> None:
    with pytest.raises(Unsupported, match="aten::native_dropout on meta draws random numbers"):
        native_dropout(torch.empty(2, 3, device="meta"), 0.1, True)


def test_a_piece_of_its_backward_is_the_piece_of_the_whole() -> None:
    mask = drawn(6, 5, 4, seed=2) > 0
    with exact_kernels(20):
        whole = torch.ops.aten.native_dropout_backward(X, mask, 1 / 0.75)
        piece = torch.ops.aten.native_dropout_backward(X[2:5, :, 1:], mask[2:5, :, 1:], 1 / 0.75)
    assert same(piece, whole[2:5, :, 1:])
    assert same(whole, X * mask * (1 / 0.75))


@pytest.mark.parametrize("preserves", [True, False])
@pytest.mark.parametrize("reentrant", [True, False])
def test_recomputation_drops_the_same_where_the_state_is_put_back_and_only_there(
    preserves: bool, reentrant: bool
) -> None:
    def gradient(checkpointed: bool) -> torch.Tensor:
        x = X.clone().requires_grad_()
        torch.manual_seed(1)
        with refusing_draws(), of_samples(range(6)):
            if checkpointed:
                y = checkpoint(F.dropout, x, use_reentrant=reentrant, preserve_rng_state=preserves)
            else:
                y = F.dropout(x)
            y.sum().backward()
        assert x.grad is not None
        return x.grad

    with exact_kernels(20):
        assert same(gradient(checkpointed=True), gradient(checkpointed=False)) == preserves


def test_what_it_cannot_key_is_refused() -> None:
    def dropping(x: torch.Tensor, samples: range | str) -> None:
        with refusing_draws(), of_samples(samples):
            F.dropout(x)

    with exact_kernels(20):
        F.dropout(X)  # not of a step
        with pytest.raises(Unsupported, match="aten::bernoulli_ draws random numbers in a pipeline"):
            dropping(X, " in a pipeline")
        with pytest.raises(Unsupported, match=r"of the shape \[5, 6, 4\]; expected the 6 samples"):
            dropping(X.transpose(0, 1), range(6))
        with pytest.raises(Unsupported, match="aten::bernoulli_ draws random numbers"):
            dropping(X, "")
        with pytest.raises(Unsupported, match="of the program's own"), refusing_draws(), of_samples(range(6)):
            X.clone().bernoulli_(0.5, generator=torch.Generator().manual_seed(1))


def test_in_arithmetic_that_rounds_other_draws_of_a_step_are_refused() -> None:
    with keyed_draws():
        torch.rand(3)
        with refusing_draws():
            torch.rand(3, generator=torch.Generator().manual_seed(1))
            with pytest.raises(Unsupported, match="draws random numbers in a step"):
                torch.rand(3)
            with pytest.raises(Unsupported, match="draws random numbers in a step"):
                torch.multinomial(X[0].abs(), 2)
    torch.rand(3)
