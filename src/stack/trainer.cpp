#include "stack/trainer.h"

#include <algorithm>
#include <span>

#include "stack/notation.h"

namespace ordercheck {

const Item& default_trainer() {
  static const Item item = parse_stack("optimizer=adamw:clip=1").value().items.front();
  return item;
}

Item without_clipping(const Item& trainer) {
  Item left = trainer;
  std::erase_if(left.options, [](const Option& option) { return option.name == "clip"; });
  return left;
}

bool names_trainer(const Stack& stack) {
  return std::ranges::any_of(stack.items, [](const Item& item) { return item.name == default_trainer().name; });
}

bool clips_alone(const Item& item) {
  const auto clip = option_of(item, "clip");
  return item.name == default_trainer().name && clip && *clip != "per_mesh";
}

bool steps_in_backward(const Stack& stack) {
  return std::ranges::any_of(stack.items, [](const Item& item) {
    return item.name == default_trainer().name && option_of(item, "in_backward").has_value();
  });
}

bool is_trained_form_of(const Stack& ran, const Stack& stack) {
  if (names_trainer(stack) || ran.items.size() != stack.items.size() + 1) return false;
  const Item& last = ran.items.back();
  return last.name == default_trainer().name && option_of(last, "clip") &&
         std::ranges::equal(stack.items, std::span(ran.items).first(stack.items.size()));
}

Stack with_trainer(const Stack& stack) {
  Stack trained = stack;
  if (!names_trainer(stack)) trained.items.push_back(default_trainer());
  return trained;
}

}  // namespace ordercheck
