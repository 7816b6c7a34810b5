"""Sixty of the sites, by a seed: the same ones whenever the sources are the same.

Kinds take turns, and no file holds more than a few: most sites are calls, and most are in the longest files. Within a kind the
order is by a digest of the seed and the change, so that what is edited elsewhere moves nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Collection
from itertools import cycle
from pathlib import Path

from one_site import KINDS, ROOMS, Site

SEED = 1554
COUNT = 60
MOST_OF_A_FILE = 4


def place_of(site: Site) -> tuple[str, str, str]:
    """What names a site in the tables: lines move."""
    return site.path, site.function, site.change


def _rank(site: Site) -> str:
    return hashlib.sha256("\t".join((str(SEED), *place_of(site))).encode()).hexdigest()


def draw(sites: list[Site], refused: Collection[tuple[str, str, str]] = (), count: int = COUNT) -> list[Site]:
    """`refused` are places that do not compile: what comes next is drawn in their place."""
    waiting = {
        kind: sorted((s for s in sites if s.kind == kind and place_of(s) not in refused), key=_rank)
        for kind in KINDS
    }
    drawn: list[Site] = []
    of_file: Counter[str] = Counter()
    for kind in cycle(KINDS):
        if len(drawn) == count or not any(waiting.values()):
            return drawn
        while waiting[kind]:
            site = waiting[kind].pop(0)
            if of_file[site.path] < MOST_OF_A_FILE and not any(overlap(site, other) for other in drawn):
                drawn.append(site)
                of_file[site.path] += 1
                break
    return drawn


def overlap(one: Site, other: Site) -> bool:
    """One within the other could not be switched alone; beside each other they touch, and the texts would mix."""
    return one.path == other.path and one.span[0] <= other.span[1] and other.span[0] <= one.span[1]


def digest_of_rooms(root: Path) -> str:
    """Of all that the sites stand in, headers among it."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((root / room).iterdir()):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
