"""What the worker needs of the program that ranks run. Tests put a small one in its place."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch


class Settings(Protocol):
    @property
    def arithmetic(self) -> str: ...


class Case(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def mesh(self) -> dict[str, int]: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def world_size(self) -> int: ...


class Buffer(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def value(self) -> torch.Tensor | None: ...


class RankResult(Protocol):
    """What a rank program hands over; see program/result.py."""

    shapes: dict[str, tuple[int, ...]]
    added: list[str]
    losses: list[float]
    gradient_norms: list[float]
    gradients: list[dict[str, torch.Tensor]]
    values: dict[str, torch.Tensor]
    initial: dict[str, torch.Tensor]
    frozen: list[str]
    buffers: Mapping[str, Buffer]
    range_used: float
    notes: list[str]
    counters: dict[str, int]
    partial_operands: list[str]
    partials_apart: float
    outputs: Mapping[tuple[int, str], Mapping[int, torch.Tensor]]


class Program(Protocol):
    """`run_rank` raises OutOfRange or Unsupported: the worker knows them by their names."""

    transforms: Sequence[Mapping[str, Any]]  # what of each is built, as hello says it
    models: Sequence[str]
    project: str  # "torchtitan", a published one; "" for the engine's own models and transforms
    project_version: str  # "0.2.2"
    project_sources: Sequence[Path]  # of its driver

    def case_of(self, message: Mapping[str, Any]) -> Any: ...
    def cannot(self, case: Any) -> str: ...
    def furthest(self, case: Any) -> float:
        """How far apart two runs may be of which one reduces partial sums before an operator sums over them."""
        ...

    def run_rank(self, case: Any, rank: int, device: str, watch: Any) -> Any: ...


class RealProgram:
    """That of this package. Loaded by name: it stands by itself, and knows nothing of the worker."""

    def __init__(self, project: str = "") -> None:
        """`project` names a driver that lies beside this one."""
        whole = __package__.rpartition(".")[0]
        package = whole + ".program"
        self._case = importlib.import_module(package + ".case")
        self._partials = importlib.import_module(package + ".partial_operands")
        self._rank = importlib.import_module(package + ".rank")
        self._catalogue = importlib.import_module(package + ".catalogue")
        projects = importlib.import_module(whole + ".projects.project")
        self._parts = importlib.import_module(package + ".parts")
        self._project_parts = importlib.import_module(whole + ".projects.parts")
        self._users_cannot = importlib.import_module(whole + ".users.cannot")
        self._users_parts = importlib.import_module(whole + ".users.parts")
        self.transforms: Sequence[Mapping[str, Any]]
        self.models: Sequence[str]
        try:
            self._project = projects.project_named(project) if project else None
        except projects.UnknownProject as error:
            sys.exit(f"ordercheck_pytorch: {error}")
        self.project = project
        self.project_version: str = self._project.version if self._project else ""
        self.project_sources: Sequence[Path] = projects.sources_of(project) if project else ()
        self.transforms, self.models = self._catalogue.built_for(self._project)

    def case_of(self, message: Mapping[str, Any]) -> Any:
        return self._case.case_of(message)

    def cannot(self, case: Any) -> str:
        reason = self._catalogue.cannot(case, self._project)
        return str(reason or self._users_cannot.cannot_run_users_code(case))

    def furthest(self, case: Any) -> float:
        return float(self._partials.furthest_apart(case.settings.grid))

    def run_rank(self, case: Any, rank: int, device: str, watch: Any) -> Any:
        parts_of = self._parts.parts_of_engine
        if self._project:
            parts_of = functools.partial(self._project_parts.parts_of_project, self._project)
        parts_of = functools.partial(self._users_parts.parts_with_users_code, parts_of)
        return self._rank.run_rank(case, rank, device, watch, parts_of)
