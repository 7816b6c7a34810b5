"""The command `ordercheck`, and `python -m ordercheck`: becomes the program of this installation."""

import os
import sys

from ordercheck.program import PROGRAM, environment


def main() -> None:
    sys.stdout.flush()
    os.execve(PROGRAM, ["ordercheck", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
