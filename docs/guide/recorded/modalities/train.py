"""A small GPT-2 that Modalities builds from the components of a configuration, each with the model of the one before."""

import os
import sys
from types import SimpleNamespace

import torch
import torch.distributed as dist
from transformers import LlamaTokenizer

# Modalities imports a tokenizer that newer releases of transformers lack, and packages that nothing here uses.
sys.modules["transformers.models.llama.tokenization_llama_fast"] = SimpleNamespace(
    LlamaTokenizerFast=LlamaTokenizer
)
sys.modules["sentencepiece"] = sys.modules["jq"] = SimpleNamespace()

from modalities.config.component_factory import ComponentFactory  # noqa: E402
from modalities.config.pydantic_if_types import PydanticPytorchModuleType  # noqa: E402
from modalities.registry.components import COMPONENTS  # noqa: E402
from modalities.registry.registry import Registry  # noqa: E402
from pydantic import BaseModel  # noqa: E402


class Components(BaseModel):
    fsdp_model: PydanticPytorchModuleType


def component(variant, kind="model", **config):
    return {"component_key": kind, "variant_key": variant, "config": config}


def named(name):
    return {"instance_key": name, "pass_type": "BY_REFERENCE"}


NORM = {"norm_type": "pytorch_rms_norm", "config": {"normalized_shape": 128}}
CONFIG = {
    "device_mesh": component(
        "default",
        "device_mesh",
        device_type="cpu",
        data_parallel_shard_degree=-1,
        tensor_parallel_degree=2,
        world_size=int(os.environ["WORLD_SIZE"]),
    ),
    "model_raw": component(
        "gpt2",
        sample_key="input_ids",
        prediction_key="logits",
        poe_type="ABSOLUTE",
        sequence_length=16,
        vocab_size=128,
        n_layer=4,
        n_head_q=4,
        n_head_kv=4,
        n_embd=128,
        ffn_hidden=512,
        dropout=0.0,
        bias=False,
        activation_type="gelu",
        attention_implementation="pytorch_flash",
        attention_config={"qkv_transforms": []},
        attention_norm_config=NORM,
        ffn_norm_config=NORM,
        lm_head_norm_config=NORM,
        use_weight_tying=False,
    ),
    "tp_model": component("gpt2_tp", model=named("model_raw"), device_mesh=named("device_mesh")),
    "checkpointed_model": component(
        "activation_checkpointed",
        model=named("tp_model"),
        ac_variant="full_activation_checkpointing",
        layers_fqn="transformer.h",
        ac_fun_params={},
    ),
    "fsdp_model": component(
        "fsdp2_wrapped",
        model=named("checkpointed_model"),
        device_mesh=named("device_mesh"),
        mixed_precision_settings={"param_dtype": "FP_32", "reduce_dtype": "FP_32"},
        block_names=["GPT2Block"],
    ),
}

dist.init_process_group("gloo")
model = ComponentFactory(Registry(COMPONENTS)).build_components(CONFIG, Components).fsdp_model
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(2):
    model({"input_ids": torch.arange(16).repeat(2, 1)})["logits"].square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
