"""The stand-in for inductor: opaque as inductor's code is, with inductor's partition, and truthfully marked."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from ordercheck_pytorch.observe.operators import OperatorMeter, Step
from ordercheck_pytorch.program.case import Item
from ordercheck_pytorch.program.stand_in import NOTE, stand_in_for_inductor
from ordercheck_pytorch.program.transforms.ac import apply_ac
from ordercheck_pytorch.program.transforms.compile import apply_compile
from ordercheck_pytorch.program.transforms.program import Program, Site
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

SITE: Any = Site("cpu", None, {})  # type: ignore[arg-type]


class Block(nn.Module):
    """Two products, and between them whatever a test puts there."""

    def __init__(self, between: Callable[[torch.Tensor], torch.Tensor] = torch.tanh) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
        self.between = between

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.between(self.first(x)))


class Model(nn.Module):
    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({"0": block})
        self.output = nn.Linear(8, 8, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.output(self.layers["0"](x))


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def compiled(*options: str, block: Block | None = None, checkpointed: bool = False) -> Program:
    program = Program(Model(block or Block()))
    if checkpointed:
        apply_ac(program, Item("ac", scope="block"), SITE)
    apply_compile(program, Item("compile", options=dict.fromkeys(options, ""), scope="block"), SITE)
    return program


def step_of(model: nn.Module) -> Step:
    meter = OperatorMeter()
    x = torch.randn(4, 8)
    model(x).sum().backward()
    with meter.training(last=True):
        meter.phase("forward")
        loss = model(x).sum()
        meter.phase("backward")
        loss.backward()
    assert meter.seen is not None
    return meter.seen


def test_a_mode_outside_sees_nothing_of_a_graph() -> None:
    seen: list[str] = []

    class See(TorchDispatchMode):
        @classmethod
        def ignore_compile_internals(cls) -> bool:
            return True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    block = Block()
    x = torch.randn(4, 8)
    for backend, sees_products in (("aot_eager", True), (stand_in_for_inductor, False)):
        torch._dynamo.reset()
        run = torch.compile(block, backend=backend)
        run(x)
        seen.clear()
        with See():
            result = run(x)
        assert ("aten.mm.default" in seen) == sees_products, backend
        seen.clear()
        with See():
            result.sum().backward()
        assert ("aten.mm.default" in seen) == sees_products, backend


def test_it_computes_what_eager_code_does() -> None:
    # Decompositions may round in another order: of relu there is but one.
    program = compiled(block=Block(torch.relu))
    plain = Model(Block(torch.relu))
    plain.load_state_dict({k.replace("_orig_mod.", ""): v for k, v in program.model.state_dict().items()})
    x = torch.randn(4, 8)
    for model in (program.model, plain):
        model(x).sum().backward()
    for mine, theirs in zip(program.model.parameters(), plain.parameters(), strict=True):
        assert mine.grad is not None
        assert theirs.grad is not None
        assert torch.equal(mine.grad, theirs.grad)
    assert program.notes == [NOTE]


@pytest.mark.parametrize("options", [(), ("wrap",)])
def test_every_product_of_the_scope_runs_in_graphs(options: tuple[str, ...]) -> None:
    seen = step_of(compiled(*options).model)
    # Two forward; of the first the weight's gradient, of the second both.
    assert (seen.products_in_scope, seen.products_in_graphs) == (5, 5)
    assert seen.matmul_flops_recomputed == 0


def test_what_a_compiled_backward_computes_again_is_counted() -> None:
    plain = step_of(compiled().model)
    torch._dynamo.reset()
    again = step_of(compiled(checkpointed=True).model)
    assert again.matmul_flops_recomputed == 2 * 4 * 8 * 8  # the first product, for the second's gradient
    assert again.matmul_flops - again.matmul_flops_recomputed == plain.matmul_flops
    assert again.operators_recomputed > plain.operators_recomputed


def test_a_frame_that_is_given_up_runs_nothing_in_graphs() -> None:
    with torch._dynamo.config.patch(disable=True):
        seen = step_of(compiled().model)
    assert (seen.products_in_scope, seen.products_in_graphs) == (5, 0)


def test_a_graph_break_around_a_product_leaves_it_outside() -> None:
    inner = nn.Linear(8, 8, bias=False)

    @torch._dynamo.disable
    def between(x: torch.Tensor) -> torch.Tensor:
        return inner(x)

    seen = step_of(compiled(block=Block(between)).model)
    assert (seen.products_in_scope, seen.products_in_graphs) == (8, 5)
