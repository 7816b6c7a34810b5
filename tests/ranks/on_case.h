// Runs a case in this process and holds it against its reference: what rank tests are made of.
#pragma once

#include <map>
#include <string>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "native/graph/saved_tensors.h"
#include "native/train/run_case.h"
#include "record/messages.h"
#include "record/verdict_of_runs.h"
#include "stack/case.h"

namespace ordercheck::ranks {

inline Case case_of(const std::string& text) {
  auto parsed = parse_case(text);
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  return *parsed;
}

inline Record run(const Case& subject, std::optional<Fault> fault = {}) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  return run_case(Run{.subject = subject, .fault = std::move(fault)}, nullptr, {});
}

// The record of a case that many tests ask for, run once a process.
inline const Record& known(const Case& subject) {
  static std::map<std::string, Record> records;
  const auto [entry, added] = records.try_emplace(print(subject));
  if (added) entry->second = run(subject);
  return entry->second;
}
inline const Record& known(const std::string& text) { return known(case_of(text)); }

inline const Record& reference(const Case& subject) { return known(reference_of(subject)); }

inline std::string in_words(const Difference& difference) {
  return difference.what + " at step " + std::to_string(difference.step) + ": expected " + difference.expected + ", got " +
         difference.got;
}

}  // namespace ordercheck::ranks
