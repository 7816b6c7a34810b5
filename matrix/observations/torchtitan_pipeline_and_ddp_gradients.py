"""Gradients that torchtitan's Trainer leaves after one step, on one rank, with DDP and with pipeline parallelism.

EFF-003 and EFF-004, with torch and torchtitan alone, on CPU with gloo, in float64. Every stack gets the same 16 sequences, of
which every token is valid.

Usage: PYTHONPATH=<folder with torchtitan and tyro> python torchtitan_pipeline_and_ddp_gradients.py
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import inspect
import math
import sys
import tempfile
import types
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

SEQUENCES, LENGTH, VOCABULARY = 16, 24, 120
STACKS: dict[str, dict[str, int]] = {
    "one rank": {},
    "fsdp=2": {"data_parallel_shard_degree": 2},
    "hsdp=2x2": {"data_parallel_replicate_degree": 2, "data_parallel_shard_degree": 2},
    "ddp=2": {"data_parallel_replicate_degree": 2},
    "ddp=4": {"data_parallel_replicate_degree": 4},
    "pp=2": {"pipeline_parallel_degree": 2},
}


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Readers of data sets, which torchtitan imports: nothing of them is called here."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if (
            name.split(".")[0] in ("datasets", "tokenizers", "torchdata", "tensorboard")
            or name == "torch.utils.tensorboard"
        ):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> types.ModuleType:
        class Module(types.ModuleType):
            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                return type(name, (), {})

        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def trainer_of(world: int, degrees: dict[str, int]) -> Any:
    """torchtitan's Trainer without its data, logs and checkpoints: model, transforms and loss are made as in its __init__."""
    from torchtitan.config import ConfigManager
    from torchtitan.distributed import ParallelDims
    from torchtitan.models.llama3 import TransformerModelArgs, get_train_spec
    from torchtitan.train import Trainer

    words = [f"--parallelism.{name}={degree}" for name, degree in degrees.items()]
    words += [f"--training.seq_len={LENGTH}", f"--training.local_batch_size={SEQUENCES}"]
    words += ["--activation_checkpoint.mode=none", "--training.mixed_precision_param=float32"]
    trainer: Any = Trainer.__new__(Trainer)
    config = trainer.job_config = ConfigManager().parse_args(words)
    axes = {
        "dp_replicate": "data_parallel_replicate",
        "dp_shard": "data_parallel_shard",
        "pp": "pipeline_parallel",
    }
    sizes = {axis: degrees.get(f"{name}_degree", 1) for axis, name in axes.items()}
    dims = trainer.parallel_dims = ParallelDims(**sizes, cp=1, tp=1, ep=1, etp=1, world_size=world)
    trainer.device, trainer.tokenizer = torch.device("cpu"), None
    trainer.train_context, trainer.maybe_enable_amp = contextlib.nullcontext, contextlib.nullcontext()

    spec = get_train_spec()
    arguments = trainer.model_args = TransformerModelArgs(
        dim=48, n_layers=2, n_heads=12, n_kv_heads=4, multiple_of=8, vocab_size=VOCABULARY, max_seq_len=LENGTH
    )
    torch.manual_seed(0)
    model = spec.model_cls(arguments).double()
    model.freqs_cis = model._precompute_freqs_cis()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.1)

    trainer.loss_fn = spec.build_loss_fn(config)
    if dims.pp_enabled:
        trainer.pp_schedule, trainer.model_parts, trainer.pp_has_first_stage, trainer.pp_has_last_stage = (
            spec.pipelining_fn(
                model, dims, config, trainer.device, arguments, spec.parallelize_fn, trainer.loss_fn
            )
        )
    else:
        trainer.model_parts = [spec.parallelize_fn(model, dims, config)]
    for part in trainer.model_parts:
        for module in part.modules():
            if isinstance(module, FSDPModule):  # a factor of 1 is multiplied by otherwise, which gloo cannot
                module.set_force_sum_reduction_for_comms(True)
    return trainer


def step(rank: int, world: int, degrees: dict[str, int], folder: str, norms: Any) -> None:
    sys.meta_path.insert(0, Empty())
    torch.set_num_threads(1)
    torch._utils._get_available_device_type = lambda: "cpu"  # torchtitan takes cuda where this finds nothing
    dist.init_process_group(
        "gloo", store=dist.FileStore(f"{folder}/store", world), rank=rank, world_size=world
    )
    trainer = trainer_of(world, degrees)
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(VOCABULARY, (SEQUENCES, LENGTH + 1), generator=generator)
    inputs, labels = tokens[:, :-1], tokens[:, 1:].contiguous()
    share, shares = (0, 1) if trainer.parallel_dims.pp_enabled else (rank, world)
    # Before 0.2.2 the loss is a mean, and nobody asks for the number of tokens.
    counted = "global_valid_tokens" in inspect.signature(trainer.forward_backward_step).parameters
    tokens_of_step = {"global_valid_tokens": torch.tensor(labels.numel())} if counted else {}
    trainer.forward_backward_step(
        input_dict={"input": inputs.chunk(shares)[share]},
        labels=labels.chunk(shares)[share],
        **tokens_of_step,
    )

    parameters = [parameter for part in trainer.model_parts for parameter in part.parameters()]
    squares = sum(whole(parameter.grad).square().sum() for parameter in parameters)
    if trainer.parallel_dims.pp_enabled:  # every rank has the parameters of its stage
        dist.all_reduce(squares)
    if rank == 0:
        norms.put(squares.sqrt().item())
    dist.destroy_process_group()


def whole(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.full_tensor() if isinstance(gradient, DTensor) else gradient


if __name__ == "__main__":
    print(
        f"torch {torch.__version__}, torchtitan {importlib.metadata.version('torchtitan')}; {SEQUENCES * LENGTH} valid tokens"
    )
    context = mp.get_context("spawn")
    norms = context.SimpleQueue()
    alone = 0.0
    for name, degrees in STACKS.items():
        world = math.prod(degrees.values())
        with tempfile.TemporaryDirectory() as folder:
            mp.spawn(step, (world, degrees, folder, norms), nprocs=world)
        norm = norms.get()
        alone = alone or norm
        print(f"{name:<8}  gradient norm {norm:.9f}, {norm / alone:.3f} times that on one rank", flush=True)
