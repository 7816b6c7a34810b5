// The table of cases of the one judge: what is said of a run, what was seen, and what that decides.
#include "rules/run_support.h"

#include <map>

#include <gmock/gmock.h>

#include "record/counters.h"
#include "rules/pins.h"
#include "stack/notation.h"
#include "unit/rules/page_text.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const Observation kEqual{
    .engine = "pytorch", .version = "2.11.0", .case_text = "fsdp=2,tp=2 engine=pytorch", .verdict = Verdict::equal};

Observation of_verdict(Verdict verdict) {
  Observation seen = kEqual;
  seen.verdict = verdict;
  return seen;
}

Observation failed(std::optional<Phase> phase, const char* message) {
  Observation seen = of_verdict(Verdict::fails);
  seen.phase = phase;
  seen.message = message;
  return seen;
}

Observation hung(const char* operation, const char* group) {
  Observation seen = of_verdict(Verdict::hangs);
  seen.message = "rank 0 waits in all_reduce on tp";  // a message names both, whatever the fields say
  seen.operation = operation;
  seen.group = group;
  return seen;
}

Observation lost(std::vector<std::string> items) {
  Observation seen = of_verdict(Verdict::ignored);
  seen.message = "every bit is there";
  for (std::string& item : items) seen.effects.push_back({.transform = std::move(item), .present = false});
  return seen;
}

Observation partly_lost(const std::string& item) {
  Observation seen = lost({item});
  seen.effects.front().partly = true;
  return seen;
}

Observation counted(std::int64_t gathers) {
  Observation seen = kEqual;
  seen.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = gathers}};
  return seen;
}

Claim of(Expectation shown, Counted counts = Counted::as_pinned) { return {.shown = std::move(shown), .counted = counts}; }

Claim cost(Move move) { return of({.verdict = Verdict::equal, .move = move, .counter = "all_gather"}, Counted::cost); }

const Claim kFails = of({.verdict = Verdict::fails, .phase = Phase::apply, .message = "mixed"});
const Claim kHangs = of({.verdict = Verdict::hangs, .operation = "all_reduce", .group = "tp"});
const Claim kLoses = of({.verdict = Verdict::ignored, .loses = *parse_pattern("ac|sac")});
const Claim kLosesPart = of({.verdict = Verdict::ignored, .loses = *parse_pattern("ac|sac"), .loses_part = true});
const Claim kLosesAndCounts =
    of({.verdict = Verdict::ignored, .loses = *parse_pattern("ac"), .move = Move::same, .counter = "all_gather"});
const Claim kWrong = of({.verdict = Verdict::differs});
const Claim kNothing = of({.verdict = Verdict::equal});
const Claim kCommute = of({.verdict = Verdict::equal}, Counted::the_same);

Claim departing(Claim claim, Expectation otherwise) {
  otherwise.because = "the page says why";
  claim.departures.push_back(std::move(otherwise));
  return claim;
}

Observation ignored_with(std::int64_t gathers) {
  Observation seen = lost({"ac"});
  seen.collectives = {{.kind = "all_gather", .group = "dp_shard", .phase = Phase::forward, .count = gathers}};
  return seen;
}

constexpr auto kBorneOut = Bearing::borne_out, kDeparted = Bearing::departed, kForeign = Bearing::foreign,
               kUndecided = Bearing::undecided;

struct Row {
  const char* what;
  Claim claim;
  Observation seen;
  std::optional<Observation> beside;
  Bearing bearing;
  const char* why = "";
  const char* because = "";
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      // Verdicts alone.
      {"equal as said", kNothing, kEqual, {}, kBorneOut},
      {"differs where nothing is said against it",
       kNothing,
       of_verdict(Verdict::differs),
       {},
       kDeparted,
       "differs where equal was expected"},
      {"wrong as said", kWrong, of_verdict(Verdict::differs), {}, kBorneOut},
      {"equal where wrong is said", kWrong, kEqual, {}, kDeparted, "equal where differs was expected"},
      {"unrun", kWrong, of_verdict(Verdict::unrun), {}, kUndecided},
      {"unstable", kNothing, of_verdict(Verdict::unstable), {}, kUndecided},
      {"a failure where wrong is said", kWrong, failed(Phase::apply, "boom"), {}, kForeign, "a foreign failure: \"boom\""},
      {"a hang where a failure is said", kFails, hung("all_reduce", "tp"), {}, kForeign},

