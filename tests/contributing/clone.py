"""A clone of the checkout's last commit, in which recipes are followed and what each changes is counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Changes:
    """What one step changed."""

    paths: tuple[str, ...]
    lines: int  # added and removed


class Clone:
    def __init__(self, source: Path, folder: Path) -> None:
        """Under the same path every time: ccache knows again what it compiled of an earlier one."""
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        commit = subprocess.check_output(["git", "-C", str(source), "rev-parse", "HEAD"], text=True).strip()
        subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(folder)], check=True)
        self.run("git", "checkout", "-q", "--detach", commit)
        for key, value in (("user.name", "follow"), ("user.email", "follow@localhost")):
            self.run("git", "config", key, value)

    def run(self, *command: str, **variables: str) -> str:
        """Its output; ends everything with the last lines of it when it fails."""
        environment = {
            **os.environ,
            "CCACHE_BASEDIR": str(self.folder),
            "CCACHE_NOHASHDIR": "1",
            "ORDERCHECK_RULES": str(self.folder / "rules"),
            **variables,
        }
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
            sys.exit(f"follow: {' '.join(command)} ended with {done.returncode}:\n{tail}")
        return done.stdout

    def text(self, path: str) -> str:
        return (self.folder / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(exist_ok=True)
        (self.folder / path).write_text(text)

    def append(self, path: str, text: str) -> None:
        self.write(path, self.text(path) + text)

    def edit(self, path: str, before: str, after: str) -> None:
        text = self.text(path)
        if text.count(before) != 1:
            sys.exit(
                f"follow: {path}: expected {before!r} once, found it {text.count(before)} times; "
                "adapt tests/contributing/toys.py"
            )
        self.write(path, text.replace(before, after))

    def commit(self, step: str) -> Changes:
        """What changed since the last call, counted from the diff."""
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "--allow-empty", "-m", step)
        rows = [
            line.split("\t") for line in self.run("git", "diff", "--numstat", "HEAD^", "HEAD").splitlines()
        ]
        return Changes(
            tuple(path for _, _, path in rows), sum(int(added) + int(removed) for added, removed, _ in rows)
        )
