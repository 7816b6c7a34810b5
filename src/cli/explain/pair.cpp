#include "check/pair.h"

#include <fmt/format.h>

#include "cli/explain/explain.h"
#include "report/text/side_by_side.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck::cli {

namespace {

// An optimizer that is not named is the one that runs train with.
Item as_run(const Item& item) { return item.name == default_trainer().name && item.mode.empty() ? default_trainer() : item; }

}  // namespace

std::string explain_two(const Item& a, const Item& b, const Knowledge& knowledge, const Target& target) {
  const Judge judge(knowledge.rules, target, knowledge.observations);
  const Stack straight{.items = {as_run(a), as_run(b)}}, turned{.items = {as_run(b), as_run(a)}};
  const auto seen = seen_of(straight, turned, knowledge.observations);
  std::string text = verdict_in_words(a, b, judge);
  for (const SeenOfTwo& one : seen) text += "; " + describe(one);
  text += "\n\n" + explain_pair(a, b, judge);
  text += seen.empty() ? "\nNo run of exactly the two is committed, at degree 2 and of the usual model and number of steps.\n"
                       : "\nWhat runs of exactly the two showed:\n";
  for (const SeenOfTwo& one : seen) text += render_table(table_of(one, print(straight), print(turned)));
  return text + fmt::format("\nJudged for {}.\n", print(target));
}

}  // namespace ordercheck::cli
