"""Gradients of torchtitan's mixture-of-experts models under tensor parallelism, held against one rank.

CLA-025, with torch and torchtitan alone, on two ranks over gloo on CPU, in float64. "The gate's gradient summed" is
what torchtitan#2387 proposes for its NoParallel; "and the tokens'" also sums over tp what goes back to the tokens of the block.

Usage: PYTHONPATH=<folder with torchtitan and tyro> python torchtitan_moe_gradients_under_tp.py
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.metadata
import inspect
import sys
import tempfile
import types
from importlib import import_module
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding
from torch.nn.functional import cross_entropy

LENGTH, VOCABULARY, TP = 24, 120, 2
NOTES = ("", "; the gate's gradient summed", "; the gate's and the tokens' gradient summed")
HEADS = {"n_heads": 12, "n_kv_heads": 4}
LATENT = {"n_heads": 8, "kv_lora_rank": 16, "qk_nope_head_dim": 4, "qk_rope_head_dim": 4, "v_head_dim": 8}
SIZES: dict[str, dict[str, Any]] = {
    "deepseek_v3": {**LATENT, "inter_dim": 96, "moe_inter_dim": 32},
    "qwen3": {**HEADS, "head_dim": 4, "hidden_dim": 96, "moe_inter_dim": 32, "moe_enabled": True},
    "llama4": {**HEADS, "multiple_of": 8},
}
EXPERTS: dict[str, dict[str, Any]] = {  # as in the models' own sizes
    "deepseek_v3": {"num_shared_experts": 2, "score_func": "softmax", "score_before_experts": False},
    "qwen3": {
        "num_shared_experts": 0,
        "score_func": "softmax",
        "score_before_experts": False,
        "route_norm": True,
    },
    "llama4": {"num_shared_experts": 1, "score_func": "sigmoid", "score_before_experts": True},
}


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Readers of data sets, which torchtitan imports: nothing of them is called here."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        known = (
            name.split(".")[0] in ("datasets", "tokenizers", "torchdata") or name == "torch.utils.tensorboard"
        )
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: Any) -> types.ModuleType:
        class Module(types.ModuleType):
            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                return type(name, (), {})

        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class Wide:
    """torch, as the file of the experts sees it here: its float32 is float64, and histc takes whole numbers on a CPU too."""

    float32 = torch.float64

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    @staticmethod
    def histc(x: torch.Tensor, **bins: int) -> torch.Tensor:
        return torch.histc(x.double(), **bins).to(x.dtype)


def model_of(family: str) -> Any:
    moe = import_module("torchtitan.models.moe")
    config = import_module("torchtitan.config").JobConfig()
    config.training.seq_len = LENGTH
    spec = import_module(f"torchtitan.models.{family}").get_train_spec()
    experts = moe.MoEArgs(num_experts=8, top_k=3, use_grouped_mm=False, **EXPERTS[family])
    sizes = {**SIZES[family], "dim": 48, "n_layers": 2, "vocab_size": VOCABULARY, "max_seq_len": LENGTH}
    arguments = type(spec.model_args["debugmodel"])(**sizes, moe_args=experts)
    arguments.update_from_config(config)
    torch.manual_seed(0)
    model = spec.model_cls(arguments)
    with torch.no_grad():
        model.init_weights()
        model.double()
        for parameter in model.parameters():
            parameter.normal_(0, 0.2)
    for name in ("freqs_cis", "rope_cache"):
        if hasattr(model, name):
            wide = torch.complex128 if getattr(model, name).is_complex() else torch.float64
            setattr(model, name, getattr(model, name).to(wide))
    return model


def step(model: nn.Module) -> tuple[float, dict[str, torch.Tensor]]:
    """The loss, and the whole gradients, of one step."""
    tokens = torch.randint(VOCABULARY, (4, LENGTH + 1), generator=torch.Generator().manual_seed(1))
    loss = cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    return loss.item(), {
        name: whole(gradient) for name, gradient in gradients.items() if gradient is not None
    }


def whole(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.full_tensor() if isinstance(gradient, DTensor) else gradient


def parallelize(model: nn.Module, family: str, ep: int) -> Any:
    """As torchtitan's parallelize_* does, without data parallelism."""
    infra = import_module(f"torchtitan.models.{family}.infra.parallelize")
    sizes = {
        "dp_replicate": 1,
        "dp_shard": 1,
        "cp": 1,
        "tp": TP,
        "pp": 1,
        "ep": ep,
        "etp": 1,
        "world_size": TP,
    }
    dims = import_module("torchtitan.distributed").ParallelDims(**sizes)
    old = not hasattr(dims, "get_mesh")  # 0.2.0
    tp_mesh = dims.world_mesh["tp"] if old else dims.get_mesh("tp")
    ep_mesh = None if ep == 1 else dims.world_mesh["ep"] if old else dims.get_mesh("ep")
    off = (
        "loss_parallel",
        "enable_float8_tensorwise_tp",
        "enable_async_tp",
        "cp_enabled",
        "use_flex_attn",
        "etp_enabled",
    )
    none = ("etp_mesh", "ep_etp_mesh", "ep_tp_mesh")

    def apply(function: Any, **given: Any) -> None:
        known = inspect.signature(function).parameters
        more = dict.fromkeys(off, False) | dict.fromkeys(none)
        function(model, **given, **{name: more[name] for name in known if name in more})

    apply(infra.apply_non_moe_tp, tp_mesh=tp_mesh)
    apply(infra.apply_moe_ep_tp, tp_mesh=tp_mesh, ep_mesh=ep_mesh)
    return tp_mesh


