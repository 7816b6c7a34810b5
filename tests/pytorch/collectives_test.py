"""Collectives of stock PyTorch are all seen, and seeing them changes no bit.

On two gloo ranks: DDP, FSDP2, a compiled function with a functional collective, messages, a checkpoint.
"""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ordercheck_pytorch.observe import collectives
from ordercheck_pytorch.worker.pool import RankPool
from ordercheck_pytorch.worker.report import Order, RankReport
from stub_program import RankResult
from torch.distributed import _functional_collectives as functional
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

MESH = {"pp": 1, "dp_replicate": 1, "dp_shard": 2, "cp": 1, "tp": 1}


def linear() -> torch.nn.Linear:
    return torch.nn.Linear(4, 4, bias=False, dtype=torch.float64)


def summed(x: torch.Tensor) -> torch.Tensor:
    y = (x * x).detach()
    dist.all_reduce(y)
    return x.sin() * y


class Program:
    transforms = ()
    models = ()

    def case_of(self, message: Mapping[str, Any]) -> Any:
        return SimpleNamespace(mesh=MESH, settings=SimpleNamespace(arithmetic="plain"))

    def cannot(self, case: Any) -> str:
        return ""

    def furthest(self, case: Any) -> float:
        return 0.0

    def run_rank(self, case: Any, rank: int, device: str, watch: Any) -> RankResult:
        torch.manual_seed(3)
        watch.phase(0, "apply")
        ddp, sharded = DistributedDataParallel(linear()), fully_shard(linear())
        x = torch.arange(8, dtype=torch.float64).reshape(2, 4) + rank
        watch.phase(0, "forward")
        loss = sharded(ddp(x)).sum()
        watch.phase(0, "backward")
        loss.backward()
        watch.phase(0, "optimizer")
        group = dist.group.WORLD
        assert group is not None

        @torch.compile(backend="aot_eager", fullgraph=True)
        def f(x: torch.Tensor) -> torch.Tensor:
            return functional.all_reduce(x * 2, "sum", group) + 1

        compiled = f(x[0])
        watch.phase(1, "forward")
        received = torch.zeros(4, dtype=torch.float64)
        for request in dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, x[0], 1 - rank), dist.P2POp(dist.irecv, received, 1 - rank)]
        ):
            request.wait()
        z = received.clone().requires_grad_()
        y = checkpoint(summed, z, use_reentrant=False).sum()
        y.backward()
        assert z.grad is not None
        watch.phase(1, "observe")
        gradients = {
            "ddp": ddp.module.weight.grad,
            "sharded": sharded.weight.grad.full_tensor(),
            "compiled": compiled,
            "received": received,
            "z": z.grad,
        }
        return RankResult(
            shapes={name: tuple(g.shape) for name, g in gradients.items()},
            losses=[float(loss)],
            gradient_norms=[float(y)],
            gradients=[gradients],
        )


def run(pool: RankPool, folder: Any) -> list[RankReport]:
    orders = [
        Order(
            rank=rank,
            world_size=2,
            case={},
            keep="hashes",
            fault=None,
            device="cpu",
            backend="gloo",
            store=str(folder / "store"),
            flight_file="",
            phases=(),
        )
        for rank in range(2)
    ]
    outcome = pool.run(orders, lambda step: None)
    pool.kill()
    assert not outcome.errors, outcome.errors[0].traceback
    return sorted(outcome.reports, key=lambda report: report.rank)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: Any) -> Iterator[tuple[list[RankReport], list[RankReport]]]:
    # Ranks that were forked before nobody's place was taken run torch as it came.
    plain = run(RankPool(Program(), []), tmp_path_factory.mktemp("plain"))
    collectives.install()
    yield plain, run(RankPool(Program(), []), tmp_path_factory.mktemp("watched"))


def test_without_the_observer_nothing_is_counted_and_a_note_says_so(
    reports: tuple[list[RankReport], list[RankReport]],
) -> None:
    plain = reports[0][0]
    assert plain.collectives == []
    assert "p2p_messages" not in plain.counters or plain.counters["p2p_messages"] == -1
    assert any("collectives are not counted" in note for note in plain.notes)


def test_the_observer_changes_no_bit(reports: tuple[list[RankReport], list[RankReport]]) -> None:
    for plain, watched in zip(*reports, strict=True):
        assert plain.gradients == watched.gradients
        assert (plain.losses, plain.gradient_norms) == (watched.losses, watched.gradient_norms)


def test_every_collective_is_counted(reports: tuple[list[RankReport], list[RankReport]]) -> None:
    weight, row = 4 * 4 * 8, 4 * 8
    seen = {(c.kind, c.phase): (c.count, c.bytes) for c in reports[1][0].collectives}
    assert {c.group for c in reports[1][0].collectives} == {"dp_shard"}
    assert seen == {
        # DDP compares numbers of parameters, then sizes and strides with rank 0's, and takes its weight.
        ("all_gather", "apply"): (1, 8),
        ("broadcast", "apply"): (2, 4 * 8 + weight),
        # FSDP2 gathers halves; the root stays gathered until its backward is over.
        ("all_gather", "forward"): (1, weight // 2),
        ("all_reduce", "backward"): (1, weight),
        ("reduce_scatter", "backward"): (1, weight),
        ("all_reduce", "optimizer"): (1, row),
        ("send", "forward"): (1, row),
        ("recv", "forward"): (1, row),
        # The checkpoint's, as it runs and as it runs again.
        ("all_reduce", "forward"): (1, row),
        ("all_reduce", "recompute"): (1, row),
        # full_tensor() of the sharded gradient.
        ("all_gather", "observe"): (1, weight // 2),
    }
    assert reports[1][0].counters["p2p_messages"] == 2
