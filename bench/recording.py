"""What a recorded job pays per step after its first one: a ratio of two jobs that take turns in one process.

python bench/recording.py [--rounds N] [--steps N]    needs torch; one rank, checkpointed blocks, AdamW and clipping"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "src/python/ordercheck/recorder")]

import torch  # noqa: E402
from ordercheck_recorder import start  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

WIDTH, BLOCKS, BATCH = 256, 8, 64


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH)) for _ in range(BLOCKS)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = x + checkpoint(layer, x, use_reentrant=False)
        return x


def seconds_per_step(steps: int) -> float:
    """Of a new job, after two steps: the second one ends the recorder's work."""
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(BATCH, WIDTH)
    began = 0.0
    for step in range(steps + 3):
        if step == 3:
            began = time.perf_counter()
        model(data).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return (time.perf_counter() - began) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.rounds):
            plain = seconds_per_step(asked.steps)
            writer = start(str(Path(folder) / "job.json"))
            assert writer is not None
            recorded = seconds_per_step(asked.steps)
            writer.close()
            ratios.append(recorded / plain)
            print(
                f"round {number + 1}: {plain * 1e3:.2f} ms plain, {recorded * 1e3:.2f} ms recorded",
                flush=True,
            )
    ratios.sort()
    low, high = ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]
    print(f"recorded / plain: median {statistics.median(ratios):.4f}, middle half {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
