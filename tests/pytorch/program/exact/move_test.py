"""Every operator of the class move gives back numbers that it was handed, or indices and truth values: none is computed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from bits import drawn
from ordercheck_pytorch.program.exact.table import operators

aten: Any = torch.ops.aten
X, Y, Z = drawn(4, 6), drawn(4, 6, seed=2), drawn(24, seed=3)
IMAGE, VOLUME = drawn(1, 4, 6, 6, seed=4), drawn(1, 1, 4, 4, 4, seed=5)
MASK = X > 0
ROWS = torch.tensor([3, 0, 3])
AT = torch.randint(0, 4, (4, 6), generator=torch.Generator().manual_seed(1))
LABELS = torch.tensor([0, 5, 2, 2])
PLANES = torch.tensor([[[0, 1], [1, 3]]])

CALLS: dict[str, Callable[[], Any]] = {
    "view": lambda: aten.view(X, [24]),
    "_reshape_alias": lambda: aten._reshape_alias(X, [24], [1]),
    "as_strided": lambda: aten.as_strided(X, [3, 3], [2, 1]),
    "unfold": lambda: aten.unfold(X, 1, 3, 2),
    "cat": lambda: aten.cat([X, Y], 1),
    "_stack": lambda: aten._stack([X, Y]),
    "narrow_copy": lambda: aten.narrow_copy(X, 1, 2, 3),
    "split_with_sizes_copy": lambda: aten.split_with_sizes_copy(X, [1, 3]),
    "_chunk_cat": lambda: aten._chunk_cat([X, Y], 0, 2),
    "flip": lambda: aten.flip(X, [0]),
    "roll": lambda: aten.roll(X, [2], [1]),
    "repeat_interleave": lambda: aten.repeat_interleave.self_int(X, 2, 1),
    "fill_": lambda: aten.fill_(X.clone(), X[0, 0].item()),
    "zero_": lambda: aten.zero_(X.clone()),
    "set_": lambda: aten.set_(drawn(2), X),
    "resize_": lambda: aten.resize_(X.clone(), [3, 4]),
    "tril": lambda: aten.tril(X),
    "triu": lambda: aten.triu(X),
    "masked_fill_": lambda: aten.masked_fill_(X.clone(), MASK, Y[0, 0].item()),
    "masked_select": lambda: aten.masked_select(X, MASK),
    "masked_scatter_": lambda: aten.masked_scatter_(X.clone(), MASK, Y),
    "where": lambda: aten.where(MASK, X, Y),
    "index": lambda: aten.index(X, [ROWS]),
    "index_select": lambda: aten.index_select(X, 0, ROWS),
    "index_copy": lambda: aten.index_copy(X, 0, ROWS[:2], Y[:2]),
    "index_copy_": lambda: aten.index_copy_(X.clone(), 0, ROWS[:2], Y[:2]),
    "index_fill_": lambda: aten.index_fill_(X.clone(), 0, ROWS, Y[0, 0].item()),
    "gather": lambda: aten.gather(X, 0, AT),
    "scatter": lambda: aten.scatter(X, 0, AT[:1], Y),
    "scatter_": lambda: aten.scatter_(X.clone(), 0, AT[:1], Y),
    "take": lambda: aten.take(X, ROWS),
    "put_": lambda: aten.put_(X.clone(), ROWS[:2], Y[0, :2]),
    "sort": lambda: aten.sort(X),
    "topk": lambda: aten.topk(X, 3),
    "kthvalue": lambda: aten.kthvalue(X, 2),
    "median": lambda: aten.median(X),
    "mode": lambda: aten.mode(X),
    "amax": lambda: aten.amax(X, [1]),
    "amin": lambda: aten.amin(X, [1]),
    "max": lambda: aten.max(X, 1),
    "min": lambda: aten.min(X, 1),
    "aminmax": lambda: aten.aminmax(X),
    "_aminmax": lambda: aten._aminmax(X),
    "maximum": lambda: aten.maximum(X, Y),
    "minimum": lambda: aten.minimum(X, Y),
    "fmax": lambda: aten.fmax(X, Y),
    "fmin": lambda: aten.fmin(X, Y),
    "nan_to_num": lambda: aten.nan_to_num(X),
    "_cummax_helper": lambda: torch.cummax(X, 1),
    "_cummin_helper": lambda: torch.cummin(X, 1),
    "view_as_real": lambda: aten.view_as_real(torch.complex(X, Y)),
    "view_as_complex": lambda: aten.view_as_complex(X.view(4, 3, 2)),
    "complex": lambda: aten.complex(X, Y),
    "_unique": lambda: aten._unique(X),
    "_unique2": lambda: aten._unique2(X),
    "unique_dim": lambda: aten.unique_dim(X, 0),
    "unique_consecutive": lambda: aten.unique_consecutive(X),
    "unique_dim_consecutive": lambda: aten.unique_dim_consecutive(X, 0),
    "pixel_shuffle": lambda: aten.pixel_shuffle(IMAGE, 2),
    "pixel_unshuffle": lambda: aten.pixel_unshuffle(IMAGE, 2),
    "channel_shuffle": lambda: aten.channel_shuffle(IMAGE, 2),
    "native_channel_shuffle": lambda: aten.native_channel_shuffle(IMAGE, 2),
    "max_pool2d_with_indices": lambda: aten.max_pool2d_with_indices(IMAGE, [2, 2]),
    "max_pool3d_with_indices": lambda: aten.max_pool3d_with_indices(VOLUME, [2, 2, 2]),
    "reflection_pad1d": lambda: aten.reflection_pad1d(X, [1, 1]),
    "reflection_pad2d": lambda: aten.reflection_pad2d(IMAGE, [1, 1, 1, 1]),
    "reflection_pad3d": lambda: aten.reflection_pad3d(VOLUME, [1, 1, 1, 1, 1, 1]),
    "replication_pad1d": lambda: aten.replication_pad1d(X, [1, 1]),
    "replication_pad2d": lambda: aten.replication_pad2d(IMAGE, [1, 1, 1, 1]),
    "replication_pad3d": lambda: aten.replication_pad3d(VOLUME, [1, 1, 1, 1, 1, 1]),
    "upsample_nearest1d": lambda: aten.upsample_nearest1d(X.view(1, 4, 6), [12]),
    "upsample_nearest2d": lambda: aten.upsample_nearest2d(IMAGE, [12, 12]),
    "upsample_nearest3d": lambda: aten.upsample_nearest3d(VOLUME, [8, 8, 8]),
    "nll_loss_backward": lambda: aten.nll_loss_backward(X[0, 0], Y, LABELS, None, 2, -100, X[0, 0]),
    "nll_loss2d_backward": lambda: aten.nll_loss2d_backward(X[0, 0], IMAGE[:, :, :2, :2], PLANES, None, 2, -100, X[0, 0]),
}  # fmt: skip
# What gives no number of an operand's: indices, counts, truth values, memory nobody has written yet, a new tensor of numbers
# that its arguments name.
NO_OPERAND = {
    "_assert_async", "_efficientzerotensor", "_functional_assert_async", "_fused_sdp_choice", "_local_scalar_dense",
    "_make_dep_token", "_nested_view_from_buffer", "all", "any", "arange", "argmax", "argmin", "bitwise_and",
    "bitwise_and_", "bitwise_not", "bitwise_not_", "bitwise_or", "bitwise_or_", "bitwise_xor", "bitwise_xor_",
    "bucketize", "count_nonzero", "empty", "empty_strided", "eq", "eq_", "equal", "eye", "from_file", "ge", "ge_", "gt",
    "gt_", "hash_tensor", "histc", "is_set_to", "isin", "isnan", "isneginf", "isposinf", "le", "le_", "linspace",
    "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "lt_", "ne", "ne_", "nonzero", "nonzero_static",
    "range", "record_stream", "searchsorted", "signbit", "tril_indices", "triu_indices",
}  # fmt: skip
ONE_SIGN = {"conj_physical"}


def bits_of(x: torch.Tensor) -> set[int]:
    plain = torch.view_as_real(x.resolve_conj()) if x.is_complex() else x
    return set(plain.contiguous().view(torch.int64).flatten().tolist())


def test_all_are_called() -> None:
    moves = {operator.name for operator in operators() if operator.kind == "move"}
    assert moves == set(CALLS) | NO_OPERAND | ONE_SIGN


@pytest.mark.parametrize("operator", CALLS)
def test_its_numbers_are_its_operands(operator: str) -> None:
    handed = set().union(
        *(bits_of(x) for x in (X, Y, Z, IMAGE, VOLUME, -X[0, :1], torch.zeros(1, dtype=torch.float64)))
    )
    result = CALLS[operator]()
    numbers = [
        x
        for x in (result if isinstance(result, (tuple, list)) else (result,))
        if x.is_floating_point() or x.is_complex()
    ]
    assert numbers
    for x in numbers:
        assert bits_of(x) <= handed


def test_a_conjugate_has_the_other_sign() -> None:
    seen = aten.conj_physical(torch.complex(X, Y))
    assert torch.equal(seen.real, X)
    assert torch.equal(seen.imag, -Y)
