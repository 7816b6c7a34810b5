#include "plan/covering.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "check/orders.h"
#include "plan/covering_rows.h"
#include "plan/pages_alone.h"
#include "plan/plan.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

constexpr std::string_view kNone = "none";
constexpr std::string_view kAccumulation = "accumulation=";

Result<Level> parse_level(const std::string& text) {
  Level level{.text = text, .item = {}, .accumulation = {}};
  if (text == kNone) return level;
  if (text.starts_with(kAccumulation)) {
    const auto number = parse_integer(text.substr(kAccumulation.size()));
    if (!number || *number < 1 || *number > 1000)
      return Error{fmt::format("level '{}': expected accumulation=N with N from 1 to 1000", one_line(text))};
    level.accumulation = static_cast<int>(*number);
    return level;
  }
  const auto stack = parse_stack(text);
  if (!stack) return Error{split(stack.error().message, '\n').front()};
  if (stack->items.size() != 1)
    return Error{fmt::format("level '{}': expected one item, 'none' or accumulation=N, got {} items", one_line(text),
                             stack->items.size())};
  level.item = stack->items.front();
  return level;
}

std::string name_of(const Level& level) { return level.accumulation ? "accumulation" : level.item ? level.item->name : ""; }

// As the catalogue lists transforms: where no rule orders two items, they are applied in this order.
Stack stack_of(const Combination& combination, const CoveringSpace& space) {
  Stack stack;
  for (std::size_t p = 0; p < combination.size(); ++p)
    if (const auto& item = space.parameters[p].levels[static_cast<std::size_t>(combination[p])].item)
      stack.items.push_back(*item);
  std::ranges::stable_sort(stack.items, {}, [](const Item& item) { return find_transform(item.name) - transforms().data(); });
  return stack;
}

Case case_in(const Stack& ordered, const Combination& combination, const CoveringSpace& space, const std::string& model,
             const std::string& engine) {
  Case c = usual_case(ordered, model, engine);
  for (std::size_t p = 0; p < combination.size(); ++p)
    if (const auto& given = space.parameters[p].levels[static_cast<std::size_t>(combination[p])].accumulation)
      c.settings.accumulation = *given;
  return c;
}

}  // namespace

Result<Parameter> parse_parameter(std::string_view text) {
  Parameter parameter;
  std::vector<std::string> names;
  for (const std::string& part : split(std::string(text), '|')) {
    auto level = parse_level(std::string(trim(part)));
    if (!level) return level.error();
    if (std::ranges::find(parameter.levels, level->text, &Level::text) != parameter.levels.end())
      return Error{fmt::format("level '{}' stands twice in '{}'", one_line(level->text), one_line(text))};
    const std::string name = name_of(*level);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    parameter.levels.push_back(std::move(level).value());
  }
  if (parameter.levels.size() < 2)
    return Error{fmt::format("'{}' has one level; write at least two, as in none | tp=2", one_line(text))};
  const bool counts = std::ranges::find(names, "accumulation") != names.end();
  if (counts && !std::ranges::all_of(parameter.levels, [](const Level& level) { return level.accumulation.has_value(); }))
    return Error{fmt::format("'{}' mixes items and numbers of microbatches; they are two parameters", one_line(text))};
  parameter.name = join(names, "/");
  return parameter;
}

std::string why_not_covering(const CoveringSpace& space) {
  if (space.strength < 2 || space.strength > 3) return fmt::format("'strength' is {}, expected 2 or 3", space.strength);
  if (space.parameters.size() < 3)
    return fmt::format("{}, expected at least 3", counted(std::ssize(space.parameters), "parameter"));
  std::vector<std::string> names;
  std::vector<int> levels;
  for (const Parameter& parameter : space.parameters) {
    for (const std::string& name : split(parameter.name, '/')) {
      if (std::ranges::find(names, name) != names.end())
        return fmt::format("two parameters have levels of {}; put them into one, separated by |", name);
      names.push_back(name);
    }
    levels.push_back(static_cast<int>(parameter.levels.size()));
  }
  if (count_of_combinations(levels) > Combinations::kMost)
    return fmt::format("more than {} combinations; take levels or parameters away", Combinations::kMost);
  return "";
}

Combinations combinations_of(const CoveringSpace& space, const std::vector<Rule>& rules, const Hello& hello,
                             const std::string& model) {
  const PagesAlone pages(rules, hello);
  std::vector<int> levels;
  for (const Parameter& parameter : space.parameters) levels.push_back(static_cast<int>(parameter.levels.size()));
  std::map<std::string, bool> judged;  // microbatches alone make no other stack
  return Combinations(levels, [&](const Combination& combination) {
    const Stack stack = stack_of(combination, space);
    const auto [known, is_new] = judged.try_emplace(print(stack), false);
    if (is_new && world_size(mesh_of(stack)) <= space.most_ranks &&
        why_not(case_in(stack, combination, space, model, hello.engine), hello).empty())
      known->second = !pages.has_error(recommended_order(stack, pages.judge()));
    return known->second;
  });
}

std::vector<Case> covering_cases(const CoveringSpace& space, const std::vector<Rule>& rules, const Hello& hello,
                                 const std::string& model, int strength) {
  if (space.parameters.empty()) return {};
  const PagesAlone pages(rules, hello);
  std::vector<Case> cases;
  for (const Combination& row : covering_rows(combinations_of(space, rules, hello, model), strength))
    cases.push_back(case_in(recommended_order(stack_of(row, space), pages.judge()), row, space, model, hello.engine));
  return cases;
}

std::optional<Combination> combination_of(const Case& c, const CoveringSpace& space) {
  Combination combination;
  std::size_t items = 0;
  for (const Parameter& parameter : space.parameters) {
    const auto is_it = [&](const Level& level) {
      if (level.accumulation) return *level.accumulation == c.settings.accumulation;
      return level.item && std::ranges::find(c.stack.items, *level.item) != c.stack.items.end();
    };
    auto found = std::ranges::find_if(parameter.levels, is_it);
    if (found != parameter.levels.end())
      items += found->item.has_value();
    else
      found = std::ranges::find(parameter.levels, std::string(kNone), &Level::text);
    if (found == parameter.levels.end()) return std::nullopt;
    combination.push_back(static_cast<int>(found - parameter.levels.begin()));
  }
  return items == c.stack.items.size() ? std::optional(combination) : std::nullopt;
}

}  // namespace ordercheck
