// What every command judges by, loaded once: rule pages, engines and committed evidence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/table.h"
#include "knowledge/folder.h"
#include "rule/grade.h"
#include "rule/rule.h"

namespace ordercheck {

struct Knowledge {
  std::vector<Rule> rules;
  std::vector<Rule> retired;              // pages whose claim was given up
  std::vector<EngineFile> engines;        // those that are known here
  std::vector<EvidenceTable> evidence;    // sorted by engine and build; of every arithmetic
  std::vector<Observation> observations;  // of the evidence in exact arithmetic; none where there is none
};

Result<Knowledge> load_knowledge(const Folders& folders);
Result<Knowledge> load_knowledge(const std::string& rules_folder);

// The same without what engines show that leave checks out, and without what pages say of them: what users are answered from.
Result<Knowledge> load_knowledge_of_checked_engines(const std::string& rules_folder);

// As far as it takes to judge stacks for `asked`, in a fraction of the time: no tables, and of their observations those that
// grade a page for it; of engines that leave checks out only where one is asked for. Without a version the newest is meant that pages and evidence know.
Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked);

}  // namespace ordercheck
