"""Models of Hugging Face transformers from small configurations, as published: no weights are loaded. Their norms,
rotary tables and routers compute in float32 by name, so they are run with --widen transformers."""

from __future__ import annotations

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

SIZES = {
    "vocab_size": 120,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32,
    "use_cache": False,
}


def llama() -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**SIZES, tie_word_embeddings=True))


def mixtral() -> nn.Module:
    from transformers import MixtralConfig, MixtralForCausalLM

    return MixtralForCausalLM(MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2))


def shard(model: nn.Module, mesh: DeviceMesh) -> None:
    """FSDP2 around every decoder layer, then around the model."""
    for layer in model.model.layers:  # type: ignore[union-attr]
        fully_shard(layer, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])
