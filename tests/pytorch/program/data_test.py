"""The data of a step."""

import pytest
import torch
from ordercheck_pytorch.program.data import (
    IGNORED_LABEL,
    SEQUENCE_LENGTH,
    SEQUENCES,
    VOCABULARY,
    batch_of,
    even_part,
    valid_tokens,
)


@pytest.mark.parametrize(("count", "parts"), [(16, 4), (16, 3), (2, 5), (0, 2)])
def test_even_parts_cover_all_in_order(count: int, parts: int) -> None:
    pieces = [even_part(5, count, parts, index) for index in range(parts)]
    assert [at for first, size in pieces for at in range(first, first + size)] == list(range(5, 5 + count))
    sizes = [size for _, size in pieces]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@pytest.mark.parametrize("step", range(3))
def test_valid_tokens_counts_the_labels_of_the_whole_step(step: int) -> None:
    _, labels = batch_of(1, step, range(SEQUENCES))
    count = valid_tokens(1, step)
    assert count == int(labels.ne(IGNORED_LABEL).sum())
    assert count & (count - 1) != 0, "a power of two would hide a wrong mean"


def test_a_part_of_a_batch_is_that_part() -> None:
    tokens, labels = batch_of(2, 1, range(SEQUENCES))
    some, some_labels = batch_of(2, 1, range(3, 5))
    assert torch.equal(some, tokens[3:5])
    assert torch.equal(some_labels, labels[3:5])
    assert tokens.shape == (SEQUENCES, SEQUENCE_LENGTH)
    assert 0 <= int(tokens.min()) <= int(tokens.max()) < VOCABULARY


def test_a_label_is_the_next_token() -> None:
    tokens, labels = batch_of(1, 0, range(SEQUENCES))
    counted = labels[:, :-1].ne(IGNORED_LABEL)
    assert torch.equal(labels[:, :-1][counted], tokens[:, 1:][counted])
