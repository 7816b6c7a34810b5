"""Every collective that reaches c10d, whoever issued it: Python, a compiled graph, DDP's reducer.

All of them pass the `c10d::` operators, and every operator passes the key BackendSelect on its way to its device. A
kernel put there tells a listener and passes the call on: the same C++ code with the same arguments, so nothing changes but
the time. No dispatch mode (Dynamo skips frames under one) and no profiler takes part. Autograd's keys come earlier, but
are left out below autograd, where functional collectives are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
import torch.distributed as dist

from ..process_state import CASE_STATE, PROCESS
from ..torch_compat import KEYS_BEHIND_BACKEND_SELECT, finished_work, schema_of

# What a collective is called, and the operators that are one. A barrier moves nothing, but ranks wait in it.
_KINDS = {
    "all_gather": (
        "_allgather_base_",
        "allgather_",
        "allgather_coalesced_",
        "allgather_into_tensor_coalesced_",
    ),
    "reduce_scatter": ("_reduce_scatter_base_", "reduce_scatter_", "reduce_scatter_tensor_coalesced_"),
    "all_reduce": ("allreduce_", "allreduce_coalesced_"),
    "broadcast": ("broadcast_",),
    "all_to_all": ("alltoall_", "alltoall_base_"),
    "reduce": ("reduce_",),
    "gather": ("gather_", "gather_into_tensor_"),
    "scatter": ("scatter_",),
    "send": ("send",),
    "recv": ("recv_", "recv_any_source_"),
    "barrier": ("barrier",),
}
MESSAGES = ("send", "recv")
REDUCTIONS = ("all_reduce", "reduce_scatter", "reduce")


class Call:
    """A collective on its way. What a rank hands in to receive is the room for what comes."""

    def __init__(self, operator: Operator, keys: Any, given: tuple[Any, ...]) -> None:
        self._operator, self._keys, self._given = operator, keys, given
        self.kind = operator.kind
        self.group: dist.ProcessGroup = dist.ProcessGroup.unbox(given[operator.group_at])
        self.inputs = list(_tensors([given[i] for i in operator.handed_in])) if self.kind != "barrier" else []

    @property
    def bytes(self) -> int:
        return sum(tensor.numel() * tensor.element_size() for tensor in self.inputs)

    @property
    def shape(self) -> str:
        return ", ".join(f"{str(t.dtype).removeprefix('torch.')} {list(t.shape)}" for t in self.inputs)

    def issue(self) -> Any:
        # Lets go of the interpreter's lock: gloo's threads need it to end what they finished, and hold their queue's.
        return self._operator.overload.redispatch(self._keys & KEYS_BEHIND_BACKEND_SELECT, *self._given)

    def issue_with(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        """As issue(), with other input tensors."""
        passed = (
            _through(change, v) if i in self._operator.handed_in else v for i, v in enumerate(self._given)
        )
        return self._operator.overload.redispatch(self._keys & KEYS_BEHIND_BACKEND_SELECT, *passed)

    def skip(self) -> Any:
        """What issue() answers, of a collective that never was: outputs of zeros, and a work that is done."""
        with torch.no_grad():
            for tensor in _tensors([self._given[i] for i in self._operator.given_back]):
                tensor.zero_()
        work = finished_work()
        return (self._given[0], work) if self._operator.returns == 2 else work


class Listener(Protocol):
    def collective(self, call: Call) -> Any:
        """Answers with what the call does when it is issued."""


@dataclass(frozen=True)
class Operator:
    kind: str
    overload: Any
    group_at: int  # positions of arguments
    handed_in: tuple[int, ...]
    given_back: tuple[int, ...]
    returns: int

    @staticmethod
    def of(kind: str, overload: Any) -> Operator:
        names = [argument.name for argument in schema_of(overload).arguments]
        # A list called `tensors` is worked on in place: it is handed in and comes back.
        return Operator(
            kind=kind,
            overload=overload,
            group_at=names.index("process_group"),
            handed_in=tuple(i for i, n in enumerate(names) if n.startswith("input") or n == "tensors"),
            given_back=tuple(i for i, n in enumerate(names) if n.startswith("output") or n == "tensors"),
            returns=len(schema_of(overload).returns),
        )


_MISSING = "collectives are not counted: no kernel was put before those of c10d"


def listen(listener: Listener | None) -> None:
    """From now on this one is told; None: nobody is."""
    CASE_STATE.listener = listener


def missing() -> str:
    """Why collectives are not seen in this process, or ""."""
    return "" if PROCESS.before_collectives else _MISSING


def install() -> None:
    """Once in a process."""
    if PROCESS.before_collectives:
        return
    library = torch.library.Library("c10d", "IMPL")
    for kind, names in _KINDS.items():
        for name in names:
            if hasattr(torch.ops.c10d, name):  # not every version has every one
                operator = Operator.of(kind, getattr(torch.ops.c10d, name).default)
                library.impl(name, _kernel(operator), "BackendSelect", with_keyset=True)
    PROCESS.before_collectives.append(library)


def _kernel(operator: Operator) -> Callable[..., Any]:
    def kernel(keys: Any, *given: Any) -> Any:
        call = Call(operator, keys, given)
        return call.issue() if CASE_STATE.listener is None else CASE_STATE.listener.collective(call)

    return kernel


def _through(change: Callable[[torch.Tensor], torch.Tensor], value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    return [_through(change, each) for each in value] if isinstance(value, (list, tuple)) else value


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


def work_of(result: Any) -> dist.Work | None:
    """The work in what a kernel answered: its last value, or the only one."""
    last = result[-1] if isinstance(result, (list, tuple)) else result
    return dist.Work.unbox(last) if isinstance(last, torch.ScriptObject) else None
