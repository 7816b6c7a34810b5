#include "report/pages/traffic_view.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "parity/counters.h"
#include "plan/plan.h"
#include "report/pages/markdown.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

bool is_of_training(Phase phase) { return phase == Phase::forward || phase == Phase::recompute || phase == Phase::backward; }

SentCounts sent_in(const Observation& run, const std::vector<std::string>& leave_out, std::int64_t microbatches) {
  SentCounts sent{.microbatches = microbatches};
  for (const CollectiveCount& c : run.collectives) {
    if (!is_of_training(c.phase) || contains(leave_out, c.group)) continue;
    if (c.kind == "all_gather")
      (c.phase == Phase::forward ? sent.gathers : sent.gathers_again) += c.count;
    else if (c.kind == "reduce_scatter")
      sent.scatters += c.count;
    else if (c.kind == "all_reduce")
      sent.reduces += c.count;
    else
      continue;
    sent.bytes += c.bytes;
  }
  return sent;
}

// In one microbatch: a whole number, but for a collective that only some of them have.
std::string each(std::int64_t count, std::int64_t microbatches) {
  if (count % microbatches == 0) return thousands(count / microbatches);
  return fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(microbatches));
}

SentRow row_of(const Outcome& outcome, const Stack& stack, const TrafficTable& table) {
  SentRow row{.stack = code(print(outcome.subject.stack)), .verdict = verdict_in_words(outcome.seen), .of = stack};
  if (outcome.seen.ending != Ending::completed) return row;
  const Settings& settings = outcome.subject.settings;
  const std::int64_t microbatches = std::int64_t{settings.steps} * settings.accumulation;
  const SentCounts sent = sent_in(outcome.seen, table.leave_out, microbatches);
  row.gathers = each(sent.gathers, microbatches);
  row.gathers_again = each(sent.gathers_again, microbatches);
  row.scatters = each(sent.scatters, microbatches);
  row.reduces = each(sent.reduces, microbatches);
  row.bytes = thousands((sent.bytes + microbatches / 2) / microbatches);
  row.counts = sent;
  return row;
}

std::string in_us(std::int64_t ns) { return fmt::format("{}.{}", ns / 1000, ns % 1000 / 100); }

TakenRow taken_row_of(const Outcome& outcome) {
  TakenRow row{.stack = code(print(outcome.subject.stack))};
  const Counters& counters = outcome.seen.counters;
  if (outcome.seen.ending != Ending::completed) return row;
  if (is_measured(counters.saved_bytes_peak)) row.saved = thousands(counters.saved_bytes_peak);
  if (is_measured(counters.parameter_bytes_peak)) row.parameters = thousands(counters.parameter_bytes_peak);
  if (counters.graph_step_ns == 0) return row;
  row.buckets = std::to_string(counters.graph_buckets);
  row.step = in_us(counters.graph_step_ns);
  row.exposed = in_us(counters.graph_exposed_ns);
  row.held = thousands(counters.graph_held_bytes_peak);
  return row;
}

}  // namespace

bool sends_as_often(const SentCounts& a, const SentCounts& b) {
  const auto same = [&](std::int64_t in_a, std::int64_t in_b) { return in_a * b.microbatches == in_b * a.microbatches; };
  return same(a.gathers, b.gathers) && same(a.gathers_again, b.gathers_again) && same(a.scatters, b.scatters) &&
         same(a.reduces, b.reduces);
}

std::string in_short(const SentRow& row) { return join({row.gathers, row.gathers_again, row.scatters, row.reduces}, " / "); }

std::vector<SentTable> sent_tables(const Sources& sources, const EngineRuns& engine) {
  std::vector<SentTable> tables;
  for (const TrafficTable& wanted : space_of(sources, engine.table.engine).traffic) {
    SentTable table{.title = wanted.title,
                    .engine = print_engine(engine),
                    .model = code(wanted.model),
                    .steps = std::to_string(wanted.steps),
                    .rows = {},
                    .taken = {}};
    for (const Case& c : cases_of(wanted, engine.table.engine))
      if (const Outcome* outcome = find_outcome(engine, c)) {
        table.rows.push_back(row_of(*outcome, c.stack, wanted));
        table.taken.push_back(taken_row_of(*outcome));
      }
    if (std::ranges::all_of(table.taken, [](const TakenRow& row) { return row.step.empty(); })) table.taken.clear();
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace ordercheck
