"""The model of a short script: float64 holds every sum that it makes, in whatever order its terms are added."""

from __future__ import annotations

import pytest
import torch
from ordercheck_pytorch.repro.short.model import LENGTH, VOCABULARY, Decoder, loss_of

UNIT = 2.0**-16  # of losses and gradients: loss_of divides whole numbers by 2^16


def step_of(seed: int, magnitudes: bool) -> list[torch.Tensor]:
    """The loss and the gradients; of magnitudes alone, nothing cancels, and a ReLU lets all pass."""
    torch.manual_seed(seed)
    model = Decoder()
    tokens, labels = torch.randint(VOCABULARY, (2, 16, LENGTH))
    for p in model.parameters() if magnitudes else ():
        p.data.abs_()
    loss = loss_of(model(tokens), labels)
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters() if p.grad is not None)]


@pytest.mark.parametrize("seed", range(1, 9))
def test_no_sum_rounds(seed: int) -> None:
    for tensor in step_of(seed, magnitudes=False):
        assert torch.equal((tensor / UNIT).round(), tensor / UNIT)
    largest = max(tensor.abs().max().item() for tensor in step_of(seed, magnitudes=True))
    assert largest / UNIT < 2.0**40  # float64 holds whole numbers up to 2^53


def test_every_weight_has_a_gradient() -> None:
    _, *gradients = step_of(1, magnitudes=False)
    assert all((gradient != 0).double().mean() > 0.5 for gradient in gradients)
