"""Code as a test writes it, read by the reader that the program carries, and what it says in short lines."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src/import/code/reader"))

from main import answer_to  # noqa: E402


def stack_of(items: list[dict]) -> str:
    words = []
    for item in items:
        word = item["name"] + ("=" + item["degrees"] if item.get("degrees") else "")
        word += "=" + item["mode"] if item["mode"] else ""
        for name, value in item["options"]:
            word += ":" + name + ("=" + value if value else "")
        words.append(word + ("@" + item["scope"] if item["scope"] else ""))
    return ",".join(words)


def answer(path: Path) -> dict:
    import json

    return json.loads(answer_to(str(path)))


def written(files: dict[str, str | bytes], folder: Path) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())


def read(files: dict[str, str | bytes] | str) -> dict:
    """The answer for a file, or for a folder of files; paths in it are relative to the folder."""
    with tempfile.TemporaryDirectory() as folder:
        written({"a.py": files} if isinstance(files, str) else files, Path(folder))
        path = Path(folder) / "a.py" if isinstance(files, str) else Path(folder)
        import json

        return json.loads(answer_to(str(path)).replace(folder + "/", ""))


def stacks(files: dict[str, str | bytes] | str) -> list[str]:
    """A line for each stack: 'setup, where fsdp: tp,fsdp'."""
    lines = []
    for function in read(files)["functions"]:
        for stack in function["stacks"]:
            where = f", of {stack['model']}" if stack["model"] else ""
            where += f", where {stack['where']}" if stack["where"] else ""
            lines.append(f"{function['function'] or 'the file'}{where}: {stack_of(stack['items'])}")
    return lines


def items(files: dict[str, str | bytes] | str) -> list[str]:
    """A line for each item of the first stack: 'fsdp a.py:20 if dp, fully_shard a.py:12, through apply_fsdp a.py:20'."""
    lines = []
    for item in read(files)["functions"][0]["stacks"][0]["items"]:
        line = f"{item['name']} {item['file']}:{item['line']}"
        line += f" if {item['condition']}" if item["condition"] else ""
        call_place = f"{item['call_file']}:{item['call_line']}"
        if item["through"]:
            line += f", {item['call']} {call_place}"
        for call in item["through"]:
            line += f", through {call['helper']} {call['file']}:{call['line']}"
        lines.append(line)
    return lines


def notes(files: dict[str, str | bytes] | str) -> list[str]:
    """A line for each thing that was not understood: 'a.py:3: wrap(model): why'."""
    found = read(files)
    listed = [
        *found["not_understood"],
        *(note for function in found["functions"] for note in function["not_understood"]),
    ]
    return [f"{note['file']}:{note['line']}: {note['text']}: {note['why']}" for note in listed]
