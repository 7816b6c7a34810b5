// What one run of a case showed: the one shape in which it is judged, kept as evidence, held against rules and told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "parity/difference.h"
#include "parity/effect.h"
#include "parity/record.h"
#include "parity/verdict.h"

namespace ordercheck {

struct Observation {
  std::string engine = "";     // "pytorch"
  std::string version = "";    // "2.11.0": the version that rules speak about
  std::string on = "";         // "torch 2.11.0", of a project that runs on it; "" of PyTorch itself
  std::string case_text = "";  // print(Case)
  Verdict verdict = Verdict::unrun;
  Ending ending = Ending::completed;

  // Where it failed or hung. What is up to the threads (which rank raised first, how far the others came) is not kept.
  std::optional<Phase> phase = {};
  std::string module = "";     // path in the model, wrappers left out: "layers.0.attention"
  std::string operation = "";  // in flight: "all_gather"
  std::string group = "";      // mesh axis of a collective in flight: "tp"

  std::optional<Difference> difference = {};  // where numbers are not those that were owed
  std::string message = "";                   // of a failure its own; else one sentence: why the verdict is what it is

  std::vector<Effect> effects = {};               // one an item, in the order of the stack
  Counters counters = {};                         // zero unless completed
  std::vector<CollectiveCount> collectives = {};  // as a record has them; none unless completed

  // Of the record. In the native engine all that is not rounded to the grid is IEEE arithmetic, so that another processor gives
  // another digest only where a library's last bit straddles a grid point. Of the pytorch engine no digest is promised beyond
  // one processor where AdamW updates: at::sqrt of float64 asks MKL, whose last bit is the processor's own.
  Hash128 digest = {};

  std::string sources = "";  // evidence/engine_sources.h: hash of the driver that ran it; "" where none was taken
  std::string backend = "";  // of a compiled stack: whose graphs ran, in words; "" where the case names it
  friend bool operator==(const Observation&, const Observation&) = default;
};

// The items that lost their effect, printed: see lost_effects.
std::vector<std::string> lost_items(const Observation& seen);

// Why the verdict is what it is: the message. Of an ignored transform it is told from the effects, so that a row which an
// older program judged reads as one of today.
std::string reason_of(const Observation& seen);

// "equal", "fails in apply": two runs that fail need not fail alike.
std::string verdict_in_words(const Observation& seen);

// "layers.0.attention, all_gather on tp", "gradient of output.weight, step 0, rank 1": where it failed or what differs first;
// "" where neither.
std::string place_of(const Observation& seen);

}  // namespace ordercheck
