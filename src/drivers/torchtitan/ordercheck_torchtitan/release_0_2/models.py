"""Its models at small sizes, built and initialized as its trainer does."""

from __future__ import annotations

from typing import Any

import torch
from ordercheck_pytorch.api import SEQUENCE_LENGTH, VOCABULARY, Case
from torch import nn

from .package import part

WITHOUT_EXPERTS = ("llama", "llama3", "qwen3")
# One MoE block behind one dense block: 8 experts, of which 4 ranks hold two each.
EXPERTS = {"num_experts": 8, "top_k": 3, "load_balance_coeff": 1e-3}


def model_of(family: str, sizes: dict[str, Any]) -> nn.Module:
    """Built and initialized as its trainer does, but on the device at once."""
    spec = part(f"models.{family}").get_train_spec()
    arguments = type(spec.model_args["debugmodel"])
    config = part("config").JobConfig()
    config.training.seq_len = SEQUENCE_LENGTH
    made = arguments(vocab_size=VOCABULARY, **sizes)
    made.update_from_config(config)
    model: nn.Module = spec.model_cls(made)
    with torch.no_grad():
        model.init_weights()  # type: ignore[operator]
    return model.train()


def experts(**more: Any) -> Any:
    return part("models.moe").MoEArgs(**EXPERTS, **more)


def llama3(case: Case) -> nn.Module:
    return model_of("llama3", {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "multiple_of": 8})


def llama4(case: Case) -> nn.Module:
    sizes = {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "multiple_of": 8}
    return model_of("llama4", sizes | {"moe_args": experts(score_before_experts=True)})


def deepseek_v3(case: Case) -> nn.Module:
    sizes = {
        "dim": 48,
        "inter_dim": 96,
        "moe_inter_dim": 32,
        "n_layers": 2,
        "n_dense_layers": 1,
        "n_heads": 8,
    }
    heads = {"kv_lora_rank": 16, "qk_nope_head_dim": 4, "qk_rope_head_dim": 4, "v_head_dim": 4, "mscale": 0.7}
    moe = experts(num_shared_experts=2, score_func="softmax", score_before_experts=False)
    return model_of("deepseek_v3", sizes | heads | {"moe_args": moe})


def deepseek_v3_idle(case: Case) -> nn.Module:
    """Its experts 2 and 3, all that the second of 4 ranks holds, are never chosen, and the first one always is: by the bias
    that it adds to scores where it chooses."""
    model: Any = deepseek_v3(case)
    for block in model.layers.values():
        if block.moe_enabled:
            block.moe.expert_bias.copy_(torch.tensor([100.0, 0, -100, -100, 0, 0, 0, 0]))
    return model


def qwen3(case: Case) -> nn.Module:
    return model_of(
        "qwen3", {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "head_dim": 4, "hidden_dim": 96}
    )


def qwen3_moe(case: Case) -> nn.Module:
    sizes = {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "head_dim": 4, "hidden_dim": 96}
    # Unlike llama4 and deepseek_v3 it does not turn to a loop over experts by itself where there is no grouped product.
    moe = experts(
        num_shared_experts=0,
        score_func="softmax",
        route_norm=True,
        score_before_experts=False,
        use_grouped_mm=False,
    )
    return model_of("qwen3", sizes | {"moe_enabled": True, "moe_inter_dim": 32, "moe_args": moe})
