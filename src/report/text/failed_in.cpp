#include "report/text/failed_in.h"

#include <fmt/format.h>

namespace ordercheck {
namespace {

// A built-in model has a plain name.
bool is_users(const std::string& function) { return function.find(':') != std::string::npos; }

std::string named(const std::string& function, const char* option) {
  return fmt::format("your function {} ({})", function, option);
}

// The user's functions that made the model: "mine:net and mine:shard".
std::string makers_of_the_model(const Case& c) {
  std::string text = is_users(c.model) ? c.model : "";
  if (!c.apply.empty()) text += (text.empty() ? "" : " and ") + c.apply;
  return text;
}

std::string in_apply(const Case& c) {
  const std::string apply = c.apply.empty() ? "the engine, which applied the stack" : named(c.apply, "--apply");
  const std::string batch = c.batch.empty() ? "" : ", " + named(c.batch, "--batch");
  const std::string optimizer = c.optimizer.empty() ? "" : ", " + named(c.optimizer, "--optimizer");
  const bool is_engines = c.apply.empty() && c.batch.empty() && c.optimizer.empty();
  return fmt::format("{}{}{}{}", apply, batch, optimizer, is_engines ? "" : ", or code that it called");
}

std::string in_own_step(const Case& c) { return named(c.step, "--step") + ", or code that it called"; }

std::string in_update(const Case& c) {
  if (!c.step.empty()) return in_own_step(c);
  if (!c.optimizer.empty())
    return fmt::format("the optimizer of {}, whose step() ordercheck's trainer called", named(c.optimizer, "--optimizer"));
  return "ordercheck's trainer, which clipped gradients or called optimizer.step()";
}

std::string in_step(const Case& c, Phase phase) {
  if (!c.step.empty()) return in_own_step(c);
  const std::string loss = c.loss.empty() ? "" : " or of " + named(c.loss, "--loss");
  const std::string makers = makers_of_the_model(c);
  return fmt::format("{} of the model{}, called by ordercheck's trainer{}", name_of(phase), loss,
                     makers.empty() ? "" : fmt::format("; the model is as {} left it", makers));
}

}  // namespace

std::string failed_in(const Case& c, Phase phase) {
  switch (phase) {
    case Phase::build:
      return is_users(c.model) ? named(c.model, "--model") + ", or code that it called"
                               : "the engine, which built its model " + c.model;
    case Phase::apply: return in_apply(c);
    case Phase::forward:
    case Phase::recompute:
    case Phase::backward: return in_step(c, phase);
    case Phase::optimizer: return in_update(c);
    case Phase::observe: break;
  }
  return "ordercheck, which read the results of the step";
}

}  // namespace ordercheck
