"""llama: a decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU; torchtitan's names.

Single-device code that knows of no mesh. As torchtitan's, it computes with the sizes of the tensors it is given (heads from
the projections' width), and runs with its embedding, norm or output missing, so that a part of it can be a pipeline stage."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .counter_random import units
from .data import SEQUENCE_LENGTH, VOCABULARY

LAYERS = 2
DIM = 48
HEADS = 48
KV_HEADS = 24
HEAD_DIM = 2
FFN_HIDDEN = 120
NORM_EPS = 1e-5
ROPE_THETA = 10000.0


def rotary_table(length: int, head_dim: int) -> torch.Tensor:
    """Cosine and sine of position * theta^(-2i/head_dim): [length, head_dim / 2, 2]."""
    exponent = torch.arange(head_dim // 2, dtype=torch.float64) * (-2.0 / head_dim)
    angle = torch.arange(length).to(torch.float64).unsqueeze(-1) * torch.exp(exponent * math.log(ROPE_THETA))
    return torch.stack([angle.cos(), angle.sin()], dim=-1)


def rotate(x: torch.Tensor, rope: torch.Tensor) -> torch.Tensor:
    """x is [batch, sequence, heads, head_dim]. Rotates pairs (first half, second half) of the last dim by a table's angles."""
    half = x.shape[-1] // 2
    cosine, sine = rope[..., 0].unsqueeze(1), rope[..., 1].unsqueeze(1)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


def causal_mask(length: int) -> torch.Tensor:
    """[query, key]: what is added to a score. A key that comes later is hidden."""
    return torch.full((length, length), -torch.inf).triu(1)


class InnerAttention(nn.Module):
    """Of q [batch, heads, queries, head_dim], k and v [batch, kv_heads, keys, head_dim] and a mask [queries, keys]."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        mask = mask[: q.shape[2], : k.shape[2]]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wq = nn.Linear(DIM, HEADS * HEAD_DIM, bias=False)
        self.wk = nn.Linear(DIM, KV_HEADS * HEAD_DIM, bias=False)
        self.wv = nn.Linear(DIM, KV_HEADS * HEAD_DIM, bias=False)
        self.inner_attention = InnerAttention()
        self.wo = nn.Linear(HEADS * HEAD_DIM, DIM, bias=False)

    def forward(self, x: torch.Tensor, rope: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length = x.shape[:2]
        rope = rope[:length]
        q = rotate(self.wq(x).view(batch, length, -1, HEAD_DIM), rope).transpose(1, 2)
        k = rotate(self.wk(x).view(batch, length, -1, HEAD_DIM), rope).transpose(1, 2)
        v = self.wv(x).view(batch, length, -1, HEAD_DIM).transpose(1, 2)
        out = self.inner_attention(q, k, v, mask)
        return self.wo(out.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    """w2(silu(w1 x) * w3 x)."""

    def __init__(self) -> None:
        super().__init__()
        self.w1 = nn.Linear(DIM, FFN_HIDDEN, bias=False)
        self.w2 = nn.Linear(FFN_HIDDEN, DIM, bias=False)
        self.w3 = nn.Linear(DIM, FFN_HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class TransformerBlock(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(DIM, eps=NORM_EPS)
        self.attention = Attention()
        self.ffn_norm = nn.RMSNorm(DIM, eps=NORM_EPS)
        self.feed_forward = FeedForward()
        self.attention_dropout = nn.Dropout(dropout) if dropout else None
        self.ffn_dropout = nn.Dropout(dropout) if dropout else None

    def forward(self, x: torch.Tensor, rope: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        attended = self.attention(self.attention_norm(x), rope, mask)
        x = x + (attended if self.attention_dropout is None else self.attention_dropout(attended))
        fed = self.feed_forward(self.ffn_norm(x))
        return x + (fed if self.ffn_dropout is None else self.ffn_dropout(fed))


class Llama(nn.Module):
    """tokens [batch, sequence] int64 to logits [batch, sequence, vocabulary]. `dropout` is of what a block's branches add."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.tok_embeddings: nn.Module | None = nn.Embedding(VOCABULARY, DIM)
        self.layers = nn.ModuleDict({str(i): TransformerBlock(dropout) for i in range(LAYERS)})
        self.norm: nn.Module | None = nn.RMSNorm(DIM, eps=NORM_EPS)
        self.output: nn.Module | None = nn.Linear(DIM, VOCABULARY, bias=False)
        rope = rotary_table(SEQUENCE_LENGTH, HEAD_DIM)
        self.register_buffer("rope", rope, persistent=False)
        self.register_buffer("mask", causal_mask(SEQUENCE_LENGTH), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        h = self.tok_embeddings(tokens) if self.tok_embeddings is not None else tokens
        for block in self.layers.values():
            h = block(h, self.rope, self.mask)
        h = self.norm(h) if self.norm is not None else h
        return self.output(h) if self.output is not None else h


def initial_value(seed: int, name: str, like: torch.Tensor) -> torch.Tensor:
    """Matrices uniform with the variance 1/inputs, norms around 1; no element is zero. A function of seed and name alone."""
    center, scale = (0.0, math.sqrt(3.0 / like.shape[1])) if like.ndim == 2 else (1.0, 0.25)
    values = center + scale * (2 * units(seed, name, like.numel()) - 1)
    return values.reshape(like.shape).to(like.dtype)


def make_llama(dtype: torch.dtype, seed: int, variant: str = "llama") -> Llama:
    """`variant`: llama, llama_dropout, or llama_tied, whose output has the weight of the embedding."""
    model = Llama(0.25 if variant == "llama_dropout" else 0.0).to(dtype)
    if variant == "llama_tied":
        assert model.output is not None and model.tok_embeddings is not None
        model.output.weight = model.tok_embeddings.weight
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(initial_value(seed, name, parameter))
    return model
