#include "stack/transforms.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/mesh.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Transforms, NamesAreUnique) {
  std::set<std::string> names, nested;
  for (const TransformInfo& info : transforms()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(nested.insert(info.nested).second) << info.nested;
    EXPECT_FALSE(info.title.empty()) << info.name;
    EXPECT_EQ(find_transform(info.name), &info);
  }
  EXPECT_EQ(find_transform("zero"), nullptr);
}

TEST(Transforms, DegreesSizeAxesOfTheMesh) {
  for (const TransformInfo& info : transforms()) {
    for (const std::string& axis : info.axes) EXPECT_THAT(kMeshAxes, Contains(axis)) << info.name;
    if (info.value == ValueForm::degree) EXPECT_LE(info.axes.size(), 1u) << info.name;
    if (info.value == ValueForm::degree_pair) EXPECT_EQ(info.axes.size(), 2u) << info.name;
    EXPECT_EQ(info.value == ValueForm::mode, !info.modes.empty()) << info.name;
  }
}

TEST(Transforms, OnlyThoseThatChangeNumbersAreNumeric) {
  std::vector<std::string> numeric;
  for (const TransformInfo& info : transforms())
    if (info.kind == TransformKind::numeric && !info.between) numeric.push_back(info.name);
  EXPECT_THAT(numeric, ElementsAre("amp", "quantize", "optimizer"));
}

TEST(Transforms, AnItemCastsByItselfOrByAnOption) {
  const auto item = [](const char* text) { return parse_stack(text)->items.front(); };
  EXPECT_TRUE(casts(item("amp=bf16")));
  EXPECT_TRUE(casts(item("fsdp=2:reshard=never:mp=bf16")));
  EXPECT_FALSE(casts(item("fsdp=2:reshard=never")));
  EXPECT_FALSE(casts(item("optimizer=sgd")));
  EXPECT_EQ(casting_part(item("amp=bf16")), "amp");
  EXPECT_EQ(casting_part(item("fsdp=2:reshard=never:mp=bf16")), "fsdp:mp");
}

TEST(Transforms, OnOneRankTheNumericPartIsLeft) {
  const auto part = [](const char* text) {
    const std::optional<Item> left = numeric_part(parse_stack(text)->items.front());
    return left ? print(*left) : "nothing";
  };
  EXPECT_EQ(part("optimizer=sgd:lr=0.5"), "optimizer=sgd:lr=0.5");
  EXPECT_EQ(part("optimizer=adamw:in_backward=on:clip=1"), "optimizer=adamw:clip=1");
  EXPECT_EQ(part("fsdp=4:reshard=never:mp=bf16"), "fsdp=1:mp=bf16");
  EXPECT_EQ(part("hsdp=2x4:mp=bf16"), "hsdp=1x1:mp=bf16");
  EXPECT_EQ(part("fsdp=4:reshard=never"), "nothing");
  EXPECT_EQ(part("ac"), "nothing");
}

TEST(Transforms, OptionsSayWhatTheyTake) {
  for (const TransformInfo& info : transforms()) {
    std::set<std::string> names;
    for (const OptionInfo& option : info.options) {
      EXPECT_TRUE(names.insert(option.name).second) << info.name << ":" << option.name;
      EXPECT_EQ(find_option(info, option.name), &option);
      if (option.form == OptionForm::flag || option.form == OptionForm::count)
        EXPECT_TRUE(option.words.empty()) << info.name << ":" << option.name;
    }
  }
  EXPECT_EQ(find_option(*find_transform("tp"), "reshard"), nullptr);
}

}  // namespace
}  // namespace ordercheck
