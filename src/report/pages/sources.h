// What pages are made from: rules, evidence, the orders of known projects, and the space of the matrix.
// Nothing else goes in, so the same checkout gives the same bytes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "knowledge/knowledge.h"
#include "plan/framework.h"
#include "plan/space.h"
#include "report/pages/topics.h"

namespace ordercheck {

struct Sources {
  std::vector<Rule> rules;
  std::string reader;                   // the engine that pages are written for
  std::string definition;               // the engine that builds transforms from their definitions; "" for none
  std::vector<std::string> engines;     // those that are known
  std::vector<EvidenceTable> evidence;  // sorted by engine and build; of every arithmetic
  std::vector<Framework> frameworks;
  Topics topics;
  Space space;                                   // of every engine that has none of its own
  std::map<std::string, Space> own_spaces = {};  // by engine
  std::vector<Observation> observations;         // of `evidence`
};

// Knowledge, and of matrix/ the folder frameworks, pages.toml, space.toml and, of the engines that there is evidence of,
// space-<engine>.toml. Evidence and own spaces may be missing.
Result<Sources> load_sources(const Folders& folders);
Result<Sources> load_sources(const std::filesystem::path& root);

const Space& space_of(const Sources& sources, const std::string& engine);

// Every engine and version that grades are given for: those that ran, and for an engine without a run the newest version
// that the pages know. The reader's first, then in the order of the evidence.
std::vector<Target> targets_of(const Sources& sources);

// The reader's newest version, which the recommended order and the pair matrix are for. Asserts that some rule speaks about
// the reader; load_sources sees to it.
Target reader_target(const Sources& sources);

}  // namespace ordercheck
