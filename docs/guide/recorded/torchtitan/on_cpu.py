"""Debug models of torchtitan with an attention that has a backward on CPUs."""

from torchtitan.experiments.graph_trainer.llama3.config_registry import graph_trainer_llama3_debugmodel_sdpa
from torchtitan.models.common.attention import ScaledDotProductAttention
from torchtitan.models.llama3.config_registry import llama3_debugmodel
from torchtitan.models.qwen3.config_registry import qwen3_moe_debug


def on_cpu(config):
    for layer in config.model_spec.model.layers:
        layer.attention.inner_attention = ScaledDotProductAttention.Config()
    return config


def debug_model():
    return on_cpu(llama3_debugmodel())


def moe_debug_model():
    return on_cpu(qwen3_moe_debug())


def graph_debug_model():
    return graph_trainer_llama3_debugmodel_sdpa()
