#include "cli/shared/own_code.h"

#include <utility>

#include <fmt/format.h>

namespace ordercheck::cli {

std::string OwnCode::option_given() const {
  for (const auto& [option, value] : {std::pair{"--apply", apply}, {"--batch", batch}, {"--loss", loss}, {"--widen", widen}}) {
    if (!value.empty()) return option;
  }
  return "";
}

void add_own_code_options(CLI::App* command, OwnCode& own) {
  command->add_option("--model", own.model, "A model of the engine (default: llama), or your pkg:factory (--engine pytorch)");
  command->add_option("--apply", own.apply, "Your pkg:function that applies the stack to your model (--engine pytorch)");
  command->add_option("--batch", own.batch, "Your pkg:function that makes a batch for --model; default: tokens");
  command->add_option("--loss", own.loss,
                      "Your pkg:function of output and batch that returns the loss; default: cross entropy");
  command->add_option("--widen", own.widen, "Packages, joined by '+', in whose code float32 is replaced by float64 on import");
}

Status check_own_code(const OwnCode& own) {
  for (const auto& [option, value] : {std::pair{"--apply", own.apply}, {"--batch", own.batch}, {"--loss", own.loss}}) {
    if (value.empty() || value.find(':') != std::string::npos) continue;
    return Error{fmt::format("{} '{}' is not pkg:function; name a function of a module that can be imported from this folder",
                             option, value)};
  }
  return Done{};
}

void put_into(const OwnCode& own, Case& c) {
  const bool usual = c.settings.steps == usual_steps(c);
  if (!own.model.empty()) c.model = own.model;
  if (!own.apply.empty()) c.apply = own.apply;
  if (!own.batch.empty()) c.batch = own.batch;
  if (!own.loss.empty()) c.loss = own.loss;
  if (!own.widen.empty()) c.widen = own.widen;
  if (usual) c.settings.steps = usual_steps(c);
}

}  // namespace ordercheck::cli
