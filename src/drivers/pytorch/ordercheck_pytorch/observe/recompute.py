"""When forward code ran again inside backward."""

from __future__ import annotations

from .profile_events import Events
from .spans import any_within, innermost


def says_what_it_recomputes(events: Events) -> bool:
    """Whether every backward graph says which of its operators are the forward's. One of another backend does not."""
    marked = sorted(begin for begin, _ in events.marked_graphs)
    return all(any_within(marked, begin, end) for begin, end in events.backward_graphs)


def recomputations(events: Events) -> list[tuple[int, int]]:
    """Those of a checkpoint, and those that a partition put into a backward graph.

    A checkpoint runs forward code with autograd on, within the node of autograd that asks for what it saved: operators carry a
    sequence number there, and in a backward formula they do not. What lies between the first and the last of them in a
    node is the recomputation too: functions of autograd run their inside with autograd off. Such functions carry a number
    also where a backward formula calls them, as DTensor's do, and say nothing by themselves.
    """
    spans = list(events.recomputed)
    numbered = {begin: end for begin, end, _ in events.numbered}
    functions = {begin: end for begin, end, _ in events.functions}
    for times in innermost([*numbered, *functions], events.nodes).values():
        if any(time in numbered for time in times):
            spans.append((min(times), max(max(numbered.get(t, 0), functions.get(t, 0)) for t in times)))
    return spans
