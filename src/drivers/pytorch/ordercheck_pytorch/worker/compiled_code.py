"""Where ranks keep what inductor compiles for them: one folder for all, so that each kernel is compiled once."""

from __future__ import annotations

import os

_VARIABLE = "TORCHINDUCTOR_CACHE_DIR"


class CompiledCode:
    """A rank that is killed while it compiles leaves half a library behind, and everybody who finds it fails ("file too
    short"). So what killed ranks may have touched is not used again."""

    def __init__(self, below: str) -> None:
        """In `below`, unless the user has named a folder: that stays, and is the user's to clean."""
        self._below = "" if _VARIABLE in os.environ else below
        self._made = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        """For the ranks that are forked from now on."""
        if self._below:
            os.environ[_VARIABLE] = os.path.join(self._below, f"compiled-{self._made}")
            self._made += 1