      // A failure: phase and message.
      {"the failure that is pinned", kFails, failed(Phase::apply, "got mixed tensors"), {}, kBorneOut, "\"got mixed tensors\""},
      {"in another phase",
       kFails,
       failed(Phase::forward, "got mixed tensors"),
       {},
       kForeign,
       "the rule says in apply, seen in forward"},
      {"in no phase", kFails, failed({}, "got mixed tensors"), {}, kForeign, "in no phase"},
      {"with another message", kFails, failed(Phase::apply, "boom"), {}, kForeign, "the rule says \"mixed\", seen \"boom\""},
      {"without a pinned phase",
       of({.verdict = Verdict::fails, .message = "mixed"}),
       failed(Phase::apply, "mixed"),
       {},
       kUndecided,
       "no rule pins"},
      {"without a pinned message",
       of({.verdict = Verdict::fails, .phase = Phase::apply}),
       failed(Phase::apply, "mixed"),
       {},
       kUndecided,
       "no rule pins"},
      {"equal where a failure is said", kFails, kEqual, {}, kDeparted, "equal where fails was expected"},

      // A hang: operation and group as fields, whatever the message holds.
      {"the hang that is pinned", kHangs, hung("all_reduce", "tp"), {}, kBorneOut, "in all_reduce on tp"},
      {"in another operation", kHangs, hung("all_gather", "tp"), {}, kForeign, "seen all_gather on tp"},
      {"on another group", kHangs, hung("all_reduce", "dp_shard"), {}, kForeign},
      {"in no operation that is known", kHangs, hung("", ""), {}, kForeign, "in no operation"},
      {"a hang without pins", of({.verdict = Verdict::hangs}), hung("all_reduce", "tp"), {}, kUndecided, "no rule pins"},

      // An ignored transform: which one.
      {"the transform that is named", kLoses, lost({"sac"}), {}, kBorneOut},
      {"one of two that lost it", kLoses, lost({"compile", "ac"}), {}, kBorneOut},
      {"another transform", kLoses, lost({"compile"}), {}, kDeparted, "compile lost its effect, not ac|sac"},
      {"a part, where all is said or nothing of it",
       kLoses,
       partly_lost("ac"),
       {},
       kBorneOut,
       "ac has only a part of its effect"},
      {"a part, as is said", kLosesPart, partly_lost("ac"), {}, kBorneOut, "ac has only a part of its effect"},
      {"all, where a part is said", kLosesPart, lost({"ac"}), {}, kDeparted, "ac lost all of its effect, not a part of it"},
      {"a part of another transform's", kLosesPart, partly_lost("compile"), {}, kDeparted, "compile lost its effect"},
      {"parameters that never changed", kLoses, lost({}), {}, kForeign},
      {"no transform is named", of({.verdict = Verdict::ignored}), lost({"ac"}), {}, kUndecided, "no rule says which"},
      {"and its counter", kLosesAndCounts, ignored_with(2), counted(2), kBorneOut,
       "all_gather is 2 against 2 in the good stack"},
      {"but not its counter", kLosesAndCounts, ignored_with(2), counted(3), kDeparted,
       "all_gather is 2 against 3 in the good stack, not same"},

      // A cost: a counter that moved as said. `same` shows none.
      {"more as said", cost(Move::more), counted(3), counted(2), kBorneOut, "all_gather is 3 against 2 in the good stack"},
      {"less as said", cost(Move::less), counted(1), counted(2), kBorneOut},
      {"the same where more is said", cost(Move::more), counted(2), counted(2), kDeparted,
       "all_gather is 2 against 2 in the good stack, not more"},
      {"less where more is said", cost(Move::more), counted(1), counted(2), kDeparted},
      {"without a counter", cost(Move::none), counted(3), counted(2), kUndecided, "no rule pins a counter"},
      {"without a good stack", cost(Move::more), counted(3), {}, kUndecided, "the good stack did not run equal"},
      {"a good stack that is broken", cost(Move::more), counted(3), of_verdict(Verdict::differs), kUndecided},
      {"not measured", cost(Move::more), counted(kNotMeasured), counted(2), kUndecided,
       "all_gather is not measured by pytorch"},
      {"not measured in the good stack", cost(Move::more), counted(3), counted(kNotMeasured), kUndecided},
      {"other numbers where a cost is said", cost(Move::more), of_verdict(Verdict::differs), counted(2), kUndecided,
       "its cost says nothing"},
      {"other numbers in both stacks", kWrong, of_verdict(Verdict::differs), of_verdict(Verdict::differs), kUndecided,
       "the good stack ran differs too"},
      {"other numbers in the bad stack alone", kWrong, of_verdict(Verdict::differs), counted(2), kBorneOut},

