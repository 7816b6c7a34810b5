// What the subcommands judge by: the rule pages and the committed evidence, found without being asked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_file.h"
#include "rule/grade.h"
#include "rule/rule.h"

namespace ordercheck::cli {

// The folder of rule pages: `written` where it is not empty, else $ORDERCHECK_RULES, else the folder `rules` that holds a
// TEMPLATE.md in the nearest folder above the executable.
Result<std::filesystem::path> find_rules_folder(const std::string& written);

// The engines that are known where the rules are: those of matrix/engines beside them, and those that come with ordercheck,
// which are known without any folder.
Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder);

// What lies beside the folder of rules: "matrix", or "" for the folder that holds both.
std::filesystem::path beside(const std::filesystem::path& rules, const std::filesystem::path& name);

struct Knowledge {
  std::vector<Rule> rules;
  std::vector<Rule> retired;              // pages whose claim was given up
  std::vector<std::string> engines;       // that are known here
  std::vector<Observation> observations;  // of matrix/evidence beside the folder of rules; none where there is none
};
Result<Knowledge> load_knowledge(const std::string& rules_folder);

// The same, as far as it takes to judge stacks for `asked`, in a fraction of the time. Without a version the newest is meant
// that pages and evidence know.
Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked);

}  // namespace ordercheck::cli
