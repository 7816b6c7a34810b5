// SARIF 2.1.0, as code scanning reads it: findings at a file and a line, each by a rule that says why and what to do.
#pragma once

#include <string>
#include <vector>

#include "rule/rule.h"

namespace ordercheck {

enum class SarifLevel { error, warning, note };

struct SarifResult {
  std::string rule;  // an id of a page, or of one of `more`
  SarifLevel level = SarifLevel::error;
  std::string message;
  std::string file;  // relative to the repository; "" where it is about none
  int line = 1;
  std::string stack = {};   // what it is about where there is no file
  std::string fingerprint;  // what makes it the same finding tomorrow: its text is hashed
};

// A rule that is no page: "expired-allow".
struct SarifOwnRule {
  std::string id;
  std::string name;  // one line
  std::string help;
};

// What kept a part from being decided, and controls that failed, are told beside the results, never among them: they are about
// the run. A run whose control failed or whose engine broke was not successful, whatever its results.
struct SarifLog {
  std::vector<SarifResult> results;
  std::vector<std::string> undecided;
  std::vector<std::string> failed_controls;
  bool engine_broke = false;
};

// Pages are listed with their reason, their cure and who said it: those alone that a result names. `version` is the program's.
std::string render_sarif(const SarifLog& log, const std::vector<Rule>& rules, const std::vector<SarifOwnRule>& more,
                         const std::string& version);

}  // namespace ordercheck
