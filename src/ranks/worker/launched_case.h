// What a launched world shows of a case: its runs, and the verdict on them, by numbers alone. No rule is asked here.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evidence/table.h"
#include "parity/record.h"
#include "stack/case.h"

namespace ordercheck::ranks {

class LaunchedCases {
 public:
  // Runs a case once, on as many ranks as it needs.
  using RunCase = std::function<Record(const Case& c)>;
  explicit LaunchedCases(RunCase run) : run_(std::move(run)) {}

  // Runs `c` twice, its single-rank reference, and its twin without each item; of a difference also its variants, since one that is not
  // there on other data is `unstable`. Judged as `ordercheck matrix run` does, but never against a recommended order, and without tensors.
  Observation observe(const Case& c);

  // The table of all that was observed.
  EvidenceTable table() const;

 private:
  const Record& first(const Case& c);  // each case's first run is run once
  void look_again(const Case& c, Observation& seen);

  RunCase run_;
  std::map<std::string, Record> records_;
  EvidenceTable table_;
  RepeatedRuns repeated_;
};

}  // namespace ordercheck::ranks
