"""Reads training code and prints, as JSON, the order in which it applies transforms. Imports and runs nothing of it."""

from __future__ import annotations

import json
import resource
import sys
import threading

from report import as_json, scan

MOST_MEMORY = 2 << 30
STACK = 256 << 20  # code that is nested deeply is read by functions that call themselves
DEEPEST = 20_000


def bound_memory() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(
        resource.RLIMIT_AS, (wanted if soft == resource.RLIM_INFINITY else min(wanted, soft), hard)
    )


def answer_to(path: str) -> str:
    answers: list[str] = []

    def work() -> None:
        try:
            answers.append(as_json(scan(path)))
        except MemoryError:
            answers.append(json.dumps({"error": f"it takes more than {MOST_MEMORY >> 30} GiB to read"}))

    sys.setrecursionlimit(DEEPEST)
    threading.stack_size(STACK)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if not answers:
        sys.exit(1)  # the thread has printed its error
    return answers[0]


def main() -> None:
    bound_memory()
    # Names of files are any bytes: what is no UTF-8 is shown as a question mark.
    sys.stdout.buffer.write(answer_to(sys.argv[1]).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
