"""What exact arithmetic costs: a training step (forward, backward, clip, AdamW) of a small llama with the exact kernels over
the same step with the stock ones, both float64, one thread, in turns in one process; in CPU time. Prints the ratio, and where
the time goes.

Usage: exact_cost.py [--turns N], with src/drivers/pytorch on PYTHONPATH."""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time

import torch
import torch.nn.functional as F
from ordercheck_pytorch.program.exact.install import exact_kernels
from torch import nn

LAYERS, DIM, HEADS, HEAD_DIM, HIDDEN, VOCABULARY = 2, 64, 4, 16, 176, 256
BATCH, LENGTH = 8, 64
STEPS_A_TURN = 5
GOAL = 1.5
SHOWN = 14


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.RMSNorm(DIM), nn.RMSNorm(DIM)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(DIM, HEADS * HEAD_DIM, bias=False) for _ in range(4))
        self.w1, self.w3 = nn.Linear(DIM, HIDDEN, bias=False), nn.Linear(DIM, HIDDEN, bias=False)
        self.w2 = nn.Linear(HIDDEN, DIM, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed = self.attention_norm(x)
        q, k, v = (
            w(normed).unflatten(-1, (HEADS, HEAD_DIM)).transpose(1, 2) for w in (self.wq, self.wk, self.wv)
        )
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(seen.transpose(1, 2).flatten(2))
        normed = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(normed)) * self.w3(normed))


class Trainer:
    def __init__(self) -> None:
        torch.manual_seed(1)
        blocks = [Block() for _ in range(LAYERS)]
        layers = [
            nn.Embedding(VOCABULARY, DIM),
            *blocks,
            nn.RMSNorm(DIM),
            nn.Linear(DIM, VOCABULARY, bias=False),
        ]
        self.model = nn.Sequential(*layers).double()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3, fused=True)
        self.tokens = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))

    def step(self) -> None:
        logits = self.model(self.tokens[:, :-1]).flatten(0, 1)
        F.cross_entropy(logits, self.tokens[:, 1:].flatten()).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()


def kernels_of(kind: str) -> contextlib.AbstractContextManager[None]:
    return exact_kernels(20) if kind == "exact" else contextlib.nullcontext()


def seconds_a_step(kind: str, trainer: Trainer) -> float:
    with kernels_of(kind):
        trainer.step()  # replacing the kernels empties caches of the dispatcher
        began = time.process_time()
        for _ in range(STEPS_A_TURN):
            trainer.step()
        return (time.process_time() - began) / STEPS_A_TURN


def where(kind: str, trainer: Trainer) -> None:
    """By operator, without what it calls: for an exact kernel, its Python."""
    with kernels_of(kind):
        trainer.step()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            for _ in range(STEPS_A_TURN):
                trainer.step()
    rows = sorted(profile.key_averages(), key=lambda row: -row.self_cpu_time_total)
    total = sum(row.self_cpu_time_total for row in rows)
    print(f"\n{kind + ' kernels, under the profiler':44}{'calls a step':>14}{'us a step':>12}{'%':>7}")
    for row in rows[:SHOWN]:
        own = row.self_cpu_time_total
        print(
            f"{row.key[:43]:44}{row.count / STEPS_A_TURN:14.0f}{own / STEPS_A_TURN:12.0f}{100 * own / total:7.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    turns = parser.parse_args().turns
    torch.set_num_threads(1)
    trainers = {kind: Trainer() for kind in ("stock", "exact")}
    times: dict[str, list[float]] = {kind: [] for kind in trainers}
    for _ in range(turns):
        for kind, trainer in trainers.items():
            times[kind].append(seconds_a_step(kind, trainer))
    ratios = [exact / stock for exact, stock in zip(times["exact"], times["stock"], strict=True)]
    print(f"torch {torch.__version__}, {turns} turns of {STEPS_A_TURN} steps")
    for kind, taken in times.items():
        print(
            f"{kind} kernels: {1000 * statistics.median(taken):.2f} ms a step (fastest turn {1000 * min(taken):.2f})"
        )
    median = statistics.median(ratios)
    print(f"exact over stock: min {min(ratios):.2f}, median {median:.2f}, max {max(ratios):.2f}")
    print(f"goal: at most {GOAL}: {'met' if median <= GOAL else 'not met'}")
    for kind, trainer in trainers.items():
        where(kind, trainer)


main()
