"""What one rank does of a case: builds the model, applies the stack, trains, and hands over what it saw.

It plays the trainer of a real job, and knows no transform by its name: what one needs of it, it leaves on the Program
(on_batch, gradient_factor, pipeline ...), and what the ranks of an axis split is told with the mesh."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .apart import start_apart
from .buffers import Buffer, buffers_after
from .case import Case, Item
from .catalogue import transforms_of
from .data import even_part, samples_of_rank
from .exact.draws import allowing_draws, refusing_draws
from .exact.foreign import refuse_foreign_operators
from .exact.grid import RANGE
from .exact.install import exact_kernels, measured_range
from .exact.parameters import put_on_grid
from .exact.refusals import raise_what_was_refused
from .gather import check_is_whole, full, full_of_all, local, sum_over_ranks, summed, whole, with_layout
from .llama import make_llama
from .names import NamesAsBuilt
from .partial_operands import apart_from_as_it_is, keep_as_it_is, watching_partial_operands
from .pipeline import PipelineSteps
from .placements import placements_in_words
from .project import Project, make_model, prepare
from .same_weights import check_same_weights
from .task import called_with, moved, task_of
from .transforms.optimizer import DEFAULT_OPTIMIZER, apply_default_optimizer, apply_optimizer
from .transforms.program import Program, Site
from .user_code import check_has_blocks, make_user_model
from .users_function import apply_users_function, buffers_meant_to_be_local, users_function
from .watch import Watch
from .widen import widen


@dataclass
class RankResult:
    """What one rank saw. Tensors are full ones, of the parameters that this rank holds; one entry a step."""

    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the model as built, in its order
    initial: dict[str, torch.Tensor] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    gradients: list[dict[str, torch.Tensor]] = field(default_factory=list)
    values: dict[str, torch.Tensor] = field(default_factory=dict)
    frozen: list[str] = field(default_factory=list)  # parameters that the model as built does not train
    buffers: dict[str, Buffer] = field(default_factory=dict)  # after the last step
    range_used: float = 0.0
    counters: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    partial_operands: list[str] = field(
        default_factory=list
    )  # operators that sum, and were handed partial sums
    partials_apart: float = 0.0  # of a run that reduces them first: how far the run before it is away


class RankRun:
    def __init__(self, case: Case, rank: int, device: str, watch: Watch, project: Project | None) -> None:
        self.case, self.rank, self.device, self.watch = case, rank, device, watch
        self.dtype = case.settings.dtype
        self.project = project
        widens = bool(case.widen or project) and case.settings.dtype == torch.float64
        if widens and case.widen:
            widen(case.widen.split("+"))
        if self.project:
            prepare(self.project, device, widens)
        torch.set_default_dtype(
            torch.float64 if widens else torch.float32
        )  # a case before may have set another
        self.task = task_of(case, project)
        # Looked up before anything is built: what was named wrongly is no failure of the stack.
        self.users_function = users_function(case) if case.apply else None
        self.seen = RankResult()
        self.pipeline: PipelineSteps | None = None
        self.parameters: list[tuple[str, nn.Parameter]] = []
        self.gradients: list[dict[str, torch.Tensor]] = []  # of every step, laid out as the ranks hold them

    def run(self) -> RankResult:
        torch.manual_seed(self.case.settings.seed)
        self.watch.phase(0, "build")
        model = self.build()
        if self.case.settings.exact:
            put_on_grid(model.parameters(), self.case.settings.grid)
        self.names = NamesAsBuilt.of(model)
        self.seen.shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}
        self.seen.frozen = [name for name, p in model.named_parameters() if not p.requires_grad]
        # Copies: the optimizer changes parameters in place, and `changed` is held against these.
        self.seen.initial = {name: full(p) for name, p in model.named_parameters()}
        self.watch.model_built(model)
        settings = self.case.settings
        # Not before: what a factory initializes its parameters with may sum as it likes.
        with (
            exact_kernels(settings.grid) if settings.exact else contextlib.nullcontext(),
            self.watching_partials() as met,
        ):
            try:
                self.apply_and_train(model)
            except Exception as error:
                raise_what_was_refused(error)
                raise
        self.tell_partials(met)
        # Another's function may keep what it likes: then nobody counted.
        others = self.case.apply or self.project
        self.seen.counters = (
            self.program.counters if others else {"operators_kept": 0} | self.program.counters
        )
        return self.seen

    def watching_partials(self) -> contextlib.AbstractContextManager[set[str]]:
        if not self.case.settings.exact or self.case.world_size == 1:
            return contextlib.nullcontext(set())
        return watching_partial_operands(self.case.reduces_partials)

    def tell_partials(self, met: set[str]) -> None:
        if self.case.reduces_partials:
            self.seen.partials_apart = apart_from_as_it_is(self.seen.gradients[0])
        elif met:
            keep_as_it_is(self.seen.gradients[0])
            self.seen.partial_operands = sorted(met)

    def apply_and_train(self, model: nn.Module) -> None:
        self.watch.phase(0, "apply")
        configured = self.project.configured(self.case) if self.project else {}
        self.site = Site(self.device, self.make_mesh(), self.case.splits, self.degrees(), configured)
        self.program = Program(model)
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            self.apply()
        if self.case.settings.exact:
            refuse_foreign_operators()  # a function may have loaded some
        self.seen.notes = sorted(
            {str(one.message).splitlines()[0] for one in raised if one.category is UserWarning}
            | set(self.program.notes)
            | set(self.project.notes() if self.project else [])
        )
        # As an optimizer takes them: a wrapper may put something else in their place in the first forward.
        self.parameters = self.names.parameters_of(self.program.model)
        if self.users_function:
            self.seen.notes = sorted(
                {*self.seen.notes, *placements_in_words(self.parameters, self.site.mesh)}
            )
        self.watch.applied(self.program.model)
        steps = self.case.settings.steps
        for step in range(steps):
            self.train(step, last=step + 1 == steps)
            self.watch.step_done(step)
        self.watch.phase(steps - 1, "observe")
        self.seen.range_used = RANGE.used
        self.tell_clipping()
        self.gather()

    def build(self) -> nn.Module:
        seed = self.case.settings.seed
        if self.project:
            return make_model(self.project, self.case.model, seed).to(self.device)
        if self.case.model == "llama":
            return make_llama(self.dtype, seed).to(self.device)
        model = make_user_model(self.case.model, self.dtype, seed).to(self.device)
        check_same_weights(model, self.case.model)
        if not self.users_function and any(item.kind == "layout" for item in self.case.items):
            check_has_blocks(model, self.case.model)
        return model

    def degrees(self) -> dict[str, int]:
        """Of every axis of the mesh, and of items whose ranks are carved from several axes, with their options that are
        degrees."""
        carved: dict[str, int] = {}
        for item in self.case.items:
            if item.degrees and not item.axes:
                carved[item.name] = item.degrees[0]
                carved |= {name: int(value) for name, value in item.options.items() if value.isdigit()}
        return self.case.mesh | carved

    def make_mesh(self) -> DeviceMesh | None:
        """Of the axes that have several ranks or that an item asks for, in the order of the case's mesh."""
        asked_for = {axis for item in self.case.items for axis in item.axes}
        axes = [axis for axis, degree in self.case.mesh.items() if degree > 1 or axis in asked_for]
        if not axes:
            return None
        if self.case.world_size == 1:
            # Of the rank itself, which need not be alone: a script of repro runs the reference on each of its ranks, and
            # init_device_mesh would take rank 0.
            own = torch.full((1,) * len(axes), dist.get_rank())
            return DeviceMesh(self.device, own, mesh_dim_names=tuple(axes))
        return init_device_mesh(
            self.device, tuple(self.case.mesh[a] for a in axes), mesh_dim_names=tuple(axes)
        )

    def apply(self) -> None:
        if self.users_function:
            for item in self.case.items:
                transform = transforms_of(self.project).get(item.name)
                if transform is not None and transform.sends_every_parameter:
                    self.start_apart(item)
            apply_users_function(self.users_function, self.program, self.site.mesh, self.case)
        else:
            for item in self.case.items:
                self.start_apart(item)
                transforms_of(self.project)[item.name].apply(self.program, item, self.site)
        if self.case.apply:
            for item in self.case.items:
                if item.name == DEFAULT_OPTIMIZER.name and self.program.optimizer is None:
                    apply_optimizer(self.program, item, self.site)
        if self.program.optimizer is None:
            (self.project.optimizer if self.project else apply_default_optimizer)(self.program, self.site)

    def start_apart(self, item: Item) -> None:
        """Of what the item promises to broadcast."""
        if (broadcasts := transforms_of(self.project)[item.name].broadcasts) is None:
            return
        promised = broadcasts(self.program, item)
        place = self.site.axis(promised.axis).get_local_rank()
        start_apart(self.program.model, promised, place, self.case.settings.seed)
        if self.case.apply and promised.parameters:
            self.program.notes.append(
                f"the ranks of {promised.axis} started with different values, since {item.name} sends those of the first"
            )

    def train(self, step: int, last: bool) -> None:
        divisor = self.task.divisor(self.case.settings.seed, step)
        with self.watch.training(step, last), self.measuring(), refusing_draws():
            loss_sum = self.forward_backward(step, divisor)
            for reduce in self.program.behind_backward:
                reduce()
        self.unscale_gradients()
        # Before clipping and the optimizer change them. Taken apart here, gathered at the end: see gather().
        self.watch.phase(step, "observe")
        self.seen.losses.append(self.over_data_and_stages(loss_sum).item() / divisor)
        self.gradients.append({name: self.gradient_of(p) for name, p in self.parameters})
        norm = self.observed_norm() if self.program.clips_by is None else None
        self.watch.phase(step, "optimizer")
        if self.program.clips_by is not None:
            norm = self.program.clips_by(self.program.model)
        assert self.program.optimizer is not None and norm is not None
        self.program.optimizer.step()
        self.watch.phase(step, "observe")
        self.seen.gradient_norms.append(float(whole(norm)))
        self.program.model.zero_grad(set_to_none=True)
        self.program.optimizer.zero_grad(set_to_none=True)

    def measuring(self) -> contextlib.AbstractContextManager[None]:
        """Of the reference alone: exact/grid.py says why that is enough."""
        layout = self.case.apply or any(item.kind == "layout" for item in self.case.items)
        if layout or not self.case.settings.exact:
            return contextlib.nullcontext()
        return measured_range(self.case.settings.accumulation)

    def forward_backward(self, step: int, divisor: int) -> torch.Tensor:
        """The rank's own sum of losses. Sums of losses are added first and scaled last: a sum of terms on the grid is exact,
        a sum of quotients is not."""
        settings, program = self.case.settings, self.program
        factor = self.task.scale / divisor
        first, count = samples_of_rank(self.case, self.rank)
        if program.pipeline is not None:
            self.watch.phase(step, "forward")
            inputs, targets = self.batch(step, range(first, first + count))
            if self.pipeline is None:
                microbatches = program.pipeline.microbatches or settings.accumulation
                self.pipeline = PipelineSteps(program, self.task, self.dtype, microbatches, self.device)
            with self.autocast(), self.around_loss():
                return self.pipeline.step(inputs, targets, factor)
        loss_sum = torch.zeros((), dtype=self.dtype, device=self.device)
        for microbatch in range(settings.accumulation):
            begin, length = even_part(first, count, settings.accumulation, microbatch)
            inputs, targets = self.batch(step, range(begin, begin + length))
            for tell in program.on_microbatch:
                tell(microbatch + 1 == settings.accumulation)
            self.watch.phase(step, "forward")
            with self.autocast():
                output = called_with(program.model, inputs)
            with self.around_loss():
                total = self.task.loss(output, targets)
                scaled = total * factor
                self.watch.phase(step, "backward")
                scaled.backward()
            loss_sum = loss_sum + whole(total.detach())
        return loss_sum

    def around_loss(self) -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        for context in self.program.around_loss:
            stack.enter_context(context())
        return stack

    def autocast(self) -> torch.autocast:
        dtype = self.program.autocast
        return torch.autocast(self.device, dtype=dtype, enabled=dtype is not None)

    def batch(self, step: int, samples: range) -> tuple[Any, Any]:
        with allowing_draws():
            drawn = self.task.batch(self.case.settings.seed, step, samples)
        inputs, targets = moved(drawn, self.device, self.dtype)
        for pass_through in self.program.on_batch:
            inputs, targets = pass_through([inputs, targets])
        return inputs, targets

    def unscale_gradients(self) -> None:
        """As torch.amp.GradScaler.unscale_ does before clipping: in place, by a power of two, which changes no bit, and in the
        ranks' own parts, which changes no placement. Program.gradient_factor says why not earlier."""
        factor = self.program.gradient_factor / self.task.scale
        trained = [*self.program.model.parameters(), *(p for _, p in self.parameters), *self.optimized()]
        for parameter in {id(p): p for p in trained}.values():
            if parameter.grad is not None:
                local(parameter.grad).mul_(factor)

    def gradient_of(self, parameter: nn.Parameter) -> torch.Tensor:
        """A copy, laid out as the ranks hold it. Only in the copy are parts of a sum added up: the user's clipping and
        optimizer find in .grad what PyTorch left there."""
        if parameter.grad is None:
            return with_layout(torch.zeros_like(parameter), parameter)
        return summed(with_layout(parameter.grad.detach().clone(), parameter))

    def gather(self) -> None:
        """At the end: a collective for what all steps left of a parameter costs what one for a step does."""
        self.seen.gradients = [{} for _ in self.gradients]
        for name, parameter in self.parameters:
            value = with_layout(parameter, parameter)
            *gradients, self.seen.values[name] = full_of_all(
                [*(step[name] for step in self.gradients), value]
            )
            for step, gradient in zip(self.seen.gradients, gradients, strict=True):
                step[name] = gradient
            check_is_whole(name, self.seen.values[name], self.seen.shapes[name], self.rank)
        self.seen.buffers = buffers_after(
            self.names.buffers, self.names.buffers_of(self.program.model), self.local_buffers()
        )

    def local_buffers(self) -> list[str]:
        """Patterns of their names."""
        if self.project:
            return list(self.project.local_buffers)
        return [*self.program.local_buffers, *buffers_meant_to_be_local(self.case)]

    def over_data_and_stages(self, total: torch.Tensor) -> torch.Tensor:
        splits = ("batch", "sequence", "layers") if self.program.splits_sequence else ("batch", "layers")
        for axis in self.case.axes(*splits):
            dist.all_reduce(total, group=self.site.axis(axis).get_group())
        return total

    def optimized(self) -> list[nn.Parameter]:
        assert self.program.optimizer is not None
        return [p for group in self.program.optimizer.param_groups for p in group["params"]]

    def observed_norm(self) -> torch.Tensor:
        """Where the trainer does not clip: of the optimizer's gradients, each element of a full one counted once, however its
        parameter is laid out."""
        gradients = [summed(with_layout(p.grad.detach(), p)) for p in self.optimized() if p.grad is not None]
        total = sum_over_ranks(
            torch.zeros((), dtype=self.dtype, device=self.device),
            [(torch.linalg.vector_norm(local(g)) ** 2, g) for g in gradients],
        )
        for axis in self.case.axes("layers"):
            dist.all_reduce(total, group=self.site.axis(axis).get_group())
        return total**0.5

    def tell_clipping(self) -> None:
        """A threshold that no gradient reaches tests nothing."""
        largest, most = max(self.seen.gradient_norms), self.program.max_norm
        if self.program.clips_by is not None and largest <= most:
            note = f"clip: no gradient was scaled down: the largest norm is {largest:.3g}, the threshold {most:g}"
            self.seen.notes = sorted({*self.seen.notes, note})


def run_rank(case: Case, rank: int, device: str, watch: Watch, project: Project | None = None) -> RankResult:
    """The default process group is there. Collective over all ranks of the case."""
    return RankRun(case, rank, device, watch, project).run()
