// Patterns of items, as the fields of a rule page write them: alternatives of `name[=mode][:option[=value]]...[@scope]`.
//
//   fsdp|hsdp            either transform
//   ac=selective         the transform in that mode; without '=', in any mode
//   compile!=aot_eager   the transform in another mode, or with none written
//   ac:reentrant         with that option, whatever its value; `pp:schedule=zbv` with that value
//   compile:!wrap        without that option; `tp:!sp=off` without it or with another value
//   compile:passes=bucket+common     of a list: in which these come in this order, whatever is between them
//   compile:passes:!passes=bucket    in which these do not
//   compile@model        with that scope, written or by default
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

struct ItemPattern {
  std::string name;
  std::string mode;             // empty: any
  std::string other_than;       // a mode that it must not have; empty: none
  std::vector<Option> options;  // empty value: any value
  std::vector<Option> without;  // options that must be absent; with a value, absent or of another one
  std::optional<Scope> scope;   // empty: any
  friend bool operator==(const ItemPattern&, const ItemPattern&) = default;
};

struct Pattern {
  std::vector<ItemPattern> any_of;  // empty: the field was not written
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

// Names, modes, options and scopes are those of the catalogue; an unknown one is an error with a "did you mean".
Result<Pattern> parse_pattern(std::string_view text);
std::string print(const Pattern& pattern);

bool matches(const ItemPattern& pattern, const Item& item);
bool matches(const Pattern& pattern, const Item& item);

// The plainest item that the first alternative matches: what a repair puts into a stack that lacks it.
Item example_of(const Pattern& pattern);

// How two scopes lie to each other. model holds block, block holds experts and attention; these two are disjoint.
//   same     both reach a common module: equal, or one within the other
//   equal    exactly the same
//   inside   the first lies strictly within the second
//   outside  the first strictly encloses the second
ORDERCHECK_ENUM(ScopeRelation, same, equal, inside, outside)
bool related(Scope first, Scope second, ScopeRelation relation);

}  // namespace ordercheck
