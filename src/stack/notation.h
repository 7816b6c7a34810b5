// The notations of a stack, and its one canonical printed form.
//
//   comma    pp=2,tp=2,ac,fsdp=2            left is applied first; canonical
//   arrows   PP=2 -> TP=2 -> AC -> FSDP=2   the same with another separator, also →
//   nested   FSDP=2(AC(TP=2(PP=2(model))))  outermost is applied last; the innermost word is `model`
//
// Nested, a compile around everything without a scope is one of the model; in a list it is one of each block. A scope that is the
// transform's default is left out of the canonical form.
//
// Names of transforms are read in any case, also as prose spells them (SimpleFSDP); the rest is lower case. Blanks
// around an item are skipped. "" and "model" are the empty stack.
// print(parse(s)) is canonical, parse(print(x)) == x and parse(print_nested(x)) == x for every x that parse can return.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/stack.h"
#include "stack/transforms.h"

namespace ordercheck {

// Rules are matched on all parts of a stack, so that its length costs more than its square.
inline constexpr std::size_t kMostItems = 32;

// Parses any of them, and any bytes: the answer is a stack or one error. An error is one line naming what was expected,
// followed by the text and a caret line under the offending place, and a "did you mean" where a known word is near:
//
//   unknown transform 'fsdb' at column 6; did you mean 'fsdp'?
//     tp=2,fsdb=2
//          ^~~~
//
// Also refused here: duplicates on overlapping scopes are NOT (they are a rule's matter); a degree below 1, a value a
// transform does not take, an unknown option, scope or mode, an option given twice, an empty item, more
// than kMostItems items are.
Result<Stack> parse_stack(std::string_view text, const Origin& origin = {});

// The canonical form; "" for the empty stack.
std::string print(const Stack& stack);
std::string print(const Item& item);
std::string print_nested(const Stack& stack);  // "FSDP=2(AC(TP=2(model)))"

// The display of a mistake in a text: one line that says what, then the text with a caret line under the place.

// Half-open range of bytes in a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// "<message> at column N<cure>\n  <text>\n  <caret line>". Columns count characters, from 1; a byte that is no UTF-8 shows as \xNN,
// so that the error is valid UTF-8 whatever the text was; a long text is cut around the place.
Error error_at(std::string_view text, Span where, const std::string& message, const std::string& cure = "");

// The word between quotes, made printable as above, cut after 40 characters.
std::string in_quotes(std::string_view word);

// How an item of a transform is written, as the catalogue has it.

// "fsdp=N[:reshard=always|never|default]", "hsdp=NxN[...]", "ac[=full|selective][:n=N][:reentrant]". Options of a group
// stand in one bracket: "pp=N[:gpipe|:1f1b|...][:microbatches=N]". The scope, which every item may carry, is left out.
std::string syntax_of(const TransformInfo& transform);

// "reshard=always|never|default", "n=N", "reentrant".
std::string syntax_of(const OptionInfo& option);

}  // namespace ordercheck
