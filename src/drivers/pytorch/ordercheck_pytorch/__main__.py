import sys

from .worker.serve import serve


def real_program() -> object:
    from .worker.program import RealProgram

    return RealProgram()


sys.exit(serve(real_program, sys.argv[1:]))
