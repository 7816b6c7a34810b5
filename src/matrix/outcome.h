// Predicted against observed, for one case and for a whole matrix. What reports and pages are rendered from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/table.h"
#include "matrix/plan.h"
#include "parity/verdict.h"

namespace ordercheck {

// What the rules say that an engine and version will show.
struct Foreseen {
  Verdict verdict = Verdict::equal;
  std::string rule;       // "ORD-004"; "" where no rule speaks and equality is owed
  bool explained = false; // the page states for this engine and version, with a because, that it is observed otherwise
  std::string because;
  std::string phase;      // a failure must be in this phase; "" for any
  std::string message;    // and its message must hold this; "" for any
  friend bool operator==(const Foreseen&, const Foreseen&) = default;
};

//   confirmed      a rule predicted what was seen
//   contradiction  a rule predicted something else, or a harm was seen that no rule predicted
//   open           no rule speaks about this engine and version, and nothing went wrong
//   undecided      nothing was shown: unrun or unstable
enum class Agreement { confirmed, contradiction, open, undecided };

// The first tensor, in execution order, that two runs do not share.
struct Divergence {
  int step = 0;
  Phase phase = Phase::forward;
  std::string module;
  std::uint64_t ulp = 0;         // the largest distance of one element
  std::int64_t elements = 0;     // of the tensor
  std::int64_t differing = 0;    // of its elements
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

struct Outcome {
  PlannedCase planned;
  Record record;                 // the subject's first run
  Judgement judgement;
  std::optional<Foreseen> foreseen;
  std::vector<std::string> findings;  // ids of every rule that fires on the stack, most severe first
  Agreement agreement = Agreement::undecided;
  std::string persistence;       // of a difference: "also with seed 2, also on the grid 2^-18"
  std::optional<Divergence> divergence;
};

struct MatrixResult {
  Hello hello;
  Plan plan;
  std::vector<Outcome> outcomes;  // in the order of the plan
  std::vector<Control> controls;
};

// What was foreseen against what was seen. A foreign failure, in another phase or with another message, confirms nothing.
Agreement agreement_of(const std::optional<Foreseen>& foreseen, const Judgement& judgement, const Record& record);

// A contradiction that the rule's page states and explains.
bool is_explained(const Outcome& outcome);

EvidenceTable evidence_of(const MatrixResult& result);

const char* name_of(Agreement agreement);

}  // namespace ordercheck
