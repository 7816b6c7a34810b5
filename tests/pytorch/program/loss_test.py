"""Cross entropy that is written out is torch's own, but for rounding below the grid."""

import torch
import torch.nn.functional as F
from ordercheck_pytorch.program.arithmetic import Numerics
from ordercheck_pytorch.program.data import IGNORED_LABEL
from ordercheck_pytorch.program.loss import summed_cross_entropy


def test_it_is_cross_entropy() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(2, 6, 9, generator=generator, dtype=torch.float64)
    labels = torch.randint(9, (2, 6), generator=generator)
    labels[0, 2:4] = IGNORED_LABEL
    ours, stock = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    loss = summed_cross_entropy(Numerics("exact"), ours, labels)
    expected = F.cross_entropy(
        stock.flatten(0, 1), labels.flatten(), ignore_index=IGNORED_LABEL, reduction="sum"
    )
    loss.backward()
    expected.backward()
    # Ten terms and nine exponentials, each at most 2^-37 off.
    torch.testing.assert_close(loss, expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(ours.grad, stock.grad, rtol=0, atol=1e-9)
    assert ours.grad is not None
    assert not ours.grad[0, 2:4].any()


def test_parts_add_up_to_the_whole() -> None:
    generator = torch.Generator().manual_seed(2)
    logits = torch.randn(4, 6, 9, generator=generator, dtype=torch.float64)
    labels = torch.randint(9, (4, 6), generator=generator)
    exact = Numerics("exact")
    parts = [summed_cross_entropy(exact, logits[i : i + 1], labels[i : i + 1]) for i in (3, 1, 0, 2)]
    assert torch.equal(torch.stack(parts).sum(), summed_cross_entropy(exact, logits, labels))
