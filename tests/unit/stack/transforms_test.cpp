#include "stack/transforms.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/mesh.h"

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
    if (info.kind == TransformKind::numeric) numeric.push_back(info.name);
  EXPECT_THAT(numeric, ElementsAre("amp", "quantize", "optimizer"));
}

TEST(Transforms, OptionsSayWhatTheyTake) {
  for (const TransformInfo& info : transforms()) {
    std::set<std::string> names;
    for (const OptionInfo& option : info.options) {
      EXPECT_TRUE(names.insert(option.name).second) << info.name << ":" << option.name;
      EXPECT_EQ(find_option(info, option.name), &option);
      if (option.form != OptionForm::word) EXPECT_TRUE(option.words.empty()) << info.name << ":" << option.name;
    }
  }
  EXPECT_EQ(find_option(*find_transform("tp"), "reshard"), nullptr);
}

}  // namespace
}  // namespace ordercheck
