"""What Modalities makes of a GPT-2 whose output has the weight of its embedding (use_weight_tying).

EFF-009 and EFF-010, with Modalities 0.5.0 alone, on two ranks over gloo on CPU. Gradients are compared with
those of one rank, and both ranks have the same input. The twins are FSDP2, and a model that is not tied. The
pipeline is made by _get_split_model, because get_staged_pipeline, which calls it, builds stages on CUDA.

Usage: PYTHONPATH=<folder of modalities and pydantic> torchrun --nproc-per-node 2 modalities_tied_weights.py
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.pipelining import Schedule1F1B

# Packages that Modalities imports, and nothing here calls. Each of their names is an empty class.
LLAMA = "transformers.models.llama.tokenization_llama_fast"
for package in ("omegaconf", "sentencepiece", "tqdm", "transformers", LLAMA):
    sys.modules[package] = ModuleType(package)
    sys.modules[package].__spec__ = ModuleSpec(package, None)
    sys.modules[package].__getattr__ = lambda n: getattr(object, n) if n[:2] == "__" else type(n, (), {})

from modalities.loss_functions import CLMCrossEntropyLoss  # noqa: E402
from modalities.models.gpt2 import gpt2_model as gpt2  # noqa: E402
from modalities.models.model_factory import GPT2ModelFactory, ModelFactory  # noqa: E402
from modalities.models.parallelism.pipeline_parallelism import PipelineFactory  # noqa: E402
from modalities.models.parallelism.stages_generator import GPT2LLMStagesGenerator  # noqa: E402
from modalities.running_env.env_utils import FSDP2MixedPrecisionSettings  # noqa: E402
from modalities.running_env.fsdp.device_mesh import get_device_mesh  # noqa: E402

TOKENS, TARGETS = torch.randint(32, (2, 2, 8), generator=torch.Generator().manual_seed(1))
LOSS = CLMCrossEntropyLoss("target_ids", "logits")
WAYS = ("FSDP2", "tensor parallelism", "a pipeline")


def model(tied: bool) -> Any:
    torch.manual_seed(0)
    norm = gpt2.LayerNormWrapperConfig(norm_type="layer_norm", config={"normalized_shape": 16, "eps": 1e-5})
    sizes = (8, 32, 2, 4, 4, 16, 64)  # tokens, vocabulary, layers, heads, heads of keys, width, hidden width
    attention = (gpt2.AttentionImplementation.PYTORCH_FLASH, gpt2.AttentionConfig(qkv_transforms=[]))
    kinds = (0.0, False, gpt2.ActivationType.GELU, *attention, norm, norm, norm)  # no dropout, no bias
    return GPT2ModelFactory.get_gpt2_model("ids", "logits", gpt2.PositionTypes.ABSOLUTE, *sizes, *kinds, tied)


def after_backward(whole: Any, way: str) -> Any:
    mesh = get_device_mesh("cpu", 1, *(2 if way == one else 1 for one in WAYS), 1, False, 2) if way else None
    if way == "a pipeline":
        names = GPT2LLMStagesGenerator(num_model_layers=2).get_stages(num_layers_per_stage=2, pp_dims=2)
        stages = (Schedule1F1B, mesh["pp"], torch.device("cpu"), names)
        pipeline = PipelineFactory.get_pipeline(*PipelineFactory._get_split_model(whole, *stages))
        PipelineFactory.get_scheduled_pipeline(LOSS, "1f1b", 2, 1, 2, pipeline)
        pipeline.pp_schedule.step(*[TOKENS] * pipeline.has_first_pp_stage, target=TARGETS)
        return pipeline.model_parts[0]
    if way == "tensor parallelism":
        whole = GPT2ModelFactory.get_gpt2_tensor_parallelized_model(whole, mesh)
    elif way == "FSDP2":
        dtypes = FSDP2MixedPrecisionSettings(param_dtype="FP_32", reduce_dtype="FP_32")
        whole = ModelFactory.get_fsdp2_wrapped_model(whole, ["GPT2Block"], mesh, dtypes, True)
    LOSS(whole(TOKENS), TARGETS).backward()
    return whole


def gradients(tied: bool, way: str) -> dict[str, torch.Tensor]:
    found: list[Any] = [None, None]
    named = after_backward(model(tied), way).named_parameters(remove_duplicate=False)
    mine = {name: getattr(one.grad, "full_tensor", one.grad.clone)() for name, one in named}
    dist.all_gather_object(found, mine)
    return found[0] | found[1]


def outcome(tied: bool, way: str) -> str:
    owed, got = gradients(tied, ""), gradients(tied, way)
    wte, head = "transformer.wte.weight", "transformer.lm_head.weight"
    if tied and way != "FSDP2":
        owed["sum of these two"], got["sum of these two"] = owed[wte], got[wte] + got[head]
    off = {name: ((got[name] - one).norm() / one.norm()).item() for name, one in owed.items()}
    shown = [f"{name} {off.pop(name):.2g}" for name in (wte, head, "sum of these two") if name in off]
    return ", ".join([*shown, f"others at most {max(off.values()):.2g}"])


if __name__ == "__main__":
    dist.init_process_group("gloo")
    lines = [f"tied {tied}, {way}: {outcome(tied, way)}" for tied in (True, False) for way in WAYS]
    if dist.get_rank() == 0:
        print(f"torch {torch.__version__}; gradients are off by:", *lines, sep="\n", flush=True)
    dist.destroy_process_group()
