// Parses the notations of a stack and prints its canonical form.
//
//   comma    pp=2,tp=2,ac,fsdp=2            left is applied first; canonical
//   arrows   PP=2 -> TP=2 -> AC -> FSDP=2   the same with another separator, also →
//   nested   FSDP=2(AC(TP=2(PP=2(model))))  outermost is applied last; the innermost word is `model`
//
// An outermost nested compile without a scope is a compile of the model; in a list it is one of each block. The canonical form
// omits a scope that is the transform's default.
//
// Transform names are case-insensitive (SimpleFSDP); everything else is lower case. Blanks around an item are skipped. "" and
// "model" are the empty stack.
// For all s and x: print(parse(s)) is canonical, parse(print(x)) == x, parse(print_nested(x)) == x.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/stack.h"
#include "stack/transforms.h"

namespace ordercheck {

// Rules match on all parts of a stack, so the cost grows faster than the square of its length.
inline constexpr std::size_t kMostItems = 32;

// Parses any notation, from any bytes, to a stack or one error. An error is one line with what was expected, then the text with
// a caret line under the mistake. It has a "did you mean" if a known word is near:
//
//   unknown transform 'fsdb' at column 6; did you mean 'fsdp'?
//     tp=2,fsdb=2
//          ^~~~
//
// Also rejects a degree below 1, an invalid value, an unknown option, scope or mode, a repeated option, an empty item, and more
// than kMostItems items. Accepts duplicate transforms on overlapping scopes: a rule reports them.
Result<Stack> parse_stack(std::string_view text, const Origin& origin = {});

// The canonical form; "" for the empty stack.
std::string print(const Stack& stack);
std::string print(const Item& item);
std::string print_nested(const Stack& stack);  // "FSDP=2(AC(TP=2(model)))"

// Half-open byte range in a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// "<message> at column N<cure>\n  <text>\n  <caret line>". Columns count characters from 1. Invalid UTF-8 shows as \xNN, so
// that the error is valid UTF-8. A long text is cut around the mistake.
Error error_at(std::string_view text, Span where, const std::string& message, const std::string& cure = "");

// The word in quotes, escaped as in error_at and cut after 40 characters.
std::string in_quotes(std::string_view word);

// The syntax of a transform: "fsdp=N[:reshard=always|never|default]", "hsdp=NxN[...]", "ac[=full|selective][:n=N][:reentrant]".
// Options of a group share one bracket: "pp=N[:gpipe|:1f1b|...][:microbatches=N]". Omits the scope, which every item may have.
std::string syntax_of(const TransformInfo& transform);

// The syntax of an option: "reshard=always|never|default", "n=N", "reentrant".
std::string syntax_of(const OptionInfo& option);

}  // namespace ordercheck
