"""torchtitan 0.3.0: its models at small sizes, and its own functions, called in the order that a stack says.

Each function here is a step of torchtitan's parallelize_* (models/<model>/parallelize.py), with the arguments that it is called
with there. They come from the job's configuration, that is from the degrees of the case and torchtitan's defaults; what is
applied before and after is told to none of them. Which of its three SPMD backends a job has, any item may say:
tp=2:spmd=partial_dtensor.

torchtitan trains with bfloat16 parameters under FSDP2. Here parameters are gathered as they are: widened, its "float32" is
float64, and numbers must not depend on the layout."""

from __future__ import annotations

from collections.abc import Mapping

from ordercheck_pytorch.api import Case, Item, Project, Transform

from . import models
from .auto_parallel import OPTIONS as AUTO_PARALLEL_OPTIONS
from .auto_parallel import apply_auto_parallel, cannot_place
from .blocks import apply_ac, apply_compile, apply_sac
from .job import SPMD_BACKENDS, configured, spmd_backend_of
from .parallelize import apply_ep, apply_fsdp, apply_parallel
from .pipeline import SCHEDULES, apply_pp
from .simple_fsdp import apply_simple_fsdp
from .stand_ins import begin, prepare
from .trainer import apply_optimizer, build_optimizers, cannot_build, loss

SPMD = f"spmd={'|'.join(SPMD_BACKENDS[1:])}"


def cannot(case: Case) -> str:
    named = {item.name: item for item in case.items}
    backend = spmd_backend_of(case)
    if "auto_parallel" in named:
        return cannot_place(PROJECT.folder, PROJECT.absent)
    if any(name.startswith("simple_") for name in named) and backend != "partial_dtensor":
        return "graph_trainer is pinned to partial_dtensor; expected no spmd beside SimpleFSDP"
    said = {item.options["spmd"] for item in case.items if "spmd" in item.options}
    if len(said) > 1:
        return f"a job has one SPMD backend; expected one value of spmd, got {' and '.join(sorted(said))}"
    names = [item.name for item in case.items]
    # A second item of an axis is a call of its own, wherever it is.
    one_call = sorted(names.index(name) for name in ("tp", "cp", "ep") if name in names)
    if one_call and one_call[-1] - one_call[0] >= len(one_call):
        return "tp, cp and ep are one call of torchtitan 0.3.0; expected them side by side"
    if "ep" in named and case.model in models.WITHOUT_EXPERTS:
        return f"{case.model} has no experts; expected another model than {', '.join(models.WITHOUT_EXPERTS)}"
    if "ep" in named and not named["ep"].degrees:
        return "ep needs a degree: ep=2"
    has_chunks = "ep" in named and "chunks" in named["ep"].options
    if has_chunks and not any(name.startswith("simple_") for name in named):
        return "EP chunking is of graph_trainer, which has SimpleFSDP; expected simple_fsdp beside ep:chunks"
    if "optimizer" in named and case.items[-1].name != "optimizer":
        return "torchtitan 0.3.0 installs FSDP2 in every job, before it builds an optimizer; expected the optimizer last"
    return cannot_stand_in(case, named, backend)


def cannot_stand_in(case: Case, named: Mapping[str, Item], backend: str) -> str:
    """What a part that stands in here does not do."""
    # torchtitan refuses cp of kimi_k2 itself, before it looks at attention.
    if "cp" in named and case.model not in ("llama_flex", "kimi_k2"):
        return f"{case.model} has scaled_dot_product_attention here, and cp wants FlexAttention; expected the model llama_flex"
    if "pp" in named and backend != "spmd_types" and not any(name.startswith("simple_") for name in named):
        return "pipelines of DTensors are not built; expected no spmd beside pp"
    compiled = named.get("compile")
    if compiled and not compiled.mode and any("bucket" in item.options for item in case.items):
        return "buckets want a backend that torchtitan knows; expected compile=aot_eager@model"
    return ""


PROJECT = Project(
    requirements=(
        "torchtitan==0.3.0",
        "spmd_types==0.2.3",
        "tyro==1.0.17",
        "docstring-parser==0.18.0",
        "typeguard==4.6.0",
    ),
    oldest_torch="2.15",
    models={
        # What rule pages mean: a stack of no model, and one of a model with experts.
        "llama": models.llama3,
        "moe": models.qwen3_moe,
        "llama3": models.llama3,
        "llama3_chunked": models.llama3,
        "llama_flex": models.llama_flex,
        "llama_tied": models.llama_tied,
        "deepseek_v3": models.deepseek_v3,
        "kimi_k2": models.kimi_k2,
        "qwen3": models.qwen3,
        "qwen3_moe": models.qwen3_moe,
    },
    transforms={
        "pp": Transform(apply_pp, (*SCHEDULES, "microbatches")),
        "tp": Transform(apply_parallel, ("sp", SPMD)),
        "cp": Transform(apply_parallel, (SPMD,), ("attention",)),
        "ep": Transform(apply_ep, (SPMD, "chunks=2"), ("experts",)),
        "ac": Transform(apply_ac, scopes=("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block", "model")),
        "simple_fsdp": Transform(apply_simple_fsdp, ("bucket",)),
        "simple_hsdp": Transform(apply_simple_fsdp, ("bucket",)),
        "simple_replicate": Transform(apply_simple_fsdp, ("bucket",)),
        "auto_parallel": Transform(apply_auto_parallel, AUTO_PARALLEL_OPTIONS),
        "fsdp": Transform(apply_fsdp, ("reshard", SPMD), ("block",)),
        "hsdp": Transform(apply_fsdp, ("reshard", SPMD), ("block",)),
        "replicate": Transform(apply_fsdp, (SPMD,), ("model", "block")),
        "optimizer": Transform(
            apply_optimizer, ("clip", "lr", "weight_decay"), cannot=cannot_build, modes=("", "adamw")
        ),
    },
    loss=loss,
    optimizer=build_optimizers,
    widened=("torchtitan",),
    absent={
        "datasets": "reads data sets",
        "tokenizers": "makes tokens of text",
        "torchdata": "loads data",
        "torch_checkpointing": "writes checkpoints",
        "torch.utils.tensorboard": "writes metrics",
    },
    stand_ins={
        "torch's name of the device of the case": "torchtitan takes an accelerator, or cuda where there is none",
        "scaled_dot_product_attention, and a dense product of the mask in llama_flex": "FlexAttention has no backward on a CPU",
        "a product an expert, without a cast": "its experts multiply in bfloat16",
        "a rule that splits attention over heads": "DTensor has one for the kernels of CUDA, not for those of the CPU",
        "the values of the reference, which init_weights keeps": "ranks that draw parts draw other numbers than one rank",
        "the sum of losses in llama3_chunked, for the quotient that the wrapper returns": "a sum of quotients is rounded",
        "all_to_all_single in the place of all_to_all": "gloo takes lists of one length alone",
    },
    prepare=prepare,
    begin=begin,
    configured=configured,
    cannot=cannot,
)
