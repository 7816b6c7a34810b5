"""Spans of time, and what lies in them."""

from __future__ import annotations

import bisect
from collections.abc import Iterable


class Spans:
    """Joined where they overlap."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        for begin, end in sorted(spans):
            if self.ends and begin < self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.begins.append(begin)
                self.ends.append(end)

    def hold(self, time: int) -> bool:
        at = bisect.bisect_right(self.begins, time) - 1
        return at >= 0 and time < self.ends[at]


def outermost(spans: Iterable[tuple[int, int]]) -> list[int]:
    """The begins of those that lie in no other: not what a kernel calls inside, or a DTensor of its local part."""
    begins, end = [], -1
    for begin, its_end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if begin >= end:
            begins.append(begin)
            end = its_end
    return begins


def any_within(sorted_times: list[int], begin: int, end: int) -> bool:
    at = bisect.bisect_left(sorted_times, begin)
    return at < len(sorted_times) and sorted_times[at] <= end


def innermost(times: list[int], spans: list[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
    """Of nested spans, those that are the innermost one around a time, with these times."""
    found: dict[tuple[int, int], list[int]] = {}
    waiting = sorted(spans, key=lambda span: (span[0], -span[1]))
    open_spans: list[tuple[int, int]] = []
    next_span = 0
    for time in sorted(times):
        while next_span < len(waiting) and waiting[next_span][0] <= time:
            while open_spans and open_spans[-1][1] <= waiting[next_span][0]:
                open_spans.pop()
            open_spans.append(waiting[next_span])
            next_span += 1
        while open_spans and open_spans[-1][1] <= time:
            open_spans.pop()
        if open_spans:
            found.setdefault(open_spans[-1], []).append(time)
    return found
