#include "check/runs.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "stack/backend.h"
#include "stack/case.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {

std::optional<StackRun> run_of(const Stack& stack, const Judge& judge, const std::string& model) {
  const bool open = std::ranges::any_of(stack.items, leaves_backend_open);
  const Stack usual = under_usual_backend(stack);
  std::optional<StackRun> best;
  const auto rank = [&](const StackRun& run) {
    return std::tuple(run.own_backend, run.stack != (run.usual_backend ? usual : stack));
  };
  const Stack plain = without_degrees(stack), plain_usual = without_degrees(usual);
  for (const TargetRun& there : judge.runs()) {
    const auto is_of = [&](const Stack& shape) { return there.shape == shape || is_trained_form_of(there.shape, shape); };
    const bool as_it_is = is_of(plain);
    StackRun run{.run = there.seen, .stack = {}, .usual_backend = open && is_of(plain_usual), .own_backend = open && as_it_is};
    if (!run.usual_backend && !as_it_is) continue;
    if (there.ran != usual_case(there.ran.stack, model, there.seen->engine)) continue;
    run.stack = there.ran.stack;
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
  if (run->own_backend) text += fmt::format(", without {}'s code generation", kUsualBackend);
  return text;
}

}  // namespace ordercheck
