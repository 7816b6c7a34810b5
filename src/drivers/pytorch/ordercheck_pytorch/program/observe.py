"""What is compared, taken from a step and after the last one. Everything is a copy: the user's clipping and optimizer find in
.grad what PyTorch left there."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import nn

from .buffers import buffers_after
from .case import Case
from .exact.grid import rounded, sum_bits
from .exact.parameters import is_freed
from .gather import check_is_whole, full_of_all, local, sum_over_ranks, summed, with_layout
from .names import NamesAsBuilt
from .result import RankResult
from .transforms.program import Program, Site


class Observer:
    def __init__(
        self, case: Case, rank: int, names: NamesAsBuilt, program: Program, site: Site, seen: RankResult
    ) -> None:
        self.case, self.rank, self.names = case, rank, names
        self.program, self.site, self.seen = program, site, seen
        # As an optimizer takes them: a wrapper may put something else in their place in the first forward.
        self.parameters = names.parameters_of(program.model)
        self.gradients: list[dict[str, torch.Tensor]] = []  # of every step, laid out as the ranks hold them
        self.stepped_by: dict[nn.Parameter, torch.Tensor] = {}  # within this step's backwards, added up
        program.steps_in_backward.append(self.stepping)

    def loss(self, loss_sum: torch.Tensor, divisor: int) -> None:
        splits = ("batch", "sequence", "layers") if self.program.splits_sequence else ("batch", "layers")
        total = self.over_axes(loss_sum, *splits)
        if self.case.settings.exact:
            total = rounded(total, sum_bits())  # parts that a loss of the user's divided lie on no grid
        self.seen.losses.append(total.item() / divisor)

    def stepping(self, parameter: nn.Parameter) -> None:
        """Behind backward the gradient is gone."""
        assert parameter.grad is not None
        seen = self.stepped_by.get(parameter)
        gradient = parameter.grad.detach()
        self.stepped_by[parameter] = gradient.clone() if seen is None else seen + gradient

    def step_is_done(self) -> None:
        self.stepped_by.clear()

    def gradient(self, parameter: nn.Parameter) -> torch.Tensor | None:
        """That of the step as the optimizer got it: within backward, or else behind it."""
        stepped_by = self.stepped_by.get(parameter)
        return parameter.grad if stepped_by is None else stepped_by

    def step_gradients(self) -> None:
        """Before clipping and the optimizer change them. Taken apart here, gathered at the end."""
        self.gradients.append({name: copy_of_gradient(self.gradient(p), p) for name, p in self.optimized()})

    def optimized(self) -> list[tuple[str, nn.Parameter]]:
        """A function that runs a forward leaves gathered parameters in the place of those that the optimizer has."""
        groups = getattr(self.program.optimizer, "param_groups", [])  # an optimizer of a user may have none
        held = {id(p) for group in groups for p in group["params"]}
        if not held or all(id(p) in held for _, p in self.parameters):
            return self.parameters
        present = dict(self.names.parameters_of(self.program.model))
        return [
            (name, present.get(name, p) if id(p) not in held and id(present.get(name)) in held else p)
            for name, p in self.parameters
        ]

    def norm_of(self, optimized: Sequence[nn.Parameter]) -> torch.Tensor:
        """Where the trainer does not clip: of the optimizer's gradients, each element of a full one counted once, however its
        parameter is laid out."""
        found = [(self.gradient(p), p) for p in optimized]
        return self.norm_of_all(
            [summed(with_layout(gradient.detach(), p)) for gradient, p in found if gradient is not None]
        )

    def norm_of_all(self, gradients: Sequence[torch.Tensor]) -> torch.Tensor:
        """Each element of a full gradient counted once. Collective over their meshes."""
        total = sum_over_ranks(
            torch.zeros((), dtype=self.case.settings.dtype, device=self.site.device),
            [(torch.linalg.vector_norm(local(g)) ** 2, g) for g in gradients],
        )
        return self.over_axes(total, "layers") ** 0.5

    def over_axes(self, total: torch.Tensor, *splits: str) -> torch.Tensor:
        for axis in self.case.axes(*splits):
            dist.all_reduce(total, group=self.site.axis(axis).get_group())
        return total

    def clipping(self) -> None:
        """A threshold that no gradient reaches tests nothing."""
        largest, most = max(self.seen.gradient_norms), self.program.max_norm
        if self.program.clips_by is not None and largest <= most:
            note = f"clip: no gradient was scaled down: the largest norm is {largest:.3g}, the threshold {most:g}"
            self.seen.notes = sorted({*self.seen.notes, note})

    def gather(self, local_buffers: Sequence[str]) -> None:
        """At the end: a collective for what all steps left of a parameter costs what one for a step does."""
        self.seen.gradients = [{} for _ in self.gradients]
        present = dict(self.names.parameters_of(self.program.model))
        for name, parameter in self.parameters:
            # A function that runs a forward leaves parameters gathered; they are freed later, and the model has others.
            current = present.get(name, parameter) if is_freed(parameter) else parameter
            value = with_layout(current, current)
            *gradients, self.seen.values[name] = full_of_all(
                [*(step[name] for step in self.gradients), value]
            )
            for step, gradient in zip(self.seen.gradients, gradients, strict=True):
                step[name] = gradient
            check_is_whole(name, self.seen.values[name], self.seen.shapes[name], self.rank)
        held = self.names.buffers_of(self.program.model)
        self.seen.buffers = buffers_after(self.names.buffers, held, local_buffers)


def copy_of_gradient(gradient: torch.Tensor | None, parameter: nn.Parameter) -> torch.Tensor:
    """A copy, laid out as the ranks hold it. Only in the copy are parts of a sum added up."""
    if gradient is None:
        return with_layout(torch.zeros_like(parameter), parameter)
    return summed(with_layout(gradient.detach().clone(), parameter))
