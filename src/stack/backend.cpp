#include "stack/backend.h"

#include <algorithm>

namespace ordercheck {
namespace {

bool compiles(const Item& item) { return item.name == "compile"; }

}  // namespace

bool leaves_backend_open(const Item& item) { return compiles(item) && item.mode.empty(); }

Stack under_usual_backend(Stack stack) {
  for (Item& item : stack.items)
    if (leaves_backend_open(item)) item.mode = kUsualBackend;
  return stack;
}

Stack without_backend(Stack stack) {
  for (Item& item : stack.items)
    if (compiles(item)) item.mode.clear();
  return stack;
}

bool names_usual_backend(const Stack& stack) {
  return std::ranges::any_of(stack.items, [](const Item& item) { return compiles(item) && item.mode == kUsualBackend; });
}

}  // namespace ordercheck
