#include "rules/conditions.h"

#include <gmock/gmock.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

bool met(const char* condition, const char* stack, std::optional<int> ranks = {}) {
  const Result<Condition> parsed = parse_condition(condition);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return is_met(*parsed, condition_values(*parse_stack(stack), ranks));
}

TEST(Conditions, KnowDegrees) {
  EXPECT_TRUE(met("tp == 4 && dp_shard == 2 && dp_replicate == 1", "tp=4,fsdp=2"));
  EXPECT_TRUE(met("dp == 8 && world == 8", "hsdp=2x4"));
  EXPECT_TRUE(met("pp == 1 && ep == 1", "tp=4"));
  EXPECT_TRUE(met("tp > 1 && ep > 1", "ep,tp")) << "a degree that is missing";
  EXPECT_FALSE(met("tp == 2 || tp != 2", "tp")) << "it runs as 2, and is any other in the job that is asked about";
}

TEST(Conditions, KnowSizes) {
  EXPECT_TRUE(met("heads == 48 && kv_heads == 24 && layers == 2", "tp=2"));
  EXPECT_TRUE(met("sequence_length == 24 && sequences == 16 && dim == 48", "tp=2"));
}

// What is true or false for every value of an unknown size is known.
TEST(Conditions, ConcludeOfAnUnknownSizeOnlyWhatHoldsForEveryValue) {
  const auto truth = [](const char* condition, const char* stack, Sizes sizes) {
    return truth_of(*parse_condition(condition), condition_values(*parse_stack(stack), Job({}, std::move(sizes))));
  };
  const char* heads = "heads % tp != 0 || kv_heads % tp != 0";
  EXPECT_EQ(truth(heads, "tp=3", {}), Truth::unknown);
  EXPECT_EQ(truth(heads, "tp=3", {{"heads", 32}}), Truth::yes);
  EXPECT_EQ(truth(heads, "tp=3", {{"heads", 33}}), Truth::unknown);
  EXPECT_EQ(truth(heads, "tp=3", {{"heads", 33}, {"kv_heads", 3}}), Truth::no);
  const char* sequence = "cp > 1 && sequence_length % (2 * cp * tp) != 0";
  EXPECT_EQ(truth(sequence, "tp=3", {}), Truth::no);
  EXPECT_EQ(truth(sequence, "cp=3", {}), Truth::unknown);
  EXPECT_EQ(truth("(heads % tp != 0 or tp > 2) and tp > 1", "tp=3", {}), Truth::yes);
  EXPECT_EQ(truth("(heads % tp != 0 or tp > 2) and tp > 1", "tp=2", {}), Truth::unknown);
  EXPECT_EQ(unknown_names(*parse_condition(heads), values_of(Sizes{{"tp", 3}, {"heads", 32}})),
            std::vector<std::string>{"kv_heads"});
}

TEST(Conditions, HaveARemainderThatBindsLikeAProduct) {
  EXPECT_TRUE(met("heads % tp != 0", "tp=5"));
  EXPECT_FALSE(met("heads % tp != 0", "tp=6"));
  EXPECT_TRUE(met("1 + 7 % 4 == 4", "tp=2"));
  EXPECT_TRUE(met("sequence_length % (2 * cp * tp) != 0", "tp=2,cp=8"));
}

TEST(Conditions, WithoutAValueAreFalse) {
  EXPECT_FALSE(met("world > ranks", "tp=8"));
  EXPECT_TRUE(met("world > ranks", "tp=8", 4));
  EXPECT_FALSE(met("world > ranks", "tp=4", 4));
  EXPECT_FALSE(met("microbatches < pp", "pp=4"));
  EXPECT_TRUE(met("microbatches < pp", "pp=4:microbatches=2"));
}

TEST(Conditions, ARemainderByZeroIsMetByNothing) { EXPECT_FALSE(met("heads % (tp - 2) == 0", "tp=2")); }

