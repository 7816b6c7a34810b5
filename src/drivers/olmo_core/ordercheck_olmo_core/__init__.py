"""OLMo-core 3.0.0: its Transformer at small sizes, and its own methods, called in the order that a stack says.

Each function here is a step of parallelize_model (train/train_module/transformer/common.py:36), with the arguments that it is
called with there. They come from the degrees of the case and OLMo-core's defaults. The model gets tokens and labels and returns
its own loss, as train_batch calls it."""

from __future__ import annotations

from ordercheck_pytorch.api import Case, Project, Transform

from . import models
from .parallelize import (
    SCHEDULES,
    apply_ac,
    apply_compile,
    apply_cp,
    apply_ddp,
    apply_fsdp,
    apply_pp,
    apply_sac,
    apply_tp,
)
from .stand_ins import begin, prepare
from .trainer import apply_optimizer, build_optimizer, cannot_build, loss


def cannot(case: Case) -> str:
    names = {item.name for item in case.items}
    if "cp" in names and not names & {"fsdp", "hsdp", "ddp"}:
        return "every job of OLMo-core with cp has data parallelism over the ranks of cp; expected fsdp beside cp"
    ranks = case.data_parallel_degree * case.sequence_parallel_degree
    if case.settings.exact and ranks & (ranks - 1):
        return f"it averages gradients over {ranks} ranks, which rounds; expected a power of two"
    if "pp" in names and names & {"tp", "cp"}:
        return "its tp and cp read labels in the model, which the engine's pipeline does not pass; expected pp without them"
    if "pp" in names and "ddp" in names:
        return "DDP in its pipelines needs its custom stages, which the engine's pipeline does not run; expected fsdp beside pp"
    return ""


PROJECT = Project(
    requirements=("ai2-olmo-core==3.0.0", "dataclass-extensions==0.5.0"),
    oldest_torch="2.11",
    models={"llama": models.llama, "olmo2": models.olmo2, "llama_tied": models.tied},
    transforms={
        "pp": Transform(apply_pp, tuple(SCHEDULES)),
        "tp": Transform(apply_tp),
        "cp": Transform(apply_cp, scopes=("attention",)),
        "ac": Transform(apply_ac, scopes=("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block",)),
        "fsdp": Transform(apply_fsdp, scopes=("block",)),
        "hsdp": Transform(apply_fsdp, scopes=("block",)),
        "ddp": Transform(apply_ddp),
        "optimizer": Transform(
            apply_optimizer, ("clip", "lr", "weight_decay"), cannot=cannot_build, modes=("", "adamw")
        ),
    },
    loss=loss,
    optimizer=build_optimizer,
    widened=("olmo_core",),
    absent={
        "bettermap": "reads files in parallel",
        "cached_path": "downloads files",
        "filelock": "locks files",
        "requests": "downloads files",
        "rich": "prints logs",
        "safetensors": "reads and writes models",
        "yaml": "reads configurations",
    },
    stand_ins={
        "stages and schedules of torch": "its train module runs its custom ones, which the engine's pipeline does not",
        "the dtype of the case": "its DType looks float32 up by name",
        "tables of rotary positions that the model is built with": "its init_weights fills them, and draws other values",
        "torch.compile on a CPU": "its parallelize_model compiles only with CUDA",
        "all_to_all_single in the place of all_to_all": "torch.distributed.nn has one on gloo for the first group alone",
    },
    prepare=prepare,
    begin=begin,
    cannot=cannot,
)