def cure(model: Any, tp_mesh: Any, tokens_too: bool) -> None:
    """The gate's output gets a gradient that is a part of a sum, and so do the tokens. Of what goes back to these, the gate and
    the shared experts have summed theirs already: each rank gives its share."""

    def partial(x: torch.Tensor) -> torch.Tensor:
        whole = (
            x if isinstance(x, DTensor) else DTensor.from_local(x, tp_mesh, (Replicate(),), run_check=False)
        )
        return whole.to_local(grad_placements=(Partial(),))

    def sharing(_module: nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        return (inputs[0] / TP + inputs[0].detach() * (1 - 1 / TP), *inputs[1:])

    for block in model.layers.values():
        if block.moe_enabled:
            gate = block.moe.router.gate
            gate._forward_hooks.clear()  # NoParallel's, which says nothing of the gradient
            gate.register_forward_hook(lambda _module, _inputs, output: partial(output))
            if tokens_too:
                gate.register_forward_pre_hook(sharing)
                if block.moe.shared_experts is not None:
                    block.moe.shared_experts.register_forward_pre_hook(sharing)
                block.moe.register_forward_pre_hook(lambda _module, inputs: (partial(inputs[0]),))


def hold(rank: int, family: str, ep: int, cured: int) -> None:
    expected_loss, expected = step(model_of(family))
    model = model_of(family)
    tp_mesh = parallelize(model, family, ep)
    if cured:
        cure(model, tp_mesh, tokens_too=cured == 2)
    loss, seen = step(model)

    def error(name: str) -> float:
        return ((seen[name] - expected[name]).norm() / expected[name].norm()).item()

    gate, norm = "layers.1.moe.router.gate.weight", "layers.1.ffn_norm.weight"
    first = seen[gate].clone()
    dist.broadcast(first, 0)
    apart = (seen[gate] - first).norm() / expected[gate].norm()
    dist.all_reduce(apart, dist.ReduceOp.MAX)
    if rank == 0:
        print(
            f"{family:<11}  {'tp=2,ep=2' if ep > 1 else 'tp=2':<9}  "
            f"loss off by {abs(loss - expected_loss) / expected_loss:.0e}, gradient of the gate by {error(gate):.0e} "
            f"(ranks {apart.item():.0e} apart), of ffn_norm by {error(norm):.0e}{NOTES[cured]}",
            flush=True,
        )


def by_heads(outputs: int, tensors: int, inputs: int) -> list[Any]:
    """Placements of outputs and inputs, the first of which are tensors: all whole, or all split over heads."""
    return [
        ([one] * outputs, [one] * tensors + [None] * (inputs - tensors)) for one in (Replicate(), Shard(1))
    ]


def run(rank: int, folder: str) -> None:
    sys.meta_path.insert(0, Empty())
    torch.set_num_threads(1)
    torch._utils._get_available_device_type = lambda: "cpu"  # torchtitan takes cuda where this finds nothing
    torch.Tensor.float = torch.Tensor.double  # type: ignore[method-assign]
    kernels = import_module("torchtitan.models.moe.kernels")
    kernels.fill_indices_wrapper = kernels.fill_indices_cpu  # the other is a Triton kernel
    import_module("torchtitan.models.moe.moe").torch = Wide()
    # DTensor knows how the kernels of CUDA split attention over heads, and not those of a CPU.
    attention: Any = torch.ops.aten
    forward = attention._scaled_dot_product_flash_attention_for_cpu.default
    backward = attention._scaled_dot_product_flash_attention_for_cpu_backward.default
    register_sharding(forward)(lambda *inputs, **options: by_heads(2, 3, len(inputs)))
    register_sharding(backward)(lambda *inputs, **options: by_heads(3, 6, len(inputs)))
    dist.init_process_group("gloo", store=dist.FileStore(f"{folder}/store", TP), rank=rank, world_size=TP)
    for family in SIZES:
        for ep in (1, TP):
            # Without ep torchtitan sums what goes back to the tokens, and with it scores that come before the experts.
            cures = 3 if ep > 1 else 1 if EXPERTS[family]["score_before_experts"] else 2
            for cured in range(cures):
                hold(rank, family, ep, cured)
    dist.destroy_process_group()


if __name__ == "__main__":
    print(f"torch {torch.__version__}, torchtitan {importlib.metadata.version('torchtitan')}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, (folder,), nprocs=TP)
