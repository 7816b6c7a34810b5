"""C++ sources, laid out by clang-format, as tokens, and where in them code stands.

No parser: a space on both sides tells an operator from a bracket of a template or a sign, in sources that are formatted.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>^[ ]*#(?:[^\n\\]|\\\n)*)"
    r'|(?P<string>"(?:\\.|[^"\\])*")|(?P<char>\'(?:\\.|[^\'\\])*\')'
    r"|(?P<number>0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?|[0-9][0-9.']*(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<sign><=>|->|::|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|[^\s\w])",
    re.MULTILINE | re.DOTALL,
)
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = {")", "]", "}"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


class Source:
    """The tokens of a file, the bracket that belongs to each, and the functions that they stand in."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = [
            Token(match.lastgroup, match.group(), match.start())
            for match in TOKEN.finditer(text)
            if match.lastgroup not in ("comment", "directive")
        ]
        self.partner: dict[int, int] = {}
        self.function: list[str] = []  # of each token; empty outside
        self.around: list[str] = []  # the bracket that each token stands in
        self._read_brackets()

    def word(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def line(self, index: int) -> int:
        return self.text.count("\n", 0, self.tokens[index].begin) + 1

    def is_spaced(self, index: int) -> bool:
        token = self.tokens[index]
        return self.text[token.begin - 1].isspace() and self.text[token.end].isspace()

    def _read_brackets(self) -> None:
        open_brackets: list[int] = []
        rooms: list[tuple[str, str]] = []  # kind of the brace, function that it is in
        for index, token in enumerate(self.tokens):
            kind, function = self._innermost(rooms)
            self.function.append(function if kind == "code" else "")
            self.around.append(self.word(open_brackets[-1]) if open_brackets else "")
            if token.kind != "sign":
                continue
            if token.text in OPENS:
                open_brackets.append(index)
                if token.text == "{":
                    brace = self._kind_of_brace(index, kind)
                    named = function or (self._function_name(index) if brace == "code" else "")
                    rooms.append((brace, named))
            elif token.text in CLOSES:
                opened = open_brackets.pop()
                self.partner[opened], self.partner[index] = index, opened
                if token.text == "}":
                    rooms.pop()

    @staticmethod
    def _innermost(rooms: list[tuple[str, str]]) -> tuple[str, str]:
        return next((room for room in reversed(rooms) if room[0] != "values"), ("namespace", ""))

    def _kind_of_brace(self, index: int, around: str) -> str:
        before = self.word(index - 1)
        if before in {")", "]", "const", "override", "noexcept", "mutable", "else", "do", "try"}:
            return "code"
        if before in {";", "{", "}", ":"} and around == "code":
            return "code"
        for back in self._back_to_statement(index):
            text = self.word(back)
            if text == "namespace":
                return "namespace"
            if text in {"struct", "class", "enum", "union"}:
                return "type"
            if text == "->" and self.word(back - 1) == ")":
                return "code"
        return "values"

    def _back_to_statement(self, index: int):
        """The tokens before this one, back to where its statement or argument begins, without what is in brackets."""
        back = index - 1
        while back >= 0 and self.word(back) not in {";", "{", "}", "(", "["}:
            if self.word(back) in {")", "]"} and back in self.partner:
                yield back
                back = self.partner[back]
            yield back
            back -= 1

    def _function_name(self, brace: int) -> str:
        name = ""
        for back in self._back_to_statement(brace):
            if self.word(back) == "(" and self.tokens[back - 1].kind == "word":
                name = self.word(back - 1)
                if self.word(back - 2) == "::":
                    name = self.word(back - 3) + "::" + name
        return name or "?"
