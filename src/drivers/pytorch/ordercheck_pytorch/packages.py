"""What to install for a published project, read from its driver without importing it: torch looks for some packages when it is
imported itself. As a program it prints them for every driver, a line a release."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import sys
from dataclasses import dataclass
from pathlib import Path

# Where the driver of this package lies, and those of projects beside it.
DRIVERS = Path(__file__).parents[2]
OLDEST_TORCH = "2.6"


@dataclass(frozen=True)
class Release:
    oldest_torch: str  # the oldest that it is run on
    requirements: tuple[str, ...]  # as pip takes them, "torchtitan==0.2.2"; the first one is the project's own


def releases_of(driver: Path) -> list[Release]:
    """What each Project(...) of its sources says."""
    found = []
    for source in sorted(driver.rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Project":
                said = {each.arg: each.value for each in node.keywords if each.arg in ("requirements", "oldest_torch")}
                found.append(Release(**{"oldest_torch": OLDEST_TORCH} | {str(k): ast.literal_eval(v) for k, v in said.items()}))
    return found


def folder_of(requirements: tuple[str, ...]) -> Path:
    """torchtitan-0.2.2 of the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "ordercheck" / requirements[0].replace("==", "-")


def is_new_enough(oldest: str) -> bool:
    """Whether the torch of this Python is at least this one."""
    numbers = importlib.metadata.version("torch").partition("+")[0].split(".")
    return [int(n) for n in numbers[:2]] >= [int(n) for n in oldest.split(".")]


def put_first(project: str) -> None:
    """Has Python look for packages in the folder of the project's newest release for its torch before its own."""
    fit = [release for release in releases_of(DRIVERS / project) if is_new_enough(release.oldest_torch)]
    if fit:
        newest = max(fit, key=lambda release: [int(n) for n in release.oldest_torch.split(".")])
        sys.path.insert(0, str(folder_of(newest.requirements)))


if __name__ == "__main__":
    for each in sorted(DRIVERS.iterdir()):
        for release in releases_of(each) if each.name != "pytorch" else []:
            print(*release.requirements)
