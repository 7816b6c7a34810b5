#include "stack/trainer.h"

#include <algorithm>

#include "stack/notation.h"

namespace ordercheck {
namespace {

bool is_trainer(const Item& item) { return item.name == default_trainer().name; }

bool clips(const Item& item) {
  const auto clip = option_of(item, "clip");
  return is_trainer(item) && clip && *clip != "0";
}

}  // namespace

const Item& default_trainer() {
  static const Item item = parse_stack("optimizer=adamw").value().items.front();
  return item;
}

bool names_trainer(const Stack& stack) { return std::ranges::any_of(stack.items, is_trainer); }

bool clips(const Stack& stack) {
  return std::ranges::any_of(stack.items, [](const Item& item) { return clips(item); });
}

bool clips_alone(const Item& item) {
  const auto clip = option_of(item, "clip");
  return is_trainer(item) && clip && *clip != "per_mesh";
}

bool steps_in_backward(const Stack& stack) {
  return std::ranges::any_of(stack.items,
                             [](const Item& item) { return is_trainer(item) && option_of(item, "in_backward").has_value(); });
}

Stack with_trainer(const Stack& stack) {
  Stack trained = stack;
  if (!names_trainer(stack)) trained.items.push_back(default_trainer());
  return trained;
}

Stack with_clipping(const Stack& stack, const std::string& threshold) {
  Stack trained = with_trainer(stack);
  for (Item& item : trained.items)
    if (is_trainer(item) && !clips(item)) {
      std::erase_if(item.options, [](const Option& option) { return option.name == "clip"; });
      item.options.push_back({"clip", threshold});
    }
  return trained;
}

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
