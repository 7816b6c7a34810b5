"""What one rank does of a case: it builds the model, applies the stack, trains, and hands over what it saw."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable

import torch
from torch import nn

from ..process_state import CASE_STATE
from ..torch_compat import drawing_as_eager
from .apply import degrees_of
from .case import Case
from .exact.draws import refusing_draws
from .exact.factors import shapes_of
from .exact.foreign import refuse_foreign_operators
from .exact.install import exact_kernels, keyed_draws, measured_range
from .exact.parameters import put_on_grid
from .exact.refusals import raise_what_was_refused
from .gather import full, whole, with_layout
from .module_outputs import keeping_outputs
from .names import NamesAsBuilt
from .observe import Observer
from .partial_operands import distance_from_kept, keep_gradients, watching_partial_operands
from .parts import Applied, Parts, parts_of_engine
from .result import RankResult
from .task import Task
from .train import Trainer
from .transforms.program import Program, Site
from .watch import Watch
from .widen import widen


def run_rank(
    case: Case,
    rank: int,
    device: str,
    watch: Watch,
    parts_of: Callable[[Case, str], Parts] = parts_of_engine,
) -> RankResult:
    """The default process group is there. Collective over all ranks of the case."""
    if case.widen and case.settings.dtype is torch.float64:
        widen(case.widen.split("+"))
    parts = parts_of(case, device)
    torch.set_default_dtype(parts.default_dtype)
    return RankRun(case, rank, device, watch, parts, parts.task(case)).run()


class RankRun:
    def __init__(self, case: Case, rank: int, device: str, watch: Watch, parts: Parts, task: Task) -> None:
        self.case, self.rank, self.device, self.watch = case, rank, device, watch
        self.parts, self.task = parts, task
        self.seen = RankResult()

    def run(self) -> RankResult:
        settings = self.case.settings
        model = self.build()
        # Not before: what a factory initializes its parameters with may sum as it likes.
        with (
            exact_kernels(settings.grid, self.device, self.case.coarse_factors)
            if settings.exact
            else keyed_draws(),
            drawing_as_eager(),
            self.watching_partials() as met,
        ):
            try:
                self.train(*self.apply(model))
            except Exception as error:
                raise_what_was_refused(error)
                raise
        self.compare_partials(met)
        return self.seen

    def build(self) -> nn.Module:
        settings, seen = self.case.settings, self.seen
        torch.manual_seed(settings.seed)
        self.watch.phase(0, "build")
        model = self.parts.build(self.device)
        if settings.exact:
            put_on_grid(model.parameters(), settings.grid)
        self.names = NamesAsBuilt.of(model)
        seen.shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}
        seen.frozen = [name for name, p in model.named_parameters() if not p.requires_grad]
        # Copies: the optimizer changes parameters in place, and `changed` is held against these.
        seen.initial = {name: full(p) for name, p in model.named_parameters()}
        self.watch.model_built(model)
        return model

    def apply(self, model: nn.Module) -> tuple[Program, Observer]:
        self.watch.phase(0, "apply")
        case, parts, seen = self.case, self.parts, self.seen
        mesh = parts.mesh(case, self.device)
        site = Site(self.device, mesh, case.splits, degrees_of(case), parts.configured(case))
        program = Program(model)
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            parts.apply(program, site)
            if case.settings.exact:
                put_on_grid(self.added(program.model), case.settings.grid)
            if program.optimizer is None:
                parts.optimizer(program, site)
        if case.settings.exact:
            refuse_foreign_operators()  # a function may have loaded some
        observer = Observer(case, self.rank, self.names, program, site, seen)
        self.see_parameters(observer.parameters)
        if case.coarse_factors:
            for _, parameter in observer.parameters:
                CASE_STATE.parameter_shapes |= shapes_of(parameter)
        warned = [str(one.message).splitlines()[0] for one in raised if one.category is UserWarning]
        applied = Applied(program, observer.parameters, seen.initial, mesh)
        seen.notes = sorted({*warned, *program.notes, *parts.notes(applied)})
        self.watch.applied(program.model)
        return program, observer

    def added(self, model: nn.Module) -> list[nn.Parameter]:
        """Those that a transform added. Nothing else that it left is changed."""
        return [p for name, p in self.names.parameters_of(model) if name not in self.seen.shapes]

    def see_parameters(self, parameters: list[tuple[str, nn.Parameter]]) -> None:
        """Those that transforms added or froze. Collective over the meshes of those that are DTensors."""
        seen, present = self.seen, dict(parameters)
        seen.added = sorted(present.keys() - seen.shapes.keys())
        for name in seen.added:
            value = full(with_layout(present[name], present[name]))
            seen.shapes[name], seen.initial[name] = tuple(value.shape), value
        elsewhere = [name for name in seen.frozen if name not in present]
        seen.frozen = [*elsewhere, *(name for name, p in parameters if not p.requires_grad)]

    def train(self, program: Program, observer: Observer) -> None:
        trainer = self.parts.trainer(self.case, self.rank, self.device, self.task, program, self.watch)
        steps = self.case.settings.steps
        for step in range(steps):
            self.train_step(trainer, observer, step, last=step + 1 == steps)
            self.watch.step_done(step)
        self.watch.phase(steps - 1, "observe")
        self.seen.range_used = CASE_STATE.range_used
        self.seen.counters = dict(self.parts.counters) | program.counters
        observer.clipping()
        observer.gather(self.parts.local_buffers(program))

    def keeping_outputs(self, model: nn.Module) -> contextlib.AbstractContextManager[None]:
        if not self.case.keeps_outputs or not self.case.settings.exact:
            return contextlib.nullcontext()
        return keeping_outputs(model, self.names, self.seen.outputs)

    def train_step(self, trainer: Trainer, observer: Observer, step: int, last: bool) -> None:
        CASE_STATE.step = step
        with contextlib.ExitStack() as around:
            for context in (
                self.watch.training(step, last),
                self.measuring(),
                refusing_draws(),
                self.keeping_outputs(trainer.program.model),
            ):
                around.enter_context(context)
            norm = trainer.train_step(step, observer, around)
        self.seen.gradient_norms.append(float(whole(norm)))
        observer.step_is_done()

    def measuring(self) -> contextlib.AbstractContextManager[None]:
        """Of the reference alone: exact/grid.py says why that is enough."""
        layout = self.case.apply or any(item.kind == "layout" for item in self.case.items)
        if layout or not self.case.settings.exact:
            return contextlib.nullcontext()
        return measured_range(self.case.settings.accumulation)

    def watching_partials(self) -> contextlib.AbstractContextManager[set[str]]:
        if not self.case.settings.exact or self.case.world_size == 1:
            return contextlib.nullcontext(set())
        return watching_partial_operands(self.case.reduces_partials)

    def compare_partials(self, met: set[str]) -> None:
        """With the run before, which is of the same case in the same ranks."""
        if self.case.reduces_partials:
            self.seen.partials_apart = distance_from_kept(self.seen.gradients[0])
        elif met:
            keep_gradients(self.seen.gradients[0])
            self.seen.partial_operands = sorted(met)
