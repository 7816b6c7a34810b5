// Loads everything that pages are generated from: rules, evidence, orders of known projects, and the space of the matrix. The
// same checkout gives the same bytes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/framework.h"
#include "matrix/knowledge.h"
#include "matrix/space.h"
#include "rules/pattern.h"
#include "stack/stack.h"

namespace ordercheck {

// The topics of the ordering page, from matrix/pages.toml:
//
//   core = ["pp", "tp"]            # transforms that most people combine with a sharding
//   shardings = ["fsdp"]           # one recommended order each; the first is in the headline
//   sample = "fsdp=2,tp=2"         # the stack that README.md checks
//   sections = ["ep@experts"]      # transforms with their own section, including pages about this scope
//   project = "torchtitan"         # the published project whose newest orders the page names; optional
//   [[pair]]                       # a pair of transforms with its own heading
//   order = "`tp` before `fsdp`"
//   said = "[natural]"             # what the discussion says of it, in its own words; optional
//   turned = ["fsdp=2,tp=2"]       # the opposite order
//   variants = []                  # the opposite order with options that may make it work; optional
//   needs = "..."                  # what would have to change for the opposite order to work; optional
//   elsewhere = "..."              # a sentence: which project implements the opposite order; optional

struct AskedPair {
  std::string order, said;  // "" if unset, as needs and elsewhere
  std::vector<Stack> turned, variants;
  std::string needs, elsewhere;
};

struct Topics {
  std::vector<std::string> core;
  std::vector<std::string> shardings;
  std::vector<ItemPattern> sections;
  Stack sample;
  std::string project;  // "" if unset
  std::vector<AskedPair> pairs;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform.
Result<Topics> parse_topics(std::string_view text, const std::string& path);
Result<Topics> load_topics(const std::filesystem::path& path);

struct Sources {
  std::vector<Rule> rules;
  std::string reader;                   // the engine that generated pages address: "pytorch"
  std::string definition;               // the engine that builds transforms from their definitions; "" if there is none
  std::vector<std::string> engines;     // all known engines
  std::vector<EvidenceTable> evidence;  // sorted by engine and build; of every arithmetic
  std::vector<Framework> frameworks;
  Topics topics;
  Space space;                                   // matrix/space.toml, for engines without a space of their own
  std::map<std::string, Space> own_spaces = {};  // by engine
  std::vector<Observation> observations;         // from `evidence`
};

// Loads knowledge and, from matrix/, frameworks, pages.toml, space.toml and space-<engine>.toml for engines with evidence.
// Evidence and the engines' own spaces are optional.
Result<Sources> load_sources(const Folders& folders);
Result<Sources> load_sources(const std::filesystem::path& root);

const Space& space_of(const Sources& sources, const std::string& engine);

// Every engine and version for which rule pages show a grade: those with runs, and for an engine without runs the newest
// version that a rule names. The reader's engine comes first, then the order of known engines and evidence.
std::vector<Target> targets_of(const Sources& sources);

// The version that generated pages address: the newest version of the engine Sources::reader (pytorch). Asserts that some rule
// names the engine, which load_sources ensures.
Target reader_target(const Sources& sources);

}  // namespace ordercheck
