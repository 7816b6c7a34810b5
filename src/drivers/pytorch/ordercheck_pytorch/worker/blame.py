"""Which of several errors a case failed by."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import replace

from .flight import Slot, describe
from .rank_process import is_consequence
from .report import RankError

# Of a process that could not say it itself.
DEATHS = ("died", "killed")


def first_cause(errors: Sequence[RankError]) -> RankError:
    """The earliest that is no mere news of another rank's end; where several say the same, the lowest."""
    own = [error for error in errors if error.ending in DEATHS or not is_consequence(error.message)]
    first = min(own or errors, key=lambda error: (error.time, error.rank))
    if first.ending in DEATHS:
        return first
    alike = [
        e
        for e in own or errors
        if (e.ending, e.phase, e.message) == (first.ending, first.phase, first.message)
    ]
    return min(alike, key=lambda error: error.rank)


def end_of(status: int) -> str:
    """How a process ended, of what waitpid says."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by signal {number} ({signal.strsignal(number)})"
    return f"exited with code {os.WEXITSTATUS(status)}"


def death_of(rank: int, time: int, status: int) -> RankError:
    end = end_of(status)
    # A program does not raise SIGKILL by mistake: the out-of-memory killer sends it, or a person.
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return RankError(
        rank=rank, time=time, ending="killed" if killed else "died", message=f"rank {rank} {end}", end=end
    )


def placed(error: RankError, slots: Sequence[Slot]) -> RankError:
    """A dead rank cannot say where it was: its slot does."""
    if error.ending not in DEATHS or error.rank >= len(slots):
        return error
    slot = slots[error.rank]
    if not slot.used or slot.torn:
        return error
    return replace(
        error,
        phase=slot.phase,
        module=slot.module,
        operation=slot.operation,
        group=slot.group,
        sequence=slot.sequence if slot.operation else -1,
    )


def where_all_were(slots: Sequence[Slot], errors: Sequence[RankError]) -> list[str]:
    """One line a rank."""
    ends = {error.rank: error.end for error in errors}
    return [describe(rank, slot, ends.get(rank, "")) for rank, slot in enumerate(slots)]
