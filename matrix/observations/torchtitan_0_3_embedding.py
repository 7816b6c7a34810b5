"""torchtitan 0.3.0: what its embedding may hand on to compiled blocks, and when tied weights may be initialised.

Its llama3 of two blocks on two ranks (tensor parallel, FSDP2 of degree 1 as torchtitan installs it) over gloo, in float64, with
its own Module.parallelize, apply_compile and apply_fsdp_to_decoder; held against the same model on one rank.

Usage: python torchtitan_0_3_embedding.py [eager | aot_eager] [PATCH] [SPMD_BACKEND]

PATCH is one line that is changed:
  none     as released
  local    the embedding hands on its local tensor and the block wraps it again, as RowwiseParallel does by default
           (partial_dtensor): the block's own argument is an AsyncCollectiveTensor
  funcol   the embedding's reduce-scatter is funcol.reduce_scatter_tensor_autograd (spmd_types): the same
  before   weights are tied, and initialised before parallelize, not after FSDP2 as its trainer does
  after    weights are tied, and initialised after FSDP2
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.multiprocessing as mp
from torch.distributed.tensor import DTensor, Shard

DIM, VOCABULARY, LENGTH = 64, 128, 32


def part(name: str) -> Any:
    return import_module(f"torchtitan.{name}")


def config(tied: bool) -> Any:
    family, common, attention = part("models.llama3"), part("models.common"), part("models.common.attention")
    rope = common.ComplexRoPE.Config(dim=16, max_seq_len=LENGTH, theta=10000, scaling="llama")
    layers = family._build_llama3_layers(
        n_layers=2, dim=DIM, n_heads=4, n_kv_heads=2, hidden_dim=128, rope=rope, attn_backend="flex"
    )
    for layer in layers:
        layer.attention.inner_attention = attention.ScaledDotProductAttention.Config()
    return family.Llama3Model.Config(
        dim=DIM,
        vocab_size=VOCABULARY,
        tok_embeddings=common.Embedding.Config(
            num_embeddings=VOCABULARY, embedding_dim=DIM, param_init=family._EMBEDDING_INIT
        ),
        norm=common.RMSNorm.Config(normalized_shape=DIM, param_init=family._NORM_INIT),
        lm_head=common.Linear.Config(in_features=DIM, out_features=VOCABULARY, param_init=family._LINEAR_INIT),
        layers=layers,
        enable_weight_tying=tied,
    )


def job(spmd_backend: str, tp: int) -> Any:
    """What models read of a Trainer.Config."""
    configs = part("config")
    return SimpleNamespace(
        training=configs.TrainingConfig(seq_len=LENGTH, disable_cuda_graphs=True),
        parallelism=configs.ParallelismConfig(tensor_parallel_degree=tp, spmd_backend=spmd_backend),
        activation_checkpoint=None,
    )


def initialise(model: Any) -> None:
    """The same numbers in every layout; init_weights ties what is tied."""
    model.init_weights()
    for number, (_, parameter) in enumerate(sorted(model.named_parameters())):
        whole = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(number)) * 0.1
        with torch.no_grad():
            parameter.copy_(
                torch.distributed.tensor.distribute_tensor(whole, parameter.device_mesh, parameter.placements)
                if isinstance(parameter, DTensor)
                else whole
            )


def shard(model: Any, dims: Any) -> None:
    full, whole = part("distributed.full_dtensor"), dims.spmd_backend != "partial_dtensor"
    mesh, mesh_dims = full.resolve_fsdp_mesh(dims) if whole else (dims.get_mesh(["fsdp"]), None)
    part("distributed.fsdp").apply_fsdp_to_decoder(
        model, mesh, param_dtype=torch.float64, reduce_dtype=torch.float64, pp_enabled=False, dp_mesh_dims=mesh_dims
    )


def hand_on_local(model: Any, mesh: Any) -> None:
    model.tok_embeddings.register_forward_hook(lambda module, args, output: output.to_local())
    for block in model.layers.values():
        block.register_forward_pre_hook(
            lambda module, args: (
                args[0] if isinstance(args[0], DTensor) else DTensor.from_local(args[0], mesh, [Shard(1)]),
                *args[1:],
            )
        )


def hand_on_by_funcol(model: Any, group: Any) -> None:
    """Instead of what Module.parallelize put around forward: the same partial sums, reduced by another function."""
    embedding = model.tok_embeddings
    weight, rank = embedding.weight, dist.get_rank(group)

    def forward(tokens: torch.Tensor) -> torch.Tensor:
        rows = embedding.weight.to_local() if isinstance(embedding.weight, DTensor) else embedding.weight
        first = rank * rows.shape[0]
        mine = (tokens >= first) & (tokens < first + rows.shape[0])
        partial = torch.nn.functional.embedding((tokens - first) * mine, rows) * mine.unsqueeze(-1)
        return funcol.reduce_scatter_tensor_autograd(partial, "sum", 1, group)

    assert weight.shape[0] in (VOCABULARY, VOCABULARY // 2)
    embedding.forward = forward


def gradients(model: Any, dims: Any | None) -> dict[str, torch.Tensor]:
    tokens = torch.randint(0, VOCABULARY, (2, LENGTH), generator=torch.Generator().manual_seed(7))
    inputs, labels = tokens, tokens.roll(-1, dims=1)
    if dims is not None and dims.spmd_backend == "full_dtensor":
        inputs, labels, _ = part("distributed.full_dtensor").parallelize_inputs(dims, inputs, labels, {})
    if dims is not None and dims.spmd_backend == "spmd_types":
        inputs, labels, _ = part("distributed.spmd_types").annotate_input_spmd_types(dims, inputs, labels, {})
    loss = part("components.loss").cross_entropy_loss(model(inputs), labels, global_vocab_size=VOCABULARY)
    loss.backward()
    whole = {name: p.grad.full_tensor() if isinstance(p.grad, DTensor) else p.grad for name, p in model.named_parameters()}
    return {name.replace("_orig_mod.", ""): gradient for name, gradient in whole.items()}


def run(rank: int, file: str, backend: str, patched: str, spmd_backend: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    torch.set_default_dtype(torch.float64)
    with patch("torch._utils._get_available_device_type", lambda: "cpu"):
        part("tools.utils")
    torch.Tensor.float = lambda self, **options: self.double()  # its loss and rope ask for float32
    tied, utils = patched in ("before", "after"), part("distributed.utils")
    utils.set_spmd_backend(spmd_backend)

    alone = config(tied)
    alone.update_from_config(config=job(spmd_backend, 1))
    reference = alone.build()
    initialise(reference)
    utils.set_spmd_backend("partial_dtensor")  # one rank has no mesh
    expected = gradients(reference, None)
    utils.set_spmd_backend(spmd_backend)

    dims = part("distributed").ParallelDims.from_config(job(spmd_backend, 2).parallelism, 2)
    dims.build_mesh()
    split = config(tied)
    split.update_from_config(config=job(spmd_backend, 2))
    model = split.build()
    if patched != "after":
        initialise(model)
    with utils.get_spmd_context(parallel_dims=dims)():
        model.parallelize(dims)
        if patched == "local":
            hand_on_local(model, dims.get_mesh("tp"))
        if patched == "funcol":
            hand_on_by_funcol(model, dims.get_mesh("tp").get_group())
        if backend != "eager":
            compiling = part("config").CompileConfig(enable=True, backend=backend)
            part("distributed.compile").apply_compile(model, compile_config=compiling, parallel_dims=dims)
        shard(model, dims)
        if patched == "after":
            initialise(model)
        seen = gradients(model, dims)
    if rank == 0:
        print(f"{backend}, {patched}, {spmd_backend}")
        for name, gradient in expected.items():
            found = seen.get(name)
            if found is None or (found - gradient).abs().max() > 1e-9 * gradient.abs().max():
                size = "none" if found is None else f"{found.abs().max().item():.6g}"
                print(f"  {name}: max |gradient| {size}, of one rank {gradient.abs().max().item():.6g}")
        print(f"  {len(expected)} gradients compared, {len(seen.keys() - expected.keys())} that one rank does not have")
    dist.destroy_process_group()


if __name__ == "__main__":
    said = dict(enumerate(sys.argv[1:]))
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, (f"{folder}/store", said.get(0, "aot_eager"), said.get(1, "none"), said.get(2, "partial_dtensor")), nprocs=2)
