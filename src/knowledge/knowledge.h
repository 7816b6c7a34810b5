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

// Of deciding tables without the rows that another driver than the one here ran (evidence/engine_sources.h).
Result<Knowledge> load_knowledge(const Folders& folders);
Result<Knowledge> load_knowledge(const std::string& rules_folder);

// As far as it takes to judge stacks for `asked`, in a fraction of the time: no tables, and of their observations those that
// grade a page for it. Without a version the newest is meant that pages and evidence know.
Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked);

// The hash of the engine's driver of its version, for rows of the table with this head. "" of an engine that is compiled with ordercheck: the tests run the whole of its
// table.
std::string hash_of_driver(const std::filesystem::path& matrix, const std::vector<EngineFile>& engines,
                           const EvidenceTable& head);

struct StaleTable {
  std::filesystem::path path;
  std::string engine;
  std::size_t stale = 0, rows = 0;
};
// Deciding tables with rows that another driver ran.
Result<std::vector<StaleTable>> stale_tables(const Folders& folders);

}  // namespace ordercheck
