// What the subcommands judge by: the rule pages and the committed evidence, found without being asked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "rule/grade.h"
#include "rule/rule.h"

namespace ordercheck::cli {

// The folder of rule pages: `written` where it is not empty, else $ORDERCHECK_RULES, else the folder `rules` that holds a
// TEMPLATE.md in the nearest folder above the executable.
Result<std::filesystem::path> find_rules_folder(const std::string& written);

struct Knowledge {
  std::vector<Rule> rules;
  std::vector<Rule> retired;              // pages whose claim was given up
  std::vector<Observation> observations;  // of matrix/evidence beside the folder of rules; none where there is none
};
Result<Knowledge> load_knowledge(const std::string& rules_folder);

// The same, as far as it takes to judge stacks for `asked`, in a fraction of the time. Without a version the newest is meant
// that pages and evidence know.
Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked);

}  // namespace ordercheck::cli
