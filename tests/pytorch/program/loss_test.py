"""The loss of a step: sums of parts add up to the sum of the whole, bit for bit."""

import torch
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.loss import summed_cross_entropy

SEEDS = range(20)


def parts_agree(seed: int) -> bool:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(16, 24, 30, generator=generator, dtype=torch.float64)
    labels = torch.randint(30, (16, 24), generator=generator)
    parts = [summed_cross_entropy(logits[i : i + 3], labels[i : i + 3]) for i in (12, 3, 0, 15, 9, 6)]
    return torch.equal(torch.stack(parts).sum(), summed_cross_entropy(logits, labels))


def test_parts_add_up_to_the_whole() -> None:
    with exact_kernels(20):
        assert all(parts_agree(seed) for seed in SEEDS)
    assert not all(parts_agree(seed) for seed in SEEDS), "else this test shows nothing"
