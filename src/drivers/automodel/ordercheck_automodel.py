"""NeMo AutoModel 0.7.0: what its ModelParallelizer does to a Llama of transformers 5.18.0, which the release pins.

One method, _apply (components/distributed/parallelizer.py:278), applies tensor parallelism, then activation checkpointing, then
FSDP2. An item calls the whole method, and its other parts do nothing in that call: a mesh dimension of one rank stands for tp,
the flag of checkpointing is off, or the hooks that shard, which models override, leave the module as it is. Compile has its own
function, which is called after that. The job's configuration says whether it compiles, because checkpointing reads that too."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from math import prod
from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.api import (
    NOTE,
    SCOPE,
    SEQUENCE_LENGTH,
    VOCABULARY,
    Case,
    Item,
    Program,
    Project,
    Site,
    Transform,
    apply_default_optimizer,
    apply_optimizer,
    marked,
    stand_in_for_inductor,
)
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy

# A dimension of its mesh that has one rank in every case here, for calls that are to split no tensor.
WITHOUT_TP = "cp"


def part(name: str) -> Any:
    return import_module(f"nemo_automodel.components.{name}")


def llama(case: Case, **more: Any) -> nn.Module:
    """Without a key-value cache, which training has no use for."""
    config = import_module("transformers.models.llama.configuration_llama").LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=48,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=12,
        num_key_value_heads=4,
        max_position_embeddings=SEQUENCE_LENGTH,
        attn_implementation="sdpa",
        use_cache=False,
        **more,
    )
    model: Any = import_module("transformers.models.llama.modeling_llama").LlamaForCausalLM(config)
    rotary = model.model.rotary_emb
    rotary.forward = partial(tables, rotary)
    typed: nn.Module = model.to(torch.get_default_dtype()).train()
    return typed


def tables(rotary: Any, x: torch.Tensor, position_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine as LlamaRotaryEmbedding computes them, with angles by a product of elements. Its matrix product is of one
    sequence on every rank, and its FLOPs would count as work that tp and FSDP2 leave whole."""
    angles = position_ids[:, :, None].to(rotary.inv_freq.dtype) * rotary.inv_freq
    both = torch.cat((angles, angles), dim=-1)
    cosine, sine = both.cos() * rotary.attention_scaling, both.sin() * rotary.attention_scaling
    return cosine.to(x.dtype), sine.to(x.dtype)


def llama_tied(case: Case) -> nn.Module:
    return llama(case, tie_word_embeddings=True)


def configured(case: Case) -> dict[str, Any]:
    return {"compiles": any(item.name == "compile" for item in case.items)}


def mesh_of(site: Site) -> Any:
    """One a case: it makes process groups of the world."""
    if "mesh" not in site.kept:
        degrees, meshes = site.degrees, part("distributed.mesh_utils")
        sizes = part("distributed.mesh").ParallelismSizes(
            tp_size=degrees["tp"],
            cp_size=1,
            pp_size=1,
            ep_size=1,
            dp_replicate_size=degrees["dp_replicate"],
            dp_size=degrees["dp_replicate"] * degrees["dp_shard"],
        )
        world = prod(degrees[axis] for axis in ("dp_replicate", "dp_shard", "tp"))
        site.kept["mesh"], _ = meshes._create_fsdp2_device_mesh(sizes, world_size=world)
    return site.kept["mesh"]


def without_sharding() -> Any:
    """Its parallelizer with the hooks for sharding that models override, here to shard nothing."""
    stock = part("distributed.parallelizer").ModelParallelizer
    return type(
        "WithoutSharding",
        (stock,),
        {
            "_apply_fsdp_sharding": lambda self, *arguments, **options: None,
            "_fully_shard_untied_input_output_embeddings": lambda self, *arguments, **options: None,
            "_fully_shard_module": lambda self, module, **options: module,
        },
    )()


def apply_tp(program: Program, item: Item, site: Site) -> None:
    """With its plan for the class of the model. Its recipes synchronize the gradients of what the plan leaves whole."""
    program.model = without_sharding()._apply(program.model, mesh_of(site))
    synchronize = part("distributed.tp_replicas").synchronize_tp_replica_gradients
    program.behind_backward.append(lambda: synchronize([program.model], mesh_of(site)))


