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
DRIVERS = Path(__file__).parents[3]
OLDEST_TORCH = "2.6"


@dataclass(frozen=True)
class Release:
    oldest_torch: str  # the oldest that it is run on
    requirements: tuple[
        str, ...
    ]  # as pip takes them, "torchtitan==0.2.2"; the first one is the project's own


def releases_of(driver: Path) -> list[Release]:
    """What each Project(...) of its sources says."""
    found = []
    for source in sorted(driver.rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Project":
                said = {
                    each.arg: each.value
                    for each in node.keywords
                    if each.arg in ("requirements", "oldest_torch")
                }
                found.append(
                    Release(
                        **{"oldest_torch": OLDEST_TORCH}
                        | {str(k): ast.literal_eval(v) for k, v in said.items()}
                    )
                )
    return found


def folder_of(requirements: tuple[str, ...]) -> Path:
    """torchtitan-0.2.2 of the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "ordercheck" / requirements[0].replace("==", "-")


def is_meant(oldest_torch: str, requirements: tuple[str, ...]) -> bool:
    """Whether a release is the one that ORDERCHECK_RELEASE names ("0.2.2"); without it, whether the torch of this Python is new
    enough."""
    if asked := os.environ.get("ORDERCHECK_RELEASE"):
        return requirements[0].endswith("==" + asked)
    numbers = importlib.metadata.version("torch").partition("+")[0].split(".")
    return [int(n) for n in numbers[:2]] >= [int(n) for n in oldest_torch.split(".")]


def put_first(project: str) -> None:
    """Has Python look for packages in the folder of the newest release of the project that is meant before its own."""
    meant = [
        release
        for release in releases_of(DRIVERS / project)
        if is_meant(release.oldest_torch, release.requirements)
    ]
    if meant:
        newest = max(meant, key=lambda release: [int(n) for n in release.oldest_torch.split(".")])
        sys.path.insert(0, str(folder_of(newest.requirements)))


if __name__ == "__main__":
    for each in sorted(DRIVERS.iterdir()):
        for release in releases_of(each) if each.name != "pytorch" else []:
            print(*release.requirements)
