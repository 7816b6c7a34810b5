#include "rules/pattern.h"

#include <gmock/gmock.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

Item item_of(const char* text) { return parse_stack(text)->items.front(); }

bool match(const char* pattern, const char* text) {
  const Result<Pattern> parsed = parse_pattern(pattern);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return matches(*parsed, item_of(text));
}

TEST(Patterns, Names) {
  EXPECT_TRUE(match("fsdp|hsdp", "hsdp=2x2"));
  EXPECT_FALSE(match("fsdp|hsdp", "ddp=2"));
}

TEST(Patterns, ModesAndOptions) {
  EXPECT_TRUE(match("ac", "ac=selective"));
  EXPECT_TRUE(match("ac=selective", "ac=selective:n=3"));
  EXPECT_FALSE(match("ac=selective", "ac"));
  EXPECT_TRUE(match("ac:reentrant", "ac:reentrant"));
  EXPECT_FALSE(match("ac:reentrant", "ac"));
  EXPECT_TRUE(match("tp:sp=off", "tp=2:sp=off"));
  EXPECT_FALSE(match("tp:sp=off", "tp=2:sp=on"));
  EXPECT_TRUE(match("tp:sp", "tp=2:sp=on"));
  EXPECT_TRUE(match("compile:!wrap", "compile"));
  EXPECT_FALSE(match("compile:!wrap", "compile:wrap"));
}

TEST(Patterns, AnotherModeThanOne) {
  EXPECT_TRUE(match("compile!=aot_eager", "compile"));
  EXPECT_TRUE(match("compile!=aot_eager", "compile=inductor:wrap"));
  EXPECT_FALSE(match("compile!=aot_eager", "compile=aot_eager"));
  EXPECT_FALSE(match("compile!=aot_eager@block", "compile@model"));
}

TEST(Patterns, ScopesAlsoByDefault) {
  EXPECT_TRUE(match("compile@model", "compile@model"));
  EXPECT_FALSE(match("compile@model", "compile"));
  EXPECT_TRUE(match("compile@block", "compile"));
}

TEST(Patterns, PrintAsTheyWereRead) {
  for (const char* text :
       {"fsdp|hsdp", "ac=selective:n", "pp:microbatches=4", "compile:wrap:!fullgraph@model", "compile!=aot_eager:!wrap@block"})
    EXPECT_EQ(print(*parse_pattern(text)), text);
}

TEST(Patterns, MistakesAreTold) {
  EXPECT_THAT(parse_pattern("fsdb").error().message, HasSubstr("did you mean 'fsdp'?"));
  EXPECT_THAT(parse_pattern("ac=ful").error().message, HasSubstr("unknown mode 'ful' of ac; did you mean 'full'?"));
  EXPECT_THAT(parse_pattern("compile!=inductr").error().message, HasSubstr("unknown mode 'inductr' of compile"));
  EXPECT_THAT(parse_pattern("compile:rap").error().message, HasSubstr("unknown option 'rap' of compile"));
  EXPECT_THAT(parse_pattern("compile@modell").error().message, HasSubstr("unknown scope 'modell'; did you mean 'model'?"));
  EXPECT_THAT(parse_pattern("pp:microbatches=0").error().message, HasSubstr("microbatches"));
  EXPECT_FALSE(parse_pattern(""));
  EXPECT_FALSE(parse_pattern("tp|"));
}

TEST(Scopes, LieToEachOther) {
  using enum ScopeRelation;
  EXPECT_TRUE(related(Scope::block, Scope::model, same));
  EXPECT_TRUE(related(Scope::model, Scope::experts, same));
  EXPECT_FALSE(related(Scope::experts, Scope::attention, same));
  EXPECT_TRUE(related(Scope::experts, Scope::block, inside));
  EXPECT_FALSE(related(Scope::block, Scope::block, inside));
  EXPECT_TRUE(related(Scope::model, Scope::block, outside));
  EXPECT_TRUE(related(Scope::block, Scope::block, equal));
  EXPECT_FALSE(related(Scope::block, Scope::model, equal));
}

TEST(Examples, TakeTheFirstAlternative) { EXPECT_EQ(print(example_of(*parse_pattern("ac=selective|sac"))), "ac=selective"); }

TEST(Patterns, AnOptionMayBeUnwantedInOneValueAlone) {
  const Pattern split = *parse_pattern("tp:!sp=off:!plan=blocks");
  EXPECT_EQ(print(split), "tp:!sp=off:!plan=blocks");
  EXPECT_TRUE(matches(split, item_of("tp=2")));
  EXPECT_TRUE(matches(split, item_of("tp=2:sp=on")));
  EXPECT_FALSE(matches(split, item_of("tp=2:sp=off")));
  EXPECT_FALSE(matches(split, item_of("tp=2:sp=on:plan=blocks")));
  EXPECT_FALSE(parse_pattern("tp:!sp=maybe"));
}

TEST(Patterns, AListIsMatchedByWhatComesInItInThatOrder) {
  EXPECT_TRUE(match("compile:passes=overlap+bucket", "compile:passes=overlap+bucket"));
  EXPECT_TRUE(match("compile:passes=overlap+bucket", "compile:passes=common+overlap+partition+bucket"));
  EXPECT_FALSE(match("compile:passes=overlap+bucket", "compile:passes=bucket+overlap"));
  EXPECT_FALSE(match("compile:passes=overlap+bucket", "compile:passes=overlap"));
  EXPECT_FALSE(match("compile:passes=bucket+bucket", "compile:passes=bucket"));
  EXPECT_TRUE(match("compile:passes=bucket+bucket", "compile:passes=bucket+common+bucket"));
  EXPECT_FALSE(match("compile:passes=bucket", "compile"));
  EXPECT_TRUE(match("compile:passes:!passes=partition", "compile:passes=auto_buckets+bucket")) << "words are whole";
  EXPECT_FALSE(match("compile:passes:!passes=partition", "compile:passes=common+partition"));
  EXPECT_FALSE(match("compile:passes:!passes=partition", "compile"));
  EXPECT_FALSE(parse_pattern("compile:passes=partitions"));
}

}  // namespace
}  // namespace ordercheck
