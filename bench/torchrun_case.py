"""One case the way a job would run it: a process a rank, started by torchrun, with PyTorch's own TP, FSDP2 and DDP.

    torchrun --standalone --nproc_per_node 4 bench/torchrun_case.py tp=2,ac,fsdp=2

The model and the step have the sizes of src/stack/model_sizes.h, in float64; AdamW, clipped to a norm of 1.
"""

import math
import re
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

STEPS = 3
ACCUMULATION = 2


def sizes():
    header = Path(__file__).resolve().parent.parent / "src" / "stack" / "model_sizes.h"
    return {
        name: float(value)
        for name, value in re.findall(r"(?:int|double) (\w+) = ([\d.e+-]+);", header.read_text())
    }


SIZES = sizes()


def size(name):
    return int(SIZES[name])


def rotate(x):
    half = x.size(-1) // 2
    frequency = torch.exp(
        torch.arange(half, dtype=x.dtype) * (-2.0 / x.size(-1)) * math.log(SIZES["rope_theta"])
    )
    angle = torch.arange(x.size(-2), dtype=x.dtype).unsqueeze(-1) * frequency
    first, second = x[..., :half], x[..., half:]
    return torch.cat(
        (first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()), -1
    )


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        dim, head_dim = size("dim"), size("head_dim")
        self.wq = nn.Linear(dim, size("heads") * head_dim, bias=False)
        self.wk = nn.Linear(dim, size("kv_heads") * head_dim, bias=False)
        self.wv = nn.Linear(dim, size("kv_heads") * head_dim, bias=False)
        self.wo = nn.Linear(size("heads") * head_dim, dim, bias=False)

    def forward(self, x):
        def split(y):
            return y.view(x.size(0), x.size(1), -1, size("head_dim")).transpose(1, 2)

        q, k, v = rotate(split(self.wq(x))), rotate(split(self.wk(x))), split(self.wv(x))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.wo(out.transpose(1, 2).reshape(x.size(0), x.size(1), -1))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(size("dim"), size("ffn_hidden"), bias=False)
        self.w2 = nn.Linear(size("ffn_hidden"), size("dim"), bias=False)
        self.w3 = nn.Linear(size("dim"), size("ffn_hidden"), bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm = nn.RMSNorm(size("dim"), eps=SIZES["norm_eps"])
        self.attention = Attention()
        self.ffn_norm = nn.RMSNorm(size("dim"), eps=SIZES["norm_eps"])
        self.feed_forward = FeedForward()

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(size("vocab"), size("dim"))
        self.layers = nn.ModuleList(Block() for _ in range(size("layers")))
        self.norm = nn.RMSNorm(size("dim"), eps=SIZES["norm_eps"])
        self.output = nn.Linear(size("dim"), size("vocab"), bias=False)

    def forward(self, tokens):
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


PLAN = {
    "attention.wq": ColwiseParallel(),
    "attention.wk": ColwiseParallel(),
    "attention.wv": ColwiseParallel(),
    "attention.wo": RowwiseParallel(),
    "feed_forward.w1": ColwiseParallel(),
    "feed_forward.w2": RowwiseParallel(),
    "feed_forward.w3": ColwiseParallel(),
}


def apply(name, degree, model, mesh):
    if name == "tp":
        for layer in model.layers:
            parallelize_module(layer, mesh["tp"], PLAN)
    elif name == "ac":
        for i, layer in enumerate(model.layers):
            model.layers[i] = checkpoint_wrapper(layer)
    elif name == "fsdp":
        for layer in model.layers:
            fully_shard(layer, mesh=mesh["dp"])
        fully_shard(model, mesh=mesh["dp"])
    elif name == "ddp":
        return DistributedDataParallel(model, device_mesh=mesh["dp"])
    else:
        sys.exit(f"torchrun_case.py: '{name}' is not built here; expected tp, ac, fsdp or ddp")
    return model


def clip(parameters):
    """To a norm of 1 over all parameters; PyTorch's own takes the norm of one mesh's parameters only."""
    by_mesh = {}
    for parameter in parameters:
        by_mesh.setdefault(getattr(parameter, "device_mesh", None), []).append(parameter)
    norms = [get_total_norm([p.grad for p in group], foreach=False) for group in by_mesh.values()]
    total = torch.stack([n.full_tensor() if hasattr(n, "full_tensor") else n for n in norms]).norm()
    for group in by_mesh.values():
        clip_grads_with_norm_(group, 1.0, total, foreach=False)


def main():
    items = [
        (name, int(degree or 1))
        for name, _, degree in (item.partition("=") for item in sys.argv[1].split(","))
    ]
    degrees = dict(items)
    tp, dp = degrees.get("tp", 1), degrees.get("fsdp", 1) * degrees.get("ddp", 1)
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dp, tp), mesh_dim_names=("dp", "tp"))
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    model = Llama()
    for name, degree in items:
        model = apply(name, degree, model, mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    samples = size("sequences") // dp // ACCUMULATION
    for step in range(STEPS):
        for microbatch in range(ACCUMULATION):
            data = torch.Generator().manual_seed(100 * step + 10 * microbatch + mesh.get_local_rank("dp"))
            tokens = torch.randint(size("vocab"), (samples, size("sequence_length") + 1), generator=data)
            logits = model(tokens[:, :-1])
            (F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()) / ACCUMULATION).backward()
        clip(model.parameters())
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
