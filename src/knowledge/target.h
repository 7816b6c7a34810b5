// For which engine and version stacks are judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_file.h"
#include "knowledge/knowledge.h"
#include "rule/holds.h"

namespace ordercheck {

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
