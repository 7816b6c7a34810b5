#include "record/case_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> missing(const char* stack, const std::vector<BuiltTransform>& built) {
  return unbuilt_parts(*parse_stack(stack), built);
}

TEST(Built, WhatIsNotSaidIsNotRestricted) {
  EXPECT_THAT(missing("tp=2:sp=off,compile=inductor:wrap@model", {{"tp"}, {"compile"}}), IsEmpty());
  EXPECT_THAT(missing("ep=2,tp=2,ep=2", {{"tp"}}), ElementsAre("ep")) << "each once";
}

TEST(Built, ModesOptionsValuesAndScopesAreNamedAsAStackWritesThem) {
  const std::vector<BuiltTransform> built{
      {.name = "tp", .options = {{"plan", {"all"}}}},
      {.name = "sac", .scopes = {"block"}, .options = {{"policy", {"linear", "attention"}}}},
      {.name = "compile", .modes = {""}}};
  EXPECT_THAT(missing("tp=2:plan=all,sac:policy=linear+attention,compile:wrap", built), IsEmpty());
  EXPECT_THAT(missing("tp=2:plan=blocks,compile=inductor", built), ElementsAre("tp:plan=blocks", "compile=inductor"));
  EXPECT_THAT(missing("tp=2:sp=off", built), ElementsAre("tp:sp"));
  EXPECT_THAT(missing("sac:policy=linear+gather", built), ElementsAre("sac:policy=linear+gather"));
  EXPECT_THAT(missing("sac@model", built), ElementsAre("sac@model"));
}

}  // namespace
}  // namespace ordercheck
