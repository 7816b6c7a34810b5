"""Scaled dot-product attention, which the stock kernel computes block by block with a running maximum.

Its results lie in memory as the stock kernel's do, the output as the queries, the rest as [batch, rows, heads, ...]: a view of
it, and a graph that was captured, rely on that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ...process_state import CASE_STATE
from .contractions import product_of_rounded
from .grid import rounded, rounded_
from .kernels import is_exact, kernel, number, stock_path
from .softmax import shift_of, softmax_backward_, total_of
from .stock import stock
from .sums import add

FORWARD = "_scaled_dot_product_flash_attention_for_cpu"
BACKWARD = FORWARD + "_backward"
SCORES_AT_A_TIME = 65536


def multiplied(name: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Of [batch, heads, M, K] and [batch, heads, K, N], rounded."""
    result = product_of_rounded(name, "bmm", a.flatten(0, 1), b.flatten(0, 1))
    return result.view(*a.shape[:-1], b.shape[-1])


def operand(x: torch.Tensor) -> torch.Tensor:
    return rounded(x, CASE_STATE.product_bits)


def later(queries: int, keys: int) -> torch.Tensor:
    """What a causal mask hides."""
    return torch.arange(keys) > torch.arange(queries).unsqueeze(1)


def by_batch(
    mask: torch.Tensor | None, *tensors: torch.Tensor
) -> Iterator[tuple[list[torch.Tensor], torch.Tensor | None]]:
    """As much of the batch at a time as a cache holds the scores of, and its mask."""
    batch, heads, queries = tensors[0].shape[:3]
    size = max(1, SCORES_AT_A_TIME // max(1, heads * queries * tensors[-1].shape[2]))
    if size >= batch:
        yield list(tensors), mask
        return
    for at in range(0, batch, size):
        part = mask[at : at + size] if mask is not None and mask.ndim == 4 and mask.shape[0] > 1 else mask
        yield [x[at : at + size] for x in tensors], part


def joined(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(list(parts))


def for_every_head(kv: torch.Tensor, heads: int) -> torch.Tensor:
    """Query heads that share a key and value head stand side by side."""
    repeats = heads // kv.shape[1]
    return kv if repeats == 1 else kv.repeat_interleave(repeats, 1)


def weights_of(
    name: str, q: torch.Tensor, k: torch.Tensor, causal: bool, mask: torch.Tensor | None, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of rounded queries and keys: probabilities, the largest score of each row, and the sum of its exponentials."""
    scores = stock("mul_.Tensor")(multiplied(name, q, k.transpose(-2, -1)), number(scale))
    if mask is not None:
        scores = scores.masked_fill_(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    if causal:
        scores.masked_fill_(later(q.shape[-2], k.shape[-2]), -math.inf)
    largest = scores.amax(-1, keepdim=True)
    e = scores.sub_(shift_of(largest)).exp_()
    total = total_of(e, -1)
    return e.div_(total), largest, total


def scale_of(q: torch.Tensor, scale: float | None) -> float:
    return 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale


def laid_out_as(q: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    like = torch.empty_like(q)
    return out if like.stride() == out.stride() else like.copy_(out)


def laid_out(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def _refuse_dropout(name: str, q: torch.Tensor, dropout: float) -> None:
    if dropout:
        stock_path(name, q, why="with dropout")


@kernel(FORWARD)
def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> Any:
    if not is_exact(q):
        return stock_path(FORWARD, q, k, v, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)
    _refuse_dropout(FORWARD, q, dropout_p)
    scale = scale_of(q, scale)
    parts = [
        forward(*part, causal=is_causal, mask=mask, scale=scale)
        for part, mask in by_batch(attn_mask, q, k, v)
    ]
    out, logsumexp = (joined(results) for results in zip(*parts, strict=True))
    return laid_out_as(q, out), laid_out(logsumexp)


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool,
    mask: torch.Tensor | None,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    q, k, v = (operand(x) for x in (q, k, v))
    k, v = for_every_head(k, q.shape[1]), for_every_head(v, q.shape[1])
    weights, largest, total = weights_of(FORWARD, q, k, causal, mask, scale)
    out = multiplied(FORWARD, rounded_(weights, CASE_STATE.product_bits), v)
    return out, add(largest.squeeze(-1), total.squeeze(-1).log())


@kernel(BACKWARD)
def attention_backward(
    g: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    logsumexp: torch.Tensor,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> Any:
    if not is_exact(q):
        return stock_path(
            BACKWARD, g, q, k, v, out, logsumexp, dropout_p, is_causal, attn_mask=attn_mask, scale=scale
        )
    _refuse_dropout(BACKWARD, q, dropout_p)
    scale = scale_of(q, scale)
    parts = [
        backward(*part, causal=is_causal, mask=mask, scale=scale)
        for part, mask in by_batch(attn_mask, g, q, k, v)
    ]
    return tuple(laid_out(joined(results)) for results in zip(*parts, strict=True))


def backward(
    g: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool,
    mask: torch.Tensor | None,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    kv_heads, repeats = k.shape[1], q.shape[1] // k.shape[1]
    g, q, k, v = (operand(x) for x in (g, q, k, v))
    k, v = for_every_head(k, q.shape[1]), for_every_head(v, q.shape[1])
    weights, _, _ = weights_of(BACKWARD, q, k, causal, mask, scale)
    to_weights = multiplied(BACKWARD, g, v.transpose(-2, -1))
    to_scores = stock("mul_.Tensor")(softmax_backward_(to_weights, weights, -1), number(scale))
    rounded_(to_scores, CASE_STATE.product_bits)
    to_v = multiplied(BACKWARD, rounded_(weights, CASE_STATE.product_bits).transpose(-2, -1), g)
    to_q = multiplied(BACKWARD, to_scores, k)
    to_k = multiplied(BACKWARD, to_scores.transpose(-2, -1), q)
    if repeats > 1:
        # Products of rounded operands are exact as they are. The exact sum would round them to its own, coarser grid:
        # under context parallel each rank has a part of them, and parts would round on their own.
        to_k = stock("sum.dim_IntList")(to_k.unflatten(1, (kv_heads, repeats)), [2])
        to_v = stock("sum.dim_IntList")(to_v.unflatten(1, (kv_heads, repeats)), [2])
    return to_q, to_k, to_v
