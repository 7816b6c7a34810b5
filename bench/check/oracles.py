"""The pages and stacks that check-rate dumps, in clingo, z3 and networkx: each is to find the same pages on every stack.

    python bench/check/oracles.py CHECK_RATE RULES_FOLDER

Patterns are read here anew, from their text. Whether a condition is met is taken from the dump for all three, and what they
are given about single items is worked out outside the clock: only what a page says of several items is timed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clingo
import networkx
import z3

BATCH = 100  # stacks that clingo grounds at once


@dataclass(frozen=True)
class Alternative:
    """One way to match an item: name=mode:option=value:!option@scope."""

    name: str
    mode: str
    other_than: str
    options: dict[str, str]
    without: dict[str, str]
    scope: str


def alternatives(pattern: str) -> list[Alternative]:
    made = []
    for text in filter(None, pattern.split("|")):
        body, _, scope = text.partition("@")
        head, *written = body.split(":")
        name, _, mode = head.partition("!=" if "!=" in head else "=")
        options, without = {}, {}
        for option in written:
            key, _, value = option.removeprefix("!").partition("=")
            (without if option.startswith("!") else options)[key] = value
        excludes = "!=" in head
        made.append(
            Alternative(name, "" if excludes else mode, mode if excludes else "", options, without, scope)
        )
    return made


def matches(pattern: str, item: dict[str, Any]) -> bool:
    def carries(key: str, value: str) -> bool:
        return key in item["options"] and value in ("", item["options"][key])

    return any(
        one.name == item["name"]
        and one.mode in ("", item["mode"])
        and (not one.other_than or one.other_than != item["mode"])
        and one.scope in ("", item["scope"])
        and all(carries(*option) for option in one.options.items())
        and not any(carries(*option) for option in one.without.items())
        for one in alternatives(pattern)
    )


def within(inner: str, outer: str) -> bool:
    return inner == outer or outer == "model" or (outer == "block" and inner != "model")


def related(one: str, other: str, relation: str) -> bool:
    return {
        "same": within(one, other) or within(other, one),
        "equal": one == other,
        "inside": one != other and within(one, other),
        "outside": one != other and within(other, one),
    }[relation]


@dataclass
class Seen:
    """What is known of one stack's items, page by page, before anybody asks about several of them."""

    one: dict[str, list[int]]
    other: dict[str, list[int]]
    between: dict[str, list[int]]
    unless: dict[str, list[int]]
    scopes: list[str]
    met: set[str]
    size: int


def seen(stack: dict[str, Any], pages: list[dict[str, Any]]) -> Seen:
    def of(field: str) -> dict[str, list[int]]:
        found = {
            page["id"]: [i for i, item in enumerate(stack["items"]) if matches(page[field], item)]
            for page in pages
        }
        return {page: items for page, items in found.items() if items}

    scopes = [item["scope"] for item in stack["items"]]
    return Seen(of("one"), of("other"), of("between"), of("unless"), scopes, set(stack["met"]), len(scopes))


def kind_of(page: dict[str, Any]) -> str:
    if page["kind"] in ("order", "clash", "commutes"):
        return str(page["kind"])
    if not page["one"]:
        return "always"
    if page["kind"] == "needs":
        return "needs"
    return "partner" if page["kind"] == "effect" and page["other"] else "lone"


def pairs_of(page: dict[str, Any], about: Seen) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i in about.one.get(page["id"], [])
        for j in about.other.get(page["id"], [])
        if i != j and related(about.scopes[i], about.scopes[j], page["scopes"])
    ]


PROGRAM = """
pair(S,P,I,J) :- one(S,P,I), other(S,P,J), I != J, scope(S,I,A), scope(S,J,B), page(P,_,R), related(A,B,R).
silent(S,P,J) :- unless(S,P,K), place(S,J), K < J.
fires(S,P) :- page(P,order,_), met(S,P), pair(S,P,I,J), I < J, not silent(S,P,J), not wants(P).
fires(S,P) :- page(P,order,_), met(S,P), pair(S,P,I,J), I < J, not silent(S,P,J), wants(P), between(S,P,K), I < K, K < J.
fires(S,P) :- page(P,clash,_), met(S,P), pair(S,P,I,J), I < J, not silent(S,P,J).
fires(S,P) :- page(P,clash,_), met(S,P), pair(S,P,I,J), J < I, not silent(S,P,I).
fires(S,P) :- page(P,partner,_), met(S,P), pair(S,P,I,J).
fires(S,P) :- page(P,lone,_), met(S,P), one(S,P,I).
fires(S,P) :- page(P,always,_), met(S,P).
has(S,P,I) :- page(P,needs,_), pair(S,P,I,J).
fires(S,P) :- page(P,needs,_), met(S,P), one(S,P,I), not has(S,P,I).
#show fires/2.
"""


def by_clingo(pages: list[dict[str, Any]], stacks: list[Seen]) -> list[set[str]]:
    scopes = ("model", "block", "experts", "attention")
    fixed = [f'page("{page["id"]}",{kind_of(page)},{page["scopes"]}).' for page in pages]
    fixed += [f'wants("{page["id"]}").' for page in pages if page["between"]]
    fixed += [
        f"related({a},{b},{relation})."
        for a in scopes
        for b in scopes
        for relation in ("same", "equal", "inside", "outside")
        if related(a, b, relation)
    ]
    found: list[set[str]] = [set() for _ in stacks]
    for start in range(0, len(stacks), BATCH):
        facts = list(fixed)
        for at, about in enumerate(stacks[start : start + BATCH], start):
            facts += [f"scope({at},{i},{scope}). place({at},{i})." for i, scope in enumerate(about.scopes)]
            facts += [f'met({at},"{page}").' for page in about.met]
            for name in ("one", "other", "between", "unless"):
                facts += [
                    f'{name}({at},"{page}",{i}).'
                    for page, items in getattr(about, name).items()
                    for i in items
                ]
        control = clingo.Control(["--warn=none"])
        control.add("base", [], PROGRAM + "\n".join(facts))
        control.ground([("base", [])])
        with control.solve(yield_=True) as models:
            for model in models:
                for symbol in model.symbols(shown=True):
                    found[symbol.arguments[0].number].add(symbol.arguments[1].string)
    return found


