"""A published project: its own models, and its own functions for the items of a stack.

The driver of a project, `src/drivers/torchtitan/` for torchtitan, says in PROJECT what is to be installed, what of it this
machine has to do without, which models there are, and what stands for each item. Packages are not looked for in the Python
that runs: they lie in a folder of their own, torchtitan-0.2.2 of the user's cache, without what they depend on."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..program.case import Case
from ..program.transforms.program import Program, Site
from ..program.transforms.transform import Transform
from .packages import DRIVERS, OLDEST_TORCH, folder_of, is_meant


def nothing_to_do(*arguments: Any) -> None:
    pass


def can_always(case: Case) -> str:
    return ""


def nothing_configured(case: Case) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Project:
    requirements: tuple[
        str, ...
    ]  # as pip takes them, "torchtitan==0.2.2"; the first one is the project's own
    models: Mapping[
        str, Callable[[Case], nn.Module]
    ]  # by what --model calls them; "llama" is meant where none is named
    transforms: Mapping[str, Transform]  # by the name of the item
    loss: Callable[[Any, Any], torch.Tensor]  # of an output and labels: summed over the labels that count
    optimizer: Callable[[Program, Site], None]  # of a stack that names none
    oldest_torch: str = OLDEST_TORCH  # the oldest that this release is run on
    widened: tuple[str, ...] = ()  # packages whose code asks for float32
    # Modules that nothing of a case calls, and what they are for.
    absent: Mapping[str, str] = field(default_factory=dict)
    # What `prepare` puts in another's place, and why.
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[str], None] = nothing_to_do  # for a device, once a process, before the first model
    # Before every case: sets back what the one before set in this process.
    begin: Callable[[Case], None] = nothing_to_do
    # Patterns of buffers that are meant to be of their rank: counters of tokens, tables cut along the sequence. Not compared.
    local_buffers: tuple[str, ...] = ("*",)
    # What Site.kept begins with: a job's configuration is written before anything is applied, and every part reads it.
    configured: Callable[[Case], dict[str, Any]] = nothing_configured
    cannot: Callable[[Case], str] = can_always  # why a case is not run, or ""

    @property
    def folder(self) -> Path:
        return folder_of(self.requirements)

    @property
    def is_installed(self) -> bool:
        return (self.folder / ".complete").exists()

    @property
    def name(self) -> str:
        """With the version: "torchtitan@0.2.2"."""
        return self.requirements[0].replace("==", "@")

    @property
    def version(self) -> str:
        return self.requirements[0].partition("==")[2]

    def cannot_take(self, case: Case) -> str:
        """Why it is not there or does not have what is asked of it, or ""."""
        if not self.is_installed:
            return (
                f"{self.name} is not installed; run: pip install --no-deps --target {self.folder} "
                f"{' '.join(self.requirements)} && touch {self.folder}/.complete"
            )
        if case.model not in self.models:
            return f"{self.name} has no model '{case.model}'; expected {', '.join(self.models)}"
        return self.cannot(case)

    def notes(self) -> list[str]:
        return [f"{self.name}: {name} stands in: {why}" for name, why in self.stand_ins.items()] + [
            f"{self.name}: an empty module stands in for {name}: {why}" for name, why in self.absent.items()
        ]


def newest_for_torch(*releases: Project) -> Project:
    """Of these, the newest first, the first that is_meant; else the last."""
    return next((each for each in releases if is_meant(each.oldest_torch, each.requirements)), releases[-1])


class UnknownProject(Exception):
    """The message says what was expected where."""


def project_named(name: str) -> Project:
    """PROJECT of `ordercheck_<name>`, a module or package of the folder <name> beside this driver's, or one that can be
    imported. Imports nothing of the project itself. Raises UnknownProject."""
    module = f"ordercheck_{name}"
    if (folder := DRIVERS / name).is_dir() and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found: Project = importlib.import_module(module).PROJECT
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        known = ", ".join(sorted(projects_beside())) or "none"
        raise UnknownProject(f"project '{name}' is not known; expected one of {DRIVERS}: {known}") from error
    return found


def projects_beside() -> list[str]:
    """The names of those that have a driver beside this one."""
    names = [folder.name for folder in DRIVERS.iterdir() if folder.is_dir()]
    return [name for name in names if name != "pytorch" and any((DRIVERS / name).glob(f"ordercheck_{name}*"))]


def sources_of(name: str) -> list[Path]:
    """The files of its driver."""
    return sorted((DRIVERS / name).rglob("*.py"))
