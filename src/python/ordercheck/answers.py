"""What is answered. The fields are those of `--format json`, where the rest is found, by the same names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Try:
    """A stack that the rules have nothing against."""

    stack: str
    seen: str  # "equal when run on pytorch 2.15.0"; "" when nobody ran it


@dataclass(frozen=True)
class Finding:
    rule: str  # "ORD-004": explain(rule) is its page
    severity: str  # "error" or "advice"
    grade: str  # "reproduced", "cited", ...: how well the rule stands
    headline: str
    instead: str
    why: str
    smallest: str  # the smallest stack that shows it
    tries: tuple[Try, ...]


@dataclass(frozen=True)
class Report:
    """What the rules say about a stack."""

    stack: str
    target: str  # the engine and version that it is judged for
    findings: tuple[Finding, ...]
    not_judged: tuple[str, ...]  # rules that need a size which is not known
    unknown: tuple[str, ...]  # transforms that no run of the target has
    repaired: str | None

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def legal(self) -> bool | None:
        """None where nothing is known of a transform: silence is not green."""
        return False if self.errors else None if self.unknown else True


@dataclass(frozen=True)
class Suggestion:
    """The order in which to apply these transforms."""

    stack: str
    legal: bool | None  # False: every order breaks a rule; None: nothing is known of a transform
    orders: int  # how many are legal
    reasons: tuple[str, ...]  # why one goes before another
    report: Report  # of the stack


@dataclass(frozen=True)
class Explanation:
    subject: str
    text: str


@dataclass(frozen=True)
class Run:
    """What ranks showed."""

    case: str
    verdict: str  # "equal", "close", "differs", "fails", "hangs", "ignored", "unstable", "unrun"
    reason: str
    predicted: str | None
    rule: str  # that predicts it; "" for none
    agreement: str  # of what was predicted with what was seen: "confirmed", "contradicted", ...
    engine: str
    versions: tuple[str, ...]


def read_report(said: dict[str, Any]) -> Report:
    return Report(
        stack=said["stack"],
        target=said["target"],
        findings=tuple(read_finding(finding) for finding in said["findings"]),
        not_judged=tuple(one["rule"] for one in said["not_judged"]),
        unknown=tuple(one["transform"] for one in said["unknown"]),
        repaired=said["repaired"],
    )


def read_finding(said: dict[str, Any]) -> Finding:
    return Finding(
        rule=said["rule"],
        severity=said["severity"],
        grade=said["grade"]["kind"],
        headline=said["headline"],
        instead=said["instead"],
        why=said["why"],
        smallest=said["smallest"],
        tries=tuple(Try(stack=one["stack"], seen=one["seen"]) for one in said["tries"]),
    )


def read_suggestion(said: dict[str, Any]) -> Suggestion:
    return Suggestion(
        stack=said["stack"],
        legal=said["legal"],
        orders=said["orders"],
        reasons=tuple(
            f"{r['before']} before {r['after']}, by {r['rule']}: {r['because']}" for r in said["reasons"]
        ),
        report=read_report(said["report"]),
    )


def read_run(said: dict[str, Any]) -> Run:
    return Run(
        case=said["case"],
        verdict=said["verdict"],
        reason=said["reason"],
        predicted=said["predicted"],
        rule=said["rule"],
        agreement=said["agreement"],
        engine=said["engine"],
        versions=tuple(said["versions"]),
    )
