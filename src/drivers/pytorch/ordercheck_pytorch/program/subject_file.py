"""A published project as the subject: its own models and its own functions for the items of a stack.

A file of matrix/subjects/, torchtitan.py for "torchtitan@0.2.2", says in SUBJECT what is to be installed, what of it this
machine has to do without, which models there are, and what stands for each item of a stack. Packages are not looked for in
the Python that runs: they lie in a folder of their own, torchtitan-0.2.2 of the user's cache, without what they depend on."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from .absent import stand_in_for_modules
from .case import Case
from .transforms.subject import Site, Subject
from .transforms.transform import Transform
from .user_code import give_initial_values
from .widen import widen

# matrix/subjects of the checkout that this package is of.
FOLDER = Path(__file__).parents[5] / "matrix" / "subjects"


def nothing_to_do(*arguments: Any) -> None:
    pass


def can_always(case: Case) -> str:
    return ""


def nothing_configured(case: Case) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Published:
    requirements: tuple[str, ...]  # as pip takes them; the first one is the project's own
    models: Mapping[str, Callable[[], nn.Module]]
    transforms: Mapping[str, Transform]
    loss: Callable[[Any, Any], torch.Tensor]  # of an output and labels: summed over the labels that count
    optimizer: Callable[[Subject, Site], None]  # of a stack that names none
    widened: tuple[str, ...] = ()  # packages whose code asks for float32
    absent: Mapping[str, str] = field(
        default_factory=dict
    )  # modules that nothing of a case calls, and what they are for
    stand_ins: Mapping[str, str] = field(
        default_factory=dict
    )  # what `prepare` puts in another's place, and why
    prepare: Callable[[str], None] = nothing_to_do  # for a device, once a process, before the first model
    begin: Callable[[], None] = (
        nothing_to_do  # before every case: sets back what the one before set in this process
    )
    # Patterns of buffers that are meant to be of their rank: counters of tokens, tables cut along the sequence. Not compared.
    local_buffers: tuple[str, ...] = ("*",)
    # What Site.kept begins with: a job's configuration is written before anything is applied, and every part reads it.
    configured: Callable[[Case], dict[str, Any]] = nothing_configured
    cannot: Callable[[Case], str] = can_always  # why a case is not run, or ""

    @property
    def folder(self) -> Path:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(cache) / "ordercheck" / self.requirements[0].replace("==", "-")

    @property
    def is_installed(self) -> bool:
        return (self.folder / ".complete").exists()

    @property
    def name(self) -> str:
        return self.requirements[0].replace("==", "@")

    def notes(self) -> list[str]:
        return [f"{self.name}: {name} stands in: {why}" for name, why in self.stand_ins.items()] + [
            f"{self.name}: an empty module stands in for {name}: {why}" for name, why in self.absent.items()
        ]


@functools.cache
def published(name: str) -> Published:
    """Of "torchtitan@0.2.2". Imports nothing of the project. Raises ValueError where there is no such file or version."""
    project = name.partition("@")[0]
    path = FOLDER / f"{project}.py"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.py"))) or "none"
        raise ValueError(f"subject '{project}' is not known; expected one of matrix/subjects: {known}")
    found: Published = loaded(path).SUBJECT
    if found.name != name:
        raise ValueError(f"subject '{name}' is not known; expected {found.name}")
    return found


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ordercheck_subject_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Dynamo looks functions up where they say that they are
    spec.loader.exec_module(module)
    return module


def cannot_take(case: Case) -> str:
    """Why the case's subject is not there or does not have what is asked of it, or ""."""
    try:
        found = published(case.subject)
    except ValueError as error:
        return str(error)
    if not found.is_installed:
        return (
            f"{found.name} is not installed; run: pip install --no-deps --target {found.folder} "
            f"{' '.join(found.requirements)} && touch {found.folder}/.complete"
        )
    if case.model not in found.models:
        return f"{found.name} has no model '{case.model}'; expected {', '.join(found.models)}"
    return found.cannot(case)


_prepared: set[str] = set()


def prepare(subject: Published, device: str, widens: bool) -> None:
    """From now on in this process its packages are importable, with what stands in."""
    if widens:
        widen(subject.widened)
    if subject.name not in _prepared:
        sys.path.insert(0, str(subject.folder))
        stand_in_for_modules(tuple(subject.absent))
        subject.prepare(device)
        _prepared.add(subject.name)
    subject.begin()


def make_model(subject: Published, name: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = subject.models[name]()
    give_initial_values(model, seed)
    return model
