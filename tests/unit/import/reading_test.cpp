#include "import/reading.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

std::string ordered(const char* items, const char* order, std::string* left = nullptr) {
  Stack stack = parse_stack(items).value();
  const std::vector<Item> without = put_in_order(stack, parse_stack(order).value());
  if (left != nullptr) *left = print(Stack{.items = without});
  return print(stack);
}

TEST(FixedOrder, IsThatOfTheProject) {
  EXPECT_EQ(print(fixed_order("torchtitan-llama3").order), "tp,cp,ac,compile,fsdp");
  EXPECT_EQ(fixed_order("accelerate").source, "accelerate 16cb6eb8, accelerator.py from about line 1531 to 1720 (2026-07-24)");
}

TEST(FixedOrder, PlacesWhatStandsForAnother) {
  EXPECT_EQ(ordered("hsdp=2x2,sac,tp=2", "tp,ac,fsdp"), "tp=2,sac,hsdp=2x2");
  EXPECT_EQ(ordered("fsdp=2,ac", "ac,ddp"), "ac,fsdp=2");
  EXPECT_EQ(ordered("ddp=2,compile", "fsdp,compile"), "ddp=2,compile");
}

TEST(FixedOrder, SaysWhatItDoesNotPlace) {
  std::string left;
  EXPECT_EQ(ordered("optimizer=sgd,ep=2,ac", "ac,fsdp", &left), "ac,ep=2,optimizer=sgd");
  EXPECT_EQ(left, "ep=2");
}

}  // namespace
}  // namespace ordercheck
