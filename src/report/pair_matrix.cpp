#include "report/pair_matrix.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/markdown.h"
#include "report/order_view.h"
#include "report/rule_view.h"

namespace ordercheck {
namespace {

PairCell cell_of(const Stack& stack, const Judge& judge, const std::vector<ObservedEngine>& engines) {
  const PairAnswer answer = answer_for(stack.items[0], stack.items[1], judge);
  PairCell cell{.word = answer.word, .rule = answer.rule == nullptr ? "" : link_to(*answer.rule, "rules/"), .seen = {}, .text = ""};
  for (const ObservedEngine& engine : engines) {
    const Case c = usual_case(stack, Case{}.model, engine.table.engine);
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
  const Judge judge(sources.rules, reader_target(sources), sources.observations);
  PairMatrix matrix{.names = known_transforms(sources.rules), .rows = {}};
  for (const std::string& before : matrix.names) {
    PairRow row{.name = before, .cells = {}};
    for (const std::string& after : matrix.names) {
      if (before == after) {
        row.cells.push_back({.word = PairWord::open, .text = "-"});
        continue;
      }
      row.cells.push_back(cell_of({.items = {item_named(before), item_named(after)}}, judge, engines));
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace ordercheck