def by_z3(pages: list[dict[str, Any]], stacks: list[Seen]) -> list[set[str]]:
    found = []
    for about in stacks:
        places = [z3.Int(f"place{i}") for i in range(about.size)]
        solver = z3.Solver()
        solver.add([place == i for i, place in enumerate(places)])
        asked = {}
        for page in pages:
            if page["id"] in about.met and (formula := z3_formula(page, about, places)) is not None:
                asked[page["id"]] = z3.Bool(page["id"])
                solver.add(asked[page["id"]] == formula)
        solver.check()
        model = solver.model()
        found.append({page for page, fires in asked.items() if z3.is_true(model.eval(fires))})
    return found


def z3_formula(page: dict[str, Any], about: Seen, places: list[Any]) -> Any:
    kind, name = kind_of(page), page["id"]
    if kind in ("always", "lone"):
        return z3.BoolVal(kind == "always" or name in about.one)
    pairs = pairs_of(page, about)
    if kind == "needs":
        return z3.BoolVal(any(all(i != one for one, _ in pairs) for i in about.one.get(name, [])))
    if kind == "commutes" or not pairs:
        return None
    if kind == "partner":
        return z3.BoolVal(True)
    ways = []
    for i, j in pairs:
        for first, last in [(i, j)] if kind == "order" else [(i, j), (j, i)]:
            parts = [places[first] < places[last]]
            parts += [z3.Not(places[k] < places[last]) for k in about.unless.get(name, [])]
            if page["between"]:
                middle = [
                    z3.And(places[first] < places[k], places[k] < places[last])
                    for k in about.between.get(name, [])
                ]
                parts.append(z3.Or(middle))
            ways.append(z3.And(parts))
    return z3.Or(ways)


def by_networkx(pages: list[dict[str, Any]], stacks: list[Seen]) -> list[set[str]]:
    found = []
    for about in stacks:
        graph = networkx.DiGraph()  # an edge leads from what is applied before to what is applied behind it
        graph.add_nodes_from(range(about.size))
        graph.add_edges_from((i, j) for j in range(about.size) for i in range(j))
        ids = set()
        for page in pages:
            if page["id"] in about.met and fires_in_graph(page, about, graph):
                ids.add(page["id"])
        found.append(ids)
    return found


def fires_in_graph(page: dict[str, Any], about: Seen, graph: Any) -> bool:
    kind, name = kind_of(page), page["id"]
    if kind in ("always", "lone"):
        return kind == "always" or name in about.one
    if name not in about.one or kind == "commutes":
        return False
    pairs = pairs_of(page, about)
    if kind == "needs":
        return any(all(i != one for one, _ in pairs) for i in about.one[name])
    if kind == "partner":
        return bool(pairs)
    if kind == "clash":
        pairs = [(i, j) if graph.has_edge(i, j) else (j, i) for i, j in pairs]
    for first, last in pairs:
        if not graph.has_edge(first, last) or any(
            graph.has_edge(k, last) for k in about.unless.get(name, [])
        ):
            continue
        between = [
            k for k in about.between.get(name, []) if graph.has_edge(first, k) and graph.has_edge(k, last)
        ]
        if between or not page["between"]:
            return True
    return False


def main() -> int:
    check_rate, rules = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.json"
        ours = json.loads(
            subprocess.run(
                [check_rate, rules, "--dump", dump], check=True, capture_output=True, text=True
            ).stdout
        )
        dumped = json.loads(dump.read_text())
    pages, stacks = dumped["pages"], dumped["stacks"]
    about = [seen(stack, pages) for stack in stacks]
    print(f"{len(pages)} pages; stacks a second on one core, each with the ids of all pages that fire")
    print(f"  ordercheck           {ours['ids']:>12,.0f}")
    tools: dict[str, Callable[[list[dict[str, Any]], list[Seen]], list[set[str]]]] = {
        "clingo": by_clingo,
        "z3": by_z3,
        "networkx": by_networkx,
    }
    for name, judge in tools.items():
        start = time.perf_counter()
        found = judge(pages, about)
        rate = len(stacks) / (time.perf_counter() - start)
        for stack, ids in zip(stacks, found, strict=True):
            if ids != set(stack["ids"]):
                apart = sorted(ids ^ set(stack["ids"]))
                print(f"{name} and ordercheck disagree on {stack['text']}: {apart}", file=sys.stderr)
                return 1
        print(f"  {name:<20} {rate:>12,.0f}   ordercheck is {ours['ids'] / rate:,.0f} times as fast")
    print(f"each tool found the same ids on all of {len(stacks)} stacks")
    print(
        f"whole answers a second (smallest conflict, repairs that were checked, text): {ours['answers']:,.0f}"
    )
    print(f"legal orders listed a second: {ours['orders']:,.0f}")
    for name, goal in (("ids", 1_000_000), ("answers", 10_000), ("orders", 20_000_000)):
        print(f"goal of {goal:,} {name} a second: {'met' if ours[name] >= goal else 'not met'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