def checkpoint(program: Program, site: Site, mode: bool | str) -> None:
    program.model = without_sharding()._apply(
        program.model,
        mesh_of(site),
        activation_checkpointing=mode,
        tp_mesh_name=WITHOUT_TP,
        enable_compile=site.kept["compiles"],
    )


def apply_ac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, site, True)


def apply_sac(program: Program, item: Item, site: Site) -> None:
    checkpoint(program, site, "selective")


def apply_compile(program: Program, item: Item, site: Site) -> None:
    """Its blocks compile in place and name no backend: torch.compile gets that of the item."""
    if not item.mode:
        program.notes.append(NOTE)
    backend, stock = item.mode or stand_in_for_inductor, torch.compile

    def compile_with_backend(call: Any, **options: Any) -> Any:
        return stock(call, backend=backend, **options)

    before = {id(m) for m in program.model.modules() if m._compiled_call_impl is not None}
    with patch("torch.compile", compile_with_backend):
        part("distributed.parallelizer")._apply_per_layer_compile(program.model)
    for module in program.model.modules():
        if module._compiled_call_impl is not None and id(module) not in before:
            # For the profile, which says what of the module ran in graphs.
            module._compiled_call_impl = marked(SCOPE, module._compiled_call_impl)


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    dtype = torch.get_default_dtype()
    reshard = item.options.get("reshard")
    program.model = (
        part("distributed.parallelizer")
        .ModelParallelizer()
        ._apply(
            program.model,
            mesh_of(site),
            mp_policy=MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=dtype),
            tp_mesh_name=WITHOUT_TP,
            reshard_after_forward=None if reshard is None else reshard == "always",
        )
    )
    # FSDP2 averages gradients, and the engine's loss is divided by the tokens of the whole step.
    program.gradient_factor *= site.degrees["dp_replicate"] * site.degrees["dp_shard"]


def loss(output: Any, labels: torch.Tensor) -> torch.Tensor:
    """Of logits that its plan leaves split over the vocabulary, too."""
    total: torch.Tensor = part("loss.masked_ce").MaskedCrossEntropy()(output.logits, labels)
    return total


def cannot(case: Case) -> str:
    ranks = case.data_parallel_degree
    if case.settings.exact and ranks & (ranks - 1):
        return f"its FSDP2 averages gradients over {ranks} ranks, which rounds; expected a power of two"
    return ""


PROJECT = Project(
    requirements=(
        "nemo-automodel==0.7.0",
        "transformers==5.18.0",
        "huggingface_hub==2.4.0",
        "tokenizers==0.23.3",
        "safetensors==0.8.0",
        "regex==2026.11.19",
        "pyyaml==6.0.4",
        "packaging==26.4",
        "filelock==4.3.1",
        "tqdm==4.70.1",
    ),
    # Its FSDP2 replaces a method of torch's FSDPParam that 2.15 does not have.
    oldest_torch="2.11",
    models={"llama": llama, "llama_tied": llama_tied},
    transforms={
        "tp": Transform(apply_tp),
        "ac": Transform(apply_ac, scopes=("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block",)),
        "fsdp": Transform(apply_fsdp, ("reshard=always|never",), ("block",)),
        "hsdp": Transform(apply_fsdp, ("reshard=always|never",), ("block",)),
        # Without clip: its clip_grad_norm adds squares of the norms of several meshes, which rounds in exact arithmetic too.
        "optimizer": Transform(apply_optimizer, ("foreach", "lr", "weight_decay")),
    },
    loss=loss,
    optimizer=apply_default_optimizer,
    widened=("nemo_automodel", "transformers"),
    absent={
        "httpcore2": "downloads models",
        "httpx2": "downloads models",
        "megatron_fsdp": "is another implementation of sharding",
        "torchao": "quantizes models",
    },
    stand_ins={
        "a product of elements for rotary angles": "a matrix product of one sequence counts as work that no rank shares",
        "a mesh dimension of one rank, and sharding that does nothing": "one method applies tp, checkpointing and FSDP2",
    },
    configured=configured,
    cannot=cannot,
)
