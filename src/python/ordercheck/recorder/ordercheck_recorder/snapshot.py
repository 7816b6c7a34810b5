"""Renders what was recorded so far as the JSON object of a recording, schema "ordercheck/recording/1"."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
import sys
import traceback
from collections import Counter
from typing import Any

from .describe import mesh_of
from .models import class_of, held_module, live_modules, named, named_parameters, roots_of, wrappers_of
from .places import package_of
from .recorder import Event, Recorder

SCHEMA = "ordercheck/recording/1"
_RANK = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_WORLD = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
_PACKAGES = (
    "torch",
    "torchao",
    "torchtitan",
    "transformers",
    "accelerate",
    "lightning",
    "deepspeed",
    "spmd_types",
)

Json = dict[str, Any]


class Rank:
    """The rank of this process, as the last process group said, else the launcher's variables."""

    def __init__(self) -> None:
        self._seen: tuple[int, int] | None = None

    def now(self) -> tuple[int, int, bool]:
        """(rank, number of ranks, whether a group or a launcher said so); (0, 1, False) without both."""
        dist = sys.modules.get("torch.distributed")
        if dist is not None and dist.is_available() and dist.is_initialized():
            # Remembered: a rank may destroy its group before it ends.
            self._seen = int(dist.get_rank()), int(dist.get_world_size())
        if self._seen is not None:
            return *self._seen, True
        is_launched = any(os.environ.get(name, "").isdigit() for name in _RANK)
        return _number(_RANK, 0), _number(_WORLD, 1), is_launched


def _number(names: tuple[str, ...], otherwise: int) -> int:
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return otherwise


def pattern_of(name: str) -> str:
    """ "layers.*.attention" of "layers.3.attention"."""
    return ".".join("*" if part.isdigit() else part for part in name.split("."))


class Snapshots:
    """Renders a recorder. After the first step its models and optimizers stay as that step showed them: later on modules die,
    and FSDP2 puts other parameters in their place whenever it gathers them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._meshes: list[Json] = []
        self._models: list[Json] = []
        self._optimizers: list[Json] = []
        self._before = _captured()  # by jobs that this process ran before

    def look(self) -> None:
        """Reads the models and optimizers as they are now."""
        recorder = self._recorder
        roots = _models_of(recorder)
        places: dict[int, tuple[int, str]] = {}
        for number, root in enumerate(roots):
            for name, module in named(root):
                places.setdefault(id(module), (number, name))
        with recorder.lock:
            for event in recorder.events:
                module = event.module() if event.module is not None else None
                event.model, event.name = (
                    places.get(id(module), (None, None)) if module is not None else (None, None)
                )
        self._models = [_model(root, self._meshes, recorder) for root in roots]
        self._optimizers = _optimizers(recorder, roots)

    def render(self, state: str, rank: int, ranks: int) -> Json:
        """state: "started", "stepped" after the first optimizer step, "finished" at the end of the process."""
        recorder = self._recorder
        with recorder.lock:
            events = list(recorder.events)
            used = sorted({event.site for event in events})
            sites = [dict(recorder.sites[number]) for number in used]
        for site in sites:
            site["mesh"] = _number_of(site["mesh"], self._meshes)
        whole: Json = {
            "schema": SCHEMA,
            "state": state,
            "stepped": recorder.step.is_done,
            "rank": rank,
            "ranks": ranks,
            "versions": _versions(sites),
            "absent": recorder.hooks.absent(),
            "meshes": self._meshes,
            "sites": sites,
            "events": [_event(event, used) for event in events],
            "models": self._models,
            "optimizers": self._optimizers,
            "compile": _since(self._before, _captured()),
            "problems": list(recorder.problems),
        }
        if state == "finished" and (raised := _uncaught()) is not None:
            whole["raised"] = raised
        return whole


def _event(event: Event, used: list[int]) -> Json:
    row: Json = {
        "site": used.index(event.site),
        "model": event.model,
        "module": event.name,
        "class": event.class_name,
    }
    if event.within is not None:
        row["within"] = event.within
    if event.raised:
        row["raised"] = event.raised
    return row


def _number_of(mesh: Json | None, meshes: list[Json]) -> int | None:
    if mesh is None:
        return None
    if mesh not in meshes:
        meshes.append(mesh)
    return meshes.index(mesh)


def _models_of(recorder: Recorder) -> list[Any]:
    """The roots that hold a recorded module or a parameter of an optimizer."""
    modules = live_modules()
    # gc knows no object of before gc.freeze().
    of_events = [one for event in recorder.events if event.module and (one := event.module()) is not None]
    known = {id(module) for module in modules}
    for one in (inner for outer in of_events for inner in outer.modules()):
        if id(one) not in known:
            known.add(id(one))
            modules.append(one)
    recorded = {
        id(module) for event in recorder.events if event.module and (module := event.module()) is not None
    }
    for _, held in recorder.step.optimizers:
        if (optimizer := held()) is not None:
            recorded |= {id(p) for group in optimizer.param_groups for p in group["params"]}
    return [
        root
        for root in roots_of(modules)
        if any(
            id(module) in recorded or any(id(p) in recorded for p in module._parameters.values())
            for module in root.modules()
        )
    ]


def _model(root: Any, meshes: list[Json], recorder: Recorder) -> Json:
    modules: dict[str, Json] = {}
    step = recorder.step
    for name, module in named(root):
        row = modules.setdefault(pattern_of(name), {"class": class_of(module), "count": 0})
        row["class"] = class_of(module)
        if held_module(module) is None:
            row["count"] += 1
        for what in wrappers_of(module):
            row[what] = row.get(what, 0) + 1
        if module in step.checkpointed:
            row["checkpointed"] = row.get("checkpointed", 0) + 1
        if module in step.recomputed:
            row["recomputed"] = row.get("recomputed", 0) + 1
    layouts: dict[tuple[int | None, tuple[str, ...]], Counter[str]] = {}
    without_gradient: Counter[str] = Counter()
    for name, parameter in named_parameters(root):
        placements = getattr(parameter, "placements", None)
        mesh = _number_of(mesh_of(getattr(parameter, "device_mesh", None)), meshes)
        layout = (mesh, tuple(str(one) for one in placements or ()))
        layouts.setdefault(layout, Counter())[pattern_of(name)] += 1
        if id(parameter) in step.without_gradient:
            without_gradient[pattern_of(name)] += 1
    return {
        "class": class_of(root),
        "modules": modules,
        "parameters": [
            {"mesh": mesh, "placements": list(placements), "names": dict(names)}
            for (mesh, placements), names in layouts.items()
        ],
        "without_gradient": dict(without_gradient),
    }


def _optimizers(recorder: Recorder, roots: list[Any]) -> list[Json]:
    """Per optimizer how many parameters it holds, how many of them no model has, and which of the models' it lacks."""
    named_by = {id(p): name for root in roots for name, p in named_parameters(root)}
    trained = {id(p) for root in roots for _, p in named_parameters(root) if p.requires_grad}
    rows: list[Json] = []
    held_by_any: set[int] = set()
    for index, held in recorder.step.optimizers:
        optimizer = held()
        if optimizer is None:
            continue
        ids = [id(p) for group in optimizer.param_groups for p in group["params"]]
        held_by_any |= set(ids)
        stale = sum(one not in named_by for one in ids)
        rows.append(
            {
                "event": index,
                "parameters": len(ids),
                "not_in_model": stale,
                "stepped": optimizer in recorder.step.stepped,
            }
        )
    if rows:
        lacking = Counter(pattern_of(name) for one, name in named_by.items() if one in trained - held_by_any)
        rows[-1]["not_held"] = dict(lacking)
    return rows


