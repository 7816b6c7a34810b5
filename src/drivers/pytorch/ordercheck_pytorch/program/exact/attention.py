"""Scaled dot-product attention, which the stock kernel computes block by block with a running maximum.

Its results lie in memory as the stock kernel's do: code that Inductor writes is compiled for that and asserts it."""

from __future__ import annotations

import math
from typing import Any

import torch

from .contractions import product
from .kernels import is_exact, kernel, stock_path
from .softmax import exponentials, softmax_backward
from .stock import stock

FORWARD = "_scaled_dot_product_flash_attention_for_cpu"
BACKWARD = FORWARD + "_backward"


def multiplied(name: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Of [batch, heads, M, K] and [batch, heads, K, N]."""
    result = product(name, "bmm", a.flatten(0, 1), b.flatten(0, 1))
    return result.unflatten(0, a.shape[:2])


def for_every_head(kv: torch.Tensor, heads: int) -> torch.Tensor:
    """Query heads that share a key and value head stand side by side."""
    repeats = heads // kv.shape[1]
    return kv if repeats == 1 else kv.repeat_interleave(repeats, 1)


def weights_of(
    name: str, q: torch.Tensor, k: torch.Tensor, causal: bool, mask: torch.Tensor | None, scale: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores, their exponentials and the sums of these."""
    scores = multiplied(name, q, k.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    if causal:
        seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril_()
        scores = scores.masked_fill(~seen, -math.inf)
    _, e, total = exponentials(scores, -1)
    return scores, e, total


def scale_of(q: torch.Tensor, scale: float | None) -> float:
    return 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale


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
    k, v = for_every_head(k, q.shape[1]), for_every_head(v, q.shape[1])
    scores, e, total = weights_of(FORWARD, q, k, is_causal, attn_mask, scale_of(q, scale))
    out = multiplied(FORWARD, e / total, v)
    return laid_out(out), laid_out(scores.amax(-1) + total.squeeze(-1).log())


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
    kv_heads = k.shape[1]
    repeats = q.shape[1] // kv_heads
    k, v = for_every_head(k, q.shape[1]), for_every_head(v, q.shape[1])
    factor = scale_of(q, scale)
    _, e, total = weights_of(BACKWARD, q, k, is_causal, attn_mask, factor)
    weights = e / total
    to_v = multiplied(BACKWARD, weights.transpose(-2, -1), g)
    to_weights = multiplied(BACKWARD, g, v.transpose(-2, -1))
    to_scores = softmax_backward(to_weights, weights, -1, torch.float64) * factor
    to_q = multiplied(BACKWARD, to_scores, k)
    to_k = multiplied(BACKWARD, to_scores.transpose(-2, -1), q)
    if repeats > 1:
        # Products of rounded operands are exact as they are. The exact sum would round them to its own, coarser grid: under context
        # parallel each rank has a part of them, and parts would round on their own.
        to_k = stock("sum.dim_IntList")(to_k.unflatten(1, (kv_heads, repeats)), [2])
        to_v = stock("sum.dim_IntList")(to_v.unflatten(1, (kv_heads, repeats)), [2])
    return laid_out(to_q), laid_out(to_k), laid_out(to_v)
