"""A rank: a process forked from the front one, which runs its part of one case after another."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import faulthandler
import gc
import os
import signal
import time
import traceback

import torch
import torch.distributed as dist

from ..observe import collectives
from ..observe.groups import GroupNames
from ..observe.operators import OperatorMeter
from ..observe.where import message_of, phase_of_error
from ..observe.wording import first_line, reworded
from ..process_state import reset
from ..torch_compat import file_store
from . import staged_group
from .channel import Channel, Closed
from .flight import FlightRecorder
from .program import Program, RankResult
from .rank_watch import RankWatch, fault_of
from .report import BufferReport, Order, RankError, RankReport, StepDone
from .tensors import bytes_of, hash_of

# The supervisor owns time: no group gives up before it does.
_PATIENCE = datetime.timedelta(minutes=30)
_PR_SET_PDEATHSIG = 1


def serve_as_rank(program: Program, orders: Channel, parent: int) -> None:
    """Never returns."""
    _end_with(parent)
    faulthandler.enable()  # a fatal signal leaves the frames that it met on stderr
    gc.freeze()  # what was imported stays: no collection has to look through it
    with contextlib.suppress(Closed, KeyboardInterrupt):
        while True:
            order = orders.receive()
            if isinstance(order, Order):
                orders.send(_run(program, order, orders))
            else:  # pool.EndOfCase
                _forget()
    os._exit(0)


def _end_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this was asked for
        os._exit(0)


def _run(program: Program, order: Order, orders: Channel) -> RankReport | RankError:
    flight = FlightRecorder(order.flight_file, order.rank, order.phases)
    case = program.case_of(order.case)
    watch = RankWatch(
        flight,
        GroupNames(case.mesh, order.rank),
        fault_of(order.fault, order.rank),
        (lambda step: orders.send(StepDone(step))) if order.rank == 0 else (lambda step: None),
        OperatorMeter() if order.rank == 0 else None,  # a record holds the counters of rank 0
        case.settings.arithmetic == "exact",
    )
    try:
        reset()
        _make_world(order, flight)
        with watch:
            seen = program.run_rank(case, order.rank, order.device, watch)
        report = _report(order, seen, watch)
        flight.finished()
        return report
    except BaseException as error:
        # Of a user's function a SystemExit too: whatever ends a rank is its case's failure.
        # The groups stay as they are: to end them could mean to wait. This process is not used again.
        return _error_report(order, error, watch, flight)
    finally:
        flight.close()


def _make_world(order: Order, flight: FlightRecorder) -> None:
    torch.manual_seed(0)
    if order.device == "cuda":
        torch.cuda.set_device(order.rank % torch.cuda.device_count())
    staged_group.register()
    flight.at_collective("build", "rendezvous", "world", -1, "")
    dist.init_process_group(
        order.backend,
        store=file_store(order.store, order.world_size),
        rank=order.rank,
        world_size=order.world_size,
        timeout=_PATIENCE,
    )
    # A collective of our own: a world that is not sound is found here, and not blamed on the case.
    there = torch.ones(1, device=order.device)
    dist.all_reduce(there)
    if there.item() != order.world_size:
        raise RuntimeError(f"the world is not sound: {order.world_size} ranks add up to {there.item():g}")
    flight.left_collective()


def _forget() -> None:
    """After a case that all ranks came through: to end a group earlier would close it to the others."""
    dist.destroy_process_group()
    reset()
    gc.collect()


def _report(order: Order, seen: RankResult, watch: RankWatch) -> RankReport:
    # Hashes, not tensors: a report is pickled and sent, and whether bits are equal is all that is asked of most of them.
    report = RankReport(
        rank=order.rank,
        shapes={name: tuple(shape) for name, shape in seen.shapes.items()},
        added=list(seen.added),
        losses=list(seen.losses),
        gradient_norms=list(seen.gradient_norms),
        range_used=seen.range_used,
        counters={**seen.counters, **watch.counters()},
        collectives=watch.collectives(),
        notes=[reworded(note) for note in [*seen.notes, *watch.notes()]],
        partial_operands=list(seen.partial_operands),
        partials_apart=seen.partials_apart,
        frozen=list(seen.frozen),
    )
    if not collectives.missing():
        report.counters["p2p_messages"] = watch.messages_of_last_step()
    else:
        report.notes.append(collectives.missing())
    if order.keep == "none":
        return report
    keep_data = order.keep == "values"

    def hashed(tensor: torch.Tensor, name: str) -> str:
        if tuple(tensor.shape) != report.shapes.get(name):
            expected = list(report.shapes.get(name, ()))
            raise ValueError(
                f"rank {order.rank} hands over {name} as {list(tensor.shape)}, the model has {expected}"
            )
        data = bytes_of(tensor)
        digest = hash_of(data)
        if keep_data:
            report.data[digest] = data
        return digest

    watch.begun = "observe"
    if keep_data:
        report.outputs = {
            place: {sample: (tuple(value.shape), bytes_of(value)) for sample, value in samples.items()}
            for place, samples in seen.outputs.items()
        }
    for gradients in seen.gradients:
        report.gradients.append({name: hashed(tensor, name) for name, tensor in gradients.items()})
        for name, tensor in gradients.items():
            report.has_gradient[name] = report.has_gradient.get(name, False) or bool(tensor.count_nonzero())
    for name, tensor in seen.values.items():
        report.values[name] = hashed(tensor, name)
        report.changed[name] = report.values[name] != hash_of(bytes_of(seen.initial[name]))
    for name, buffer in seen.buffers.items():
        value = "" if buffer.value is None else hash_of(bytes_of(buffer.value))
        report.buffers[name] = BufferReport(tuple(buffer.shape), buffer.is_local, value)
    return report


_ENDINGS = {"OutOfRange": "out_of_range", "Unsupported": "unsupported"}


def _error_report(order: Order, error: BaseException, watch: RankWatch, flight: FlightRecorder) -> RankError:
    now = time.monotonic_ns()  # first of all: which rank failed before which is told by it
    # By name, since the program knows nothing of the worker; torch has an Unsupported of its own, which is a failure.
    own = not type(error).__module__.startswith("torch.")
    ending = _ENDINGS.get(type(error).__name__, "failed") if own else "failed"
    # A collective is named where it raised, or where the error only says that another rank is gone: a rank that raised by
    # itself waits in none.
    pending = watch.failed_in(error) or (watch.waits_in() if is_consequence(message_of(error)) else None)
    phase = phase_of_error(error, watch.begun)
    module = watch.names.of_error(error)
    # The slot may still name a collective that is done, or that another stream works on.
    flight.left_collective()
    if pending:
        flight.at_collective(phase, pending.operation, pending.group, pending.sequence, pending.shape)
    flight.at_module(phase, module)
    return RankError(
        rank=order.rank,
        time=now,
        ending=ending,
        message=message_of(error) if ending == "failed" else first_line(str(error)),
        phase=phase,
        module=module,
        operation=pending.operation if pending else "",
        group=pending.group if pending else "",
        sequence=pending.sequence if pending else -1,
        traceback="".join(traceback.format_exception(error)),
    )


def is_consequence(message: str) -> bool:
    """Whether a message only says that another rank is gone."""
    return any(words in message for words in _OF_OTHERS)


# What gloo and NCCL say when a peer is gone or does not answer.
_OF_OTHERS = (
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "Application timeout",
    "Timed out waiting",
    "Timeout waiting",
    "Wait timeout",
    "connectFullMesh failed",
    "NCCL communicator was aborted",
    "remote process exited",
)
