"""A process group for ranks that share a GPU, which NCCL before 2.30.3 refuses: collectives go through memory of the host.

Each call copies its tensors to the host, has gloo do it, waits, and copies what came back: what is added up, and in which
order, is gloo's. Slow, and as right as gloo. Registered with torch as the backend "staged"; a record that was made over it
says so among its versions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

NAME = "staged"


def register() -> None:
    """Once a process, before a group is made."""
    if NAME not in dist.Backend.backend_list:
        dist.Backend.register_backend(NAME, _make, devices=["cpu", "cuda"])


_Group: Any = (
    dist.ProcessGroup
)  # whose stubs have a second signature for each call; C++ and torch.distributed use this one


class StagedGroup(_Group):
    """A group and not a backend: a torch before 2.15 lets Python derive from the one alone. Its calls go on to a group of
    gloo's that torch makes calls of c10d's operators, where collectives are counted and their terms rounded."""

    def __init__(self, gloo: dist.ProcessGroup, rank: int, size: int) -> None:
        super().__init__(rank, size)
        self._inner, self._rank, self._size = gloo, rank, size

    @property
    def _gloo(self) -> Any:
        _take_place_of(self._inner, self)  # torch has named this one meanwhile
        return self._inner

    @property
    def group_name(self) -> str:
        return _name_of(self)

    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return self._size

    def getBackendName(self) -> str:
        return NAME

    # In place: what is handed in is what comes back.

    def allreduce(self, tensors: list[Tensor], opts: Any = None) -> Any:
        return self._in_place(
            tensors,
            lambda hosts: self._gloo.allreduce(hosts, opts or dist.AllreduceOptions()),
        )

    def allreduce_coalesced(self, tensors: list[Tensor], opts: Any = None) -> Any:
        for tensor in tensors[:-1]:
            self.allreduce([tensor], _all_reduce_options(opts))
        return self.allreduce(tensors[-1:], _all_reduce_options(opts))

    def broadcast(self, tensors: list[Tensor], opts: Any = None) -> Any:
        return self._in_place(
            tensors,
            lambda hosts: self._gloo.broadcast(hosts, opts or dist.BroadcastOptions()),
        )

    def reduce(self, tensors: list[Tensor], opts: Any = None) -> Any:
        return self._in_place(
            tensors,
            lambda hosts: self._gloo.reduce(hosts, opts or dist.ReduceOptions()),
        )

    def recv(self, tensors: list[Tensor], source: int, tag: int) -> Any:
        return self._in_place(tensors, lambda hosts: self._gloo.recv(hosts, source, tag))

    def recv_anysource(self, tensors: list[Tensor], tag: int) -> Any:
        return self._in_place(tensors, lambda hosts: self._gloo.recv_anysource(hosts, tag))

    # From one tensor into another.

    def _allgather_base(self, output: Tensor, given: Tensor, opts: Any = None) -> Any:
        return self._into([output], lambda outs: self._gloo._allgather_base(outs[0], _host(given)))

    def allgather_into_tensor_coalesced(
        self, outputs: list[Tensor], given: list[Tensor], opts: Any = None
    ) -> Any:
        return self._each(self._allgather_base, outputs, given)

    def _reduce_scatter_base(self, output: Tensor, given: Tensor, opts: Any = None) -> Any:
        options = opts or dist.ReduceScatterOptions()
        return self._into(
            [output],
            lambda outs: self._gloo._reduce_scatter_base(outs[0], _host(given), options),
        )

    def reduce_scatter_tensor_coalesced(
        self, outputs: list[Tensor], given: list[Tensor], opts: Any = None
    ) -> Any:
        return self._each(
            lambda output, one: self._reduce_scatter_base(output, one, opts),
            outputs,
            given,
        )

    def alltoall_base(
        self,
        output: Tensor,
        given: Tensor,
        output_splits: list[int],
        input_splits: list[int],
        opts: Any = None,
    ) -> Any:
        return self._into(
            [output],
            lambda outs: self._gloo.alltoall_base(outs[0], _host(given), output_splits, input_splits),
        )

    # Lists of tensors.

    def allgather(self, outputs: list[list[Tensor]], given: list[Tensor], opts: Any = None) -> Any:
        return self._into(outputs[0], lambda outs: self._gloo.allgather([outs], [_host(given[0])]))

    def reduce_scatter(self, outputs: list[Tensor], given: list[list[Tensor]], opts: Any = None) -> Any:
        options = opts or dist.ReduceScatterOptions()
        return self._into(
            outputs[:1],
            lambda outs: self._gloo.reduce_scatter(outs, [[_host(one) for one in given[0]]], options),
        )

    def gather(self, outputs: list[list[Tensor]], given: list[Tensor], opts: Any = None) -> Any:
        options = opts or dist.GatherOptions()
        into = outputs[0] if outputs else []
        return self._into(
            into,
            lambda outs: self._gloo.gather([outs] if outs else [], [_host(given[0])], options),
        )

    def scatter(self, outputs: list[Tensor], given: list[list[Tensor]], opts: Any = None) -> Any:
        options = opts or dist.ScatterOptions()
        hosts = [[_host(one) for one in given[0]]] if given else []
        return self._into(outputs[:1], lambda outs: self._gloo.scatter(outs, hosts, options))

    # What nothing comes back of.

    def send(self, tensors: list[Tensor], destination: int, tag: int) -> Any:
        # Not waited for here: two ranks that send to each other first would wait for ever, as they would not over gloo.
        return self._gloo.send([_host(tensor) for tensor in tensors], destination, tag)

    def barrier(self, opts: Any = None) -> Any:
        self._gloo.barrier().wait()
        return _done([])

    def _in_place(self, tensors: list[Tensor], call: Callable[[list[Tensor]], Any]) -> Any:
        hosts = [_host(tensor) for tensor in tensors]
        call(hosts).wait()
        return _done(_brought_back(tensors, hosts))

    def _into(self, outputs: list[Tensor], call: Callable[[list[Tensor]], Any]) -> Any:
        hosts = [torch.empty_like(output, device="cpu") for output in outputs]
        call(hosts).wait()
        return _done(_brought_back(outputs, hosts))

    @staticmethod
    def _each(
        call: Callable[[Tensor, Tensor], Any],
        outputs: list[Tensor],
        given: list[Tensor],
    ) -> Any:
        works = [call(output, one) for output, one in zip(outputs, given, strict=True)]
        return works[-1]


def _make(store: Any, rank: int, size: int, timeout: timedelta) -> StagedGroup:
    inner = dist.ProcessGroup(store, rank, size)
    gloo = dist.ProcessGroupGloo(store, rank, size, timeout)
    inner._set_default_backend(dist.ProcessGroup.BackendType.GLOO)
    inner._register_backend(torch.device("cpu"), dist.ProcessGroup.BackendType.GLOO, gloo)
    return StagedGroup(inner, rank, size)


def _host(tensor: Tensor) -> Tensor:
    """A copy, also of what is on the host: gloo writes where it reads."""
    return torch.empty_like(tensor, device="cpu", memory_format=torch.contiguous_format).copy_(
        tensor.detach()
    )


def _brought_back(tensors: Sequence[Tensor], hosts: Sequence[Tensor]) -> list[Tensor]:
    for tensor, host in zip(tensors, hosts, strict=True):
        tensor.detach().copy_(host)
    return list(tensors)


def _all_reduce_options(coalesced: Any) -> Any:
    options = dist.AllreduceOptions()
    if coalesced is not None:
        options.reduceOp = coalesced.reduceOp
    return options


def _done(tensors: list[Tensor]) -> Any:
    on_gpu: list[Any] = sorted({tensor.device for tensor in tensors if tensor.is_cuda}, key=str)
    future: Any = torch.futures.Future(devices=on_gpu)
    future.set_result(tensors)
    return _work_from_future(future)


def _work_from_future(future: Any) -> Any:
    """What a group written in Python returns of a call."""
    from torch._C import _distributed_c10d

    of_c10d: Any = _distributed_c10d
    return of_c10d._create_work_from_future(future)


def _name_of(group: Any) -> str:
    return str(dist.distributed_c10d._world.pg_names.get(group, ""))


def _take_place_of(inner: Any, outer: Any) -> None:
    """To torch and to who asks it, the inner group is the outer one: the same name and ranks. Once is enough."""
    groups = dist.distributed_c10d._world
    if inner not in groups.pg_group_ranks:
        groups.pg_group_ranks[inner] = groups.pg_group_ranks[outer]
        inner._set_group_name(_name_of(outer))
