#include "rules/stack_changes.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "rules/item_matching.h"
#include "rules/prediction.h"
#include "stack/mesh.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

std::string printed(const std::vector<Item>& items) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(print(item));
  return join(texts, ", ");
}

std::string row(const char* label, const std::string& text) { return labelled(2, label, 11, text); }

// The id of the rule that is against one of the two orders, preferably the right stack's.
std::string page_of(const Swap& swap, const Judge& judge) {
  const Rule* rule = swap.right.rule != nullptr ? swap.right.rule : swap.left.rule;
  if (rule == nullptr) return "no rule speaks about the two";
  return because(*rule, judge.grade(*rule));
}

std::string swap_text(const Swap& swap, const Judge& judge) {
  const std::string a = print(swap.first), b = print(swap.second);
  return fmt::format("{} before {} ({}) became {} before {} ({}): {}", a, b, name_of(swap.left.word), b, a,
                     name_of(swap.right.word), page_of(swap, judge));
}

std::string mesh_text(const StackChanges& changes) {
  if (changes.axes.empty()) return "";
  std::vector<std::string> parts;
  for (const AxisChange& axis : changes.axes) parts.push_back(fmt::format("{} {} became {}", axis.axis, axis.left, axis.right));
  return fmt::format("{}; {} became {}", join(parts, ", "), counted(changes.ranks_left, "rank"), changes.ranks_right);
}

}  // namespace

StackChanges changes_between(const Stack& left, const Stack& right, const Judge& judge) {
  const Partners partner = partners_of(left, right);
  StackChanges changes;
  for (const std::size_t index : alone_in(right, partner)) changes.only_right.push_back(right.items[index]);
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (!partner[i]) {
      changes.only_left.push_back(left.items[i]);
      continue;
    }
    if (left.items[i] != right.items[*partner[i]]) changes.changed.push_back({left.items[i], right.items[*partner[i]]});
    for (std::size_t j = i + 1; j < left.items.size(); ++j)
      if (partner[j] && *partner[j] < *partner[i])
        changes.swapped.push_back({left.items[i], left.items[j], answer_for(left.items[i], left.items[j], judge),
                                   answer_for(left.items[j], left.items[i], judge)});
  }
  const Mesh before = mesh_of(left), after = mesh_of(right);
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (before.degrees[axis] != after.degrees[axis])
      changes.axes.push_back({std::string(kMeshAxes[axis]), before.degrees[axis], after.degrees[axis]});
  changes.ranks_left = world_size(before);
  changes.ranks_right = world_size(after);
  return changes;
}

std::string render_text(const StackChanges& changes, const Judge& judge) {
  std::string text = row("only left", printed(changes.only_left)) + row("only right", printed(changes.only_right));
  for (const ItemChange& change : changes.changed)
    text += row("changed", fmt::format("{} became {}", print(change.left), print(change.right)));
  for (const Swap& swap : changes.swapped) text += row("swapped", swap_text(swap, judge));
  text += row("mesh", mesh_text(changes));
  return text.empty() ? "  nothing: the two are one stack\n" : text;
}

}  // namespace ordercheck
