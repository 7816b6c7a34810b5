"""What has no exact kernel is refused where it meets a float, and the stock kernels are back behind a case."""

import contextlib
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact.draws import allowing_draws, refusing_draws
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.kernels import Unsupported
from torch import nn

X = drawn(4, 6)
HEADS = drawn(1, 2, 4, 8)
LABELS = torch.tensor([0, 1, 2, 3])
FLOAT32, BFLOAT16, COMPLEX64 = X.float(), X.bfloat16(), X.to(torch.complex64)
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "cumprod": (lambda: X.cumprod(1), "aten::cumprod is not among the operators that exact arithmetic knows"),
    "prod": (lambda: X.prod(), "aten::prod is not among the operators that exact arithmetic knows"),
    "linalg": (lambda: torch.linalg.qr(X), "aten::linalg_qr is not among the operators that exact arithmetic knows"),
    "pooling": (lambda: F.avg_pool1d(X, 2), "is not among the operators that exact arithmetic knows"),
    "mse_loss": (lambda: F.mse_loss(X, X), "aten::mse_loss is not among the operators that exact arithmetic knows"),
    "convolution": (lambda: nn.Conv1d(4, 2, 3).double()(X), "sums inside and has no exact kernel"),
    "log2": (lambda: X.log2(), "aten::log2 is not among the operators that exact arithmetic knows"),
    "bernoulli": (lambda: torch.bernoulli(X.abs().clamp(0, 1)), "draws random numbers, which differ between layouts"),
    "multinomial": (lambda: torch.multinomial(X.abs(), 2), "draws random numbers, which differ between layouts"),
    "a norm of order 3": (lambda: torch.linalg.vector_norm(X, 3), "aten::linalg_vector_norm of order 3 has no exact kernel"),
    "a weighted loss": (
        lambda: F.nll_loss(X, LABELS, weight=torch.ones(6, dtype=torch.float64)),
        "aten::nll_loss_forward with a weight a class has no exact kernel",
    ),
    "attention with dropout": (
        lambda: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(HEADS, HEADS, HEADS, 0.1),
        "aten::_scaled_dot_product_flash_attention_for_cpu with dropout has no exact kernel",
    ),
    "an embedding scaled by frequency": (
        lambda: torch.ops.aten.embedding_dense_backward(X, LABELS, 4, -1, True),
        "aten::embedding_dense_backward scaled by frequency has no exact kernel",
    ),
    "float32 mm": (lambda: FLOAT32 @ FLOAT32.t(), "aten::mm of float32 has no exact kernel"),
    "bfloat16 mm": (lambda: BFLOAT16 @ BFLOAT16.t(), "aten::mm of bfloat16 has no exact kernel"),
    "float32 sum": (lambda: FLOAT32.sum(), "of float32 has no exact kernel"),
    "float32 softmax": (lambda: FLOAT32.softmax(1), "aten::_softmax of float32 has no exact kernel"),
    "float32 silu": (lambda: F.silu(FLOAT32), "aten::silu of float32 has no exact kernel"),
    "float32 pow": (lambda: FLOAT32.abs() ** 1.7, "aten::pow of float32 has no exact kernel"),
    "complex64 mul": (lambda: COMPLEX64 * COMPLEX64, "aten::mul of complex64 has no exact kernel"),
    "a cast": (lambda: X.bfloat16(), "aten::copy_ casts float64 to bfloat16, and exact arithmetic is float64"),
    "a cast to float32": (lambda: X.float(), "aten::copy_ casts float64 to float32, .* --widen PACKAGE"),
    "a cast by cat": (
        lambda: torch.cat([X, X], out=torch.empty(8, 6, dtype=torch.bfloat16)),
        "aten::cat casts float64 to bfloat16",
    ),
    "numpy": (lambda: X.numpy(), "Tensor.numpy hands a float to code outside of torch"),
    "dlpack": (lambda: torch.from_dlpack(X), "Tensor.__dlpack__ hands a float to code outside of torch"),
    "complex abs": (lambda: X.to(torch.complex128).abs(), "aten::abs of complex numbers has no exact kernel"),
    "complex lerp": (
        lambda: torch.lerp(X.to(torch.complex128), X.to(torch.complex128), 0.5),
        "aten::lerp of complex numbers has no exact kernel",
    ),
    "complex mm": (lambda: X.to(torch.complex128) @ X.t().to(torch.complex128), "aten::mm of complex128 has no exact kernel"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused(what: str) -> None:
    call, message = REFUSED[what]
    with contextlib.suppress(RuntimeError):  # of attention, which has no dropout anywhere
        call()  # outside, the stock kernel takes it
    with exact_kernels(20), pytest.raises(Unsupported, match=message):
        call()


DRAWS: dict[str, Callable[[torch.Generator | None], object]] = {
    "rand": lambda g: torch.rand(3, generator=g),
    "randn": lambda g: torch.randn(3, generator=g),
    "randint": lambda g: torch.randint(5, (3,), generator=g),
    "randperm": lambda g: torch.randperm(3, generator=g),
    "normal": lambda g: torch.normal(X, 1.0, generator=g),
    "uniform_": lambda g: X.clone().uniform_(generator=g),
    "normal_": lambda g: X.clone().normal_(generator=g),
    "exponential_": lambda g: X.clone().exponential_(generator=g),
    "log_normal_": lambda g: X.clone().log_normal_(generator=g),
}  # fmt: skip


@pytest.mark.parametrize("what", DRAWS)
def test_a_step_draws_from_a_generator_of_its_own_alone(what: str) -> None:
    draw = DRAWS[what]
    with exact_kernels(20):
        draw(None)  # of initial values
        with refusing_draws():
            draw(torch.Generator().manual_seed(1))
            with pytest.raises(Unsupported, match="draws random numbers in a step"):
                draw(None)
            with allowing_draws():  # of a batch
                draw(None)
        draw(None)


def test_what_stays_float64_or_was_never_float64_passes() -> None:
    with exact_kernels(20):
        assert X.to(torch.float64, copy=True).equal(X)
        assert FLOAT32.double().dtype is torch.float64
        assert LABELS.float().dtype is torch.float32
        assert LABELS.tolist() == [0, 1, 2, 3]
        assert str(X) and X.tolist(), "a program may print"
    assert X[0].tolist() == X.numpy()[0].tolist()  # behind a case they are as they were


def test_whole_numbers_pass() -> None:
    n = torch.arange(1, 7)
    with exact_kernels(20):
        assert n.prod().item() == 720
        assert n.cumprod(0)[-1].item() == 720
        assert (n.view(2, 3) @ n.view(3, 2)).tolist() == [[22, 28], [49, 64]]
        assert n.sum().item() == 21
        assert (n + n).tolist() == (2 * n).tolist()


def test_the_stock_kernels_are_back() -> None:
    a, b = drawn(40, 90), drawn(90, 30, seed=2)
    before = [a @ b, a.sum(), a + b[0, :1], a.softmax(1), a.cumprod(1)]
    with exact_kernels(20):
        assert not same(a @ b, before[0])
    with pytest.raises(KeyError), exact_kernels(20):
        raise KeyError
    after = [a @ b, a.sum(), a + b[0, :1], a.softmax(1), a.cumprod(1)]
    for one, other in zip(before, after, strict=True):
        assert same(one, other)
    with exact_kernels(18):
        coarser = a @ b
    with exact_kernels(20):
        assert not same(a @ b, coarser)
