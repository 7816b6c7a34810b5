"""The built-in llama in the sizes of a user's model."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from ..program import llama


class CausalAttention(llama.InnerAttention):
    """Without a mask as a tensor, which the kernels of long sequences do without."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def sized_llama(sizes: dict[str, int], sequence_length: int) -> nn.Module:
    """Sets the sizes of the module llama, so a process builds models of one size only."""
    constants = {"VOCABULARY": sizes["vocab"], "SEQUENCE_LENGTH": sequence_length}
    for constant in ("LAYERS", "DIM", "HEADS", "KV_HEADS", "HEAD_DIM", "FFN_HIDDEN"):
        constants[constant] = sizes[constant.lower()]
    for constant, value in constants.items():
        setattr(llama, constant, value)
    model = llama.Llama()
    for module in model.modules():
        if isinstance(module, llama.Attention):
            module.inner_attention = CausalAttention()
    model.mask = torch.empty(0)
    if sizes.get("tied"):
        assert model.output is not None and model.tok_embeddings is not None
        model.output.weight = model.tok_embeddings.weight
    return model
