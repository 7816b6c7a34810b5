#include "stack/case.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"
#include "stack/notation.h"
#include "stack/own_functions.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

constexpr std::string_view kNothing = "(nothing)";
constexpr std::string_view kBlank = " \t\r\n";
constexpr const char* kReferenceApply = "reference_apply";
constexpr const char* kReferenceRanks = "reference_ranks";
constexpr std::uint64_t kMostReferenceRanks = 1 << 20;

// A product's last bit, at twice the grid, must fit the 53 bits of a float64. Grids finer than 2^-20 leave less range than the
// models need; the engine then reports that the range was exceeded.
constexpr std::uint64_t kFinestGrid = 26;
constexpr std::uint64_t kMostSteps = 1000;

const std::vector<std::string>& keys() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made{"model", "engine"};
    for (const auto& function : kOwnFunctions<Case>) made.emplace_back(function.key);
    for (const char* key : {kReferenceApply, kReferenceRanks, "widen", "arithmetic", "grid", "seed", "steps", "accumulation"})
      made.emplace_back(key);
    return made;
  }();
  return names;
}

std::optional<std::uint64_t> read_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !text.empty() && text.find_first_not_of(kLetters) == text.npos;
}

// Whether the text has the form "package.module:function".
bool is_function(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  const auto is_path = [&](std::string_view path) { return !path.empty() && path.find_first_not_of(kLetters) == path.npos; };
  const std::size_t colon = text.find(':');
  return colon != text.npos && is_path(text.substr(0, colon)) && is_path(text.substr(colon + 1));
}

// Whether the text has the form "package+package.module".
bool is_packages(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+";
  return !text.empty() && text.find_first_not_of(kLetters) == text.npos;
}

// Sets the setting `key` of the case. nullopt on success; otherwise a description of the valid values.
std::optional<std::string> set(Case& c, std::string_view key, std::string_view value) {
  const auto count = [value](int& target, std::uint64_t most) -> std::optional<std::string> {
    const auto number = read_unsigned(value);
    if (!number || *number < 1 || *number > most) return fmt::format("an integer of 1 to {}", most);
    target = static_cast<int>(*number);
    return std::nullopt;
  };
  if (key == "model") {
    if (!is_name(value) && !is_function(value)) return "a name of [a-z0-9_.-] or package.module:factory";
    c.model = value;
    return std::nullopt;
  }
  if (key == "engine") {
    if (!is_name(value)) return "a name of [a-z0-9_.-]";
    c.engine = value;
    return std::nullopt;
  }
  const auto function = [value](std::string& target) -> std::optional<std::string> {
    if (!is_function(value)) return "package.module:function";
    target = value;
    return std::nullopt;
  };
  for (const auto& own : kOwnFunctions<Case>)
    if (key == own.key) return function(c.*own.member);
  if (key == kReferenceApply) return function(c.reference_apply);
  if (key == kReferenceRanks) return count(c.reference_ranks, kMostReferenceRanks);
  if (key == "widen") {
    if (!is_packages(value)) return "names of packages joined by '+'";
    c.widen = value;
    return std::nullopt;
  }
  if (key == "arithmetic") {
    for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::plain, Arithmetic::float32}) {
      if (value != name_of(arithmetic)) continue;
      c.settings.arithmetic = arithmetic;
      return std::nullopt;
    }
    return "one of exact, plain, float32";
  }
  if (key == "seed") {
    const auto seed = read_unsigned(value);
    if (!seed) return "an integer of 0 to 2^64-1";
    c.settings.seed = *seed;
    return std::nullopt;
  }
  if (key == "grid") return count(c.settings.grid, kFinestGrid);
  if (key == "steps") return count(c.settings.steps, kMostSteps);
  assert(key == "accumulation" && "every key has a setting");
  return count(c.settings.accumulation, kStep.sequences);
}

bool is_casting_layout(const Item& item) { return casts(item) && info_of(item).kind == TransformKind::layout; }

// The ranks that get other samples or other positions of them.
int averaging_ranks(const Stack& stack) {
  const Mesh mesh = mesh_of(stack);
  int ranks = 1;
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    if (kSplitAlongAxis[axis] == "batch" || kSplitAlongAxis[axis] == "sequence") ranks *= mesh.degrees[axis];
  return ranks;
}

// The item without options: only its axes are left.
Item at_degree_one(Item item) {
  item.options.clear();
  item.degrees.assign(info_of(item).axes.size(), Degree{1});
  return item;
}

// The position in a case's text where the stack ends and settings ("seed=2") begin: the first word with '=' that no separator
// joins to the word before it.
std::size_t start_of_settings(std::string_view text) {
  std::size_t at = text.find_first_not_of(kBlank);
  at = text.find_first_of(kBlank, at);
  while ((at = text.find_first_not_of(kBlank, at)) != text.npos) {
    const std::size_t end = std::min(text.size(), text.find_first_of(kBlank, at));
    const std::string_view word = text.substr(at, end - at), before = trim(text.substr(0, at));
    const bool joined = before.empty() || std::string_view(",(>").find(before.back()) != std::string_view::npos ||
                        std::string_view(",)-(").find(word.front()) != std::string_view::npos;
    if (!joined && word.find('=') != word.npos) return at;
    at = end;
  }
  return text.size();
}

}  // namespace

