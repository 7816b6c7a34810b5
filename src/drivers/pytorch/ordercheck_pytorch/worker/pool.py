"""The ranks: processes forked from this one, kept over cases as long as every case comes through."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from .blame import death_of
from .channel import Channel, Closed
from .compiled_code import CompiledCode
from .program import Program
from .rank_process import serve_as_rank
from .report import Order, RankError, RankReport, StepDone

# From the first error on: ranks that fail by themselves say so at once, the others wait for one that is gone.
GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class Outcome:
    """What became of the ranks of a case: all reported, or there are errors."""

    reports: list[RankReport]
    errors: list[RankError]
    used: bool  # a rank had run another case before


@dataclass(frozen=True)
class EndOfCase:
    """All ranks came through: let go of what the case left."""


@dataclass
class _Rank:
    pid: int
    channel: Channel
    used: bool = False


class RankPool:
    def __init__(
        self, program: Program, private: list[int], compiled_code: CompiledCode | None = None
    ) -> None:
        """Ranks close the descriptors in `private`: what they print must not reach the protocol."""
        self._program = program
        self._private = private
        self._compiled_code = compiled_code
        self._ranks: list[_Rank] = []

    def run(self, orders: list[Order], on_step: Callable[[int], None]) -> Outcome:
        """Collective over the first ranks of the pool, one order each."""
        if any(os.waitpid(rank.pid, os.WNOHANG) != (0, 0) for rank in self._ranks):
            self.kill()
        while len(self._ranks) < len(orders):
            self._fork()
        ranks = self._ranks[: len(orders)]
        used = any(rank.used for rank in ranks)
        for rank, order in zip(ranks, orders, strict=True):
            rank.used = True
            try:
                rank.channel.send(order)
            except Closed:
                continue  # it is heard of below
        reports, errors = self._listen(ranks, on_step)
        if errors:
            self.kill()
        else:
            for rank in ranks:
                rank.channel.send(EndOfCase())
        return Outcome(reports, errors, used)

    def kill(self) -> None:
        for rank in self._ranks:
            try:
                os.kill(rank.pid, signal.SIGKILL)
                os.waitpid(rank.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass  # it was waited for when it ended
            rank.channel.close()
        if self._ranks and self._compiled_code:
            self._compiled_code.begin_anew()
        self._ranks = []

    def _listen(
        self, ranks: list[_Rank], on_step: Callable[[int], None]
    ) -> tuple[list[RankReport], list[RankError]]:
        reports: list[RankReport] = []
        errors: list[RankError] = []
        waiting = {rank.channel.fileno(): number for number, rank in enumerate(ranks)}
        poll = select.poll()
        for descriptor in waiting:
            poll.register(descriptor, select.POLLIN)
        deadline: float | None = None
        while waiting:
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            ready = poll.poll(left)
            if not ready:
                break
            for descriptor, _ in ready:
                number = waiting[descriptor]
                said = self._hear(ranks[number], number)
                if isinstance(said, StepDone):
                    on_step(said.step)
                    continue
                if isinstance(said, RankReport):
                    reports.append(said)
                else:
                    errors.append(said)
                    deadline = deadline or time.monotonic() + GRACE_SECONDS
                del waiting[descriptor]
                poll.unregister(descriptor)
        return reports, errors

    def _hear(self, rank: _Rank, number: int) -> StepDone | RankReport | RankError:
        try:
            said: StepDone | RankReport | RankError = rank.channel.receive()
        except Closed:
            _, status = os.waitpid(rank.pid, 0)
            return death_of(number, time.monotonic_ns(), status)
        return said

    def _fork(self) -> None:
        ours, theirs = Channel.pair()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_rank(theirs, parent)
            finally:
                os._exit(1)
        theirs.close()
        self._ranks.append(_Rank(pid, ours))

    def _become_rank(self, orders: Channel, parent: int) -> None:
        for descriptor in self._private:
            os.close(descriptor)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for rank in self._ranks:
            rank.channel.close()
        serve_as_rank(self._program, orders, parent)
