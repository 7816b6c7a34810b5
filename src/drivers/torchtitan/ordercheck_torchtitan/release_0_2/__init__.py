"""torchtitan 0.2.2: its models at small sizes, and its own functions, called in the order that a stack says.

Each function here is what a step of torchtitan's parallelize_* calls (models/<model>/infra/parallelize.py), with the
arguments that it is called with there. They come from ParallelDims and JobConfig, that is from the degrees of the case and
torchtitan's defaults; what is applied before and after is told to none of them.

torchtitan trains with bfloat16 parameters under FSDP2. Here parameters are gathered as they are: widened, its "float32" is
float64, and numbers must not depend on the layout."""

from __future__ import annotations

from ordercheck_pytorch.api import Case, Project, Transform

from . import models
from .blocks import apply_ac, apply_compile, apply_sac
from .job import configured
from .parallelize import apply_ddp, apply_ep, apply_fsdp, apply_hsdp, apply_tp
from .pipeline import SCHEDULES, apply_pp
from .simple_fsdp import apply_simple_fsdp, apply_simple_hsdp, apply_simple_replicate
from .stand_ins import begin, prepare
from .trainer import apply_optimizer, build_optimizers, cannot_build, loss


def cannot(case: Case) -> str:
    buckets = any("bucket" in item.options for item in case.items)
    if buckets and any(
        item.name == "compile" and item.scope == "model" and not item.mode for item in case.items
    ):
        return (
            "its bucketing takes the backends aot_eager and inductor alone; expected compile=aot_eager@model"
        )
    experts = [item for item in case.items if item.name == "ep"]
    if not experts:
        return ""
    item, tp = experts[0], case.mesh["tp"]
    if case.model in models.WITHOUT_EXPERTS:
        return f"{case.model} has no experts; expected another model than {', '.join(models.WITHOUT_EXPERTS)}"
    if not item.degrees:
        return "ep needs a degree: ep=2"
    etp = int(item.options.get("etp", "1"))
    return "" if etp in (1, tp) else f"ep:etp is 1 or the degree of tp; expected etp={tp}, got etp={etp}"


PROJECT = Project(
    requirements=("torchtitan==0.2.2", "tyro==1.0.17", "docstring-parser==0.18.0", "typeguard==4.6.0"),
    models={
        # What rule pages mean: a stack of no model, and one of a model with experts.
        "llama": models.llama3,
        "moe": models.deepseek_v3,
        "llama3": models.llama3,
        "llama4": models.llama4,
        "deepseek_v3": models.deepseek_v3,
        "deepseek_v3_idle": models.deepseek_v3_idle,
        "qwen3": models.qwen3,
        "qwen3_moe": models.qwen3_moe,
    },
    transforms={
        "pp": Transform(apply_pp, (*SCHEDULES, "microbatches")),
        "tp": Transform(apply_tp),
        "ep": Transform(apply_ep, ("etp",), ("experts",)),
        "ac": Transform(apply_ac, ("n",), ("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block", "model")),
        "simple_fsdp": Transform(apply_simple_fsdp, ("bucket", "reshard")),
        "simple_hsdp": Transform(apply_simple_hsdp, ("bucket", "reshard")),
        "simple_replicate": Transform(apply_simple_replicate, ("bucket", "reshard")),
        "fsdp": Transform(apply_fsdp, ("reshard",), ("block",)),
        "hsdp": Transform(apply_hsdp, ("reshard",), ("block",)),
        "ddp": Transform(apply_ddp),
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
        "torch.utils.tensorboard": "writes metrics",
    },
    stand_ins={
        "torch's name of the device of the case": "torchtitan takes an accelerator, or cuda where there is none",
        "a fill of indices by searchsorted": "its fill_indices_wrapper is a Triton kernel",
        "a rule that splits attention over heads": "DTensor has one for the kernels of CUDA, not for those of the CPU",
        "a count in float64": "torch's histc, with which tokens are counted for experts, takes no whole numbers on a CPU",
    },
    prepare=prepare,
    begin=begin,
    configured=configured,
    cannot=cannot,
)