def _since(before: Json | None, now: Json | None) -> Json | None:
    if before is None or now is None:
        return now
    return {
        "graphs": max(0, now["graphs"] - before["graphs"]),
        "calls": max(0, now["calls"] - before["calls"]),
        "breaks": [one for one in now["breaks"] if one not in before["breaks"]],
    }


def _captured() -> Json | None:
    """Of torch.compile: how many graphs and calls, and where graphs break; None if Dynamo was not imported."""
    utils = sys.modules.get("torch._dynamo.utils")
    counters = getattr(utils, "counters", None)  # missing while another thread imports Dynamo
    if counters is None:
        return None
    stats = counters["stats"]
    breaks = []
    for reason in list(getattr(utils, "graph_break_reasons", []))[:100]:
        frames = [frame for frame in reason.user_stack if frame.filename]
        place = {"file": _short(frames[-1].filename), "line": frames[-1].lineno} if frames else None
        row = {"why": _without_values(str(reason.reason)), "place": place}
        if row not in breaks:
            breaks.append(row)
    return {
        "graphs": int(stats.get("unique_graphs", 0)),
        "calls": int(stats.get("calls_captured", 0)),
        "breaks": breaks,
    }


def _without_values(reason: str) -> str:
    """The kind of a graph break: its first line up to what may show a value of the program."""
    line = reason.strip().splitlines()[0] if reason.strip() else ""
    for mark in ("(", "'", '"', "[", "=", ":"):
        line = line.partition(mark)[0]
    return line.strip()[:80]


def _short(file: str) -> str:
    if (package := package_of(file)) is not None:
        return package
    below = os.path.relpath(file)
    return file if below.startswith("..") else below


def _versions(sites: list[Json]) -> dict[str, str]:
    packages = {site["framework"]["file"].split("/")[0] for site in sites if site["framework"]} | set(
        _PACKAGES
    )
    found = {"python": platform.python_version()}
    for package in sorted(packages):
        if package not in sys.modules:
            continue
        version = getattr(sys.modules[package], "__version__", None)
        if not isinstance(version, str):
            try:
                version = importlib.metadata.version(package.replace("_", "-"))
            except importlib.metadata.PackageNotFoundError:
                version = _version_of_distribution(package)
        if version:
            found[package] = version
    return found


@functools.cache
def _version_of_distribution(package: str) -> str:
    """Of a package whose distribution has another name, as olmo_core of ai2-olmo-core; "" if none has it."""
    for name in importlib.metadata.packages_distributions().get(package, []):
        return importlib.metadata.version(name)
    return ""


def _uncaught() -> Json | None:
    """The exception that ended the main thread: its class and the last place on its stack outside of torch."""
    error = getattr(sys, "last_value", None)
    if error is None:
        return None
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not (package_of(frame.filename) or "").startswith("torch/")
        and "ordercheck_recorder" not in frame.filename
    ]
    place = {"file": _short(frames[-1].filename), "line": frames[-1].lineno} if frames else None
    return {"type": type(error).__name__, "place": place}
