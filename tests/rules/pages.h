// The project's own rule pages, read once.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/check.h"
#include "rules/load.h"

namespace ordercheck {

inline const std::vector<Rule>& pages() {
  static const std::vector<Rule> rules = [] {
    const Result<std::vector<Rule>> loaded = load_rules(ORDERCHECK_SOURCE_DIR "/rules");
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? *loaded : std::vector<Rule>{};
  }();
  return rules;
}

// An engine and version that the rule holds for: its first entry at the bound that it names.
inline Target target_of(const Rule& rule) {
  for (const Holds& entry : rule.holds) {
    Target target{.project = entry.project, .implementation = entry.implementation, .version = {}};
    if (entry.project == "math") return {.project = "pytorch", .implementation = "", .version = Version{{2, 11, 0}}};
    for (const VersionBound& bound : entry.bounds) {
      target.version = bound.version;
      if (bound.relation == Relation::above) target.version->parts.push_back(1);
      if (holds_for(entry, target)) return target;
    }
  }
  ADD_FAILURE() << rule.file << ": no version named in holds is one that it holds for";
  return {.project = "pytorch", .implementation = "", .version = Version{{2, 11, 0}}};
}

inline void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.id; }

inline std::string test_name(const testing::TestParamInfo<Rule>& info) {
  std::string name = info.param.id + "_" + info.param.slug;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

}  // namespace ordercheck
