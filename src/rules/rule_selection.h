// Selects the rules that a check is asked about, by ids and prefixes of ids. Plain value; no thread affinity.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/rule.h"

namespace ordercheck {

class RuleSelection {
 public:
  RuleSelection() = default;  // every rule

  // Each word is an id or a prefix of ids, or several joined by commas: "ORD,CLA-017". Without a word in `select`, every rule
  // is selected. An error names the option and the word if no rule has such an id.
  static Result<RuleSelection> parse(const std::vector<std::string>& select, const std::vector<std::string>& ignore,
                                     const std::vector<Rule>& rules);

  // Whether the rule is asked about. Of the words that match, the longest decides; of equal ones, that of `ignore`.
  bool has(std::string_view id) const;

  // The options as on the command line, "--select ORD --ignore ORD-004"; "" for every rule.
  const std::string& written() const { return written_; }

 private:
  std::vector<std::string> select_, ignore_;
  std::string written_;
};

}  // namespace ordercheck
