"""Its models at small sizes, with the layouts that the job's configuration gives their modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from ordercheck_pytorch.api import SEQUENCE_LENGTH, VOCABULARY, Case
from torch import nn

from .job import job_config
from .package import part

WITHOUT_EXPERTS = ("llama", "llama3", "llama3_chunked", "llama_flex", "llama_tied", "qwen3")
WIDTH = 48
# One MoE block behind one dense block: 8 experts, of which 4 ranks hold two each.
EXPERTS = {"num_experts": 8, "moe_comm_backend": "standard", "non_blocking_capacity_factor": None}


def built(config: Any, case: Case, is_flex: bool = False) -> nn.Module:
    """Built and initialized as its trainer does, but on the device at once. Attention is torch's, or FlexAttention with masks
    of blocks that divide half a sequence."""
    attention = part("models.common.attention")
    for layer in config.layers:
        layer.attention.inner_attention = (
            attention.FlexAttention.Config(block_size=SEQUENCE_LENGTH // 4)
            if is_flex
            else attention.ScaledDotProductAttention.Config()
        )
    config.update_from_config(config=job_config(case))
    model: nn.Module = config.build()
    with torch.no_grad():
        model.init_weights()  # type: ignore[operator]
    return model.train()


def ends(family: Any, norm: Any) -> dict[str, Any]:
    """What every decoder has around its blocks."""
    common = part("models.common")
    return {
        "dim": WIDTH,
        "vocab_size": VOCABULARY,
        "tok_embeddings": common.Embedding.Config(
            num_embeddings=VOCABULARY, embedding_dim=WIDTH, param_init=family._EMBEDDING_INIT
        ),
        "norm": norm,
        "lm_head": common.Linear.Config(
            in_features=WIDTH, out_features=VOCABULARY, param_init=family._LINEAR_INIT
        ),
    }


def llama3(case: Case, is_flex: bool = False, **more: Any) -> nn.Module:
    family, common = part("models.llama3"), part("models.common")
    layers = family._build_llama3_layers(
        n_layers=2,
        dim=WIDTH,
        n_heads=12,
        n_kv_heads=4,
        hidden_dim=128,
        rope=common.ComplexRoPE.Config(dim=4, max_seq_len=1024, theta=500000, scaling="llama"),
        attn_backend="flex",
    )
    norm = common.RMSNorm.Config(normalized_shape=WIDTH, param_init=family._NORM_INIT)
    return built(family.Llama3Model.Config(**ends(family, norm), layers=layers, **more), case, is_flex)


def llama_flex(case: Case) -> nn.Module:
    """Its usual attention, which has a backward on a CPU by what stands in for it alone."""
    return llama3(case, is_flex=True)


def llama_tied(case: Case) -> nn.Module:
    return llama3(case, enable_weight_tying=True)


def deepseek_v3(case: Case) -> nn.Module:
    family, common = part("models.deepseek_v3"), part("models.common")
    layers = family._build_dsv3_layers(
        n_layers=2,
        n_dense_layers=1,
        dim=WIDTH,
        n_heads=8,
        q_lora_rank=0,
        kv_lora_rank=16,
        qk_nope_head_dim=4,
        qk_rope_head_dim=4,
        v_head_dim=4,
        mscale=0.7,
        dense_hidden_dim=96,
        moe_hidden_dim=32,
        num_shared_experts=2,
        router_top_k=3,
        router_score_func="softmax",
        attn_backend="flex",
        rope=common.ComplexRoPE.Config(dim=4, max_seq_len=1024, theta=10000.0),
        **EXPERTS,
    )
    norm = common.RMSNorm.Config(normalized_shape=WIDTH, param_init=family._NORM_INIT)
    return built(family.DeepSeekV3Model.Config(**ends(family, norm), layers=layers), case)


def kimi_k2(case: Case) -> nn.Module:
    """Its text tower, routed as in Moonlight: scores of a sigmoid, normalized and scaled."""
    family, common = part("models.kimi_k2_7"), part("models.common")
    layers = family._build_kimi_layers(
        n_layers=2,
        n_dense_layers=1,
        dim=WIDTH,
        n_heads=8,
        q_lora_rank=0,
        kv_lora_rank=16,
        qk_nope_head_dim=4,
        qk_rope_head_dim=4,
        v_head_dim=4,
        mscale=1.0,
        dense_hidden_dim=96,
        moe_hidden_dim=32,
        num_shared_experts=2,
        router_top_k=3,
        router_score_func="sigmoid",
        router_num_expert_groups=None,
        router_num_limited_groups=None,
        router_route_scale=2.446,
        router_route_norm=True,
        attn_backend="flex",
        rope=common.ComplexRoPE.Config(dim=4, max_seq_len=1024, theta=50000.0),
        **EXPERTS,
    )
    norm = common.RMSNorm.Config(normalized_shape=WIDTH, param_init=family._NORM_INIT)
    config = family.KimiK25Model.Config(**ends(family, norm), layers=layers, vision_encoder=None)
    return built(config, case)


def qwen3_of(case: Case, layers_of: Callable[..., Any], **more: Any) -> nn.Module:
    family, common = part("models.qwen3"), part("models.common")
    layers = layers_of(
        n_layers=2,
        dim=WIDTH,
        n_heads=12,
        n_kv_heads=4,
        head_dim=4,
        attn_backend="flex",
        rope=common.CosSinRoPE.Config(dim=4, max_seq_len=1024, theta=1000000.0),
        **more,
    )
    config = family.Qwen3Model.Config(**ends(family, family._qwen3_norm(WIDTH)), layers=layers)
    return built(config, case)


def qwen3(case: Case) -> nn.Module:
    return qwen3_of(case, part("models.qwen3")._build_qwen3_layers, hidden_dim=96)


def qwen3_moe(case: Case) -> nn.Module:
    return qwen3_of(case, part("models.qwen3")._build_qwen3_moe_layers, moe_hidden_dim=32, top_k=3, **EXPERTS)
