// The two notations of a stack, and its one canonical printed form.
//
//   comma    pp=2,tp=2,ac,fsdp=2            left is applied first; canonical
//   nested   FSDP=2(AC(TP=2(PP=2(model))))  outermost is applied last; the innermost word is `model`
//
// print(parse(s)) is canonical and parse(print(x)) == x.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// Parses either notation. An error is one line naming what was expected, followed by the text and a caret line under
// the offending place, and a "did you mean" where a known word is near:
//
//   unknown transform 'fsdb' at column 6; did you mean 'fsdp'?
//     tp=2,fsdb=2
//          ^~~~
//
// Also refused here: duplicates on overlapping scopes are NOT (they are a rule's matter); a degree below 1, a value a
// transform does not take, an unknown option, scope or mode, an empty item are.
Result<Stack> parse_stack(std::string_view text, const Origin& origin = {});

// The canonical form; "" for the empty stack.
std::string print(const Stack& stack);
std::string print(const Item& item);
std::string print_nested(const Stack& stack);  // "FSDP=2(AC(TP=2(model)))"

}  // namespace ordercheck
