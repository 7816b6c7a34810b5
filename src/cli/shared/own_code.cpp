#include "cli/shared/own_code.h"

#include <fmt/format.h>

namespace ordercheck::cli {
namespace {

std::string option_of(const OwnFunction<OwnCode>& function) { return fmt::format("--{}", function.key); }

}  // namespace

std::string OwnCode::option_given() const {
  for (const auto& function : kOwnFunctions<OwnCode>)
    if (!(this->*function.member).empty()) return option_of(function);
  return widen.empty() ? "" : "--widen";
}

void add_own_code_options(CLI::App* command, OwnCode& own) {
  command->add_option("--model", own.model, "A model of the engine (default: llama), or your pkg:factory (--engine pytorch)");
  for (const auto& function : kOwnFunctions<OwnCode>)
    command->add_option(option_of(function), own.*function.member, function.help);
  command->add_option("--widen", own.widen, "Packages, joined by '+', in whose code float32 is replaced by float64 on import");
}

OwnCode OwnCodeOfTwo::left() const {
  OwnCode own{.model = model, .widen = widen};
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (!functions[i].empty()) own.*kOwnFunctions<OwnCode>[i].member = functions[i].front();
  return own;
}

OwnCode OwnCodeOfTwo::right() const {
  OwnCode own = left();
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (!functions[i].empty()) own.*kOwnFunctions<OwnCode>[i].member = functions[i].back();
  return own;
}

std::string OwnCodeOfTwo::option_given() const { return left().option_given(); }

Status OwnCodeOfTwo::check() const {
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].size() > 2)
      return Error{fmt::format("expected {} once, or twice for left and right, got {}", option_of(kOwnFunctions<OwnCode>[i]),
                               functions[i].size())};
  for (const OwnCode& side : {left(), right()})
    if (const Status written = check_own_code(side); !written) return written;
  return Done{};
}

void add_own_code_options(CLI::App* command, OwnCodeOfTwo& own) {
  command->add_option("--model", own.model, "With --run, a model of the engine, or your pkg:factory");
  for (std::size_t i = 0; i < own.functions.size(); ++i) {
    const OwnFunction<OwnCode>& function = kOwnFunctions<OwnCode>[i];
    command->add_option(option_of(function), own.functions[i], fmt::format("{}; twice: left and right", function.help))
        ->allow_extra_args(false);
  }
  command->add_option("--widen", own.widen, "Packages, joined by '+', in whose code float32 is replaced by float64 on import");
}

Status check_own_code(const OwnCode& own) {
  for (const auto& function : kOwnFunctions<OwnCode>) {
    const std::string& value = own.*function.member;
    if (value.empty() || value.find(':') != std::string::npos) continue;
    return Error{fmt::format("{} '{}' is not pkg:function; name a function of a module that can be imported from this folder",
                             option_of(function), value)};
  }
  return Done{};
}

void put_into(const OwnCode& own, Case& c) {
  const bool usual = c.settings.steps == usual_steps(c);
  if (!own.model.empty()) c.model = own.model;
  for (std::size_t i = 0; i < kOwnFunctions<OwnCode>.size(); ++i)
    if (const std::string& given = own.*kOwnFunctions<OwnCode>[i].member; !given.empty())
      c.*kOwnFunctions<Case>[i].member = given;
  if (!own.widen.empty()) c.widen = own.widen;
  if (usual) c.settings.steps = usual_steps(c);
}

}  // namespace ordercheck::cli
