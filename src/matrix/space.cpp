#include "matrix/space.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "matrix/orders.h"
#include "stack/case.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

void check_transforms(TomlTable& keys, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (find_transform(name)) continue;
    keys.refuse("transforms",
                fmt::format("unknown transform '{}' in 'transforms'; {}", name, did_you_mean(name, names_in(transforms()))));
  }
}

std::vector<Stack> sets_of(TomlTable& keys, const std::string& key, const std::vector<std::string>& texts) {
  std::vector<Stack> sets;
  for (const auto& text : texts) {
    auto stack = parse_stack(text);
    if (!stack)
      keys.refuse(key, split(stack.error().message, '\n').front());
    else if (std::ranges::any_of(stack->items, [](const Item& item) { return !item.degrees.empty(); }))
      keys.refuse(key, fmt::format("'{}' names a degree; 'set_ranks' says how many ranks a set is run on", text));
    else
      sets.push_back(*stack);
  }
  return sets;
}

// Stacks with their own degrees.
std::vector<Stack> stacks_of(TomlTable& keys, const std::string& key) {
  std::vector<Stack> stacks;
  for (const auto& text : keys.texts_if_given(key)) {
    auto stack = parse_stack(text);
    if (stack)
      stacks.push_back(*stack);
    else
      keys.refuse(key, split(stack.error().message, '\n').front());
  }
  return stacks;
}

// Reads the cases of a tier (smoke, default, versions): a stack with its degrees, and a model if it is not one of the space's.
std::vector<Case> tier_of(TomlTable& keys, const std::string& key) {
  std::vector<Case> cases;
  for (const auto& text : keys.texts_if_given(key)) {
    auto c = parse_case(text);
    if (!c)
      keys.refuse(key, split(c.error().message, '\n').front());
    else if (*c != Case{.stack = c->stack, .model = c->model})
      keys.refuse(key, fmt::format("'{}' names more than a stack and a model", text));
    else
      cases.push_back(*c);
  }
  return cases;
}

constexpr std::size_t kMostPermuted = 6;  // 720 orders

std::vector<OwnStacks> own_stacks_of(TomlTable& keys) {
  std::vector<OwnStacks> own;
  for (TomlTable& model : keys.tables_if_given("model")) {
    OwnStacks& of = own.emplace_back(OwnStacks{.model = model.text("name"), .stacks = stacks_of(model, "stacks")});
    for (const Stack& items : stacks_of(model, "every_order_of")) {
      if (items.items.size() > kMostPermuted) {
        model.refuse("every_order_of",
                     fmt::format("'{}' has {} items, and with them more orders than anybody runs; expected at most {}",
                                 print(items), items.items.size(), kMostPermuted));
        continue;
      }
      for (Stack& order : permutations_of(items)) of.stacks.push_back(std::move(order));
    }
    keys.adopt(model);
  }
  return own;
}

std::optional<Beside> beside_of(TomlTable& keys) {
  if (!keys.has("beside")) return std::nullopt;
  TomlTable table = keys.table("beside");
  Beside beside{.engine = table.text("engine"),
                .version = table.text_if_given("version"),
                .title = table.text("title"),
                .models = table.text("models")};
  keys.adopt(table);
  return beside;
}

// Reads the [[traffic.differs]] entries of a table. Each stack must be in the table, and in only one entry.
std::vector<TrafficDifference> differences_of(TomlTable& keys, const TrafficTable& of) {
  std::vector<TrafficDifference> differences;
  std::vector<Stack> told;
  for (TomlTable& table : keys.tables_if_given("differs")) {
    const TrafficDifference& difference = differences.emplace_back(
        TrafficDifference{.stacks = stacks_of(table, "stacks"), .why = table.text("why"), .page = table.text_if_given("page")});
    if (!of.beside) table.refuse("stacks", "there is no other table to compare its stacks with; name one in 'beside'");
    if (difference.stacks.empty()) table.refuse("stacks", "expected the stacks that this is why of");
    for (const Stack& stack : difference.stacks) {
      if (!contains(of.stacks, stack))
        table.refuse("stacks", fmt::format("'{}' is not in the 'stacks' of the table", print(stack)));
      if (contains(told, stack)) table.refuse("stacks", fmt::format("why '{}' differs is said twice", print(stack)));
      told.push_back(stack);
    }
    keys.adopt(table);
  }
  return differences;
}

