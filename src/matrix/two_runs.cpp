#include "matrix/two_runs.h"

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/side_by_side.h"
#include "matrix/summary.h"
#include "parity/wording.h"

namespace ordercheck {
namespace {

bool completed(const Outcome& outcome) { return outcome.record.ending == Ending::completed; }

CounterValues counters_of(const Outcome& outcome) {
  return counter_values(outcome.record.counters, outcome.record.collectives);
}

std::string verdict_of(const Outcome& outcome) {
  const auto& failure = outcome.record.failure;
  const char* verdict = name_of(outcome.judgement.verdict);
  return failure ? fmt::format("{} in {}", verdict, name_of(failure->phase)) : verdict;
}

std::string first_tensor_of(const Outcome& outcome) { return outcome.divergence ? divergence_text(*outcome.divergence) : "-"; }

// The numbers of the right, held against those of the left.
std::string bits_text(const Outcome& left, const Outcome& right) {
  if (!completed(left) || !completed(right))
    return "  The numbers of the two cannot be held against each other: not both completed.\n";
  const auto difference = first_difference(left.record, right.record);
  if (!difference) return "  Left and right have the same bits: every loss, gradient, norm and parameter.\n";
  return fmt::format("  Left and right part first here: {} ({} differ).\n", in_words(*difference, "the left"),
                     extent_of_difference(left.record, right.record));
}

}  // namespace

std::string render_two_runs(const Outcome& left, const Outcome& right, const Hello& hello) {
  std::vector<TableLine> lines{{fmt::format("{} ({})", hello.engine, join(hello.versions, ", ")), "left", "right"},
                               {"verdict", verdict_of(left), verdict_of(right)},
                               {"predicted", prediction_text(left), prediction_text(right)}};
  if (left.divergence || right.divergence) lines.push_back({"first in", first_tensor_of(left), first_tensor_of(right)});
  if (completed(left) && completed(right)) {
    const auto apart = counters_apart(counters_of(left), counters_of(right));
    add_counters(apart, lines);
    if (apart.empty()) lines.push_back({"counters", "the same", ""});
  }
  std::string text = render_table(lines);
  if (left.judgement.verdict != Verdict::equal) text += fmt::format("  left: {}\n", left.judgement.reason);
  if (right.judgement.verdict != Verdict::equal) text += fmt::format("  right: {}\n", right.judgement.reason);
  return text + bits_text(left, right);
}

}  // namespace ordercheck
