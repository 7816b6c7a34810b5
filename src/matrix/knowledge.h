// Loads what stacks are checked against: rule pages, engines and committed evidence.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/engine_file.h"
#include "record/evidence_table.h"
#include "rules/grade.h"
#include "rules/holds.h"
#include "rules/rule.h"

namespace ordercheck {

// Where rules, engines and evidence are stored.

// The folder of rules: `written` (the option --rules) if not empty, else $ORDERCHECK_RULES, else the `rules` folder with a
// TEMPLATE.md in the nearest folder above the executable.
Result<std::filesystem::path> find_rules_folder(const std::string& written);

// The folder of rules, and the folder matrix/ with engines and evidence.
struct Folders {
  std::filesystem::path rules;
  std::filesystem::path matrix;
};

// The folders to use. `rules_folder`: as in find_rules_folder. `matrix`: "" for the folder matrix/ next to the rules.
Result<Folders> find_folders(const std::string& rules_folder, const std::filesystem::path& matrix = {});

// The path of `name` next to the folder of rules: "matrix"; "" for the folder that contains both.
std::filesystem::path beside(const std::filesystem::path& rules, const std::filesystem::path& name);

// The engines of matrix/engines next to the rules, and the built-in ones, which need no folder.
Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder);

struct Knowledge {
  std::vector<Rule> rules;
  std::vector<Rule> retired;              // pages with a withdrawn claim
  std::vector<EngineFile> engines;        // all known engines
  std::vector<EvidenceTable> evidence;    // sorted by engine and build; of every arithmetic
  std::vector<Observation> observations;  // rows of the tables in exact arithmetic; may be empty
};

// Loads everything. Drops stale evidence rows, which another version of the engine's driver recorded
// (record/engine_sources.h).
Result<Knowledge> load_knowledge(const Folders& folders);
Result<Knowledge> load_knowledge(const std::string& rules_folder);

// Loads only what checking stacks for the target `asked` needs, which is faster: `evidence` is empty, and `observations` has
// only the target's runs and those that grade a rule for it. If `asked` has no version, uses the newest one in pages and
// evidence.
Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked);

// The hash of the current driver sources of the engine and version that `head` names. "" for an engine that is compiled with
// ordercheck, because its tests rerun the whole table.
std::string hash_of_driver(const std::filesystem::path& matrix, const std::vector<EngineFile>& engines,
                           const EvidenceTable& head);

struct StaleTable {
  std::filesystem::path path;
  std::string engine;
  std::size_t stale = 0, rows = 0;
};
// The tables in exact arithmetic that have rows recorded by another version of the driver.
Result<std::vector<StaleTable>> stale_tables(const Folders& folders);

// The target: the engine and version that stacks are checked for.

// The name of the engine with usual_target in its file. It is the default for --for, and --python gives a version of it.
std::string usual_target(const std::vector<EngineFile>& engines);

// The target that --for (`written`) and --python select, without reading any rule page. `python` selects the version of that
// interpreter's torch, without importing it. The default is usual_target(). An error if the two options disagree.
Result<Target> asked_target(const std::string& written, const std::string& python, const std::vector<EngineFile>& engines);

struct SettledTarget {
  Target target;                           // always has a version: the newest known one if none was requested
  bool assumed = false;                    // no version was requested
  std::optional<Version> newest_run = {};  // the newest version of the project with a run, if older than the target
};
Result<SettledTarget> settle(const Target& asked, const Knowledge& knowledge);
Result<SettledTarget> settled_target(const std::string& written, const std::string& python, const Knowledge& knowledge);

}  // namespace ordercheck
