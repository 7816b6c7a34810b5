"""Its models at small sizes, built by the constructors of TransformerConfig."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import SEQUENCE_LENGTH, VOCABULARY, Case
from torch import nn

from .package import part

WIDTH = 48
LAYERS = 2


def small(**arguments: Any) -> nn.Module:
    """A Llama of two blocks."""
    config = part("nn.transformer").TransformerConfig.llama_like(
        d_model=WIDTH,
        vocab_size=VOCABULARY,
        n_layers=LAYERS,
        n_heads=12,
        hidden_size_multiple_of=8,
        **arguments,
    )
    model: Any = config.build(init_device="cpu")
    for block in model.blocks.values():
        # As init_weights does. That method also draws weights, and the weights of a case are the engine's.
        block.attention.rope.warmup_cache(SEQUENCE_LENGTH, torch.device("cpu"))
    trained: nn.Module = model.train()
    return trained


def llama(case: Case) -> nn.Module:
    return small(n_kv_heads=4)


def olmo2(case: Case) -> nn.Module:
    """As olmo2_1B: norms after attention and feed-forward, and norms of queries and keys."""
    kinds = part("nn.transformer").TransformerBlockType
    return small(block_name=kinds.reordered_norm, qk_norm=True, layer_norm_eps=1e-6)


def tied(case: Case) -> nn.Module:
    return small(n_kv_heads=4, tie_word_embeddings=True)
