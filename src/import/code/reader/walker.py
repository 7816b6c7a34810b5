"""What the walks of all functions of one run share: names of files, bodies that were walked, and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from source import Function, Project
from tree import Path, Seq, has_items
from values import Value

DEEPEST = 12  # helpers that call helpers
MOST_STEPS = 400_000  # statements and calls of all functions together


class TooMuch(Exception):
    """The code is larger than what is walked."""


@dataclass
class Walker:
    """All that the walks of one run share."""

    project: Project
    # Walks a function, given the names that it sees and its arguments: its calls, and what it returns.
    walk: Callable[[Walker, Function, dict[str, Value], dict[str, Value]], tuple[Seq, Value]]
    steps_left: int = MOST_STEPS
    known_paths: dict[int, tuple[list[Path], int]] = field(default_factory=dict)  # see flatten
    closures: dict[str, tuple[Function, dict[str, Value]]] = field(default_factory=dict)
    followed: dict[str, set[str]] = field(
        default_factory=dict
    )  # function -> helpers whose bodies were walked for it
    _bodies: dict[tuple[str, tuple[tuple[str, Value], ...]], tuple[Seq, Value, int]] = field(
        default_factory=dict
    )
    _module_names: dict[str, dict[str, Value]] = field(default_factory=dict)
    _active: list[str] = field(default_factory=list)
    _depths: list[int] = field(
        default_factory=list
    )  # of each active function, how deep its helpers go so far

    def count(self) -> None:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooMuch

    def names_of(self, module_path: str) -> dict[str, Value]:
        """What the names at the top of a file stand for; of a file that is being walked, as far as that is known."""
        if module_path not in self._module_names:
            self._module_names[module_path] = {}
            body = self.project.by_key[f"@{module_path}:"]
            self.walk(self, body, self._module_names[module_path], {})
        return self._module_names[module_path]

    def applying(self) -> set[str]:
        """The functions that were walked and apply a transform."""
        return {key for (key, _), (body, _, _) in self._bodies.items() if has_items(body)}

    def body_of(self, function: Function, bound: dict[str, Value], caller: str) -> tuple[Seq, Value] | None:
        """The tree of a function for these arguments, and what it returns; None where it is being walked already."""
        if function.key in self._active or len(self._active) > DEEPEST:
            return None
        self.followed.setdefault(caller, set()).add(function.key)
        key = (function.key, tuple(sorted(bound.items(), key=lambda entry: entry[0])))
        if key not in self._bodies:
            self._active.append(function.key)
            self._depths.append(0)
            try:
                names = dict(self.closures[function.key][1]) if function.key in self.closures else {}
                body, returned = self.walk(self, function, names, bound)
                self._bodies[key] = (body, returned, self._depths[-1])
            finally:
                self._active.pop()
                self._depths.pop()
        body, returned, depth = self._bodies[key]
        if depth >= DEEPEST:
            return None
        if self._depths:
            self._depths[-1] = max(self._depths[-1], depth + 1)
        return body, returned
