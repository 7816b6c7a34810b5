"""A supervisor for tests: starts the stub worker and speaks the protocol with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from run_message import mesh_of, run_of


class Supervisor:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(Path(__file__).parent / "stub_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.hello = self.hear()
        self.id = 0

    def ask(
        self,
        apply: str = "",
        keep: str = "hashes",
        fault: dict[str, Any] | None = None,
        flight_file: str = "",
        values_folder: str = "",
        **mesh: int,
    ) -> None:
        self.id += 1
        case = {
            "text": f"stub {apply}",
            "engine": "pytorch",
            "model": "llama",
            "apply": apply,
            "batch": "",
            "loss": "",
            "optimizer": "",
            "step": "",
            "reference_apply": "",
            "reference_ranks": 1,
            "widen": "",
            "items": [],
            "on_one_rank": [],
            "mesh": mesh_of(**mesh),
            "settings": {"arithmetic": "exact", "grid": 20, "seed": "1", "steps": 1, "accumulation": 1},
        }
        run = run_of(self.id, case, keep, fault, flight_file, values_folder)
        assert self.process.stdin
        self.process.stdin.write(json.dumps(run).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def run(self, apply: str = "", **more: Any) -> dict[str, Any]:
        self.ask(apply, **more)
        while (message := self.hear())["type"] == "progress":
            assert message["id"] == self.id
        assert (message["type"], message["id"]) == ("record", self.id)
        record: dict[str, Any] = message["record"]
        return record

    def close(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait()
