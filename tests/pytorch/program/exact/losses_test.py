"""The sum of losses against rational arithmetic, and over parts of a batch."""

import rational
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels

IGNORED = -100


def drawn_losses(rows: int, classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = drawn(rows, classes).log_softmax(1)
    target = torch.randint(classes, (rows,), generator=torch.Generator().manual_seed(3))
    target[::7] = IGNORED
    return x, target


def test_a_loss_is_a_rational_sum() -> None:
    x, target = drawn_losses(200, 11)
    counted = [(row, label) for row, label in enumerate(target.tolist()) if label != IGNORED]
    total = rational.total([-x[row, label].item() for row, label in counted], 40)
    with exact_kernels(20):
        assert F.nll_loss(x, target, reduction="sum").item() == total
        assert F.nll_loss(x, target).item() == total / len(counted)
        each = F.nll_loss(x, target, reduction="none")
        of_pixels = F.nll_loss(x.t().reshape(1, 11, 20, 10), target.view(1, 20, 10), reduction="sum")
        halves = F.nll_loss(x[130:], target[130:], reduction="sum") + F.nll_loss(
            x[:130], target[:130], reduction="sum"
        )
    assert same(each, F.nll_loss(x, target, reduction="none"))
    assert of_pixels.item() == total
    assert halves.item() == total
    assert F.nll_loss(x, target, reduction="sum").item() != total, "else this test shows nothing"


def test_a_batch_without_labels() -> None:
    x, target = drawn_losses(4, 5)
    with exact_kernels(20):
        assert F.nll_loss(x, torch.full_like(target, IGNORED)).isnan()
        assert F.nll_loss(x, torch.full_like(target, IGNORED), reduction="sum").item() == 0
