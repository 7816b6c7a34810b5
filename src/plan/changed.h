// Which planned cases a change of the repository can affect. Where it is not known, more are taken: a case that is run for
// nothing costs seconds, one that is not run hides a fault.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck {

// What of the repository an engine is made from, and by what name its files call it.
struct EngineSources {
  bool native = false;    // src/ranks
  bool python = false;    // src/drivers/pytorch
  std::string project;    // src/drivers/<project>, of an engine of a published project; "" for none
  bool own_space = true;  // matrix/space-<engine>.toml is its space, not matrix/space.toml
  friend bool operator==(const EngineSources&, const EngineSources&) = default;
};

// The plan without the cases that none of the changes can affect. A change is a rule's id, or a path below the repository's
// root, with /. `rules` are the pages that a change may name, retired ones too. An error says which change is neither.
Result<Plan> affected_by(const std::vector<std::string>& changes, Plan plan, const std::vector<Rule>& rules,
                         const EngineSources& sources);

// The transforms whose cases alone a source of that name can affect, by its name without folder and ending: "fsdp" stands for
// fsdp and hsdp. None: it can affect every case of its engine.
std::vector<std::string> transforms_of_source(std::string_view stem);

}  // namespace ordercheck
