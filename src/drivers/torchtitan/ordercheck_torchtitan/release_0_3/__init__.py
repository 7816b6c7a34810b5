"""torchtitan 0.3.0: its models at small sizes, and its own functions, called in the order that a stack says.

Each function here is a step of torchtitan's parallelize_* (models/<model>/parallelize.py), with the arguments that it is called
with there. They come from the job's configuration, that is from the degrees of the case and torchtitan's defaults; what is
applied before and after is told to none of them. Which of its three SPMD backends a job has, any item may say:
tp=2:spmd=partial_dtensor.

torchtitan trains with bfloat16 parameters under FSDP2. Here parameters are gathered as they are: widened, its "float32" is
float64, and numbers must not depend on the layout."""

from __future__ import annotations

from ordercheck_pytorch.api import Case, Project, Transform

from . import models
from .blocks import apply_ac, apply_compile, apply_sac
from .job import SPMD_BACKENDS, configured, spmd_backend_of
from .parallelize import apply_fsdp, apply_parallel
from .pipeline import SCHEDULES, apply_pp
from .simple_fsdp import apply_simple_fsdp
from .stand_ins import begin, prepare
from .trainer import apply_optimizer, build_optimizers, cannot_build, loss

SPMD = f"spmd={'|'.join(SPMD_BACKENDS[1:])}"


def cannot(case: Case) -> str:
    if any(item.name.startswith("simple_") for item in case.items) and spmd_backend_of(case) != "partial_dtensor":
        return "graph_trainer is pinned to partial_dtensor; expected no spmd beside SimpleFSDP"
    said = {item.options["spmd"] for item in case.items if "spmd" in item.options}
    if len(said) > 1:
        return f"a job has one SPMD backend; expected one value of spmd, got {' and '.join(sorted(said))}"
    one_call = [i for i, item in enumerate(case.items) if item.name in ("tp", "cp", "ep")]
    if one_call and one_call[-1] - one_call[0] >= len(one_call):
        return "tp, cp and ep are one call of torchtitan 0.3.0; expected them side by side"
    experts = [item for item in case.items if item.name == "ep"]
    if experts and case.model in models.WITHOUT_EXPERTS:
        return f"{case.model} has no experts; expected another model than {', '.join(models.WITHOUT_EXPERTS)}"
    return "" if not experts or experts[0].degrees else "ep needs a degree: ep=2"


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
        "moe": models.deepseek_v3,
        "llama3": models.llama3,
        "llama_tied": models.llama_tied,
        "deepseek_v3": models.deepseek_v3,
        "qwen3": models.qwen3,
        "qwen3_moe": models.qwen3_moe,
    },
    transforms={
        "pp": Transform(apply_pp, (*SCHEDULES, "microbatches")),
        "tp": Transform(apply_parallel, ("sp", SPMD)),
        "cp": Transform(apply_parallel, (SPMD,), ("attention",)),
        "ep": Transform(apply_parallel, (SPMD,), ("experts",)),
        "ac": Transform(apply_ac, scopes=("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block", "model")),
        "simple_fsdp": Transform(apply_simple_fsdp, ("bucket",)),
        "simple_hsdp": Transform(apply_simple_fsdp, ("bucket",)),
        "simple_replicate": Transform(apply_simple_fsdp, ("bucket",)),
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
        "scaled_dot_product_attention": "its FlexAttention has no backward on a CPU",
        "a product an expert, without a cast": "its experts multiply in bfloat16",
        "a rule that splits attention over heads": "DTensor has one for the kernels of CUDA, not for those of the CPU",
        "all_to_all_single in the place of all_to_all": "gloo takes lists of one length alone",
    },
    prepare=prepare,
    begin=begin,
    configured=configured,
    cannot=cannot,
)
