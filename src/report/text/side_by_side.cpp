#include "report/text/side_by_side.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"
#include "matrix/orders.h"
#include "record/counters.h"
#include "record/difference.h"
#include "record/verdict.h"
#include "report/text/summary.h"
#include "rules/job.h"
#include "stack/case.h"

namespace ordercheck {
namespace {

// A bare "all_gather" is the sum of its per-axis counters "all_gather@...".
bool is_sum(const std::string& counter, const CounterValues& values) {
  const std::string with_axis = counter.substr(0, counter.find(':')) + "@";
  const auto next = values.lower_bound(with_axis);
  return counter.find('@') == std::string::npos && next != values.end() && next->first.starts_with(with_axis);
}

bool completed(const Observation* seen) {
  return seen != nullptr &&
         (shows_parity(seen->verdict) || seen->verdict == Verdict::differs || seen->verdict == Verdict::ignored);
}

const Observation* find_seen(const Stack& stack, const SeenOfTwo& where, const std::vector<Observation>& observations) {
  const std::string text = print(usual_case(with_degrees(stack), model_of(stack, Case{}.model), where.engine));
  const auto found = std::ranges::find_if(observations, [&](const Observation& seen) {
    return seen.engine == where.engine && seen.version == where.version && seen.on == where.on && seen.case_text == text;
  });
  return found == observations.end() ? nullptr : &*found;
}

std::string name_of(const SeenOfTwo& seen) {
  return fmt::format("{} {}{}", seen.engine, seen.version, seen.on.empty() ? "" : " on " + seen.on);
}

std::string verdict_of(const Observation* seen) { return seen == nullptr ? "not run" : verdict_in_words(*seen); }

}  // namespace

std::vector<CounterApart> counters_apart(const CounterValues& left, const CounterValues& right) {
  CounterValues both = left;
  both.insert(right.begin(), right.end());
  std::vector<CounterApart> apart;
  for (const auto& [name, unused] : both) {
    const CounterApart one{name, value_in(left, name), value_in(right, name)};
    if ((one.left != one.right || !is_measured(one.left)) && !is_sum(name, both)) apart.push_back(one);
  }
  return apart;
}

std::vector<SeenOfTwo> seen_of(const Stack& left, const Stack& right, const std::vector<Observation>& observations) {
  std::set<std::tuple<std::string, std::string, std::string>> engines;
  for (const Observation& seen : observations) engines.insert({seen.engine, seen.version, seen.on});
  std::vector<SeenOfTwo> both;
  for (const auto& [engine, version, on] : engines) {
    SeenOfTwo seen{.engine = engine, .version = version, .on = on, .left = nullptr, .right = nullptr, .apart = {}};
    seen.left = find_seen(left, seen, observations);
    seen.right = find_seen(right, seen, observations);
    if (seen.left == nullptr && seen.right == nullptr) continue;
    if (completed(seen.left) && completed(seen.right))
      seen.apart = counters_apart(counter_values(*seen.left), counter_values(*seen.right));
    both.push_back(std::move(seen));
  }
  return both;
}

std::string describe(const std::vector<SeenOfTwo>& seen) {
  std::vector<std::pair<std::string, std::vector<std::string>>> names;  // by what was shown
  for (const SeenOfTwo& one : seen) {
    const std::string left = verdict_of(one.left), right = verdict_of(one.right);
    const std::string shown = left == right ? left + " either way" : fmt::format("{}, the other way {}", left, right);
    auto same = std::ranges::find(names, shown, [](const auto& group) { return group.first; });
    if (same == names.end()) same = names.insert(same, {shown, {}});
    same->second.push_back(name_of(one));
  }
  std::vector<std::string> parts;
  for (const auto& [shown, engines] : names) parts.push_back(fmt::format("{} showed {}", join(engines, ", "), shown));
  return join(parts, "; ");
}

std::string render_table(const std::vector<TableLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const TableLine& line : lines) rows.push_back({line.what, line.left, line.right});
  return in_columns(rows);
}

void add_counters(const std::vector<CounterApart>& apart, std::vector<TableLine>& lines) {
  // Omit a number next to an unmeasured one: the reader would take it for more or less.
  const auto text = [](std::int64_t value, std::int64_t other) -> std::string {
    if (!is_measured(value)) return "not measured";
    return is_measured(other) ? std::to_string(value) : "measured here alone";
  };
  for (const CounterApart& one : apart) lines.push_back({one.counter, text(one.left, one.right), text(one.right, one.left)});
}

std::vector<TableLine> table_of(const SeenOfTwo& seen, const std::string& left_name, const std::string& right_name) {
  std::vector<TableLine> lines{{name_of(seen), left_name, right_name},
                               {"verdict", verdict_of(seen.left), verdict_of(seen.right)}};
  const auto backend = [](const Observation* one) { return one == nullptr ? std::string() : one->backend; };
  if (!backend(seen.left).empty() || !backend(seen.right).empty())
    lines.push_back({"compiled", backend(seen.left), backend(seen.right)});
  add_counters(seen.apart, lines);
  if (seen.apart.empty() && completed(seen.left) && completed(seen.right)) lines.push_back({"counters", "the same", ""});
  return lines;
}

namespace {

bool is_complete(const CaseResult& result) { return result.record.ending == Ending::completed; }

std::string first_tensor_of(const CaseResult& result) { return result.divergence ? in_words(*result.divergence) : "-"; }

// Says whether two runs with different bits differ by rounding alone.
std::string noise_text(const CaseResult& left, const CaseResult& right) {
  const auto is = [&](Verdict verdict) {
    return left.outcome.seen.verdict == verdict && right.outcome.seen.verdict == verdict;
  };
  if (is(Verdict::close))
    return "  The difference is noise: neither run is further from float64 than rounding takes a single rank.\n";
  if (left.outcome.subject.settings.arithmetic == Arithmetic::exact &&
      right.outcome.subject.settings.arithmetic == Arithmetic::exact)
    return "  The difference is not noise: no sum rounds in exact arithmetic.\n";
  if (left.outcome.seen.verdict == Verdict::differs || right.outcome.seen.verdict == Verdict::differs)
    return "  The difference is not noise: a run that differs is further from float64 than rounding takes a single rank.\n";
  return "  Whether the difference is noise is not decided.\n";
}

// Says whether the two runs are bitwise equal, or where the right one first differs from the left one.
std::string bits_text(const CaseResult& left, const CaseResult& right) {
  if (!is_complete(left) || !is_complete(right)) return "  The numbers cannot be compared: not both runs completed.\n";
  const auto difference = first_difference(left.record, right.record);
  if (!difference) return "  Left and right have the same bits: every loss, gradient, norm and parameter.\n";
  return fmt::format("  Left and right part first here: {} ({} differ).\n{}", in_words(*difference, "the left"),
                     extent_of_difference(left.record, right.record), noise_text(left, right));
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
