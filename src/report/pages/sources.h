// What pages are made from: rules, evidence, the orders of known projects, and the space of the matrix.
// Nothing else goes in, so the same checkout gives the same bytes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/knowledge.h"
#include "plan/framework.h"
#include "plan/space.h"
#include "rule/pattern.h"
#include "stack/stack.h"

namespace ordercheck {

// What the ordering page is about, matrix/pages.toml:
//
//   core = ["pp", "tp"]            # transforms that most people stack beside a sharding
//   shardings = ["fsdp"]           # a recommended order for each; the first is that of the headline
//   sample = "fsdp=2,tp=2"         # the stack that the README has checked
//   sections = ["ep@experts"]      # transforms with a section of their own, and with them what is applied to a scope
//   [[point]]                      # what people said in public about one order
//   order = "`tp` before `fsdp`"
//   said = "[natural]"             # their words, with their hedge
//   turned = ["fsdp=2,tp=2"]       # the other order
//   variants = []                  # the other order with options that may make it work; optional
//   needs = "..."                  # what would have to change for the other order to work; optional
//   elsewhere = "..."              # a project whose code has the other order, with its source; optional

struct Point {
  std::string order, said;
  std::vector<Stack> turned, variants;
  std::string needs, elsewhere;  // "" if not given
};

struct Topics {
  std::vector<std::string> core;
  std::vector<std::string> shardings;
  std::vector<ItemPattern> sections;
  Stack sample;
  std::vector<Point> points;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform.
Result<Topics> parse_topics(std::string_view text, const std::string& path);
Result<Topics> load_topics(const std::filesystem::path& path);

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
