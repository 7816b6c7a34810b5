// What the hand-written guides say about the code is there.
#include <set>

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

// `{"name", "what it breaks", "stack"},` of the table in mutants.h.
TEST(Guide, ListsEveryMutantOfTheTable) {
  const std::string guide = text_of("docs/guide/exact-arithmetic.md");
  std::size_t seen = 0;
  for (const std::string& line : lines_of(text_of("src/ranks/module/mutants.h"))) {
    const auto at = line.find("{\"");
    if (at == std::string::npos) continue;
    ++seen;
    const std::string name = line.substr(at + 2, line.find('"', at + 2) - at - 2);
    EXPECT_THAT(guide, HasSubstr("| `" + name + "` |")) << "docs/guide/exact-arithmetic.md lists no mutant " << name;
  }
  EXPECT_GT(seen, 5u);
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
