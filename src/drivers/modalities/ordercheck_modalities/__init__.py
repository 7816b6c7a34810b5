"""Modalities 0.5.0: the components that a training configuration builds a GPT2 model from.

A configuration names one component after another, each with the model of the one before: pipeline stage, tensor parallelism,
activation checkpointing, compile, FSDP2. Each is a function of ModelFactory, GPT2ModelFactory or PipelineFactory, and here an
item of the stack calls it with the arguments of the published configurations.

Its optimizer factory takes only models that FSDP wraps, so the optimizer is torch's AdamW over all parameters, which that
factory returns for such a model without excluded weight decay groups. Clipping is its FSDP2GradientClipper."""

from __future__ import annotations

from ordercheck_pytorch.api import Case, Project, Transform, apply_default_optimizer, summed_cross_entropy

from . import models
from .components import (
    SCHEDULES,
    apply_ac,
    apply_adamw,
    apply_compile,
    apply_fsdp,
    apply_pp,
    apply_sac,
    apply_tp,
    cannot_build,
)


def cannot(case: Case) -> str:
    ranks = case.data_parallel_degree
    if case.settings.exact and ranks & (ranks - 1):
        return f"its FSDP2 averages gradients over {ranks} ranks, which rounds; expected a power of two"
    return ""


PROJECT = Project(
    requirements=(
        "modalities==0.5.0",
        "pydantic==2.14.4",
        "pydantic_core==2.50.5",
        "annotated-types==0.8.0",
        "typing-inspection==0.4.5",
    ),
    models={
        "llama": models.gpt2,
        "gpt2": models.gpt2,
        "llama_tied": models.tied,
        "gpt2_absolute": models.gpt2_absolute,
    },
    transforms={
        "pp": Transform(apply_pp, tuple(SCHEDULES)),
        "tp": Transform(apply_tp),
        "ac": Transform(apply_ac, scopes=("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block",)),
        "fsdp": Transform(apply_fsdp, ("reshard=always|never",), ("block",)),
        "hsdp": Transform(apply_fsdp, ("reshard=always|never",), ("block",)),
        "optimizer": Transform(
            apply_adamw, ("clip", "foreach", "lr", "weight_decay"), cannot=cannot_build, modes=("", "adamw")
        ),
    },
    loss=summed_cross_entropy,
    optimizer=apply_default_optimizer,
    widened=("modalities",),
    absent={
        "omegaconf": "reads configurations",
        "transformers": "reads published models and their tokenizers",
        "sentencepiece": "makes tokens of text",
        "tqdm": "shows progress",
    },
    stand_ins={
        "the device of the case": "its staged pipeline is built on cuda",
        "torch's AdamW over all parameters": "its optimizer factory takes only models that FSDP wraps",
    },
    cannot=cannot,
)
