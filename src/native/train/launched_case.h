// Runs a case in a launched world as often as a verdict needs, and derives the verdict from the numbers alone. Rules are not
// consulted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/evidence_table.h"
#include "record/record.h"
#include "stack/case.h"

namespace ordercheck::ranks {

class LaunchedCases {
 public:
  // Runs a case once in the launched world, on as many ranks as it needs.
  using RunCase = std::function<Record(const Case& c)>;
  explicit LaunchedCases(RunCase run) : run_(std::move(run)) {}

  // Runs `c` twice, its single-rank reference, and `c` once without each item of its stack. If the numbers differ from the
  // reference, it also runs variants with other data: a difference that they do not show is `unstable`. The verdict is that of
  // `ordercheck matrix run`, but without a recommended order and without recorded tensors.
  Observation observe(const Case& c);

  // Returns the evidence table of all cases observed so far.
  EvidenceTable table() const;

 private:
  const Record& first(const Case& c);  // caches the first run of each case
  void look_again(const Case& c, Observation& seen);

  RunCase run_;
  std::map<std::string, Record> records_;
  EvidenceTable table_;
  RepeatedRuns repeated_;
};

}  // namespace ordercheck::ranks
