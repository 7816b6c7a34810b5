// Renders SARIF 2.1.0 for code scanning: findings at a file and a line, with rules that explain why and what to do.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace ordercheck {

enum class SarifLevel { error, warning, note };

struct SarifResult {
  std::string rule;  // the id of a rule page, or of a SarifOwnRule
  SarifLevel level = SarifLevel::error;
  std::string message;
  std::string file;  // relative to the repository; "" if it refers to no file
  int line = 1;
  std::string stack = {};       // the stack that the result is about, if there is no file
  std::string fingerprint;      // identifies the finding across runs; hashed
  std::string suppressed = {};  // the reason that a comment in the source gives for accepting it; "" if it is not accepted
};

// A SARIF rule that is not a rule page: "expired-allow".
struct SarifOwnRule {
  std::string id;
  std::string name;  // one line
  std::string help;
};

// Remarks, undecided parts and failed controls concern the run, so they become notifications (note, warning, error) instead of
// results. A failed control or a crashed engine makes the run unsuccessful, whatever its results.
struct SarifLog {
  std::vector<SarifResult> results;
  std::vector<std::string> remarks = {};
  std::vector<std::string> undecided;
  std::vector<std::string> failed_controls;
  bool engine_broke = false;
};

// The SARIF `rules` list has only the rule pages that a result names, with reason, repair and citations, and `more`.
// `version`: ordercheck's version.
std::string render_sarif(const SarifLog& log, const std::vector<Rule>& rules, const std::vector<SarifOwnRule>& more,
                         const std::string& version);

}  // namespace ordercheck
