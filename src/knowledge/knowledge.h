// What every command judges by, loaded once: rule pages, engines and committed evidence.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_file.h"
#include "evidence/table.h"
#include "rule/grade.h"
#include "rule/holds.h"
#include "rule/rule.h"

namespace ordercheck {

// Where rules, engines and evidence lie.

// The folder of rules: `written` where it is not empty, else $ORDERCHECK_RULES, else the folder `rules` that holds a
// TEMPLATE.md in the nearest folder above the executable.
Result<std::filesystem::path> find_rules_folder(const std::string& written);

// The folder of rules, and the folder matrix/ with engines and evidence.
struct Folders {
  std::filesystem::path rules;
  std::filesystem::path matrix;
};

// `matrix`: "" for the one beside the rules.
Result<Folders> find_folders(const std::string& rules_folder, const std::filesystem::path& matrix = {});

// What lies beside the folder of rules: "matrix", or "" for the folder that holds both.
std::filesystem::path beside(const std::filesystem::path& rules, const std::filesystem::path& name);

// The engines of matrix/engines beside the rules, and those that come with ordercheck, which are known without any folder.
Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder);

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

// For which engine and version stacks are judged.

// The engine whose file says usual_target: the one that is meant where none is named, and that an interpreter has a version of.
std::string usual_target(const std::vector<EngineFile>& engines);

// What --for and --python ask for, before any page is read: the usual target where neither says anything, the version of the
// interpreter's torch (which is not imported) where one is named. An error where both are named and do not agree.
Result<Target> asked_target(const std::string& written, const std::string& python, const std::vector<EngineFile>& engines);

struct SettledTarget {
  Target target;                           // has a version: the newest that is known where none was asked for
  bool assumed = false;                    // its version was not asked for
  std::optional<Version> newest_run = {};  // of its project, where its version is newer than that
};
Result<SettledTarget> settle(const Target& asked, const Knowledge& knowledge);
Result<SettledTarget> settled_target(const std::string& written, const std::string& python, const Knowledge& knowledge);

}  // namespace ordercheck
