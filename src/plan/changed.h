// Which planned cases a change of the repository can affect. Where it is not known, more are taken: a case that is run for
// nothing costs seconds, one that is not run hides a fault.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "base/result.h"
#include "plan/plan.h"
#include "rule/rule.h"

namespace ordercheck {

// What a path can affect: matrix/changed.toml explains each.
ORDERCHECK_ENUM(Affected, nothing, everything, page, framework, engine, space, own_space, sources)

// matrix/changed.toml.
struct ChangeTable {
  struct Row {
    std::string paths;  // a pattern
    Affected affects = Affected::everything;
  };
  std::vector<Row> rows;
  std::map<std::string, std::vector<std::string>> transforms_of_source;  // where they are not those of its name; none: all
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform.
Result<ChangeTable> parse_changes(std::string_view text, const std::string& path);
Result<ChangeTable> load_changes(const std::filesystem::path& path);

// What of the repository an engine is made from.
struct EngineSources {
  std::vector<std::string> folders;  // below the root: "src/ranks"; none: nothing is known, and every source may be a part
  std::string transforms;            // the one of them that has a file a transform; "" for none
  bool own_space = true;             // matrix/space-<engine>.toml is its space, not matrix/space.toml
  friend bool operator==(const EngineSources&, const EngineSources&) = default;
};

// The plan without the cases that none of the changes can affect. A change is a rule's id, or a path below the repository's
// root, with /. `rules` are the pages that a change may name, retired ones too. An error says which change is neither.
Result<Plan> affected_by(const std::vector<std::string>& changes, Plan plan, const std::vector<Rule>& rules,
                         const ChangeTable& table, const EngineSources& sources);

}  // namespace ordercheck
