"""Rows of the covering sets of `ordercheck matrix plan --covering` against those that covertable finds with its optimiser.

Both get the same parameters and the same constraints: what the binary writes with --format json. bench/covering starts this.
"""

import argparse
import itertools
import json
import subprocess
import sys

from covertable.main import Controller

# What covertable's optimiser may take; its own default is one second.
OPTIMISER_SECONDS = 60


def stop(message):
    sys.exit(f"covering_ratio.py: {message}")


def planned(ordercheck, engine, strength):
    command = [
        ordercheck,
        "matrix",
        "plan",
        "--engine",
        engine,
        "--covering",
        str(strength),
        "--format",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        stop(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def constraints_of(ruled_out):
    """One a combination that is ruled out: at least one of its levels is another."""
    return [
        {
            "operator": "or",
            "conditions": [{"operator": "ne", "left": name, "value": level} for name, level in part.items()],
        }
        for part in ruled_out
    ]


def covertable_rows(plan):
    """Rows of its greedy, and of its optimiser after it."""
    controller = Controller(
        {one["name"]: one["levels"] for one in plan["parameters"]},
        strength=plan["strength"],
        constraints=constraints_of(plan["ruled_out"]),
    )
    greedy = controller.make()
    return greedy, controller.optimize(greedy, {"budget_ms": OPTIMISER_SECONDS * 1000})


def tuples_of(rows, strength):
    return {part for row in rows for part in itertools.combinations(sorted(row.items()), strength)}


def is_ruled_out(row, ruled_out):
    return any(all(row[name] == level for name, level in part.items()) for part in ruled_out)


def compare(ordercheck, engine, strength):
    """Whether the binary needs no more rows."""
    plan = planned(ordercheck, engine, strength)
    ours = [row["levels"] for row in plan["rows"]]
    greedy, optimised = covertable_rows(plan)
    # Both are held against each other before they are counted: a set with fewer tuples would have fewer rows.
    for name, rows in (("ordercheck", ours), ("covertable", optimised)):
        for row in rows:
            if is_ruled_out(row, plan["ruled_out"]):
                stop(f"{name} has a row that is ruled out: {row}")
    missing = tuples_of(ours, strength) ^ tuples_of(optimised, strength)
    if missing:
        stop(
            f"the sets of {engine}, strength {strength}, cover different tuples, such as {sorted(missing)[0]}"
        )
    coverage = plan["coverage"]
    print(
        f"{engine}, strength {strength}: {coverage['covered']} of {coverage['feasible']} feasible tuples, "
        f"{coverage['ruled_out']} ruled out; ordercheck {len(ours)} rows, covertable {len(optimised)} "
        f"({len(greedy)} before its optimiser), ratio {len(ours) / len(optimised):.2f}",
        flush=True,
    )
    return len(ours) <= len(optimised)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ordercheck", help="the binary")
    parser.add_argument("engines", nargs="*", default=["native"])
    given = parser.parse_args()
    fewer = [
        compare(given.ordercheck, engine, strength)
        for engine, strength in itertools.product(given.engines, (2, 3))
    ]
    print(f"goal: no more rows than covertable: {'met' if all(fewer) else 'not met'}")


if __name__ == "__main__":
    main()
