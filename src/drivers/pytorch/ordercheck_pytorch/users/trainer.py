"""The trainer of a case with a user's own optimizer or step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..program.case import Case
from ..program.counter_random import draw
from ..program.data import even_part, samples_of_rank
from ..program.exact.draws import of_samples
from ..program.exact.kernels import Unsupported
from ..program.exact.parameters import is_freed, put_on_grid
from ..program.gather import local, whole
from ..program.observe import Observer
from ..program.task import Task
from ..program.train import Trainer
from ..program.transforms.program import Program
from ..program.watch import Watch
from ..torch_compat import in_backward
from .averages import backward_as_of_ranks
from .user_code import look_up_function

Step = Callable[[nn.Module, Any, list[tuple[Any, Any]], Any], Any]

# Why random numbers cannot be keyed by samples.
OF_MICROBATCHES = ": your step gets several microbatches at once; expected --accumulation 1"
NO_LOSS = "your step returns no loss: gradients, parameters and buffers are compared"
NO_HOOKS = (
    "your optimizer has no hooks of torch.optim.Optimizer: each parameter's change by a step is compared in the place of its "
    "gradient"
)


class OptimizerTrainer(Trainer):
    """With an optimizer that need not be one of torch.optim."""

    def forward_backward(self, step: int, divisor: int) -> torch.Tensor:
        with before_steps_of_optimizers(self._refuse_steps):
            return super().forward_backward(step, divisor)

    def _refuse_steps(self, optimizer: torch.optim.Optimizer) -> None:
        raise Unsupported(
            f"the optimizer of {self.case.optimizer} steps within backward, before the loss is divided by the tokens of all "
            "ranks; name a step of your own with --step"
        )

    def optimized(self) -> list[nn.Parameter]:
        return (
            super().optimized()
            if isinstance(self.program.optimizer, torch.optim.Optimizer)
            else list(self.program.model.parameters())
        )

    def update(self) -> None:
        super().update()
        self.put_parameters_on_grid()

    def zero_grad(self) -> None:
        assert self.program.optimizer is not None
        self.program.model.zero_grad(set_to_none=True)
        self.program.optimizer.zero_grad()

    def put_parameters_on_grid(self) -> None:
        """A hook does that for optimizers of torch."""
        if self.case.settings.exact:
            put_on_grid(self.program.model.parameters(), self.case.settings.grid)


class StepTrainer(OptimizerTrainer):
    """With a user's own step, which normalizes its loss itself: nothing is scaled."""

    def __init__(
        self, function: Step, case: Case, rank: int, device: str, task: Task, program: Program, watch: Watch
    ) -> None:
        super().__init__(case, rank, device, task, program, watch)
        self.function = function
        program.loss_scale = program.gradient_factor = 1.0
        multiplies = getattr(function, "multiplies_loss", True)
        self.ranks = case.reference_ranks if multiplies and case.settings.exact else 1
        self.trained = False  # whether a step changed a parameter

    def train_step(self, step: int, observer: Observer, around: contextlib.ExitStack) -> torch.Tensor:
        batches = self.batches(step)
        before = {p: p.detach().clone() for _, p in observer.parameters if not is_freed(p)}
        gradients = GradientsOfStep(observer, lambda: self.watch.phase(step, "optimizer"))
        self.watch.phase(step, "forward")
        torch.manual_seed(draw(self.case.settings.seed, step))
        first, count = samples_of_rank(self.case, self.rank)
        alone = self.case.settings.accumulation == 1 and not self.case.axes("sequence", "tensors")
        with (
            around,
            before_steps_of_optimizers(gradients.see),
            backward_as_of_ranks(self.ranks, [p for _, p in observer.parameters]),
            of_samples(range(first, first + count) if alone else OF_MICROBATCHES),
        ):
            loss = self.function(self.program.model, self.program.optimizer, batches, observer.site.mesh)
        self.watch.phase(step, "observe")
        self.put_parameters_on_grid()
        observer.seen.losses.append(self.loss_in_full(loss, observer))
        gradients.finish()
        if not gradients.seen and not isinstance(self.program.optimizer, torch.optim.Optimizer):
            observer.seen.notes = sorted({*observer.seen.notes, NO_HOOKS})
            for parameter, value in before.items():
                observer.stepped_by[parameter] = parameter.detach() - value
        observer.step_gradients()
        self.check_trained(step, before)
        return observer.norm_of_all(list(observer.gradients[-1].values()))

    def batches(self, step: int) -> list[tuple[Any, Any]]:
        """The microbatches of this rank."""
        parts = self.case.settings.accumulation
        first, count = samples_of_rank(self.case, self.rank)
        pieces = [even_part(first, count, parts, at) for at in range(parts)]
        return [self.batch(step, range(begin, begin + length)) for begin, length in pieces]

    def loss_in_full(self, loss: Any, observer: Observer) -> float:
        if loss is None:
            observer.seen.notes = sorted({*observer.seen.notes, NO_LOSS})
            return 0.0
        if isinstance(loss, torch.Tensor) and loss.numel() == 1:
            return float(whole(loss.detach()))
        if isinstance(loss, (int, float)):
            return float(loss)
        raise TypeError(
            f"{self.case.step} returned {type(loss).__name__}; expected the loss over all ranks, a float or a 0-dim tensor, "
            "or None"
        )

    def check_trained(self, step: int, before: dict[nn.Parameter, torch.Tensor]) -> None:
        """Of one rank alone: a layout that trains nothing differs from it."""
        self.trained |= any(not torch.equal(local(p), local(value)) for p, value in before.items())
        if self.case.world_size == 1 and step + 1 == self.case.settings.steps and not self.trained:
            raise Unsupported(
                f"{self.case.step} changed no parameter in {self.case.settings.steps} steps; expected it to call "
                "optimizer.step()"
            )


class GradientsOfStep:
    """Copies the gradients of a step as optimizers get them. Of a parameter that no optimizer has, the gradient that it has at
    the first step of one: its optimizer may have been forgotten."""

    def __init__(self, observer: Observer, begin: Callable[[], None]) -> None:
        self.observer, self.begin = observer, begin
        self.seen = False
        self.of_none: dict[nn.Parameter, torch.Tensor] = {}

    def see(self, optimizer: torch.optim.Optimizer) -> None:
        self.seen = True
        if not in_backward():
            self.begin()
        stepped = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        for parameter in stepped:
            self.observer.stepping(parameter)
        for _, parameter in self.observer.parameters:
            if parameter.grad is not None and parameter not in self.of_none:
                self.of_none[parameter] = parameter.grad.detach().clone()

    def finish(self) -> None:
        """Later gradients are not those of a step: an optimizer that did not step got none."""
        for _, parameter in self.observer.parameters:
            if parameter not in self.observer.stepped_by:
                gradient = self.of_none.get(parameter)
                none = torch.zeros_like(parameter.detach())
                self.observer.stepped_by[parameter] = none if gradient is None else gradient


@contextlib.contextmanager
def before_steps_of_optimizers(call: Callable[[torch.optim.Optimizer], None]) -> Iterator[None]:
    """Within, calls it before each step of an optimizer of torch."""

    def before(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        call(optimizer)

    handle = register_optimizer_step_pre_hook(before)
    try:
        yield
    finally:
        handle.remove()


def users_trainer(case: Case) -> Callable[[Case, int, str, Task, Program, Watch], Trainer]:
    if not case.step:
        return OptimizerTrainer
    function = look_up_function(case.step, ("model", "optimizer", "batches", "mesh"))
    return lambda *given: StepTrainer(function, *given)
