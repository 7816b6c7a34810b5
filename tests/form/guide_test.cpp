// What the hand-written guides say about the code is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "form/source_tree.h"
#include "parity/judge.h"
#include "rule/grade.h"

namespace ordercheck::form {
namespace {

using testing::HasSubstr;

std::string text_of(const char* path) {
  const auto text = read_file(checkout() / path);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(Guide, ExplainsEveryVerdictAndGrade) {
  const std::string guide = text_of("docs/guide/reading-a-verdict.md");
  for (int i = 0; i <= static_cast<int>(Verdict::unrun); ++i)
    EXPECT_THAT(guide, HasSubstr("| `" + std::string(name_of(static_cast<Verdict>(i))) + "` |"));
  for (int i = 0; i <= static_cast<int>(GradeKind::stale); ++i)
    EXPECT_THAT(guide, HasSubstr("| `" + std::string(name_of(static_cast<GradeKind>(i))) + "` |"));
}

}  // namespace
}  // namespace ordercheck::form
