#include "check/runs.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "stack/case.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

bool leaves_backend_open(const Item& item) { return item.name == "compile" && item.mode.empty(); }

Stack under_inductor(Stack stack) {
  for (Item& item : stack.items)
    if (leaves_backend_open(item)) item.mode = "inductor";
  return stack;
}

Stack without_degrees(Stack stack) {
  for (Item& item : stack.items) item.degrees.clear();
  return stack;
}

bool is_of_target(const Observation& seen, const Target& target) {
  const Result<Version> version = parse_version(seen.version);
  return seen.engine == target.project && version && target.version && *version == *target.version;
}

}  // namespace

std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model) {
  const bool open = std::ranges::any_of(stack.items, leaves_backend_open);
  const Stack inductor = under_inductor(stack);
  std::optional<StackRun> best;
  const auto rank = [&](const StackRun& run) {
    return std::tuple(run.stand_in, run.stack != (run.inductor ? inductor : stack));
  };
  for (const Observation& seen : judge.observations()) {
    if (!is_of_target(seen, judge.target())) continue;
    const Result<Case> ran = parse_case(seen.case_text);
    if (!ran || *ran != usual_case(ran->stack, model, seen.engine)) continue;
    StackRun run{.run = &seen, .stack = ran->stack};
    const Stack shape = without_degrees(ran->stack);
    const auto is_of = [&](const Stack& wanted) {
      const Stack plain = without_degrees(wanted);
      return shape == plain || is_trained_form_of(shape, plain);
    };
    run.inductor = open && is_of(inductor);
    run.stand_in = open && is_of(stack);
    if (!run.inductor && !is_of(stack)) continue;
    if (!best || rank(run) < rank(*best)) best = std::move(run);
  }
  return best;
}

std::string runs_in_words(const Stack& stack, const Judge& judge, const std::string& model, bool sizes_matter) {
  const std::string where = "on " + print(judge.target());
  const std::optional<StackRun> run = run_of(stack, judge, model);
  if (!run || (sizes_matter && mesh_of(run->stack) != mesh_of(stack))) return "not run " + where;
  std::string text = fmt::format("{} when run {}", name_of(run->run->verdict), where);
  if (run->stack != stack) text += " as " + print(run->stack);
  if (run->stand_in) text += ", with a stand-in for inductor";
  return text;
}

}  // namespace ordercheck
