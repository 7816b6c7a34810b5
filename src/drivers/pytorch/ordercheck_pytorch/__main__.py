"""The worker of the pytorch engine, or with --project of a published project's; or what writes scripts of cases,
or the graph of a model:

python -m ordercheck_pytorch [--project NAME]
python -m ordercheck_pytorch [--project NAME] repro|repros
python -m ordercheck_pytorch graph"""

import functools
import sys

from .projects.packages import put_first


def main(arguments: list[str]) -> int:
    project = ""
    if arguments[:1] == ["--project"] and len(arguments) > 1:
        project, arguments = arguments[1], arguments[2:]
        put_first(project)
    if arguments == ["repro"]:
        from .repro.write import write_script

        return write_script(sys.stdin, sys.stdout, project)
    if arguments == ["repros"]:
        from .repro.many import write_scripts

        return write_scripts(sys.stdin, sys.stdout, project)
    if arguments == ["graph"]:
        from .planned.command import answer

        return answer(sys.stdin)
    if arguments:
        sys.exit(f"ordercheck_pytorch: expected nothing, repro, repros or graph, got {' '.join(arguments)}")
    from .worker.program import RealProgram
    from .worker.serve import serve

    return serve(functools.partial(RealProgram, project))


sys.exit(main(sys.argv[1:]))
