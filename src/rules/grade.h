// Computes a rule's grade: how well committed runs and citations support its claim for one engine and version.
#pragma once

#include <string>
#include <vector>

#include "base/enum.h"
#include "record/observation.h"
#include "rules/rule.h"

namespace ordercheck {

//   reproduced  a run of the page's bad example stack shows every detail of the claim (run_support.h)
//   cited       no run, but a citation
//   contested   no run, and the citations disagree
//   refuted     a run of the bad example stack showed something else
//   stale       true for older versions, no longer for this one
ORDERCHECK_ENUM(GradeKind, reproduced, cited, contested, refuted, stale)

struct Grade {
  GradeKind kind = GradeKind::cited;
  std::string engine;  // engine of the run that decided the grade; empty if citations did
  std::string version;
  std::string on;    // for a project: the PyTorch of that run, "torch 2.11.0"
  std::string note;  // one clause: what the run showed, or why none decides
  friend bool operator==(const Grade&, const Grade&) = default;
};

// The grade of `rule` for an engine and version.
// - Only runs of the target's engine count, if the rule's `holds` names it. For a claim about mathematics, runs of every
//   engine count, the target's first.
// - If the target's version has no run, another version's run decides, usually the newest. If the rule is about the target's
//   version, only runs of versions that it is about count.
// - If the run of the target's version neither shows nor refutes the claim, such as an unrelated failure, the citations
//   decide.
Grade grade_of(const Rule& rule, const Target& target, const std::vector<Observation>& observations);

// How strict a finding of the rule is. error: the harm is wrong, fails, hangs or ignored, and the rule is fundamental or about
// the target, and its grade is not contested, refuted or stale. Everything else is advice.
ORDERCHECK_ENUM(Severity, error, advice)
Severity severity_of(const Rule& rule, const Target& target, const Grade& grade);

std::string print(const Grade& grade);  // "reproduced: pytorch 2.11.0", "cited"

}  // namespace ordercheck
