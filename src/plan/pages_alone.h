// The judge that a plan is made by: what pages say of an engine and version, without a run. What runs showed today must not
// change what is planned tomorrow, else recording evidence would plan other cases than were recorded. For the same reason a page
// whose citations clash is taken at its word: runs settle that, and what is planned is to show it.
#pragma once

#include <vector>

#include "check/check.h"
#include "protocol/messages.h"
#include "rule/rule.h"

namespace ordercheck {

class PagesAlone {
 public:
  PagesAlone(const std::vector<Rule>& rules, const Hello& hello);
  PagesAlone(const PagesAlone&) = delete;  // the judge refers to what this holds
  PagesAlone& operator=(const PagesAlone&) = delete;

  const Judge& judge() const { return judge_; }
  bool has_error(const Stack& stack) const;

 private:
  const std::vector<Rule> rules_;
  const std::vector<Observation> no_runs_;
  const Judge judge_;
};

}  // namespace ordercheck
