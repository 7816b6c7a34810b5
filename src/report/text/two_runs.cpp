#include "report/text/two_runs.h"

#include <fmt/format.h>

#include "base/text.h"
#include "parity/difference.h"
#include "parity/wording.h"
#include "report/text/side_by_side.h"
#include "report/text/summary.h"

namespace ordercheck {
namespace {

bool is_complete(const CaseResult& result) { return result.record.ending == Ending::completed; }

std::string first_tensor_of(const CaseResult& result) { return result.divergence ? in_words(*result.divergence) : "-"; }

// The numbers of the right, held against those of the left.
std::string bits_text(const CaseResult& left, const CaseResult& right) {
  if (!is_complete(left) || !is_complete(right))
    return "  The numbers of the two cannot be held against each other: not both completed.\n";
  const auto difference = first_difference(left.record, right.record);
  if (!difference) return "  Left and right have the same bits: every loss, gradient, norm and parameter.\n";
  return fmt::format("  Left and right part first here: {} ({} differ).\n", in_words(*difference, "the left"),
                     extent_of_difference(left.record, right.record));
}

}  // namespace

std::string render_two_runs(const CaseResult& left, const CaseResult& right, const Hello& hello) {
  std::vector<TableLine> lines{{fmt::format("{} ({})", hello.engine, join(hello.versions, ", ")), "left", "right"},
                               {"verdict", verdict_in_words(left.outcome.seen), verdict_in_words(right.outcome.seen)},
                               {"predicted", prediction_text(left.outcome), prediction_text(right.outcome)}};
  if (left.divergence || right.divergence) lines.push_back({"first in", first_tensor_of(left), first_tensor_of(right)});
  if (is_complete(left) && is_complete(right)) {
    const auto apart = counters_apart(counter_values(left.outcome.seen), counter_values(right.outcome.seen));
    add_counters(apart, lines);
    if (apart.empty()) lines.push_back({"counters", "the same", ""});
  }
  std::string text = render_table(lines);
  if (left.outcome.seen.verdict != Verdict::equal) text += fmt::format("  left: {}\n", reason_of(left));
  if (right.outcome.seen.verdict != Verdict::equal) text += fmt::format("  right: {}\n", reason_of(right));
  return text + bits_text(left, right);
}

}  // namespace ordercheck
