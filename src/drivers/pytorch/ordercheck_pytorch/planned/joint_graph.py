"""Traces forward and backward of a model as one graph of one device, on fake tensors: no values, no memory, no ranks.

As AutoParallel traces it with torchtitan's mixed precision: parameters are float32 and cast to bfloat16 where they are used,
so gradients are cast to float32 before they are reduced."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx, nn
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx

from ..program.exact.kernels import Unsupported

COMPUTED_IN = torch.bfloat16
KEPT_IN = torch.float32
TOKENS = "tokens"


@dataclass
class Traced:
    """The placeholders of `graph` are the parameters, the inputs and the gradient of the logits. Its outputs are the logits
    and the gradients of the parameters."""

    graph: fx.Graph
    parameters: list[str]
    inputs: list[str]  # buffers, then TOKENS
    module_of: Callable[[fx.Node], str]  # the module that called a node of forward; "" for others
    is_backward: Callable[[fx.Node], bool]


def trace(make_model: Callable[[], nn.Module], sequences: int, sequence_length: int) -> Traced:
    """The model takes tokens [sequences, sequence_length] int64 and gives logits, or something that has them as `logits`."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = make_model().train()
        parameters = {name: kept(name, p).requires_grad_() for name, p in model.named_parameters()}
        buffers = {
            name: b.to(COMPUTED_IN) if b.is_floating_point() else b for name, b in model.named_buffers()
        }
        tokens = torch.zeros(sequences, sequence_length, dtype=torch.int64)
        with torch.no_grad():
            logits = logits_of(torch.func.functional_call(model, cast({**parameters, **buffers}), (tokens,)))
        if logits.ndim < 2 or logits.shape[0] != sequences:
            raise Unsupported(
                f"the model returned a tensor of {list(logits.shape)}; expected logits of [{sequences}, ...]"
            )
        where = Where(model)
        step = Step(model, where)

        def run(
            of: dict[str, torch.Tensor], given: dict[str, torch.Tensor], tokens: torch.Tensor, tangent: Any
        ) -> Any:
            named = {f"model.{name}": each for name, each in cast({**of, **given}).items()}
            return torch.func.functional_call(step, named, (tokens, tangent, list(of.values())))

        # Aliases of one tensor are traced as one, so the tangent is a tensor of its own.
        graph = make_fx(run)(parameters, buffers, tokens, torch.empty_like(logits)).graph
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    return Traced(
        graph,
        list(parameters),
        [*buffers, TOKENS],
        lambda node: where.module_of(numbers[node]),
        lambda node: numbers[node] >= where.forward_nodes,
    )


class Step(nn.Module):
    """Forward and backward in one call, so that a checkpoint reruns forward with the parameters that it was traced with."""

    def __init__(self, model: nn.Module, where: Where) -> None:
        super().__init__()
        self.model = model
        self._where = where

    def forward(self, tokens: torch.Tensor, tangent: torch.Tensor, of: list[torch.Tensor]) -> Any:
        with self._where.followed():
            out = logits_of(self.model(tokens))
        self._where.forward_ends()
        if not out.requires_grad:
            raise Unsupported("the logits depend on no parameter; expected a model that can be trained")
        return out, torch.autograd.grad(out, of, tangent, allow_unused=True)


def kept(name: str, parameter: torch.Tensor) -> torch.Tensor:
    if not parameter.is_floating_point():
        raise Unsupported(f"{name} is {parameter.dtype}; expected parameters of real floating-point numbers")
    return parameter.detach().to(KEPT_IN)


def cast(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        name: tensor.to(COMPUTED_IN) if tensor.is_floating_point() else tensor
        for name, tensor in tensors.items()
    }


def logits_of(output: Any) -> torch.Tensor:
    found = getattr(output, "logits", output)
    if not isinstance(found, torch.Tensor):
        raise Unsupported(f"the model returned {type(output).__name__}; expected a tensor of logits")
    return found


class Where:
    """Tells for each traced node the module that was being called when it was traced."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._called: list[str] = []
        self._from: list[tuple[int, str]] = []  # nodes from this number on belong to this module
        self.forward_nodes = 0

    @contextmanager
    def followed(self) -> Iterator[None]:
        handles = []
        for name, module in self._model.named_modules():
            handles.append(module.register_forward_pre_hook(functools.partial(self._enter, name)))
            handles.append(module.register_forward_hook(self._leave))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def forward_ends(self) -> None:
        self.forward_nodes = _traced_so_far()

    def module_of(self, node: int) -> str:
        at = bisect.bisect_right(self._from, node, key=lambda each: each[0])
        return self._from[at - 1][1] if at else ""

    def _enter(self, name: str, module: nn.Module, inputs: Any) -> None:
        self._called.append(name)
        self._from.append((_traced_so_far(), name))

    def _leave(self, module: nn.Module, inputs: Any, output: Any) -> None:
        self._called.pop()
        self._from.append((_traced_so_far(), self._called[-1] if self._called else ""))


def _traced_so_far() -> int:
    mode = get_proxy_mode()
    assert mode is not None
    return len(mode.tracer.graph.nodes)
