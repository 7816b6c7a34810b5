"""Its GPT2LLM at small sizes, built by its factory."""

from __future__ import annotations

from typing import Any

from ordercheck_pytorch.api import SEQUENCE_LENGTH, VOCABULARY, Case
from torch import nn

from .package import part

LAYERS = 2
WIDTH = 48


def gpt2(case: Case, **more: Any) -> nn.Module:
    """As config_lorem_ipsum_long_fsdp2.yaml builds it, at a small size and without biases: rotary positions, SwiGLU, grouped
    queries, and torch's RMSNorm for LayerNorm."""
    gpt2, activation = part("models.gpt2.gpt2_model"), part("models.model").ActivationType
    norm = gpt2.LayerNormWrapperConfig(
        norm_type="pytorch_rms_norm", config={"normalized_shape": WIDTH, "eps": 1e-5}
    )
    rotary = {"n_embd": WIDTH, "n_head": 8, "seq_length_dim": -2, "base_freq": 10000}
    attention = gpt2.AttentionConfig(qkv_transforms=[{"type_hint": "RotaryTransform", "config": rotary}])
    arguments: dict[str, Any] = {
        "sample_key": "input_ids",
        "prediction_key": "logits",
        "poe_type": gpt2.PositionTypes.NOPE,
        "sequence_length": SEQUENCE_LENGTH,
        "vocab_size": VOCABULARY,
        "n_layer": LAYERS,
        "n_head_q": 8,
        "n_head_kv": 4,
        "n_embd": WIDTH,
        "ffn_hidden": 4 * WIDTH,
        "dropout": 0.0,
        "bias": False,
        "activation_type": activation.SWIGLU,
        "attention_implementation": gpt2.AttentionImplementation.PYTORCH_FLASH,
        "attention_config": attention,
        "attention_norm_config": norm,
        "ffn_norm_config": norm,
        "lm_head_norm_config": norm,
        "use_weight_tying": False,
        "enforce_swiglu_hidden_dim_multiple_of": 8,
    }
    model: nn.Module = part("models.model_factory").GPT2ModelFactory.get_gpt2_model(**arguments | more)
    return model


def tied(case: Case) -> nn.Module:
    return gpt2(case, use_weight_tying=True)


def gpt2_absolute(case: Case) -> nn.Module:
    """Learned positions and GELU, as in GPT-2: no table that a first forward fills."""
    gpt2_model = part("models.gpt2.gpt2_model")
    return gpt2(
        case,
        poe_type=gpt2_model.PositionTypes.ABSOLUTE,
        attention_config=gpt2_model.AttentionConfig(qkv_transforms=[]),
        activation_type=part("models.model").ActivationType.GELU,
    )
