"""How much of what was handed to compile ran in captured graphs, told in matrix products of forward and backward."""

from __future__ import annotations

from collections.abc import Iterable

from .profile_events import Events, Product
from .spans import Spans

NOT_MEASURED = -1


def products_of_scope(events: Events, products: Iterable[Product]) -> tuple[int, int]:
    """Of the products, those in the compiled scope, and of these those that graphs ran. Not measured where graphs ran and
    nobody marked what they were captured from."""
    if events.graphs and not events.scopes:
        return NOT_MEASURED, NOT_MEASURED
    graphs = Spans(events.graphs)
    scope = Spans([*events.graphs, *events.scopes, *backwards_of(events, Spans(events.scopes))])
    begins = [product.begin for product in products]
    return sum(map(scope.hold, begins)), sum(map(graphs.hold, begins))


def backwards_of(events: Events, scopes: Spans) -> list[tuple[int, int]]:
    """The nodes of autograd that operators in these spans left behind."""
    # An operator that leaves no node shows the number of the next that does.
    made_by = {number: begin for begin, _, number in sorted([*events.numbered, *events.functions])}
    return [
        (begin, end)
        for begin, end, number in events.backwards
        if number in made_by and scopes.hold(made_by[number])
    ]
