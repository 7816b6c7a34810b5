"""All sites of one file."""

import re
from collections.abc import Callable, Iterator

from lexer import CLOSES, Source
from one_site import Site
from words import NAME_OF, NEGATED, NEIGHBOUR, NEXT_AXIS, NO_STATEMENT, TAKE_DIMS, TEXT_FUNCTIONS, TEXTS

ON = "::random_mutant::is_on({n})"


class Finder:
    def __init__(self, path: str, text: str):
        self.path = path
        self.source = Source(text)
        self.axis_names = dict(re.findall(r'constexpr const char\* (k\w+) = "(\w+)"', text))
        self.closed = self._closed_tokens()

    def sites(self) -> list[Site]:
        found = [site for index in range(len(self.source.tokens)) for site in self._sites_at(index)]
        return apart(found)

    def _closed_tokens(self) -> set[int]:
        """Tokens in texts of errors, in switch labels, and beside the name of a mutant that is a part of the engine."""
        source, closed = self.source, set()
        for index, token in enumerate(source.tokens):
            if token.text in TEXTS and source.word(index + 1) in {"(", "{"}:
                closed.update(range(index, source.partner[index + 1] + 1))
            elif token.text == "TORCH_CHECK":
                end = source.partner[index + 1]
                comma = self._comma_in(index + 1) or end
                closed.update(range(comma, end + 1))
            elif token.text in {"throw", "case", "static_assert", "constexpr"}:
                closed.update(
                    range(index, self._find_forward(index, {";", ":"} if token.text == "case" else {";"}))
                )
            elif token.text in {"mutant", "mutant_"} and source.word(index + 1) in {"==", "!="}:
                closed.update(i for i in range(len(source.tokens)) if source.line(i) == source.line(index))
        return closed

    def _comma_in(self, bracket: int) -> int | None:
        index, end = bracket + 1, self.source.partner[bracket]
        while index < end:
            if self.source.word(index) == ",":
                return index
            index = (
                self.source.partner[index] + 1 if self.source.word(index) in {"(", "[", "{"} else index + 1
            )
        return None

    def _find_forward(self, index: int, ends: set[str]) -> int:
        while index < len(self.source.tokens) and self.source.word(index) not in ends:
            index = (
                self.source.partner[index] + 1 if self.source.word(index) in {"(", "[", "{"} else index + 1
            )
        return index

    def _sites_at(self, index: int) -> Iterator[Site]:
        source = self.source
        if index in self.closed or source.function[index] in {"", *TEXT_FUNCTIONS}:
            return
        token = source.tokens[index]
        find: dict[str, Callable[[int], Iterator[Site]]] = {
            "number": self._number,
            "string": self._axis_name,
            "word": self._word,
        }
        yield from find.get(token.kind, self._sign)(index)

    def _number(self, index: int) -> Iterator[Site]:
        source, text = self.source, self.source.word(index)
        if source.word(index - 1) in {"<", ">"} and not source.is_spaced(index - 1):
            return
        signed = source.word(index - 1) == "-" and not source.is_spaced(index - 1)
        if re.search(r"[.eEpP]", text) and not re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
            yield self._replaced(index, "constant", f"{2 * _float(text)!r}")
        elif self._is_dim(index):
            changed = int(text, 0) + 1 if signed or text == "0" else int(text, 0) - 1
            yield self._replaced(index, "axis", str(changed))
        else:
            yield self._replaced(index, "constant", str(int(text.replace("'", ""), 0) + 1))

    def _is_dim(self, index: int) -> bool:
        """Is the number an argument by itself of a function that takes dims?"""
        source = self.source
        before = index - 1 if source.word(index - 1) != "-" else index - 2
        if source.word(before) not in {"(", ","} or source.word(index + 1) not in {")", ","}:
            return False
        while before >= 0 and source.word(before) not in {"(", "{", "["}:
            before = source.partner[before] - 1 if source.word(before) in CLOSES else before - 1
        return source.word(before) == "(" and source.word(before - 1) in TAKE_DIMS

    def _axis_name(self, index: int) -> Iterator[Site]:
        name = self.source.word(index).strip('"')
        if name in NEXT_AXIS:
            yield self._replaced(index, "axis", f'"{NEXT_AXIS[name]}"')

    def _word(self, index: int) -> Iterator[Site]:
        source, text = self.source, self.source.word(index)
        if text in {"true", "false"}:
            yield self._replaced(index, "constant", "false" if text == "true" else "true")
        elif re.fullmatch(r"k\w*Dim", text):
            yield self._replaced(index, "axis", f"({text} == 0 ? 1 : {text} - 1)")
        elif self.axis_names.get(text) in NEXT_AXIS:
            yield self._replaced(index, "axis", f'"{NEXT_AXIS[self.axis_names[text]]}"')
        elif (
            text == "options_"
            and source.word(index + 2) in {"axis", "replicas"}
            and "replicas" in source.text
        ):
            other = "replicas" if source.word(index + 2) == "axis" else "axis"
            yield self._replaced(index, "axis", f"options_.{other}", last=index + 2)
        elif text == "if" and source.word(index + 1) == "(":
            yield from self._condition(index + 1)
        yield from self._statement(index)

    def _condition(self, bracket: int) -> Iterator[Site]:
        source, end = self.source, self.source.partner[bracket]
        inside = [source.word(i) for i in range(bracket + 1, end)]
        # A comparison, a junction or a `!` is turned round by itself.
        if {"=", ";", "!", "&&", "||", *NEGATED} & set(inside) or any(
            i in self.closed for i in range(bracket, end)
        ):
            return
        first, last = source.tokens[bracket + 1].begin, source.tokens[end].begin
        condition = source.text[first:last]
        edits = ((first, first, f"{ON} != static_cast<bool>("), (last, last, ")"))
        yield self._site(bracket, end, "logic", f"if ({condition})", f"if (!({condition}))", edits)

    def _statement(self, index: int) -> Iterator[Site]:
        """A call whose result nobody takes, left out; or a sum in place, turned round."""
        source = self.source
        if source.around[index] != "{" or source.word(index - 1) not in {";", "{", "}", ")", "else"}:
            return
        if source.word(index) in NO_STATEMENT or source.word(index) == "TORCH_CHECK":
            return
        if source.word(index - 1) == ")" and source.word(source.partner[index - 1] - 1) not in {
            "if",
            "for",
            "while",
        }:
            return
        end = self._find_forward(index, {";", ",", "=", "}"})
        tokens = source.tokens[index:end]
        if source.word(end) != ";" or any(i in self.closed for i in range(index, end)):
            return
        # Two words side by side, or a type with arguments and a word: a declaration.
        if any(
            b.kind == "word" and (a.kind == "word" or a.text in {">", "&", "*"})
            for a, b in self._flat_pairs(index, end)
        ):
            return
        begin, stop = tokens[0].begin, source.tokens[end].end
        text = source.text[begin:stop]
        for i in range(index, end):
            if source.word(i) in {"+=", "-="}:
                other = "-=" if source.word(i) == "+=" else "+="
                at = source.tokens[i]
                changed = source.text[begin : at.begin] + other + source.text[at.end : stop]
                edits = ((begin, stop, f"{{{{ if ({ON}) {_kept(changed)} else {_kept(text)} }}}}"),)
                yield self._site(index, end, "sum", text, changed, edits)
                return
        if tokens[-1].text == ")":
            edits = ((begin, begin, f"{{{{ if (!{ON}) "), (stop, stop, " }}"))
            yield self._site(index, end, "call", text, "", edits)

    def _flat_pairs(self, index: int, end: int):
        while index < end - 1:
            yield self.source.tokens[index], self.source.tokens[index + 1]
            index = self.source.partner[index] if self.source.word(index) in {"(", "[", "{"} else index + 1

    def _sign(self, index: int) -> Iterator[Site]:
        source, text = self.source, self.source.word(index)
        if text == "!" and self.source.word(index + 1) != "=":
            at = source.tokens[index]
            edits = ((at.begin, at.begin, f"{ON} != "),)
            before, after = self._around(index, index, "")
            yield self._site(index, index, "logic", before, after, edits)
        if text in {"++", "--"} and source.word(index - 1) in {";", "{", "}", ")"}:
            yield from self._increment(index)
        if not source.is_spaced(index):
            return
        if text in NEGATED:
            yield self._operator(index, "comparison", NEGATED[text])
        if text in NEIGHBOUR:
            yield self._operator(index, "bound", NEIGHBOUR[text])
        if text in {"+", "-"}:
            yield self._operator(index, "sum", "-" if text == "+" else "+")
        if text in {"&&", "||"}:
            yield from self._junction(index)

    def _increment(self, index: int) -> Iterator[Site]:
        end = self._find_forward(index, {";", "{", "}", ")"})
        if self.source.word(end) == ";" and self.source.around[index] == "{":
            begin, stop = self.source.tokens[index].begin, self.source.tokens[end].end
            edits = ((begin, begin, f"{{{{ if (!{ON}) "), (stop, stop, " }}"))
            yield self._site(index, end, "call", self.source.text[begin:stop], "", edits)

    def _operator(self, index: int, kind: str, other: str) -> Site:
        """`a < b` becomes `a < Less<7>() < b`: operators of one precedence bind from the left, so that operands stay."""
        at = self.source.tokens[index]
        proxy = f" ::random_mutant::{NAME_OF[at.text, other]}<{{n}}>() {at.text}"
        before, after = self._around(index, index, other)
        return self._site(index, index, kind, before, after, ((at.end, at.end, proxy),))

    def _junction(self, index: int) -> Iterator[Site]:
        """Both operands are evaluated as they were: an operator that is called would evaluate both."""
        first, last = self._operand(index, -1), self._operand(index, 1)
        source = self.source
        begin, end = source.tokens[first].begin, source.tokens[last].end
        left = source.text[begin : source.tokens[index].begin].rstrip()
        right = source.text[source.tokens[index].end : end].lstrip()
        text = source.word(index)
        other = "||" if text == "&&" else "&&"
        either = f"({ON} ? bool(({_kept(left)}) {other} ({_kept(right)})) : bool(({_kept(left)}) {text} ({_kept(right)})))"
        yield self._site(
            first, last, "logic", f"{left} {text} {right}", f"{left} {other} {right}", ((begin, end, either),)
        )

    def _operand(self, index: int, step: int) -> int:
        """The last token of the operand on one side."""
        source, at = self.source, index
        stops = {";", "?", "=", "return", ","} | ({"||"} if source.word(index) == "&&" else set()) | {"&&"}
        if source.word(index) == "||":
            stops -= {"&&"}
        while True:
            beside = at + step
            text = source.word(beside)
            opens, closes = ({"(", "[", "{"}, CLOSES) if step > 0 else (CLOSES, {"(", "[", "{"})
            if text in stops | closes | {":", "case"} or not text:
                return at
            at = source.partner[beside] if text in opens else beside

    def _replaced(self, index: int, kind: str, other: str, last: int | None = None) -> Site:
        last = index if last is None else last
        begin, end = self.source.tokens[index].begin, self.source.tokens[last].end
        before, after = self._around(index, last, other)
        either = f"({ON} ? {_kept(other)} : {_kept(self.source.text[begin:end])})"
        return self._site(index, last, kind, before, after, ((begin, end, either),))

    def _around(self, first: int, last: int, other: str) -> tuple[str, str]:
        """The replaced tokens with some of their line on both sides, before and after."""
        text = self.source.text
        begin, end = self.source.tokens[first].begin, self.source.tokens[last].end
        left, right = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        while begin - left > 24 and " " in text[left : begin - 1]:
            left = text.index(" ", left) + 1
        while right - end > 24 and " " in text[end + 1 : right]:
            right = text.rindex(" ", end, right)
        return text[left:right].strip(), (text[left:begin] + other + text[end:right]).strip()

    def _site(self, first: int, last: int, kind: str, before: str, after: str, edits) -> Site:
        change = f"{_short(before)} -> {_short(after) or '(left out)'}"
        source = self.source
        return Site(
            self.path, source.function[first], source.line(first), source.line(last), kind, change, edits
        )


def _kept(text: str) -> str:
    """In an edit, where {n} alone is not what it says."""
    return text.replace("{", "{{").replace("}", "}}")


def _float(text: str) -> float:
    return float.fromhex(text) if text[:2].lower() == "0x" else float(text)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:43] + " ... " + text[-42:]


def apart(found: list[Site]) -> list[Site]:
    """What is changed alike in one function is told apart by its place among the like."""
    seen: dict[tuple[str, str], int] = {}
    told = []
    for site in found:
        key = (site.function, site.change)
        seen[key] = seen.get(key, 0) + 1
        suffix = f" (#{seen[key]})" if seen[key] > 1 else ""
        told.append(Site(**{**site.__dict__, "change": site.change + suffix}))
    return told