TEST(Conditions, MistakesAreToldWhenThePageIsRead) {
  EXPECT_THAT(parse_condition("kv_head % tp").error().message, HasSubstr("unknown name 'kv_head'; did you mean 'kv_heads'?"));
  EXPECT_THAT(parse_condition("banana > 1").error().message, HasSubstr("known: pp"));
  EXPECT_THAT(parse_condition("tp +").error().message, HasSubstr("expected a value at its end"));
  EXPECT_THAT(parse_condition("tp + 1").error().message, HasSubstr("no truth value"));
  EXPECT_FALSE(parse_condition(""));
  EXPECT_FALSE(parse_condition("2tp > 1"));
}

TEST(Conditions, OfAnotherFormAreRefused) {
  EXPECT_EQ(parse_condition("tp > 1 || || ep").error().message, "'tp > 1 || || ep': expected a value before '||'");
  EXPECT_EQ(parse_condition("tp > 1 |||| ep > 1").error().message, "'tp > 1 |||| ep > 1': expected a value before '||'");
  EXPECT_EQ(parse_condition("tp ? 1 : 2").error().message, "'tp ? 1 : 2': '?' has no place in a condition");
  EXPECT_EQ(parse_condition("tp(1) > 1").error().message, "'tp(1) > 1': expected an operator before '('");
  EXPECT_EQ(parse_condition("(tp > 1").error().message, "'(tp > 1': a '(' without its ')'");
  EXPECT_EQ(parse_condition("tp) > 1").error().message, "'tp) > 1': a ')' without its '('");
  EXPECT_EQ(parse_condition("tp > \n1").error().message, "'tp > \\n1': '\\n' has no place in a condition");
  EXPECT_TRUE(met("(0 - 7) % -1 == 0 && -tp < 0", "tp=2"));
}

TEST(Conditions, OperatorsTakeWhatTheyAreFor) {
  EXPECT_EQ(parse_condition("tp && ep > 1").error().message, "'tp && ep > 1': expected a truth value with '&&', got tp");
  EXPECT_EQ(parse_condition("1 < tp < 4").error().message, "'1 < tp < 4': expected a number with '<', got 1 < tp");
  EXPECT_FALSE(parse_condition("(tp > 1) + 1 > 0"));
  EXPECT_FALSE(parse_condition("tp / 2 > 1"));
  EXPECT_FALSE(parse_condition("tp > 1.5"));
}

TEST(Conditions, NumbersBeyondLongLongMeetNothing) {
  EXPECT_FALSE(met("999999999999999999 * 999999999999999999 > 0", "tp=2"));
  EXPECT_TRUE(met("999999999999999999 * 999999999999999999 > 0 || tp == 2", "tp=2"));
}

TEST(Conditions, AreNotReadDeeperThanAPageNeeds) {
  EXPECT_FALSE(parse_condition(std::string(100'000, '(') + "tp" + std::string(100'000, ')') + " > 1"));
  EXPECT_FALSE(parse_condition(std::string(100'000, '-') + "tp > 1"));
  EXPECT_TRUE(met("((((tp)))) > ---1", "tp=2"));
}

TEST(Conditions, ArePrintedWithTheBracketsThatTheyNeed) {
  for (const char* text : {"sequence_length % (2 * cp * tp) != 0", "(dp_shard * cp * tp) % ep != 0", "tp - (ep - 1) > 0",
                           "tp > 1 && (ep == 1 || etp > 1) && experts > 0", "-tp < 0"}) {
    const Condition condition = *parse_condition(text);
    const std::string printed = print(condition, condition.root());
    EXPECT_EQ(print(*parse_condition(printed), parse_condition(printed)->root()), printed) << text;
  }
  const Condition condition = *parse_condition("sequence_length % (2 * cp * tp) != 0");
  EXPECT_EQ(print(condition, condition.root()), "sequence_length % (2 * cp * tp) != 0");
  EXPECT_EQ(print(*parse_condition("(dp_shard * cp) % ep != 0 and tp > 1"),
                  parse_condition("(dp_shard * cp) % ep != 0 and tp > 1")->root()),
            "dp_shard * cp % ep != 0 && tp > 1");
}

TEST(Conditions, SayWhatTheyLookedAt) {
  const Condition condition = *parse_condition("kv_heads % tp != 0");
  EXPECT_EQ(explain(condition, condition_values(*parse_stack("tp=5"), {})), "kv_heads = 24, tp = 5");
}

}  // namespace
}  // namespace ordercheck
