#include "record/own_code.h"

#include <algorithm>

#include <fmt/format.h>

namespace ordercheck {

bool updates_by_own_code(const Case& c) { return !c.optimizer.empty() || !c.step.empty(); }

std::string added_on_several_ranks_only(const Case& c, const Record& got, const Record& one_rank) {
  const auto is_missing = [&](const ParameterRecord& p) {
    return std::ranges::find(one_rank.parameters, p.name, &ParameterRecord::name) == one_rank.parameters.end();
  };
  const auto added = std::ranges::find_if(got.parameters, is_missing);
  if (added == got.parameters.end()) return "";
  return fmt::format("{} adds the parameter {}, which the model on one rank lacks, so that nothing can be compared with it{}",
                     c.apply.empty() ? "the stack" : c.apply, added->name,
                     c.apply.empty() ? "" : "; add it on one rank (mesh None) as well");
}

}  // namespace ordercheck
