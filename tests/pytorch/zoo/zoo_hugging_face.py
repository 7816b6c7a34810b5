"""Models of Hugging Face transformers from small configurations, as published, with eager attention: no weights are loaded.
They compute in float32 by name, so they are run with --widen transformers. Dropout is off: exact arithmetic refuses what draws
random numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GemmaConfig,
    GemmaForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

DECODER = {
    "vocab_size": 120,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
    "use_cache": False,
    "attn_implementation": "eager",
}
EXPERTS = {"num_experts_per_tok": 2}


def llama() -> nn.Module:
    return LlamaForCausalLM(LlamaConfig(**DECODER))


def mixtral() -> nn.Module:
    return MixtralForCausalLM(MixtralConfig(**DECODER, **EXPERTS, num_local_experts=4))


def qwen3_moe() -> nn.Module:
    own = {"head_dim": 8, "num_experts": 4, "moe_intermediate_size": 32, "norm_topk_prob": True}
    return Qwen3MoeForCausalLM(Qwen3MoeConfig(**DECODER, **EXPERTS, **own))


def gemma() -> nn.Module:
    return GemmaForCausalLM(GemmaConfig(**DECODER, head_dim=8))


def gpt2() -> nn.Module:
    sizes = {"vocab_size": 120, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32}
    dropout = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    return GPT2LMHeadModel(GPT2Config(**sizes, **dropout, use_cache=False, attn_implementation="eager"))


def bert() -> nn.Module:
    encoder = {
        name: size for name, size in DECODER.items() if name not in ("num_key_value_heads", "use_cache")
    }
    dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    return BertForMaskedLM(BertConfig(**encoder, **dropout, tie_word_embeddings=False))


class Translating(nn.Module):
    """T5 that translates a text into itself: one tensor of tokens is both of its inputs."""

    def __init__(self, t5: nn.Module) -> None:
        super().__init__()
        self.t5 = t5

    def forward(self, tokens: torch.Tensor) -> Any:
        return self.t5(input_ids=tokens, decoder_input_ids=tokens)


def t5() -> nn.Module:
    sizes = {"vocab_size": 120, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
    config = T5Config(**sizes, dropout_rate=0.0, use_cache=False, attn_implementation="eager")
    return Translating(T5ForConditionalGeneration(config))
