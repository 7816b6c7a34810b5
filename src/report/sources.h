// What pages are made from: rules, evidence, the orders of known projects, what discussions say, and the space of the matrix.
// Nothing else goes in, so the same checkout gives the same bytes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/table.h"
#include "plan/discussion.h"
#include "plan/framework.h"
#include "plan/space.h"
#include "rule/grade.h"
#include "rule/rule.h"

namespace ordercheck {

struct Sources {
  std::vector<Rule> rules;
  std::vector<EvidenceTable> evidence;  // sorted by engine and build; of every arithmetic
  std::vector<Framework> frameworks;
  std::vector<Discussion> discussions;           // sorted by name
  Space space;                                   // of every engine that has none of its own
  std::map<std::string, Space> own_spaces = {};  // by engine
  std::vector<Observation> observations;         // of `evidence`
};

// Reads rules/, matrix/evidence/, matrix/frameworks/, matrix/discussions/, matrix/space.toml and, of the engines that there is
// evidence of, matrix/space-<engine>.toml below `root`. Evidence, discussions and own spaces may be missing.
Result<Sources> load_sources(const std::filesystem::path& root);
// The same where rules and matrix are not in one folder.
Result<Sources> load_sources(const std::filesystem::path& rules_folder, const std::filesystem::path& matrix);

const Space& space_of(const Sources& sources, const std::string& engine);

// Every engine and version that grades are given for: those that ran, and for an engine without a run the newest version
// that the pages know. pytorch first, then native, then others.
std::vector<Target> targets_of(const Sources& sources);

// The first of targets_of about pytorch, whom the recommended order and the pair matrix are for. Asserts that some rule
// speaks about pytorch; load_sources sees to it.
Target reader_target(const Sources& sources);

}  // namespace ordercheck
