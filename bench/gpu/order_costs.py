"""What the order of a stack costs at a realistic width: seconds a step and peak memory of orders that rule pages call slow or
hungry, beside the order that they recommend. Stock PyTorch alone: torch.compile, checkpoint_wrapper, fully_shard.

Usage: order_costs.py [--device cuda|cpu] [--blocks N] [--width N] [--sequence N] [--batch N] [--steps N] [--backend NAME]
                      [--json]

All orders are measured in one run, one behind the other, since together their models would not fit. The first step of each,
which compiles, is left out, and the plain model is measured again at the end, to show how far the machine drifted. With one
GPU fully_shard shards over one rank: what it costs to gather is then left out, what it does to compiled graphs is not.
On the CPU peak memory is not measured, and the figures mean nothing: it is there to test this program."""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard

ORDERS = (
    "(nothing)",
    "ac",
    "compile",
    "ac,compile",
    "compile,ac",
    "fsdp",
    "compile,fsdp",
    "fsdp,compile",
    "ac,compile,fsdp",
    "compile,ac,fsdp",
    "ac,fsdp,compile",
)
PLAIN = ORDERS[0]
HEAD_DIM = 128
VOCABULARY = 32000


class Block(nn.Module):
    def __init__(self, width: int, head_dim: int) -> None:
        super().__init__()
        self.head_dim = head_dim
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(width, width, bias=False) for _ in range(4))
        hidden = 256 * -(-width * 8 // (3 * 256))  # as Llama's: two thirds of 4 * width, rounded up
        self.w1, self.w3 = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed = self.attention_norm(x)
        q, k, v = (
            w(normed).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for w in (self.wq, self.wk, self.wv)
        )
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(seen.transpose(1, 2).flatten(2))
        normed = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(normed)) * self.w3(normed))


class Model(nn.Module):
    def __init__(self, blocks: int, width: int, head_dim: int) -> None:
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCABULARY, width)
        self.layers = nn.ModuleList(Block(width, head_dim) for _ in range(blocks))
        self.norm, self.output = nn.RMSNorm(width), nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        h = self.tok_embeddings(tokens)
        for block in self.layers:
            h = block(h)
        return self.output(self.norm(h))


def apply(model: Model, order: str, backend: str) -> Model:
    """Each item on every block, in the order in which they are written."""
    for item in [] if order == PLAIN else order.split(","):
        for index, block in enumerate(model.layers):
            if item == "ac":
                model.layers[index] = checkpoint_wrapper(block)
            elif item == "compile":
                block.compile(backend=backend)
            else:
                fully_shard(block)
        if item == "fsdp":
            fully_shard(model)
    return model


class Measured:
    """One order: its model, and what its steps took."""

    def __init__(self, order: str, options: argparse.Namespace) -> None:
        torch.manual_seed(1)
        torch._dynamo.reset()
        self.order, self.cuda = order, options.device == "cuda"
        head_dim = min(HEAD_DIM, options.width // 2)
        model = Model(options.blocks, options.width, head_dim).to(options.device, torch.bfloat16)
        self.model = apply(model, order, options.backend)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)
        self.tokens = torch.randint(VOCABULARY, (options.batch, options.sequence + 1), device=options.device)
        self.seconds: list[float] = []
        self.peak = 0

    def step(self) -> None:
        logits = self.model(self.tokens[:, :-1]).flatten(0, 1)
        F.cross_entropy(logits.float(), self.tokens[:, 1:].flatten()).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def measure(self) -> None:
        if not self.cuda:
            began = time.perf_counter()
            self.step()
            self.seconds.append(time.perf_counter() - began)
            return
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        self.step()
        ended.record()
        ended.synchronize()
        self.seconds.append(began.elapsed_time(ended) / 1000)
        self.peak = max(self.peak, torch.cuda.max_memory_allocated() - held)


def measured(order: str, options: argparse.Namespace) -> Measured:
    """Its model is gone when this returns."""
    one = Measured(order, options)
    one.step()  # compiles, and makes the optimizer's states
    for _ in range(options.steps):
        one.measure()
    del one.model, one.optimizer, one.tokens
    return one


def measure_all(options: argparse.Namespace, tell: Callable[[str], None]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    tell(f"{'order':18} {'ms a step':>10} {'over none':>10} {'MiB beyond what is held':>24}")
    plain = 0.0
    for order in (*ORDERS, PLAIN):
        one = measured(order, options)
        median = statistics.median(one.seconds)
        plain = plain or median
        peak = f"{one.peak / 2**20:24.0f}" if one.cuda else f"{'not measured':>24}"
        tell(f"{order:18} {median * 1000:10.2f} {median / plain:10.2f} {peak}")
        rows.append({"order": order, "seconds": one.seconds, "peak_bytes": one.peak if one.cuda else None})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--sequence", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--backend", default="inductor", help="of torch.compile")
    parser.add_argument("--json", action="store_true", help="print rows as JSON, with every step's seconds")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error(
            "--device cuda: torch sees no GPU; --device cpu tests this program, and its figures mean nothing"
        )
    torch._dynamo.config.cache_size_limit = 64
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group(
            "nccl" if options.device == "cuda" else "gloo",
            init_method=f"file://{Path(folder) / 'store'}",
            rank=0,
            world_size=1,
        )
        name = torch.cuda.get_device_name() if options.device == "cuda" else "cpu, whose figures mean nothing"
        tell: Callable[[str], None] = (lambda line: None) if options.json else print
        tell(
            f"torch {torch.__version__} on {name}: {options.blocks} blocks of width {options.width}, "
            f"{options.batch} x {options.sequence} tokens, bfloat16, medians of {options.steps} steps"
        )
        rows = measure_all(options, tell)
        if options.json:
            print(json.dumps({"torch": torch.__version__, "device": name, "rows": rows}))
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
