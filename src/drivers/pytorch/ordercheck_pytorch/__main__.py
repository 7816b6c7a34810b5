import sys


def main(arguments: list[str]) -> int:
    if arguments == ["repro"]:
        from .repro.write import write_script

        return write_script(sys.stdin, sys.stdout)
    if arguments == ["repros"]:
        from .repro.many import write_scripts

        return write_scripts(sys.stdin, sys.stdout)
    from .worker.program import RealProgram
    from .worker.serve import serve

    return serve(RealProgram, arguments)


sys.exit(main(sys.argv[1:]))