std::vector<TrafficTable> traffic_of(TomlTable& keys, const std::string& path) {
  std::vector<TrafficTable> tables;
  for (TomlTable& part : keys.tables_if_given("traffic")) {
    TrafficTable& table = tables.emplace_back(TrafficTable{.title = part.text("title"),
                                                           .model = part.text("model"),
                                                           .steps = part.number_if_given("steps").value_or(Settings{}.steps),
                                                           .leave_out = part.texts_if_given("leave_out"),
                                                           .stacks = stacks_of(part, "stacks"),
                                                           .beside = beside_of(part),
                                                           .file = path});
    table.differs = differences_of(part, table);
    keys.adopt(part);
  }
  return tables;
}

std::vector<Case> covering_of(TomlTable& keys) {
  std::vector<Case> rows;
  const auto texts = keys.texts_if_given("covering");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto row = parse_case(texts[i]);
    if (!row)
      keys.refuse("covering", i, split(row.error().message, '\n').front());
    else if (*row != Case{.stack = row->stack, .settings = {.accumulation = row->settings.accumulation}})
      keys.refuse("covering", i, fmt::format("'{}' names more than a stack and its microbatches", texts[i]));
    else
      rows.push_back(*std::move(row));
  }
  return rows;
}

std::vector<Item> optimizers_of(TomlTable& keys) {
  std::vector<Item> items;
  for (const auto& text : keys.texts("optimizers")) {
    auto stack = parse_stack(text);
    if (!stack)
      keys.refuse("optimizers", split(stack.error().message, '\n').front());
    else if (stack->items.size() != 1 || stack->items[0].name != "optimizer")
      keys.refuse("optimizers", fmt::format("'{}' is not one optimizer; write \"optimizer=sgd\"", text));
    else
      items.push_back(stack->items[0]);
  }
  return items;
}

}  // namespace

Result<Space> parse_space(std::string_view text, const std::string& path) {
  TomlTable keys(text, path);
  Space space{.models = keys.texts("models"),
              .engines = keys.texts("engines"),
              .transforms = keys.texts("transforms"),
              .ranks = keys.numbers("ranks"),
              .order_ranks = keys.numbers("order_ranks"),
              .sets = sets_of(keys, "sets", keys.texts("sets")),
              .set_ranks = keys.numbers("set_ranks"),
              .stacks = stacks_of(keys, "stacks"),
              .legal_sets = stacks_of(keys, "legal_sets"),
              .smoke = tier_of(keys, "smoke"),
              .by_default = tier_of(keys, "default"),
              .versions = tier_of(keys, "versions"),
              .backend_witnesses = keys.number_if_given("backend_witnesses").value_or(Space{}.backend_witnesses),
              .accumulations = keys.numbers("accumulations"),
              .optimizers = optimizers_of(keys),
              .optimizer_ranks = keys.numbers("optimizer_ranks"),
              .own_stacks = own_stacks_of(keys),
              .traffic = traffic_of(keys, path),
              .covering = covering_of(keys),
              .most_ranks = keys.number_if_given("most_ranks").value_or(Space{}.most_ranks)};
  check_transforms(keys, space.transforms);
  if (auto error = keys.error()) return *error;
  return space;
}

Result<Space> load_space(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  return parse_space(*text, path.string());
}

Result<Space> load_space_of(const std::string& engine, const std::filesystem::path& folder) {
  const auto own = folder / fmt::format("space-{}.toml", engine);
  std::error_code ignored;
  const auto path = std::filesystem::exists(own, ignored) ? own : folder / "space.toml";
  auto space = load_space(path);
  if (!space || std::ranges::find(space->engines, engine) != space->engines.end()) return space;
  return Error{fmt::format("{}: 'engines' does not list '{}', only {}; add it there, or write {}", path.string(), engine,
                           join(space->engines, ", "), own.string())};
}

}  // namespace ordercheck
