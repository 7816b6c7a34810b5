// What the hand-written guides say about the code is there.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "form/source_tree.h"
#include "record/verdict_of_runs.h"
#include "rules/grade.h"

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

// The rest of the line after `before`, up to `after`.
std::string value_in(const char* path, const std::string& before, const std::string& after) {
  const std::string text = text_of(path);
  const std::size_t at = text.find(before);
  EXPECT_NE(at, text.npos) << path << " has no '" << before << "'";
  if (at == text.npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find_first_of(after + "\n", begin) - begin);
}

// tests/install/bare compares the glibc with the name of the wheel.
TEST(Guide, StatesTheVersionsThatAreNeeded) {
  const std::string guide = text_of("docs/guide/install.md");
  EXPECT_THAT(guide, HasSubstr("| Python | >= " + value_in("pyproject.toml", "requires-python = \">=", "\"") + " |\n"));
  const char* const packages = "src/drivers/pytorch/ordercheck_pytorch/projects/packages.py";
  EXPECT_THAT(guide, HasSubstr("| torch, for runs | >= " + value_in(packages, "OLDEST_TORCH = \"", "\"") + " |\n"));
  const char* const setup = "scripts/lib/setup.sh";
  const std::string to_build = value_in(setup, "expected torch >= ", ",");
  EXPECT_THAT(guide, HasSubstr("| torch, to build the native engine | >= " + to_build + " |\n"));
  const std::string transformers = value_in(setup, "transformers_version=", " ");
  EXPECT_THAT(guide, HasSubstr("| transformers, whose models the tests run | " + transformers + " |\n"));
}

// Every block of a guide that begins with a command.
std::vector<std::string> transcripts_of(const std::string& guide) {
  std::vector<std::string> blocks;
  constexpr std::string_view kOpens = "```\n$ ", kCloses = "\n```\n";
  for (std::size_t at = guide.find(kOpens); at != guide.npos; at = guide.find(kOpens, at + 1)) {
    const std::size_t begin = at + 4, end = guide.find(kCloses, begin);
    if (end == guide.npos) break;
    blocks.push_back(guide.substr(begin, end - begin + 1));
  }
  return blocks;
}

// tests/cli/import.test runs them, in the folder of its files.
TEST(Guide, ShowsOfImportsWhatATestRuns) {
  const std::string ran = text_of("tests/cli/import.test");
  const std::vector<std::string> blocks = transcripts_of(text_of("docs/guide/importing.md"));
  EXPECT_GE(blocks.size(), 9u);
  for (const std::string& block : blocks) EXPECT_THAT(ran, HasSubstr("$ cd {data}/import && " + block.substr(2)));
}

}  // namespace
}  // namespace ordercheck::form
