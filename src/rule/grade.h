// How well a claim stands for one engine and version: computed from evidence and citations, never typed.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "parity/observation.h"
#include "rule/rule.h"

namespace ordercheck {

//   reproduced  a run of the witness bore the claim out, in every detail (bears_out.h)
//   cited       nobody ran it; somebody said it
//   contested   nobody ran it, and the citations clash
//   refuted     a run of the witness showed something else
//   stale       true once, no longer in this version
ORDERCHECK_ENUM(GradeKind, reproduced, cited, contested, refuted, stale)

struct Grade {
  GradeKind kind = GradeKind::cited;
  std::string engine;  // whose run decided; empty where none did
  std::string version;
  std::string on;    // "torch 2.11.0", which that version ran on
  std::string note;  // one clause: what the run showed, or why a run decides nothing
  friend bool operator==(const Grade&, const Grade&) = default;
};

// The grade of `rule` for an engine and version. Only runs of that engine count, and only where `holds` speaks about it
// or about the mathematics (then any engine's runs count, its own first). Where this version was not run, the newest
// other one decides, but for a version that the rule holds for only runs of such versions do. A run that decides
// nothing, such as a foreign failure, leaves the grade of its version to the citations.
Grade grade_of(const Rule& rule, const Target& target, const std::vector<Observation>& observations);

// error: a harm that is wrong, fails, hangs or ignored, where the basis is fundamental or the rule holds for the target,
// unless contested, refuted or stale. Everything else is advice.
ORDERCHECK_ENUM(Severity, error, advice)
Severity severity_of(const Rule& rule, const Target& target, const Grade& grade);

std::string print(const Grade& grade);  // "reproduced: pytorch 2.11.0", "cited"

}  // namespace ordercheck
