"""All sites of the sources of three rooms."""

from pathlib import Path

from finder import Finder
from one_site import ROOMS, Site

ROOT = Path(__file__).resolve().parents[3]


def sites_of(path: str, text: str) -> list[Site]:
    return Finder(path, text).sites()


def sites_in(root: Path) -> list[Site]:
    files = [file for room in ROOMS for file in sorted((root / room).glob("*.cpp"))]
    return [site for file in files for site in sites_of(str(file.relative_to(root)), file.read_text())]
