"""The sources with all mutants in them, each behind a switch: ORDERCHECK_RANDOM_MUTANT=7 turns the seventh on, 0 none."""

from one_site import Site
from words import NAME_OF

HEADER_PATH = "src/ranks/random_mutant.h"

HEADER = """\
#pragma once

#include <cstdlib>

namespace random_mutant {

inline bool is_on(int number) {
  static const int chosen = [] {
    const char* const text = std::getenv("ORDERCHECK_RANDOM_MUTANT");
    return text ? std::atoi(text) : 0;
  }();
  return number == chosen;
}
"""

# Stands between the operands: `a < LessLessEqual<7>() < b`. It holds the left one until the right one comes.
PROXY = """
template <int number>
struct {name} {{}};
template <class Left, int number>
struct {name}After {{
  const Left& left;
}};
template <class Left, int number>
{name}After<Left, number> operator{sign}(const Left& left, {name}<number>) {{
  return {{left}};
}}
template <class Left, class Right, int number>
  requires requires(const Left& a, const Right& b) {{ a {sign} b; a {other} b; }}
auto operator{sign}({name}After<Left, number> before, const Right& right) -> decltype(before.left {sign} right) {{
  using Result = decltype(before.left {sign} right);
  return is_on(number) ? static_cast<Result>(before.left {other} right) : before.left {sign} right;
}}
"""


def header() -> str:
    proxies = [
        PROXY.format(name=name, sign=sign, other=other) for (sign, other), name in sorted(NAME_OF.items())
    ]
    return HEADER + "".join(proxies) + "\n}  // namespace random_mutant\n"


def with_switches(path: str, text: str, numbered: list[tuple[int, Site]]) -> str:
    """Lines keep their numbers, so that what a compiler says of a line names the site."""
    edits = [(*edit, number) for number, site in numbered for edit in site.edits]
    for begin, end, edit, number in sorted(edits, reverse=True):
        lines = text.count("\n", begin, end)
        text = text[:begin] + edit.format(n=number).replace("\n", " ") + "\n" * lines + text[end:]
    return f'#include "ranks/random_mutant.h"\n#line 1 "{path}"\n{text}'
