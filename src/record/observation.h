// Defines an observation: the verdict on one case and its details, as one row of an evidence table stores them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "record/difference.h"
#include "record/effect.h"
#include "record/record.h"
#include "record/verdict.h"

namespace ordercheck {

struct Observation {
  std::string engine = "";     // "pytorch"
  std::string version = "";    // "2.11.0": the engine's version number, as rules compare it
  std::string on = "";         // "torch 2.11.0" for a project that runs on PyTorch; "" for PyTorch itself
  std::string case_text = "";  // print(Case)
  Verdict verdict = Verdict::unrun;
  Ending ending = Ending::completed;

  // Where the run failed or hung. Without the rank that raised first and the progress of the others, which depend on timing.
  std::optional<Phase> phase = {};
  std::string module = "";     // path in the model without wrappers: "layers.0.attention"
  std::string operation = "";  // the operation that was running: "all_gather"
  std::string group = "";      // mesh axis of the collective in flight: "tp"

  std::optional<Difference> difference = {};  // the first number that differs from the expected one
  std::string message = "";                   // the exception's message if it failed; else a sentence that explains the verdict

  std::vector<Effect> effects = {};               // one per transform of the stack, in stack order
  Counters counters = {};                         // zero unless completed
  std::vector<CollectiveCount> collectives = {};  // as in the record; empty unless completed

  // Digest of the run's record. Digests of the native engine are the same on every processor, unless the last bit of a math
  // library decides how a value is rounded to the grid. Digests of the pytorch engine with AdamW hold for one processor only:
  // at::sqrt of float64 calls MKL, whose last bit varies.
  Hash128 digest = {};

  std::string sources = "";  // hash of the driver that ran it (record/engine_sources.h); "" if not taken
  std::string backend = "";  // for a stack with compile: the backend that ran; "" if the case names it
  friend bool operator==(const Observation&, const Observation&) = default;
};

// The transforms that had no effect, as written in the stack; see lost_effects (effect.h).
std::vector<std::string> lost_items(const Observation& seen);

// The reason for the verdict. For the verdict `ignored` it is computed from the effects instead of the stored message, so that
// rows of older program versions read the same.
std::string reason_of(const Observation& seen);

// "equal", "fails in apply": the verdict, and for a failure its phase.
std::string verdict_in_words(const Observation& seen);

// Where the run failed or first differs from the reference: "layers.0.attention, all_gather on tp", "gradient of
// output.weight, step 0, rank 1"; "" if neither.
std::string place_of(const Observation& seen);

}  // namespace ordercheck