std::string print(const Case& c) {
  const Case usual;
  std::string text = c.stack.items.empty() ? std::string(kNothing) : print(c.stack);
  const auto add = [&text](std::string_view key, const auto& value, const auto& usual_value) {
    if (value != usual_value) text += fmt::format(" {}={}", key, value);
  };
  add("model", c.model, usual.model);
  add("engine", c.engine, usual.engine);
  for (const auto& own : kOwnFunctions<Case>) add(own.key, c.*own.member, usual.*own.member);
  add(kReferenceApply, c.reference_apply, usual.reference_apply);
  add(kReferenceRanks, c.reference_ranks, usual.reference_ranks);
  add("widen", c.widen, usual.widen);
  add("arithmetic", std::string(name_of(c.settings.arithmetic)), name_of(usual.settings.arithmetic));
  add("grid", c.settings.grid, usual.settings.grid);
  add("seed", c.settings.seed, usual.settings.seed);
  add("steps", c.settings.steps, usual_steps(c));
  add("accumulation", c.settings.accumulation, usual_accumulation(c.stack));
  return text;
}

Result<Case> parse_case(std::string_view text) {
  Case c;
  const std::size_t settings = start_of_settings(text);
  const std::string_view stack_text = trim(text.substr(0, settings));
  if (stack_text != kNothing) {
    Result<Stack> stack = parse_stack(stack_text);
    if (!stack) return stack.error();
    c.stack = *std::move(stack);
  }
  std::vector<std::string_view> seen;
  for (std::size_t at = settings; (at = text.find_first_not_of(kBlank, at)) != text.npos;) {
    const Span word{at, std::min(text.size(), text.find_first_of(kBlank, at))};
    const std::size_t equals = std::min(word.end, text.find('=', at));
    const std::string_view key = text.substr(at, equals - at);
    const std::string_view value = equals == word.end ? "" : text.substr(equals + 1, word.end - equals - 1);
    const auto wrong_at = [&](Span span, const std::string& what, const std::string& cure = "") {
      return error_at(text, span, what, cure);
    };
    // "optimizer" names a transform and a setting: a setting names a function, a transform without a comma does not.
    if (find_transform(key) && !(contains(keys(), key) && is_function(value)))
      return wrong_at({at, equals}, fmt::format("no comma before '{}'", key));
    if (!contains(keys(), key))
      return wrong_at({at, equals}, fmt::format("unknown setting {}", in_quotes(key)), "; " + did_you_mean(key, keys()));
    if (contains(seen, key)) return wrong_at({at, equals}, fmt::format("setting '{}' is given twice", key));
    if (const auto expected = set(c, key, value))
      return wrong_at({equals, word.end}, fmt::format("setting '{}' takes {}, got {}", key, *expected, in_quotes(value)));
    seen.push_back(key);
    at = word.end;
  }
  if (!contains(seen, "steps")) c.settings.steps = usual_steps(c);
  if (!contains(seen, "accumulation")) c.settings.accumulation = usual_accumulation(c.stack);
  return c;
}

int usual_steps(const Case& c) {
  constexpr int kOfAFunction = 5;
  return c.apply.empty() ? Settings{}.steps : kOfAFunction;
}

int usual_accumulation(const Stack& stack) { return steps_in_backward(stack) ? 1 : Settings{}.accumulation; }

Settings usual_settings(const Stack& stack) {
  Settings settings;
  settings.accumulation = usual_accumulation(stack);
  if (std::ranges::any_of(stack.items, casts)) settings.arithmetic = Arithmetic::float32;
  return settings;
}

Case with_usual_arithmetic(Case written) {
  if (written.settings.arithmetic == Arithmetic::exact) written.settings.arithmetic = usual_settings(written.stack).arithmetic;
  return written;
}

Case usual_case(Stack stack, std::string model, std::string engine) {
  const Settings settings = usual_settings(stack);
  return {.stack = std::move(stack), .model = std::move(model), .engine = std::move(engine), .settings = settings};
}

Case reference_of(const Case& c) {
  Case reference = c;
  if (!c.apply.empty()) reference.reference_apply = c.apply;
  if (const int ranks = averaging_ranks(c.stack); !c.step.empty() && ranks > 1) reference.reference_ranks = ranks;
  reference.apply.clear();
  reference.stack.items.clear();
  const bool shows_axes = !c.apply.empty() && std::ranges::any_of(c.stack.items, is_casting_layout);
  for (const Item& item : c.stack.items) {
    if (auto part = numeric_part(item))
      reference.stack.items.push_back(*std::move(part));
    else if (shows_axes && !info_of(item).axes.empty())
      reference.stack.items.push_back(at_degree_one(item));
  }
  return reference;
}

Case float64_of(const Case& c) {
  Case float64 = reference_of(c);
  std::erase_if(float64.stack.items,
                [](const Item& item) { return casts(item) || info_of(item).kind == TransformKind::layout; });
  float64.settings.arithmetic = Arithmetic::plain;
  return float64;
}

Case without_item(const Case& c, std::size_t index) {
  assert(index < c.stack.items.size() && "an item of the stack");
  Case twin = c;
  twin.stack.items.erase(twin.stack.items.begin() + static_cast<std::ptrdiff_t>(index));
  return twin;
}

}  // namespace ordercheck
