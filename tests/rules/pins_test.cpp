// Every [[expect]] of a page stands for a committed run of the page's own smallest stack, and says what that run showed.
#include "rules/pins.h"

#include <algorithm>

#include <fmt/format.h>

#include "rules/observations.h"
#include "rules/pages.h"
#include "rules/run_support.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

const std::vector<EvidenceTable>& tables() {
  static const std::vector<EvidenceTable> all = [] {
    const Result<std::vector<EvidenceTable>> read = read_evidence(ORDERCHECK_SOURCE_DIR "/matrix/evidence");
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read ? *read : std::vector<EvidenceTable>{};
  }();
  return all;
}

// What grades go by: of a stack with compile, inductor's run in place of its stand-in's where they part.
const std::vector<Observation>& runs() {
  static const std::vector<Observation> seen = observations_of(tables());
  return seen;
}

// As they were run. A departure may be that of the stand-in alone.
const std::vector<Observation>& rows() {
  static const std::vector<Observation> seen = [] {
    std::vector<Observation> all;
    for (const EvidenceTable& table : tables()) all.insert(all.end(), table.rows.begin(), table.rows.end());
    return all;
  }();
  return seen;
}

// What one pin says of its stack, whether it departs from the harm or not.
Claim claim_of_pin(const Rule& rule, const Expectation& pin) {
  return {.shown = pin, .counted = is_cost(rule) && !departs(rule, pin) ? Counted::cost : Counted::as_pinned};
}

// What a pin gets wrong, in one line; "" where a run of the witness bears it out.
std::string mistake_of(const Rule& rule, const Expectation& pin, const std::vector<Observation>& all) {
  const Stack& stack = pin.stack ? *pin.stack : rule.witness.bad;
  const std::string where = fmt::format("{}: {} {} on {}", rule.file, pin.engine, print(pin.version), print(stack));
  const std::string version = print(pin.version);
  const Observation* bad = find_run(all, stack, rule.witness, pin.engine, version);
  if (bad == nullptr)
    return where + ": no committed run shows this pin; what nobody ran is a citation, or a sentence of Limits";
  const Observation* good = find_run(all, rule.witness.good, rule.witness, pin.engine, version);
  const Borne borne = bears_out(claim_of_pin(rule, pin), *bad, good);
  return borne.bearing == Bearing::borne_out ? ""
                                             : fmt::format("{}: the committed run does not bear it out: {}", where, borne.why);
}

// A release of a project that was run on two releases of PyTorch has two tables, and a pin may be of either.
bool is_shown_by_a_table(const Rule& rule, const Expectation& pin) {
  return std::ranges::any_of(tables(), [&](const EvidenceTable& table) {
    return mistake_of(rule, pin, departs(rule, pin) ? table.rows : observations_of({table})).empty();
  });
}

class Pins : public testing::TestWithParam<Rule> {};

TEST_P(Pins, AreWhatACommittedRunOfTheWitnessShowed) {
  for (const Expectation& pin : GetParam().expectations)
    if (!is_shown_by_a_table(GetParam(), pin))
      EXPECT_EQ(mistake_of(GetParam(), pin, departs(GetParam(), pin) ? rows() : runs()), "");
}

INSTANTIATE_TEST_SUITE_P(Pages, Pins, testing::ValuesIn(pages()), test_name);

// That the test can fail: a pin against its own witness, a pin of a version that nobody ran.
TEST(BentPins, AreFound) {
  const Rule* rule = find_rule(pages(), "ORD-004");
  ASSERT_NE(rule, nullptr);
  const auto first = std::ranges::find(rule->expectations, "pytorch", &Expectation::engine);
  ASSERT_NE(first, rule->expectations.end());
  EXPECT_EQ(mistake_of(*rule, *first, runs()), "");
  Expectation bent = *first;
  bent.version = *parse_version("2.9.0");
  EXPECT_NE(mistake_of(*rule, bent, runs()).find("no committed run"), std::string::npos);
  bent = *first;
  bent.verdict = Verdict::equal;
  bent.because = "it does not";
  EXPECT_NE(mistake_of(*rule, bent, runs()).find("a foreign failure"), std::string::npos);
  bent = *first;
  bent.phase = Phase::forward;
  EXPECT_NE(mistake_of(*rule, bent, runs()).find("the rule says in forward, seen in apply"), std::string::npos);
}

}  // namespace
}  // namespace ordercheck
