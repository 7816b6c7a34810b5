"""Users' programs in pairs: one with a bug, and its twin without it. A model of tokens in, logits out, that mixes no tokens, so
that a sequence may be cut anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Replicate, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

DIM = 16


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(DIM, 2 * DIM, bias=False)
        self.gate = nn.Linear(DIM, 2 * DIM, bias=False)
        self.down = nn.Linear(2 * DIM, DIM, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(self.up(x) * torch.sigmoid(self.gate(x)))


class Model(nn.Module):
    """One of its children is called "module", which is what DistributedDataParallel calls the model it wraps."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(120, DIM)
        self.module = Block()
        self.second = Block()
        self.head = nn.Linear(DIM, 120, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.second(self.module(self.embed(tokens))))


def model() -> nn.Module:
    return Model()


def model_of_the_rank() -> nn.Module:
    """Its generator is seeded by the rank."""
    torch.manual_seed(dist.get_rank())
    return Model()


class Adapted(Model):
    """The base is frozen, the adapter begins at zero as LoRA's does, and one parameter is not used."""

    def __init__(self) -> None:
        super().__init__()
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        self.down, self.up = nn.Linear(DIM, 4, bias=False), nn.Linear(4, DIM, bias=False)
        nn.init.zeros_(self.up.weight)
        self.unused = nn.Parameter(torch.ones(3))
        self.silent = nn.Parameter(torch.ones(DIM))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.module(self.embed(tokens))
        return self.head(x + self.up(self.down(x)) + 0 * self.silent)


def adapted() -> nn.Module:
    return Adapted()


class DroppingBlock(Block):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(super().forward(x), 0.25)


def dropping() -> nn.Module:
    one = Model()
    one.second = DroppingBlock()
    return one


