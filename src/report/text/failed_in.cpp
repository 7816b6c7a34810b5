#include "report/text/failed_in.h"

#include <fmt/format.h>

namespace ordercheck {
namespace {

// A built-in model has a plain name.
bool is_users(const std::string& function) { return function.find(':') != std::string::npos; }

std::string in_function(const std::string& function, const char* option) {
  return fmt::format("your function {} ({}), or code that it called", function, option);
}

// The user's functions that ran before or in forward: "mine:net and mine:shard".
std::string users_functions(const Case& c) {
  std::string text = is_users(c.model) ? c.model : "";
  for (const std::string& function : {c.apply, c.loss})
    if (!function.empty()) text += (text.empty() ? "" : " and ") + function;
  return text;
}

}  // namespace

std::string failed_in(const Case& c, Phase phase) {
  switch (phase) {
    case Phase::build: return is_users(c.model) ? in_function(c.model, "--model") : "the engine, which built its model " + c.model;
    case Phase::apply: return c.apply.empty() ? "the engine, which applied the stack" : in_function(c.apply, "--apply");
    case Phase::forward:
    case Phase::recompute:
    case Phase::backward: {
      const std::string functions = users_functions(c);
      const std::string step = fmt::format("{} of the model, called by ordercheck's trainer", name_of(phase));
      return functions.empty() ? step : fmt::format("{}; the model is as {} left it", step, functions);
    }
    case Phase::optimizer: return "ordercheck's trainer, which clipped gradients or called optimizer.step()";
    case Phase::observe: break;
  }
  return "ordercheck, which read the results of the step";
}

}  // namespace ordercheck
