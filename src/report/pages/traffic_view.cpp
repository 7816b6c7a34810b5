#include "report/pages/traffic_view.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/plan.h"
#include "record/counters.h"
#include "record/evidence_table.h"
#include "report/pages/markdown.h"
#include "rules/load.h"
#include "stack/notation.h"
#include "stack/trainer.h"

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

// The count per microbatch: a whole number unless only some microbatches have the collective.
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
  // Round to nearest.
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
  // Cross-multiply to compare counts per microbatch exactly.
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

namespace {

bool is_newest(const EngineRuns& engine, const std::vector<EngineRuns>& engines) {
  const EngineRuns* newest = newest_that_decides(engine.table.engine, engines);
  return newest != nullptr && decides(engine.table) && newest->target == engine.target;
}

bool is_same(const Stack& a, const Stack& b) { return without_backend(a) == without_backend(b); }

// The rows with counts in the other engine's table that are for the same stack.
std::vector<const SentRow*> same_in(const SentTable& there, const Stack& stack) {
  std::vector<const SentRow*> rows;
  for (const SentRow& row : there.rows)
    if (row.counts && is_same(row.of, stack)) rows.push_back(&row);
  return rows;
}

bool agrees(const SentRow& here, const std::vector<const SentRow*>& there) {
  return std::ranges::all_of(there, [&](const SentRow* row) { return sends_as_often(*here.counts, *row->counts); });
}

std::string in_short(const std::vector<const SentRow*>& rows) {
  std::vector<std::string> texts;
  for (const SentRow* row : rows)
    if (const std::string text = in_short(*row); !contains(texts, text)) texts.push_back(text);
  return join(texts, "; ");
}

const TrafficDifference* why_differs(const TrafficTable& table, const Stack& stack) {
  const auto found =
      std::ranges::find_if(table.differs, [&](const TrafficDifference& one) { return contains(one.stacks, stack); });
  return found == table.differs.end() ? nullptr : &*found;
}

std::string difference_in_words(const TrafficDifference& why, const Sources& sources) {
  const Rule* page = find_rule(sources.rules, why.page);
  return page == nullptr ? why.why : fmt::format("{} {}", why.why, link_to(*page));
}

// A traffic table and the other engine's table that its `beside` names; both have runs.
struct Pair {
  const TrafficTable* wanted = nullptr;
  const SentTable* here = nullptr;
  const EngineRuns* engine = nullptr;  // the other engine
  SentTable there;
};

// The version that `beside` names, else the newest.
const EngineRuns* runs_beside(const Beside& beside, const std::vector<EngineRuns>& engines) {
  if (beside.version.empty()) return newest_that_decides(beside.engine, engines);
  const auto found = std::ranges::find_if(engines, [&](const EngineRuns& one) {
    return one.target.project == beside.engine && print(*one.target.version) == beside.version && decides(one.table);
  });
  return found == engines.end() ? nullptr : &*found;
}

std::vector<Pair> pairs_of(const std::vector<SentTable>& tables, const Sources& sources, const EngineRuns& engine,
                           const std::vector<EngineRuns>& engines) {
  std::vector<Pair> pairs;
  if (!is_newest(engine, engines)) return pairs;
  for (const TrafficTable& wanted : space_of(sources, engine.table.engine).traffic) {
    const auto here = std::ranges::find(tables, wanted.title, &SentTable::title);
    const EngineRuns* other = wanted.beside ? runs_beside(*wanted.beside, engines) : nullptr;
    if (here == tables.end() || other == nullptr) continue;
    for (SentTable& there : sent_tables(sources, *other))
      if (there.title == wanted.beside->title)
        pairs.push_back({.wanted = &wanted, .here = &*here, .engine = other, .there = std::move(there)});
  }
  return pairs;
}

BesideTable beside_table(const Pair& pair, const Sources& sources) {
  BesideTable table{.engine = print(pair.engine->target),
                    .model = pair.there.model,
                    .models = pair.wanted->beside->models,
                    .rows = {},
                    .only_here = {},
                    .only_there = {}};
  for (const SentRow& row : pair.here->rows) {
    if (!row.counts) continue;
    const auto there = same_in(pair.there, row.of);
    if (there.empty()) {
      table.only_here.push_back(row.stack);
      continue;
    }
    const TrafficDifference* why = why_differs(*pair.wanted, row.of);
    table.rows.push_back({.stack = row.stack,
                          .gathers = row.gathers,
                          .gathers_again = row.gathers_again,
                          .scatters = row.scatters,
                          .reduces = row.reduces,
                          .there = in_short(there),
                          .says = agrees(row, there) ? "agrees"
                                  : why == nullptr   ? ""
                                                     : difference_in_words(*why, sources)});
  }
  for (const SentRow& row : pair.there.rows)
    if (row.counts && same_in(*pair.here, row.of).empty()) table.only_there.push_back(row.stack);
  return table;
}

Error error_in(const TrafficTable& table, const std::string& what) {
  return {fmt::format("{}: traffic '{}': {}", table.file, table.title, what)};
}

Status check_named(const TrafficTable& table, const Sources& sources) {
  std::vector<std::string> engines = sources.engines;
  for (const EvidenceTable& evidence : sources.evidence)
    if (!contains(engines, evidence.engine)) engines.push_back(evidence.engine);
  const Beside& beside = *table.beside;
  if (!contains(engines, beside.engine))
    return error_in(table,
                    fmt::format("unknown engine '{}' in 'beside'; {}", beside.engine, did_you_mean(beside.engine, engines)));
  const auto space = sources.own_spaces.find(beside.engine);
  if (space == sources.own_spaces.end()) return Done{};
  std::vector<std::string> titles;
  for (const TrafficTable& there : space->second.traffic) titles.push_back(there.title);
  if (contains(titles, beside.title)) return Done{};
  return error_in(table, fmt::format("the space of {} has no table '{}' to compare with; {}", beside.engine, beside.title,
                                     did_you_mean(beside.title, titles)));
}

Status check_pages(const TrafficTable& table, const Sources& sources) {
  for (const TrafficDifference& why : table.differs)
    if (!why.page.empty() && find_rule(sources.rules, why.page) == nullptr)
      return error_in(table, fmt::format("no rule has the id '{}' that says more of why stacks differ", why.page));
  return Done{};
}

Status check_row(const SentRow& row, const Pair& pair) {
  const auto there = same_in(pair.there, row.of);
  const bool compared = row.counts && !there.empty();
  const bool differs = compared && !agrees(row, there), has_reason = why_differs(*pair.wanted, row.of) != nullptr;
  if (differs == has_reason) return Done{};
  const std::string engine = print(pair.engine->target);
  if (differs)
    return error_in(*pair.wanted, fmt::format("stack {} sends {} here and {} on {}, and nothing says why; add it to a "
                                              "[[traffic.differs]]",
                                              row.stack, in_short(row), in_short(there), engine));
  return error_in(*pair.wanted, fmt::format("[[traffic.differs]] says why stack {} differs, and {}; drop it there", row.stack,
                                            compared ? fmt::format("it sends {} here and on {}", in_short(row), engine)
                                                     : fmt::format("no run of it can be compared with one on {}", engine)));
}

// An error if a [[traffic.differs]] entry names a stack without a row in the comparison.
Status check_reasons(const Pair& pair) {
  for (const TrafficDifference& why : pair.wanted->differs)
    for (const Stack& stack : why.stacks)
      if (std::ranges::find(pair.here->rows, stack, &SentRow::of) == pair.here->rows.end())
        return error_in(*pair.wanted,
                        fmt::format("[[traffic.differs]] says why stack {} differs, and it was not run; drop it there",
                                    code(print(stack))));
  return Done{};
}

Status check_pair(const Pair& pair) {
  for (const SentRow& row : pair.here->rows)
    if (auto checked = check_row(row, pair); !checked) return checked;
  return check_reasons(pair);
}

Status check_tables(const Space& space, const Sources& sources) {
  for (const TrafficTable& table : space.traffic) {
    if (auto known = check_pages(table, sources); !known) return known;
    if (!table.beside) continue;
    if (auto known = check_named(table, sources); !known) return known;
  }
  return Done{};
}

}  // namespace

void lay_beside(std::vector<SentTable>& tables, const Sources& sources, const EngineRuns& engine,
                const std::vector<EngineRuns>& engines) {
  std::vector<std::pair<std::string, BesideTable>> made;
  for (const Pair& pair : pairs_of(tables, sources, engine, engines))
    made.emplace_back(pair.here->title, beside_table(pair, sources));
  for (auto& [title, beside] : made) std::ranges::find(tables, title, &SentTable::title)->beside = {std::move(beside)};
}

Status check_beside(const Sources& sources, const std::vector<EngineRuns>& engines) {
  if (auto checked = check_tables(sources.space, sources); !checked) return checked;
  for (const auto& [engine, space] : sources.own_spaces)
    if (auto checked = check_tables(space, sources); !checked) return checked;
  for (const EngineRuns& engine : engines) {
    const std::vector<SentTable> tables = sent_tables(sources, engine);
    for (const Pair& pair : pairs_of(tables, sources, engine, engines))
      if (auto checked = check_pair(pair); !checked) return checked;
  }
  return Done{};
}

}  // namespace ordercheck
