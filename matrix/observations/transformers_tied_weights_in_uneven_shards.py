"""How a model with tied weights trains that transformers has sharded by FSDP2 in from_pretrained.

ORD-074, with transformers 5.24.0 alone: it ties the weights after fully_shard. With 121 tokens a shard of two ranks is padded.

Usage: torchrun --nproc-per-node 2 transformers_tied_weights_in_uneven_shards.py
"""

from __future__ import annotations

import tempfile
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
import transformers
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
from transformers.distributed import DistributedConfig


def saved(vocabulary: int, tied: bool) -> str:
    """A folder with the same small model for every rank."""
    folders = [tempfile.mkdtemp()]
    dist.broadcast_object_list(folders)
    if dist.get_rank() == 0:
        torch.manual_seed(0)
        sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
        config = LlamaConfig(
            vocab_size=vocabulary, tie_word_embeddings=tied, max_position_embeddings=64, **sizes
        )
        LlamaForCausalLM(config).save_pretrained(folders[0])
    dist.barrier()
    return folders[0]


def losses_of(model: Any, tokens: torch.Tensor) -> list[float]:
    """Of three steps, averaged over ranks."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = []
    for _ in range(3):
        logits = model(tokens).logits[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach() / dist.get_world_size()
        dist.all_reduce(mean)
        losses.append(mean.item())
    return losses


def apart(vocabulary: int, tied: bool) -> str:
    folder, ranks = saved(vocabulary, tied), dist.get_world_size()
    tokens = torch.randint(vocabulary, (ranks, 12), generator=torch.Generator().manual_seed(1))
    sharded = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float64, distributed_config=DistributedConfig(fsdp_size=ranks)
    )
    whole = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)
    pairs = zip(losses_of(sharded, tokens[dist.get_rank()][None]), losses_of(whole, tokens), strict=True)
    return ", ".join(f"{abs(one - other):.1g}" for one, other in pairs)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    for vocabulary, tied in ((120, True), (121, True), (121, False)):
        text = apart(vocabulary, tied)
        if dist.get_rank() == 0:
            print(
                f"{vocabulary} tokens, {'tied' if tied else 'untied'}: losses of 3 steps are apart by {text}"
            )
    if dist.get_rank() == 0:
        print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    dist.destroy_process_group()
