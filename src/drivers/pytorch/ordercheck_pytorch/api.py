"""What the engine of a published project is written with. It imports nothing else of this package.

A driver is a module or package `ordercheck_<name>` in `src/drivers/<name>/`. It says in PROJECT what to install, which
models there are, and which function stands for each item of a stack:

    PROJECT = Project(
        requirements=("thing==1.2",),
        models={"llama": lambda case: Llama().to(torch.get_default_dtype())},
        transforms={"fsdp": Transform(apply_fsdp, ("reshard",), ("block",))},
        loss=summed_cross_entropy,
        optimizer=apply_default_optimizer,
    )

Importing the driver imports nothing of the project, so that its hello is there without it. A model maps tokens
[batch, SEQUENCE_LENGTH] int64 below VOCABULARY to logits [batch, SEQUENCE_LENGTH, VOCABULARY], or to what PROJECT.loss
takes; its floats have torch's default dtype, which is float64 in exact arithmetic.

    apply(program, item, site)    changes program.model, or puts another one there; never looks at other items of the stack
    transform.options, .scopes    what of an item is built; hello says it, and nothing else is asked for
    transform.cannot(item)        why an item is not built though they say so, or ""
    PROJECT.cannot(case)          why a case is not run, or ""

What `apply` raises is what the stack does: it is reported as `fails`, with its message. Nothing here catches it."""

from __future__ import annotations

from .program.case import Case, Item
from .program.catalogue import TRANSFORMS
from .program.data import SEQUENCE_LENGTH, VOCABULARY
from .program.llama import Llama
from .program.loss import summed_cross_entropy
from .program.marks import SCOPE, mark_compiled, marked
from .program.partial_operands import reduces_partials_of
from .program.stand_in import NOTE, stand_in_for_inductor
from .program.transforms.optimizer import apply_default_optimizer, apply_optimizer
from .program.transforms.program import Pipeline, Program, Site
from .program.transforms.transform import Transform
from .projects.project import Project, newest_for_torch

__all__ = [
    "NOTE",  # what program.notes says of a case whose `compile` names no backend
    "SCOPE",  # marked(SCOPE, call): the same of the call of a module that was compiled in place
    "SEQUENCE_LENGTH",
    "TRANSFORMS",  # this engine's own, for a project that has none of a kind
    "VOCABULARY",
    "Case",
    "Item",
    "Llama",  # this engine's own model, for a project that has none; its blocks are in `layers`, of class TransformerBlock
    "Pipeline",  # what an item that cuts the model leaves on program.pipeline
    "Program",  # the model, optimizer and clipping as the items so far left them
    "Project",
    "Site",  # device, mesh and degrees
    "Transform",
    "apply_default_optimizer",
    "apply_optimizer",
    "mark_compiled",  # has the profile tell what of a module that was handed to compile ran in graphs
    "marked",
    "newest_for_torch",  # of several PROJECTs, each with the oldest_torch that it is run on
    "reduces_partials_of",  # whether partial sums are to be reduced before an operator that DTensor is not told of
    "stand_in_for_inductor",  # the backend of such a case
    "summed_cross_entropy",
]
