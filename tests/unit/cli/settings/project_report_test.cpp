#include "cli/settings/project_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

std::string fixed(const std::string& text, std::size_t which = 0, const std::string& path = "p.toml") {
  const auto made = with_stack(text, path, which, *parse_stack("tp=2,fsdp=2"));
  return made ? *made : made.error().message;
}

TEST(ProjectFix, LeavesTheRestOfTheFileAsItIs) {
  EXPECT_EQ(fixed("# Größe\n[[stack]]\n  name = 'ä'  # why\n  stack = 'fsdp=2,tp=2'  # ümlaut\nfor = \"pytorch\"\n"),
            "# Größe\n[[stack]]\n  name = 'ä'  # why\n  stack = \"tp=2,fsdp=2\"  # ümlaut\nfor = \"pytorch\"\n");
}

TEST(ProjectFix, FindsTheEntryWhereverItsKeysStand) {
  const std::string first = "[[stack]]\nname = \"a\"\nstack = \"fsdp=2\"\n";
  EXPECT_EQ(fixed(first + "[[stack]]\nstack = \"fsdp=2,tp=2\"\nname = \"b\"", 1),
            first + "[[stack]]\nstack = \"tp=2,fsdp=2\"\nname = \"b\"");
  EXPECT_EQ(fixed("stack = [{ name = \"é\", stack = \"fsdp=2,tp=2\" }]\n"),
            "stack = [{ name = \"é\", stack = \"tp=2,fsdp=2\" }]\n");
  EXPECT_EQ(fixed("[[tool.ordercheck.stack]]\r\nname = \"a\"\r\nstack = \"fsdp=2,tp=2\"\r\n", 0, "pyproject.toml"),
            "[[tool.ordercheck.stack]]\r\nname = \"a\"\r\nstack = \"tp=2,fsdp=2\"\r\n");
}

TEST(ProjectFix, AStackThatIsNotThereIsAnError) {
  EXPECT_THAT(fixed("[[stack]]\nname = \"a\"\nstack = \"fsdp=2\"\n", 1), HasSubstr("there is no stack 2"));
}

}  // namespace
}  // namespace ordercheck
