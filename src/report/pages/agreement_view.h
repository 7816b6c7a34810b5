// How one engine's runs stand against today's rules: what agrees, what contradicts, what no rule decides, what was left out.
#pragma once

#include <string>
#include <vector>

#include "report/pages/engine_runs.h"
#include "report/pages/sources.h"

namespace ordercheck {

struct ContradictionRow {
  std::string what;         // the case: "`fsdp=2,ac,tp=2`"
  std::string claimed;      // "ORD-003 predicts differs; seen: fails"
  std::string seen;         // what the run printed
  std::string explanation;  // of a page, or "no rule explains it"
};

// Cases that no rule decides for the same reason.
struct OpenCases {
  std::string why;                 // "no rule speaks about this engine and version (ORD-009 speaks about others)"
  std::vector<std::string> cases;  // "`fsdp=2,ac`"
};

struct AgreementView {
  std::string title;                                                  // "native 2.11.0, cpu"
  std::string file;                                                   // of its page, in docs/evidence/
  std::string confirmed, open, explained, contradictions, undecided;  // how many
  std::vector<ContradictionRow> rows;
  std::vector<OpenCases> open_cases;
  std::string left_out;  // "the native engine builds no compile (12 cases); asked for since (3 cases)"; "" of nothing
};

AgreementView agreement_view(const Sources& sources, const EngineRuns& engine);

}  // namespace ordercheck