class Counting(Model):
    """Counts the tokens that it saw, of which each rank sees others, and the calls; neither is saved with it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(120, dtype=torch.int64), persistent=False)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        self.seen += torch.bincount(tokens.flatten(), minlength=120)  # type: ignore[operator, assignment]
        self.calls += 1  # type: ignore[operator, assignment]
        return super().forward(tokens)


def counting() -> nn.Module:
    return Counting()


def counting_its_own() -> nn.Module:
    return Counting()


counting_its_own.local_buffers = ("seen",)  # type: ignore[attr-defined]


def shard(model: Model, mesh: DeviceMesh) -> None:
    for block in (model.module, model.second):
        fully_shard(block, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def shard_and_seed_by_rank(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)
    model.register_forward_pre_hook(lambda module, inputs: seed_by_rank())


def seed_by_rank() -> None:
    torch.manual_seed(dist.get_rank())


def shard_checkpointed(model: Model, mesh: DeviceMesh) -> None:
    model.second = checkpoint_wrapper(model.second)  # type: ignore[assignment]
    shard(model, mesh)


def shard_checkpointed_drawing_anew(model: Model, mesh: DeviceMesh) -> None:
    model.second = checkpoint_wrapper(model.second, preserve_rng_state=False)  # type: ignore[assignment]
    shard(model, mesh)


def shard_and_count_twice(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)
    model.register_forward_hook(lambda module, args, output: module.calls.add_(1) and None)


def shard_with_gate_detached(model: Model, mesh: DeviceMesh) -> None:
    model.second.gate.register_forward_hook(lambda module, args, output: output.detach())
    shard(model, mesh)


def replicate(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    return DistributedDataParallel(model, process_group=mesh["dp_replicate"].get_group())


def replicate_without_sending(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    return DistributedDataParallel(model, process_group=mesh["dp_replicate"].get_group(), init_sync=False)


class Wrapper(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any) -> Any:
        return self.inner(*args)


def shard_wrapped(model: Model, mesh: DeviceMesh) -> nn.Module:
    """A wrapper of its own around a block and around the whole."""
    shard(model, mesh)
    model.second = Wrapper(model.second)  # type: ignore[assignment]
    return Wrapper(model)


def swap_blocks(model: Model, mesh: DeviceMesh) -> None:
    model.module, model.second = model.second, model.module
    shard(model, mesh)


def shard_flat(model: Model, mesh: DeviceMesh) -> nn.Module:
    return FullyShardedDataParallel(model, mesh["dp_shard"].get_group(), device_id=torch.device("cpu"))


def shard_flat_on_an_accelerator(model: Model, mesh: DeviceMesh) -> nn.Module:
    return FullyShardedDataParallel(model, mesh["dp_shard"].get_group())


class Adapter(nn.Module):
    """LoRA around a linear layer; `up` does not begin at zero, so that the first step shows a gradient of `down`."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        dtype = base.weight.dtype
        self.down = nn.Linear(base.in_features, 4, bias=False, dtype=dtype)
        self.up = nn.Linear(4, base.out_features, bias=False, dtype=dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.up(self.down(x))


def add_adapters(model: Model) -> None:
    model.module.gate = Adapter(model.module.gate)  # type: ignore[assignment]


def adapt_and_shard(model: Model, mesh: DeviceMesh | None) -> None:
    add_adapters(model)
    if mesh is not None:
        shard(model, mesh)


def shard_and_adapt(model: Model, mesh: DeviceMesh | None) -> None:
    """fully_shard reduces the gradients of the parameters that it finds: adapters that come later are not reduced."""
    if mesh is not None:
        shard(model, mesh)
    add_adapters(model)


def adapt_and_shard_with_a_mesh_only(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)
    add_adapters(model)


def with_another_parameter(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)
    model.extra = nn.Parameter(torch.ones(3, dtype=torch.float64))


def with_a_part(model: Model, mesh: DeviceMesh) -> None:
    """A padded vocabulary: a parameter of another shape, and nothing that says what it is a part of."""
    padding = torch.zeros(8, DIM, dtype=torch.float64)
    model.embed.weight = nn.Parameter(torch.cat([model.embed.weight.detach(), padding]))


def replicate_compressed(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    wrapped = replicate(model, mesh)
    wrapped.register_comm_hook(None, bf16_compress_hook)  # type: ignore[operator]
    return wrapped


def with_policy(policy: MixedPrecisionPolicy) -> Callable[[Model, DeviceMesh], None]:
    def function(model: Model, mesh: DeviceMesh) -> None:
        fully_shard(model, mesh=mesh["dp_shard"], mp_policy=policy)

    return function


shard_gathering_bf16 = with_policy(MixedPrecisionPolicy(param_dtype=torch.bfloat16))
shard_reducing_bf16 = with_policy(MixedPrecisionPolicy(reduce_dtype=torch.bfloat16))
shard_reducing_float32 = with_policy(MixedPrecisionPolicy(reduce_dtype=torch.float32))
shard_casting_outputs = with_policy(MixedPrecisionPolicy(output_dtype=torch.float32))


def shard_under_autocast(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)
    model.forward = torch.autocast("cpu", torch.bfloat16)(model.forward)  # type: ignore[method-assign]


def shard_as_bf16(model: Model, mesh: DeviceMesh) -> None:
    shard(model.to(torch.bfloat16), mesh)


def sum_of_float32(model: Model, mesh: DeviceMesh) -> None:
    shard(model, mesh)

    def hook(module: nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
        third = torch.full((1,), 1 / 3)
        dist.all_reduce(third)
        return output * third

    model.register_forward_hook(hook)


def shard_embedding(model: Model, mesh: DeviceMesh) -> None:
    parallelize_module(model, mesh["tp"], {"embed": RowwiseParallel(input_layouts=Replicate())})


def shard_blocks(model: Model, mesh: DeviceMesh) -> None:
    plan = {"up": ColwiseParallel(), "gate": ColwiseParallel(), "down": RowwiseParallel()}
    for block in (model.module, model.second):
        parallelize_module(block, mesh["tp"], plan)


def split_sequence(function: Any, reduces: bool) -> Any:
    def shard_batch(inputs: torch.Tensor, targets: torch.Tensor, mesh: DeviceMesh) -> tuple[Any, Any]:
        size, place = mesh["cp"].size(), mesh["cp"].get_local_rank()
        return inputs.chunk(size, 1)[place], targets.chunk(size, 1)[place]

    def reduce_gradients(model: nn.Module, mesh: DeviceMesh) -> None:
        for parameter in model.parameters():
            assert parameter.grad is not None
            dist.all_reduce(parameter.grad, group=mesh["cp"].get_group())
            parameter.grad.div_(mesh["cp"].size())

    function.shard_batch = shard_batch
    if reduces:
        function.reduce_gradients = reduce_gradients
    return function


def leave(model: Model, mesh: DeviceMesh) -> None:
    """Every rank of cp does the whole."""


def sequences_in_parts(model: Model, mesh: DeviceMesh) -> None:
    pass


def sequences_in_parts_never_reduced(model: Model, mesh: DeviceMesh) -> None:
    pass


split_sequence(sequences_in_parts, reduces=True)
split_sequence(sequences_in_parts_never_reduced, reduces=False)


class Numpy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.detach().numpy().cumsum(-1))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient.flip(-1).cumsum(-1).flip(-1)


def shard_with_numpy(model: Model, mesh: DeviceMesh) -> None:
    model.second.register_forward_hook(lambda module, args, output: Numpy.apply(output))
    shard(model, mesh)


def shard_with_library(model: Model, mesh: DeviceMesh) -> None:
    """An operator of a namespace that is not ATen's, in C++."""
    model.second.register_forward_hook(lambda module, args, output: torch.ops._test.leaky_relu(output, 0.5))
    shard(model, mesh)


def untied(model: Model, mesh: DeviceMesh) -> None:
    """What distribute_tensor gives the head is no longer the table's."""
    weight = distribute_tensor(model.head.weight, mesh["dp_shard"], [Replicate()])
    model.head.weight = nn.Parameter(weight.to_local().clone())
    shard(model, mesh)


def tied() -> nn.Module:
    one = Model()
    one.head.weight = one.embed.weight
    return one


def shard_bf16_beside_tp(model: Model, mesh: DeviceMesh) -> None:
    assert mesh["tp"].size() == mesh.size() // mesh["dp_shard"].size()
    shard_bf16(model, mesh)


def shard_bf16(model: Model, mesh: DeviceMesh) -> None:
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for part in (model.module, model.second, model):
        fully_shard(part, mesh=mesh["dp_shard"], mp_policy=policy)
