// A runner without an engine: honest records for every stack, and what a test makes of single cases.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "matrix/engine_runner.h"
#include "stack/notation.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"

namespace ordercheck {

// A run as the runner met it; `turn` counts the runs of the same case before it.
struct Request {
  Run run;
  int turn = 0;
};

class FakeRunner : public Runner {
 public:
  using Corrupt = std::function<void(Record& record, const Request& request)>;

  // Corrupts every run of the stack, in this and in other settings.
  void corrupt(const std::string& stack, Corrupt corrupt) { corrupts_[stack] = std::move(corrupt); }

  const Hello& hello() const override { return hello_; }
  Status run(const std::vector<Run>& runs, const Deliver& deliver) override {
    for (std::size_t i = runs.size(); i-- > 0;) {  // an order of its own: nothing may depend on it
      if (broken) return Error{"the engine does not start"};
      const int turn = turns_[print(runs[i].subject) + name_of(runs[i].keep)]++;
      seen.push_back({.run = runs[i], .turn = turn});
      Record record = honest_record(runs[i].subject);
      if (const auto found = corrupts_.find(print(runs[i].subject.stack)); found != corrupts_.end())
        found->second(record, seen.back());
      deliver(i, record);
    }
    return Done{};
  }

  bool broken = false;
  std::vector<Request> seen;

 private:
  Hello hello_ = sample_hello();
  std::map<std::string, Corrupt> corrupts_;
  std::map<std::string, int> turns_;
};

inline void corrupt_gradient(Record& record, const Request&) { bend_gradient(record); }
inline void fail_in_apply(Record& record, const Request&) { break_in_apply(record); }

}  // namespace ordercheck
