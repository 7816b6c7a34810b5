#include "plan/error_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

using testing::HasSubstr;

std::string error_of_classes(const std::string& text) {
  const auto classes = parse_error_classes(text, "error_classes.toml");
  return classes ? "no error" : classes.error().message;
}

TEST(ErrorClasses, AreReadInTheirOrder) {
  const auto classes = parse_error_classes(
      "[[class]]\nid = \"M2\"\nwhat = \"a sum is made twice\"\n[[class]]\nid = \"M1\"\nwhat = \"none is made\"\nshown_by = "
      "\"x\"\n",
      "error_classes.toml");
  ASSERT_TRUE(classes) << classes.error().message;
  EXPECT_EQ(*classes, (std::vector<ErrorClass>{{"M2", "a sum is made twice", ""}, {"M1", "none is made", "x"}}));
}

TEST(ErrorClasses, RefuseWhatIsMissingTwiceOrUnknown) {
  EXPECT_THAT(error_of_classes("[[class]]\nid = \"M1\"\n"), HasSubstr("error_classes.toml:1: "));
  EXPECT_THAT(error_of_classes("[[class]]\nid = \"M1\"\nwhat = \"a\"\n[[class]]\nid = \"M1\"\nwhat = \"b\"\n"),
              HasSubstr("error_classes.toml:5: "));
  EXPECT_THAT(error_of_classes("[[class]]\nid = \"M1\"\nwhat = \"a\"\nwhy = \"b\"\n"), HasSubstr("'why'"));
}

TEST(ErrorClasses, OfTheRepositoryAreRead) {
  const auto classes = load_error_classes(ORDERCHECK_SOURCE_DIR "/matrix/error_classes.toml");
  ASSERT_TRUE(classes) << classes.error().message;
  EXPECT_GT(classes->size(), 10u);
}

}  // namespace
}  // namespace ordercheck
