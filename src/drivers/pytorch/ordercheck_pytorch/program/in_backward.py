"""The optimizer in backward, as torchtitan's OptimizersInBackwardContainer and PyTorch's tutorial have it: an optimizer for
each parameter, stepped in the parameter's post-accumulate-grad hook, where its gradient is dropped too. When the hook runs is
PyTorch's affair: a plain parameter's when autograd has accumulated the gradient, that of FSDP2 when it was reduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .gather import local
from .transforms.program import Program


class OptimizersInBackward(torch.optim.Optimizer):
    """What the trainer has in the optimizer's place. It has nothing left to do."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        super().__init__(parameters, {})

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        pass

    def zero_grad(self, set_to_none: bool = True) -> None:
        pass


def step_in_backward(
    program: Program,
    parameters: list[nn.Parameter],
    optimizer_of: Callable[[list[nn.Parameter]], torch.optim.Optimizer],
) -> OptimizersInBackward:
    optimizers = {p: optimizer_of([p]) for p in parameters if p.requires_grad}

    def hook(parameter: nn.Parameter) -> None:
        assert parameter.grad is not None
        # What the trainer does behind backward where there are gradients left (Trainer.unscale_gradients).
        local(parameter.grad).mul_(program.gradient_factor / program.loss_scale)
        for see in program.steps_in_backward:
            see(parameter)
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in optimizers:
        parameter.register_post_accumulate_grad_hook(hook)
    return OptimizersInBackward(parameters)
