"""Comments that speak to ordercheck, `# ordercheck: ...`, and the line of code that each is about."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

# Also after another comment of the line, such as one for a linter.
DIRECTIVE = re.compile(r"(?:^|\s)(#\s*ordercheck:.*)")

LAYOUT = (
    tokenize.ENCODING,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.COMMENT,
)


@dataclass(frozen=True)
class Directive:
    line: int
    covers: int  # the line itself, or the next line of code if the comment is alone on its line
    text: str


def directives_of(text: bytes) -> list[Directive]:
    if b"ordercheck:" not in text:
        return []
    found: list[tuple[int, str]] = []
    alone: set[int] = set()  # lines that are a comment and nothing else
    last_of_code = 0
    try:
        for token in tokenize.tokenize(io.BytesIO(text).readline):
            line = token.start[0]
            if token.type == tokenize.COMMENT:
                if last_of_code != line:
                    alone.add(line)
                directive = DIRECTIVE.search(token.string)
                if directive is not None:
                    found.append((line, directive.group(1)))
            elif token.type not in LAYOUT:
                last_of_code = token.end[0]
    except (tokenize.TokenError, SyntaxError):
        pass  # the parser accepts the file: a comment that is not found suppresses nothing
    return [Directive(line, _covered(line, alone), directive) for line, directive in found]


def _covered(line: int, alone: set[int]) -> int:
    while line in alone:
        line += 1
    return line
