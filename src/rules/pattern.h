// Parses the item patterns of rule pages: alternatives of `name[=mode][:option[=value]]...[@scope]`.
//
//   fsdp|hsdp            either transform
//   ac=selective         the transform in that mode; without '=', in any mode
//   compile!=aot_eager   the transform in another mode or without one
//   ac:reentrant         with that option, whatever its value; `pp:schedule=zbv` with that value
//   compile:!wrap        without that option; `tp:!sp=off` without it or with another value
//   compile:passes=bucket+common     a list that has these in this order, perhaps with others between
//   compile:passes:!passes=bucket    a list without this one
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
  std::string other_than;       // an excluded mode; empty: none
  std::vector<Option> options;  // empty value: any value
  std::vector<Option> without;  // options that must be absent; with a value: absent or with another value
  std::optional<Scope> scope;   // unset: any
  friend bool operator==(const ItemPattern&, const ItemPattern&) = default;
};

struct Pattern {
  std::vector<ItemPattern> any_of;  // empty: the page does not have this pattern
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

// An error, with a "did you mean", for a transform, mode, option or scope that does not exist.
Result<Pattern> parse_pattern(std::string_view text);
std::string print(const Pattern& pattern);

bool matches(const ItemPattern& pattern, const Item& item);
bool matches(const Pattern& pattern, const Item& item);

// The simplest item that matches the pattern's first alternative. A repair adds it to a stack that lacks such an item.
Item example_of(const Pattern& pattern);

// How the scopes of the two items must relate for a rule to fire. model contains block, block contains experts and attention;
// these two are disjoint.
//   same     some module is in both: equal, or one contains the other
//   equal    the same scope
//   inside   the first is strictly inside the second
//   outside  the first strictly contains the second
ORDERCHECK_ENUM(ScopeRelation, same, equal, inside, outside)
bool related(Scope first, Scope second, ScopeRelation relation);

}  // namespace ordercheck
