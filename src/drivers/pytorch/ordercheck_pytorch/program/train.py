"""A step of training, as a user's trainer takes it. It knows no transform by its name: what one needs of the step, it leaves on
the Program (on_batch, gradient_factor, pipeline ...), and what the ranks of an axis split is told with the mesh."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch import nn

from .case import Case
from .counter_random import draw
from .data import even_part, samples_of_rank
from .exact.draws import allowing_draws, of_samples
from .gather import local, whole
from .observe import Observer
from .pipeline import PipelineSteps
from .task import Task, called_with, moved
from .transforms.program import Program
from .watch import Watch

# Why random numbers cannot be keyed by samples.
OF_STAGES = ": each stage of a pipeline draws for its layers, and one rank for all"
OF_PIECES = " where ranks split tensors or sequences: which piece of a sample a rank has is not known to it"


class Trainer:
    def __init__(
        self, case: Case, rank: int, device: str, task: Task, program: Program, watch: Watch
    ) -> None:
        self.case, self.rank, self.device, self.task, self.program, self.watch = (
            case,
            rank,
            device,
            task,
            program,
            watch,
        )
        self.dtype = case.settings.dtype
        program.loss_scale = task.scale
        self.pipeline: PipelineSteps | None = None

    def train_step(self, step: int, observer: Observer, around: contextlib.ExitStack) -> torch.Tensor:
        """The norm of its gradients. Leaves `around` after the backward."""
        divisor = self.task.divisor(self.case.settings.seed, step)
        with around:
            loss_sum = self.forward_backward(step, divisor)
            self.reduce_gradients()
        self.unscale_gradients([parameter for _, parameter in observer.parameters])
        self.watch.phase(step, "observe")
        observer.loss(loss_sum, divisor)
        observer.step_gradients()
        norm = None if self.program.clips_by is not None else observer.norm_of(self.optimized())
        self.watch.phase(step, "optimizer")
        norm = self.clip() if norm is None else norm
        self.update()
        self.watch.phase(step, "observe")
        assert norm is not None
        self.zero_grad()
        return norm

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
            with self.autocast(), self.around_loss(), of_samples(OF_STAGES):
                return self.pipeline.step(inputs, targets, factor)
        loss_sum = torch.zeros((), dtype=self.dtype, device=self.device)
        for microbatch in range(settings.accumulation):
            begin, length = even_part(first, count, settings.accumulation, microbatch)
            inputs, targets = self.batch(step, range(begin, begin + length))
            for tell in program.on_microbatch:
                tell(microbatch + 1 == settings.accumulation)
            self.watch.phase(step, "forward")
            # A sample is in another microbatch in another layout, and draws there what it does here.
            torch.manual_seed(draw(settings.seed, step))
            with of_samples(
                OF_PIECES if self.case.axes("sequence", "tensors") else range(begin, begin + length)
            ):
                with self.autocast():
                    output = called_with(program.model, inputs)
                with self.around_loss():
                    total = self.task.loss(output, targets)
                    scaled = total * factor
                    self.watch.phase(step, "backward")
                    scaled.backward()
            loss_sum = loss_sum + whole(total.detach())
        return loss_sum

    def reduce_gradients(self) -> None:
        """Those that no wrapper reduces."""
        for reduce in self.program.behind_backward:
            reduce()

    def unscale_gradients(self, parameters: list[nn.Parameter]) -> None:
        """As torch.amp.GradScaler.unscale_ does before clipping: in place, by a power of two, which changes no bit, and in the
        ranks' own parts, which changes no placement. Program.gradient_factor says why not earlier. `parameters` are those
        that are observed: a wrapper may have put others in their place."""
        factor = self.program.gradient_factor / self.task.scale
        trained = [*self.program.model.parameters(), *parameters, *self.optimized()]
        for parameter in {id(p): p for p in trained}.values():
            if parameter.grad is not None:
                local(parameter.grad).mul_(factor)

    def clip(self) -> torch.Tensor | None:
        """The norm before that; None where the trainer does not clip."""
        return self.program.clips_by(self.program.model) if self.program.clips_by is not None else None

    def update(self) -> None:
        assert self.program.optimizer is not None
        self.program.optimizer.step()

    def zero_grad(self) -> None:
        assert self.program.optimizer is not None
        self.program.model.zero_grad(set_to_none=True)
        self.program.optimizer.zero_grad(set_to_none=True)

    def optimized(self) -> list[nn.Parameter]:
        assert self.program.optimizer is not None
        return [p for group in self.program.optimizer.param_groups for p in group["params"]]

    def batch(self, step: int, samples: range) -> tuple[Any, Any]:
        # Batches of other layouts draw other numbers: the model's are not to begin elsewhere for it.
        with allowing_draws(), torch.random.fork_rng(devices=[]):
            drawn = self.task.batch(self.case.settings.seed, step, samples)
        inputs, targets = moved(drawn, self.device, self.dtype)
        for pass_through in self.program.on_batch:
            inputs, targets = pass_through([inputs, targets])
        return inputs, targets

    def around_loss(self) -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        for context in self.program.around_loss:
            stack.enter_context(context())
        return stack

    def autocast(self) -> torch.autocast:
        dtype = self.program.autocast
        return torch.autocast(self.device, dtype=dtype, enabled=dtype is not None)
