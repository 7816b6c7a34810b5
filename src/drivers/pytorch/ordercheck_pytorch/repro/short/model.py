# mypy: allow-untyped-defs, no-check-untyped-defs
"""The model adds, and multiplies by weights of -1, 0 and 1, so that its numbers are whole."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.tensor import DTensor

DIM, VOCABULARY, LENGTH = 24, 60, 24


class Norm(nn.RMSNorm):
    def forward(self, x):
        return x * self.weight


class InnerAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(LENGTH, LENGTH).tril(), persistent=False)

    def forward(self, q, k, v):
        return q + self.mask[: q.shape[2], : k.shape[2]] @ (2 * k + v)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = [nn.Linear(DIM, DIM, bias=False) for _ in range(4)]
        self.inner_attention = InnerAttention()

    def forward(self, x):
        heads = [w(x).unflatten(-1, (-1, 2)).transpose(1, 2) for w in (self.wq, self.wk, self.wv)]
        return self.wo(self.inner_attention(*heads).relu().transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = Norm(DIM), Attention()

    def forward(self, x):
        return x + self.attention(self.attention_norm(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCABULARY, DIM)
        self.layers = nn.ModuleDict({"0": Block(), "1": Block()})
        self.norm, self.output = Norm(DIM), nn.Linear(DIM, VOCABULARY, bias=False)
        for p in self.double().parameters():  # weights of norms stay 1
            p.data.copy_(torch.randint(-4, 5, p.shape).div(4).trunc() if p.ndim == 2 else p)

    def forward(self, x):
        for part in (self.tok_embeddings, *self.layers.values(), self.norm, self.output):
            x = part(x) if part is not None else x  # a pipeline stage has only some
        return x


def loss_of(logits, labels):  # cross entropy without softmax
    return nn.functional.nll_loss(full(logits).mT, labels, reduction="sum") / 2**16


def full(x):
    return x.full_tensor() if isinstance(x, DTensor) else x


def seen(loss, parameters):
    grads = {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in parameters.items()}
    values = {f"the gradient of {n}": full(grad) for n, grad in grads.items()}
    values |= {f"{n} after the step": full(p) for n, p in parameters.items()}
    return {"the loss": loss.detach(), **values}
