"""Gradients of PyTorch's modules: of a batch, and of its two halves accumulated in either order, to the bit; close to the
stock kernels'."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels
from torch import nn

BATCH, LENGTH, WIDTH = 6, 10, 16


class Function(nn.Module):
    """A weight before what has none of its own."""

    def __init__(self, call: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.weight, self.call = nn.Linear(WIDTH, WIDTH), call

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.call(self.weight(x))


def attended(x: torch.Tensor, kv_heads: int = 4, **options: object) -> torch.Tensor:
    heads = x.unflatten(-1, (4, 4)).transpose(1, 2)
    kv = heads[:, :kv_heads]
    return F.scaled_dot_product_attention(heads, kv, kv, enable_gqa=kv_heads < 4, **options)  # type: ignore[arg-type]


SEEN = torch.ones(LENGTH, LENGTH).tril() > 0
HIDDEN = torch.zeros(LENGTH, LENGTH, dtype=torch.float64).masked_fill(~SEEN, -torch.inf)
LABELS = torch.arange(BATCH * LENGTH).reshape(BATCH, LENGTH) % WIDTH
LABELS[:, ::4] = -100
INDEX = torch.tensor([3, 1, 1, 7, 3])


X = drawn(BATCH, LENGTH, WIDTH)
TOKENS = torch.randint(20, (BATCH, LENGTH), generator=torch.Generator().manual_seed(4))
Loss = Callable[[nn.Module, slice], torch.Tensor]


def weighted(out: torch.Tensor) -> torch.Tensor:
    """So that no two elements get the same gradient."""
    return (out * drawn(*out.shape[1:], seed=8)).sum()


def of_batch(model: nn.Module, part: slice) -> torch.Tensor:
    return weighted(model(X[part]))


def of_tokens(model: nn.Module, part: slice) -> torch.Tensor:
    return weighted(model(TOKENS[part]))


def summed_loss(model: nn.Module, part: slice) -> torch.Tensor:
    logits, labels = model(X[part]).flatten(0, 1), LABELS[part].flatten()
    return F.cross_entropy(logits, labels, reduction="sum", ignore_index=-100)


def mean_loss(model: nn.Module, part: slice) -> torch.Tensor:
    """Of the whole batch; of a part, its share."""
    if part == WHOLE:
        return F.cross_entropy(model(X).flatten(0, 1), LABELS.flatten(), ignore_index=-100)
    return summed_loss(model, part) / int((LABELS != -100).sum())


WHOLE, FIRST, SECOND = slice(0, BATCH), slice(0, 2), slice(2, BATCH)
LAYERS: dict[str, tuple[Callable[[], nn.Module], Loss]] = {
    "linear": (lambda: nn.Linear(WIDTH, 7), of_batch),
    "rms_norm": (lambda: nn.RMSNorm(WIDTH), of_batch),
    "layer_norm": (lambda: nn.LayerNorm(WIDTH), of_batch),
    "attention": (lambda: Function(attended), of_batch),
    "attention, causal": (lambda: Function(lambda x: attended(x, is_causal=True)), of_batch),
    "attention, mask": (lambda: Function(lambda x: attended(x, attn_mask=SEEN)), of_batch),
    "attention, added mask": (lambda: Function(lambda x: attended(x, attn_mask=HIDDEN)), of_batch),
    "attention, shared heads": (lambda: Function(lambda x: attended(x, 2, is_causal=True)), of_batch),
    "cross_entropy, sum": (lambda: nn.Linear(WIDTH, WIDTH), summed_loss),
    "cross_entropy, mean": (lambda: nn.Linear(WIDTH, WIDTH), mean_loss),
    "silu": (lambda: Function(F.silu), of_batch),
    "gelu": (lambda: Function(F.gelu), of_batch),
    "gelu, tanh": (lambda: Function(lambda x: F.gelu(x, approximate="tanh")), of_batch),
    "embedding": (lambda: nn.Embedding(20, WIDTH), of_tokens),
    "indexing": (lambda: Function(lambda x: x[:, INDEX]), of_batch),
    "gather": (
        lambda: Function(lambda x: x.gather(1, INDEX.view(1, -1, 1).expand(len(x), -1, WIDTH))),
        of_batch,
    ),
}


def gradients(model: nn.Module, loss: Loss, parts: list[slice]) -> list[torch.Tensor]:
    model.zero_grad()
    for part in parts:
        loss(model, part).backward()
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


@pytest.mark.parametrize("name", LAYERS)
def test_halves_accumulate_to_the_whole(name: str) -> None:
    make, loss = LAYERS[name]
    torch.manual_seed(1)
    model = make().double()
    with exact_kernels(20):
        whole = gradients(model, loss, [WHOLE])
        for parts in ([FIRST, SECOND], [SECOND, FIRST]):
            for one, other in zip(gradients(model, loss, parts), whole, strict=True):
                assert same(one, other)
    assert whole
    for one, other in zip(gradients(model, loss, [WHOLE]), whole, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_without_them_halves_round() -> None:
    differing = set()
    for name, (make, loss) in LAYERS.items():
        torch.manual_seed(1)
        model = make().double()
        whole = gradients(model, loss, [WHOLE])
        if not all(same(a, b) for a, b in zip(gradients(model, loss, [SECOND, FIRST]), whole, strict=True)):
            differing.add(name)
    assert len(differing) > len(LAYERS) // 2, "else the test above shows nothing"
