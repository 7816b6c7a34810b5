"""The data of a step: a pure function of (seed, step, sample, position), the same as every other engine's."""

from __future__ import annotations

import torch

from .case import Case, coordinates
from .counter_random import draw

SEQUENCES = 16  # a step, over all ranks and microbatches
SEQUENCE_LENGTH = 24
VOCABULARY = 120
IGNORED_LABEL = -100


def token_at(seed: int, step: int, sample: int, position: int) -> int:
    return draw(seed, 0, step, sample, position) % VOCABULARY


def valid_at(seed: int, step: int, sample: int, position: int) -> bool:
    """A sample keeps from a third to all of its positions, from the front, but for one in eight drawn out."""
    least = SEQUENCE_LENGTH // 3
    kept = least + draw(seed, 1, step, sample) % (SEQUENCE_LENGTH - least + 1)
    return position < kept and draw(seed, 2, step, sample, position) % 8 != 0


def valid_tokens(seed: int, step: int) -> int:
    """Of the whole step: a number that is no power of two is what makes a wrong mean visible."""
    return sum(
        valid_at(seed, step, sample, at) for sample in range(SEQUENCES) for at in range(SEQUENCE_LENGTH)
    )


def even_part(first: int, count: int, parts: int, index: int) -> tuple[int, int]:
    """First and count of one of `parts` parts, as even as can be, longer parts first."""
    small, longer = divmod(count, parts)
    return first + index * small + min(index, longer), small + (1 if index < longer else 0)


def samples_of_rank(case: Case, rank: int) -> tuple[int, int]:
    place, index = coordinates(case.mesh, rank), 0
    for axis in case.axes("batch"):
        index = index * case.mesh[axis] + place[axis]
    return even_part(0, SEQUENCES, case.data_parallel_degree, index)


def batch_of(seed: int, step: int, samples: range) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and labels [samples, SEQUENCE_LENGTH] int64; a label that does not count is IGNORED_LABEL."""
    positions = range(SEQUENCE_LENGTH)
    tokens = [[token_at(seed, step, sample, at) for at in positions] for sample in samples]
    labels = [
        [
            token_at(seed, step, sample, at + 1) if valid_at(seed, step, sample, at) else IGNORED_LABEL
            for at in positions
        ]
        for sample in samples
    ]
    return torch.tensor(tokens, dtype=torch.int64), torch.tensor(labels, dtype=torch.int64)
