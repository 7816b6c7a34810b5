"""What Modalities' own functions do when a block with rotary positions is both checkpointed and compiled.

CLA-060, with Modalities 0.5.0 alone. One process, no devices. RotaryTransform keeps the tables of its first forward on the
module. The recomputation of that forward finds them, so its graph saves other tensors. A model that has run a forward before is
not affected, as after the evaluation with which Modalities' trainer begins.

Usage: PYTHONPATH=<folder of modalities and pydantic> python modalities_rotary_cache_in_a_compiled_checkpoint.py
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any
from unittest.mock import patch

import torch


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that Modalities imports to read configurations, models and text, which nothing here calls."""

    names = ("omegaconf", "sentencepiece", "tqdm", "transformers")

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        mine = any(name == one or name.startswith(f"{one}.") for one in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if mine else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        module.__getattr__ = self.some_class  # type: ignore[method-assign]
        return module

    def some_class(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def model(rotary: bool) -> Any:
    from modalities.models.gpt2 import gpt2_model
    from modalities.models.model import ActivationType
    from modalities.models.model_factory import GPT2ModelFactory

    norm = gpt2_model.LayerNormWrapperConfig(
        norm_type="layer_norm", config={"normalized_shape": 16, "eps": 1e-5}
    )
    table = {"n_embd": 16, "n_head": 4, "seq_length_dim": -2, "base_freq": 10000}
    transforms = [{"type_hint": "RotaryTransform", "config": table}] if rotary else []
    positions = gpt2_model.PositionTypes.NOPE if rotary else gpt2_model.PositionTypes.ABSOLUTE
    return GPT2ModelFactory.get_gpt2_model(
        sample_key="input_ids",
        prediction_key="logits",
        poe_type=positions,
        sequence_length=8,
        vocab_size=32,
        n_layer=1,
        n_head_q=4,
        n_head_kv=4,
        n_embd=16,
        ffn_hidden=64,
        dropout=0.0,
        bias=False,
        activation_type=ActivationType.GELU,
        attention_implementation=gpt2_model.AttentionImplementation.PYTORCH_FLASH,
        attention_config=gpt2_model.AttentionConfig(qkv_transforms=transforms),
        attention_norm_config=norm,
        ffn_norm_config=norm,
        lm_head_norm_config=norm,
        use_weight_tying=False,
    )


def checkpointed_and_compiled(whole: Any) -> Any:
    from modalities.config.config import ActivationCheckpointedModelConfig
    from modalities.models.model_factory import ModelFactory
    from modalities.training.activation_checkpointing import activation_checkpointing_variants as variants

    whole = ModelFactory.get_activation_checkpointed_fsdp2_model_(
        ac_variant=variants.ActivationCheckpointingVariants.FULL_ACTIVATION_CHECKPOINTING,
        layers_fqn="transformer.h",
        model=whole,
        ac_fun_params=ActivationCheckpointedModelConfig.FullACParams(),
    )
    stock = torch.compile
    with patch("torch.compile", lambda module, **options: stock(module, backend="aot_eager", **options)):
        return ModelFactory.get_compiled_model(whole, block_names=["GPT2Block"], fullgraph=True)


def step(whole: Any, tokens: torch.Tensor) -> str:
    try:
        whole(tokens).logsumexp(-1).sum().backward()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "works"


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    print(f"torch {torch.__version__}")
    tokens = torch.arange(16).reshape(2, 8)
    for rotary in (True, False):
        name = "rotary positions" if rotary else "learned positions"
        print(f"{name}, first step: {step(checkpointed_and_compiled(model(rotary)), tokens)}", flush=True)
    torch.compiler.reset()
    warm = model(rotary=True)
    with torch.no_grad():
        warm(tokens)
    print(f"rotary positions, after a forward: {step(checkpointed_and_compiled(warm), tokens)}", flush=True)
