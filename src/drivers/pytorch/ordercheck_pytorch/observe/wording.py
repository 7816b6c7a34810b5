"""Messages as they would read on any machine and in any run."""

from __future__ import annotations

import re

_CHANGING = (
    (re.compile(r"(?:/[\w.+@-]+)+/site-packages/"), ""),  # where torch is installed
    (re.compile(r"0x[0-9a-f]{6,}"), "0x..."),  # addresses
    (re.compile(r"\[\d+\.\d+\.\d+\.\d+\]:\d+"), "[peer]"),
)


def reworded(text: str) -> str:
    for pattern, instead in _CHANGING:
        text = pattern.sub(instead, text)
    return text


def first_line(text: str) -> str:
    """Where it only announces another ('... raised:'), the next one too."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and lines[0].endswith(":"):
        lines[:2] = [f"{lines[0]} {lines[1]}"]
    return reworded(lines[0]) if lines else ""
