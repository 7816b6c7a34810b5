// The orders that projects fix in their code, from matrix/frameworks/: part of the program. A configuration names transforms; who
// applies them in which order, its project has decided.
#pragma once

#include <string>
#include <string_view>

#include "stack/stack.h"

namespace ordercheck {

struct FixedOrder {
  std::string name;     // of the file, without its folder and ".toml"
  Stack order;          // without degrees
  std::string release;  // of the project, where the order is of one: "0.2.2"
  std::string source;   // "accelerate 16cb6eb8, accelerator.py from about line 1531 to 1720 (2026-07-24)"
};

// Asserts that the program holds a file of this name.
const FixedOrder& fixed_order(std::string_view name);

// Puts the items into the order. A transform that it does not name takes the place of its kind: hsdp that of fsdp, sac that of ac,
// ddp that of fsdp. One without any place comes last and is returned; an optimizer always does, and is not.
std::vector<Item> put_in_order(Stack& stack, const Stack& order);

}  // namespace ordercheck
