// A stack: the ordered transforms that a user proposes to apply to a model. The word every other room builds on.
//
//   pp=2,tp=2,ac=selective,compile@model,fsdp=2:reshard=never
//
// Left is applied first (innermost where transforms nest). Plain values; nothing here is thread bound.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"

namespace ordercheck {

// The size of a mesh axis. At least 1.
struct Degree {
  int value = 1;
  friend auto operator<=>(const Degree&, const Degree&) = default;
};

// What a transform is applied to.
ORDERCHECK_ENUM(Scope, model, block, experts, attention)

// `name=value` behind a colon; a flag has an empty value. A list is one value joined by '+'.
struct Option {
  std::string name;
  std::string value;
  friend auto operator<=>(const Option&, const Option&) = default;
};

// Where an item was written. Never part of equality: the same stack from two files is the same stack.
struct Origin {
  std::string file;
  int line = 0;
};

// One transform of a stack: `name[=value][:option[=value]]...[@scope]`.
struct Item {
  std::string name;             // "tp"; a name of the catalogue in transforms.h
  std::vector<Degree> degrees;  // {2} for tp=2, {2,4} for hsdp=2x4 (replicate x shard), empty when none was written
  std::string mode;             // "selective" for ac=selective, empty when none was written
  std::vector<Option> options;  // in the order written
  std::optional<Scope> scope;   // where it is not the transform's default; scope_of() gives either
  Origin origin;

  friend bool operator==(const Item& a, const Item& b) {
    return a.name == b.name && a.degrees == b.degrees && a.mode == b.mode && a.options == b.options && a.scope == b.scope;
  }
};

struct Stack {
  std::vector<Item> items;  // applied first to applied last
  friend bool operator==(const Stack&, const Stack&) = default;
};

// What is applied, to however many ranks.
Stack without_degrees(Stack stack);

// The option's value, "" for a flag, nothing when the item does not carry it.
std::optional<std::string> option_of(const Item& item, const std::string& name);
// The same as a count; `otherwise` where the item does not say. Its form was checked when it was read.
int count_option(const Item& item, const std::string& name, int otherwise);

// The scope written, or the transform's default.
Scope scope_of(const Item& item);

// Where an item was written, in words.

// "train.yaml:5"; without a line "command line"; "" where no file is known.
std::string in_words(const Origin& origin);

}  // namespace ordercheck
