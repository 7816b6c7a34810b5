#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stack/notation.h"
#include "unit/stack/arbitrary_stack.h"

namespace ordercheck {
namespace {

TEST(PrintStack, IsTheCommaForm) {
  const Stack stack{{{.name = "pp", .degrees = {{2}}, .options = {{"1f1b", ""}, {"microbatches", "4"}}},
                     {.name = "ac", .mode = "selective"},
                     {.name = "compile", .scope = Scope::model},
                     {.name = "hsdp", .degrees = {{2}, {4}}, .options = {{"reshard", "never"}}, .scope = Scope::experts}}};
  EXPECT_EQ(print(stack), "pp=2:1f1b:microbatches=4,ac=selective,compile@model,hsdp=2x4:reshard=never@experts");
  EXPECT_EQ(print(Stack{}), "");
}

TEST(PrintStack, NestedPutsTheLastAppliedOutermost) {
  EXPECT_EQ(print_nested(*parse_stack("tp=2,ac,compile,fsdp=2:reshard=never")),
            "FSDP=2:reshard=never(compile(AC(TP=2(model))))");
  EXPECT_EQ(print_nested(Stack{}), "model");
}

RC_GTEST_PROP(PrintStack, ParsesBackToTheSameStack, ()) {
  const Stack stack = *arbitrary_stack();
  const Result<Stack> back = parse_stack(print(stack));
  RC_ASSERT(bool(back));
  RC_ASSERT(*back == stack);
  RC_ASSERT(print(*back) == print(stack));
}

RC_GTEST_PROP(PrintStack, NestedParsesBackToTheSameStack, ()) {
  const Stack stack = *arbitrary_stack();
  const Result<Stack> back = parse_stack(print_nested(stack));
  RC_ASSERT(bool(back));
  RC_ASSERT(*back == stack);
}

}  // namespace
}  // namespace ordercheck