      // Orders that commute.
      {"both equal, the same counters", kCommute, counted(2), counted(2), kBorneOut, "equal numbers and counters"},
      {"both equal, other counters", kCommute, counted(2), counted(3), kDeparted, "all_gather is 2 and 3"},
      {"a counter that one has not measured", kCommute, counted(2), counted(kNotMeasured), kUndecided},
      {"a counter that neither has measured", kCommute, counted(kNotMeasured), counted(kNotMeasured), kBorneOut},
      {"one differs", kCommute, kEqual, of_verdict(Verdict::differs), kDeparted},
      {"one fails", kCommute, failed(Phase::apply, "boom"), kEqual, kDeparted},
      {"both fail", kCommute, failed(Phase::apply, "boom"), failed(Phase::apply, "boom"), kUndecided,
       "neither order ran equal"},
      {"one order alone", kCommute, kEqual, {}, kUndecided, "only one of the two orders ran"},

      // What the page pins instead: its departure is looked for only where the harm is not there.
      {"the departure that is pinned",
       departing(kFails, {.verdict = Verdict::equal}),
       kEqual,
       {},
       kDeparted,
       "equal where fails was expected",
       "the page says why"},
      {"the harm against the page's departure",
       departing(kFails, {.verdict = Verdict::equal}),
       failed(Phase::apply, "mixed"),
       {},
       kBorneOut},
      {"a departure that was not seen",
       departing(kWrong, {.verdict = Verdict::ignored, .loses = *parse_pattern("ac")}),
       kEqual,
       {},
       kDeparted},
      {"the second of two departures",
       departing(departing(kWrong, {.verdict = Verdict::fails, .phase = Phase::apply, .message = "boom"}),
                 {.verdict = Verdict::equal}),
       kEqual,
       {},
       kDeparted,
       "equal where differs was expected",
       "the page says why"},
      {"a failure as pinned instead",
       departing(kWrong, {.verdict = Verdict::fails, .phase = Phase::apply, .message = "boom"}),
       failed(Phase::apply, "boom"),
       {},
       kDeparted,
       "",
       "the page says why"},
      {"another failure than is pinned instead",
       departing(kWrong, {.verdict = Verdict::fails, .phase = Phase::forward, .message = "boom"}),
       failed(Phase::apply, "boom"),
       {},
       kForeign},
      {"a cost that is not there, as pinned instead",
       departing(cost(Move::none), {.verdict = Verdict::equal, .move = Move::same, .counter = "all_gather"}), counted(2),
       counted(2), kDeparted, "", "the page says why"},
      {"a cost that moved against what is pinned instead",
       departing(cost(Move::none), {.verdict = Verdict::equal, .move = Move::same, .counter = "all_gather"}), counted(3),
       counted(2), kUndecided},
  };
  return table;
}

TEST(BearsOut, EveryRowOfTheTable) {
  for (const Row& row : rows()) {
    const Borne borne = bears_out(row.claim, row.seen, row.beside ? &*row.beside : nullptr);
    EXPECT_EQ(borne.bearing, row.bearing) << row.what << ": " << borne.why;
    EXPECT_THAT(borne.why, HasSubstr(row.why)) << row.what;
    EXPECT_EQ(borne.because, row.because) << row.what;
  }
}

TEST(BearsOut, TheTableHasEveryBearing) {
  std::map<Bearing, int> counts;
  for (const Row& row : rows()) ++counts[row.bearing];
  EXPECT_EQ(counts.size(), 4u);
  for (const auto& [bearing, count] : counts) EXPECT_GT(count, 5);
}

