#include "cli/shared/engine_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/pytorch_engine.h"

namespace ordercheck::cli {
namespace {

// The pytorch engine starts processes and compiles: minutes where the native engine takes seconds.
constexpr double kNativeTimeout = 60;
constexpr double kPytorchTimeout = 300;

}  // namespace

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names{"native", "pytorch"};
  return names;
}

void add_engine_options(CLI::App* command, EngineChoice& choice) {
  command->add_option("--engine", choice.engine, "native (the default) or pytorch")->check(CLI::IsMember(engine_names()));
  command
      ->add_option("--python", choice.pythons,
                   "A Python with torch >= 2.6 for --engine pytorch; several, each with the option before it, are held "
                   "beside each other; else ORDERCHECK_PYTHON")
      ->allow_extra_args(false);
}

void add_timeout_option(CLI::App* command, EngineChoice& choice) {
  command
      ->add_option("--timeout", choice.timeout,
                   fmt::format("Seconds for one run; else {}, with --engine pytorch {}", kNativeTimeout, kPytorchTimeout))
      ->check(CLI::PositiveNumber);
}

Result<std::string> engine_meant(const EngineChoice& choice, const std::string& apply) {
  if (!apply.empty() && apply.find(':') == std::string::npos)
    return Error{
        fmt::format("--apply '{}' is not pkg:function; name a function of a module that can be imported from this "
                    "folder",
                    apply)};
  if (choice.engine == "native" && !choice.pythons.empty())
    return Error{"--python names an interpreter, and --engine native runs none; leave one of the two out"};
  if (choice.engine == "native" && !apply.empty())
    return Error{"--apply names a Python function, and --engine native runs none; leave one of the two out"};
  if (!choice.engine.empty()) return choice.engine;
  return std::string(choice.pythons.empty() && apply.empty() ? "native" : "pytorch");
}

Result<std::vector<EngineSpec>> engines_of(const EngineChoice& choice, const std::string& apply) {
  const auto meant = engine_meant(choice, apply);
  if (!meant) return meant.error();
  std::vector<EngineSpec> specs;
  const auto add = [&](const Result<EngineSpec>& spec) -> Status {
    if (!spec) return spec.error();
    specs.push_back(*spec);
    return Done{};
  };
  std::vector<std::string> pythons = choice.pythons;
  if (pythons.empty()) pythons.push_back("");
  for (const std::string& python : pythons)
    if (const Status added = add(*meant == "native" ? native_engine() : pytorch_engine(python)); !added) return added.error();
  return specs;
}

double timeout_of(const EngineChoice& choice, const EngineSpec& spec) {
  return choice.timeout.value_or(spec.name == "pytorch" ? kPytorchTimeout : kNativeTimeout);
}

std::vector<std::string> names_of_builds(const std::vector<EngineSpec>& specs) {
  std::vector<std::string> names;
  for (const EngineSpec& spec : specs) {
    const bool alone = std::ranges::count(specs, spec.build, &EngineSpec::build) == 1;
    names.push_back(alone ? spec.build : fmt::format("{} ({})", spec.build, spec.command[0]));
  }
  return names;
}

}  // namespace ordercheck::cli
