// Defines a stack: the ordered transforms that a user proposes to apply to a model.
//
//   pp=2,tp=2,ac=selective,compile@model,fsdp=2:reshard=never
//
// Left is applied first (innermost if transforms nest). Plain values without thread affinity.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"

namespace ordercheck {

// The size of a mesh axis, at least 1.
struct Degree {
  int value = 1;
  friend auto operator<=>(const Degree&, const Degree&) = default;
};

// What a transform is applied to.
ORDERCHECK_ENUM(Scope, model, block, experts, attention)

// `name=value` after a colon. A flag has an empty value; a list is one value joined by '+'.
struct Option {
  std::string name;
  std::string value;
  friend auto operator<=>(const Option&, const Option&) = default;
};

// Where an item was written. Equality ignores it: the same stack from two files is the same stack.
struct Origin {
  std::string file;
  int line = 0;
};

// One transform of a stack: `name[=value][:option[=value]]...[@scope]`.
struct Item {
  std::string name;             // "tp"; a name from the catalogue in transforms.h
  std::vector<Degree> degrees;  // {2} for tp=2, {2,4} for hsdp=2x4 (replicate x shard), empty if unset
  std::string mode;             // "selective" for ac=selective, empty if unset
  std::vector<Option> options;  // in the order written
  std::optional<Scope> scope;   // unset for the transform's default; scope_of() resolves it
  Origin origin;

  friend bool operator==(const Item& a, const Item& b) {
    return a.name == b.name && a.degrees == b.degrees && a.mode == b.mode && a.options == b.options && a.scope == b.scope;
  }
};

struct Stack {
  std::vector<Item> items;  // applied first to applied last
  friend bool operator==(const Stack&, const Stack&) = default;
};

// Removes the degrees of all items.
Stack without_degrees(Stack stack);

// The option's value, "" for a flag, nullopt if the item does not have it.
std::optional<std::string> option_of(const Item& item, const std::string& name);
// The option's value as an integer, `otherwise` if the item does not have it. The parser has validated it.
int count_option(const Item& item, const std::string& name, int otherwise);

// The scope written, or the transform's default.
Scope scope_of(const Item& item);

// "train.yaml:5", "command line" if there is no line, "" if there is no file.
std::string in_words(const Origin& origin);

}  // namespace ordercheck