TEST(Claims, OnAnyStackNoCounterIsAsked) {
  Rule rule = rule_of(good_page());
  rule.harm = Harm::slow;
  rule.expectations[0] = {.engine = "pytorch",
                          .version = *parse_version("2.11.0"),
                          .verdict = Verdict::equal,
                          .move = Move::more,
                          .counter = "all_gather"};
  const Version version = *parse_version("2.11");
  EXPECT_EQ(bears_out(claim_on_witness(rule, "pytorch", version), counted(3), nullptr).bearing, Bearing::undecided);
  EXPECT_EQ(bears_out(claim_on_stack(rule, rule.witness.bad, "pytorch", version), counted(3), nullptr).bearing,
            Bearing::borne_out);
}

TEST(Pins, ACostThatStaysTheSameDeparts) {
  Rule rule = rule_of(good_page());
  rule.harm = Harm::slow;
  Expectation pin{.engine = "pytorch",
                  .version = *parse_version("2.11.0"),
                  .verdict = Verdict::equal,
                  .move = Move::same,
                  .counter = "all_gather"};
  EXPECT_TRUE(departs(rule, pin));
  pin.move = Move::more;
  EXPECT_FALSE(departs(rule, pin));
  rule.harm = Harm::ignored;
  pin.verdict = Verdict::ignored;
  pin.move = Move::same;
  EXPECT_FALSE(departs(rule, pin)) << "that a counter is the same is what shows an ignored transform";
}

TEST(Pins, DetailIsOfTheNewestNotAfterTheVersion) {
  Rule rule = rule_of(good_page());
  Expectation older = rule.expectations[0];
  older.version = *parse_version("2.8");
  rule.expectations.push_back(older);
  Expectation departure = older;
  departure.version = *parse_version("2.9");
  departure.verdict = Verdict::equal;
  rule.expectations.push_back(departure);
  const auto chosen = [&](const char* version) { return print(detail_for(rule, "pytorch", *parse_version(version))->version); };
  EXPECT_EQ(chosen("2.11"), "2.11.0");
  EXPECT_EQ(chosen("2.15"), "2.11.0");
  EXPECT_EQ(chosen("2.9"), "2.8") << "a departure details no harm";
  EXPECT_EQ(chosen("2.7"), "2.8");
  EXPECT_EQ(detail_for(rule, "native", *parse_version("1")), nullptr);
  const Stack stack = rule.witness.bad;
  EXPECT_EQ(departure_for(rule, "pytorch", *parse_version("2.9"), stack), &rule.expectations[2]);
  EXPECT_EQ(departure_for(rule, "pytorch", *parse_version("2.11"), stack), nullptr) << "of exactly that version";
}

// Two orders of a clash may fail with two messages.
TEST(Pins, ADetailOfOneStackIsOfThatStackAlone) {
  Rule rule = rule_of(good_page());
  Expectation pin = rule.expectations[0];
  pin.message = "another refusal";
  pin.stack = *parse_stack("fsdp=2,ac,tp=2");
  rule.expectations.push_back(pin);
  const Version version = *parse_version("2.11");
  EXPECT_EQ(detail_for(rule, "pytorch", version), rule.expectations.data());
  EXPECT_EQ(claim_on_stack(rule, *pin.stack, "pytorch", version).shown.message, "another refusal");
  EXPECT_EQ(claim_on_stack(rule, rule.witness.bad, "pytorch", version).shown.message, rule.expectations[0].message);
}

TEST(Pins, ADepartureOfOneStackIsOfThatStackAlone) {
  Rule rule = rule_of(good_page());
  Expectation pin = rule.expectations[0];
  pin.verdict = Verdict::equal;
  pin.stack = *parse_stack("fsdp=2,ac,tp=2");
  rule.expectations.push_back(pin);
  const Version version = *parse_version("2.11");
  EXPECT_EQ(departure_for(rule, "pytorch", version, *pin.stack), &rule.expectations[1]);
  EXPECT_EQ(departure_for(rule, "pytorch", version, rule.witness.bad), nullptr);
  EXPECT_TRUE(claim_on_witness(rule, "pytorch", version).departures.empty());
  EXPECT_EQ(claim_on_stack(rule, *pin.stack, "pytorch", version).departures.size(), 1u);
}

}  // namespace
}  // namespace ordercheck
