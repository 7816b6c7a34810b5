#include "report/pair_matrix.h"

#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "report/markdown.h"
#include "report/order_view.h"
#include "report/rule_view.h"
#include "rule/match.h"

namespace ordercheck {
namespace {

PairWord word_of(const Rule& rule, const Target& target, const Sources& sources) {
  switch (grade_of(rule, target, sources.observations).kind) {
    case GradeKind::contested: return PairWord::contested;
    case GradeKind::refuted:
    case GradeKind::stale: return PairWord::yes;
    case GradeKind::reproduced:
    case GradeKind::cited: break;
  }
  return rule.harm == Harm::slow || rule.harm == Harm::memory ? PairWord::worse : PairWord::no;
}

// How much a word says against the order.
int weight(PairWord word) {
  switch (word) {
    case PairWord::no: return 4;
    case PairWord::worse: return 3;
    case PairWord::contested: return 2;
    default: return 1;
  }
}

void judge_pair(const Stack& stack, const Sources& sources, PairCell& cell) {
  const Stack turned{.items = {stack.items[1], stack.items[0]}};
  const Target target = reader_target(sources);
  const auto decide = [&](PairWord word, const Rule& rule) {
    cell.word = word;
    cell.rule = link_to(rule, "rules/");
  };
  for (const Rule& rule : sources.rules)
    if (rule.kind == RuleKind::clash && !firings(rule, stack).empty()) return decide(PairWord::apart, rule);
  for (const Rule& rule : sources.rules) {
    if (rule.kind != RuleKind::order || firings(rule, stack).empty()) continue;
    const PairWord word = word_of(rule, target, sources);
    if (cell.rule.empty() || weight(word) > weight(cell.word)) decide(word, rule);
  }
  if (!cell.rule.empty()) return;
  for (const Rule& rule : sources.rules)
    if (rule.kind == RuleKind::order && !firings(rule, turned).empty()) return decide(PairWord::yes, rule);
  for (const Rule& rule : sources.rules)
    if (rule.kind == RuleKind::commutes && !commuting_pairs(rule, stack).empty()) return decide(PairWord::commutes, rule);
}

PairCell cell_of(const Stack& stack, const Sources& sources, const std::vector<ObservedEngine>& engines) {
  PairCell cell;
  judge_pair(stack, sources, cell);
  for (const ObservedEngine& engine : engines) {
    const Case c{.stack = stack, .engine = engine.table.engine, .settings = {}};
    if (const Outcome* outcome = find_outcome(engine, c))
      cell.seen.push_back(fmt::format("{}: {}", print(engine.target), seen_in_words(*outcome)));
  }
  cell.text = name_of(cell.word);
  if (!cell.rule.empty()) cell.text += " " + cell.rule;
  cell.text += cell.seen.empty() ? ", not run" : ", " + join(cell.seen, ", ");
  return cell;
}

}  // namespace

PairMatrix pair_matrix(const Sources& sources, const std::vector<ObservedEngine>& engines) {
  PairMatrix matrix{.names = known_transforms(sources.rules), .rows = {}};
  for (const std::string& before : matrix.names) {
    PairRow row{.name = before, .cells = {}};
    for (const std::string& after : matrix.names) {
      if (before == after) {
        row.cells.push_back({.word = PairWord::open, .text = "-"});
        continue;
      }
      row.cells.push_back(cell_of({.items = {item_named(before), item_named(after)}}, sources, engines));
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

const char* name_of(PairWord word) {
  switch (word) {
    case PairWord::yes: return "yes";
    case PairWord::worse: return "worse";
    case PairWord::no: return "no";
    case PairWord::apart: return "apart";
    case PairWord::contested: return "contested";
    case PairWord::commutes: return "commutes";
    case PairWord::open: return "open";
  }
  assert(false && "a word is one of seven");
  return "";
}

}  // namespace ordercheck
