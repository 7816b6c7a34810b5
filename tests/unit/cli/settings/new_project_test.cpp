#include "cli/settings/new_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

FoundStack found(const std::string& name, const std::string& stack) {
  FoundStack made;
  made.entry.name = name;
  made.entry.stack = parse_stack(stack).value();
  made.entry.job = Job({}, {});
  return made;
}

TEST(NewProject, IsReadBackAsItWasFound) {
  FoundStack first = found("train.yaml", "tp=2:sp=off,ac,fsdp=4"), second = found("setup, where a", "fsdp,ac");
  first.entry.target = "megatron";
  first.entry.job = Job(8, {{"heads", 32}, {"experts", 0}});
  first.comments = {"train.yaml, read as x"};
  const std::string text = render_new_project({first, second});
  const auto project = parse_project(text, ".ordercheck.toml");
  ASSERT_TRUE(project) << project.error().message << "\n" << text;
  ASSERT_EQ(project->stacks.size(), 2u);
  EXPECT_EQ(project->stacks[0].name, "train.yaml");
  EXPECT_EQ(print(project->stacks[0].stack), "tp=2:sp=off,ac,fsdp=4");
  EXPECT_EQ(project->stacks[0].target, "megatron");
  EXPECT_EQ(project->stacks[0].job, first.entry.job);
  EXPECT_EQ(project->stacks[1].job, second.entry.job);
  EXPECT_THAT(text, HasSubstr("\n# train.yaml, read as x\n[[stack]]\n"));
}

TEST(NewProject, EscapesNamesAndCommentsOfAnyBytes) {
  FoundStack one = found("a\"]\n[[allow]]\nrule = \"\\\xff", "ac");
  one.comments = {"x\n[[allow]]\ry"};
  const std::string text = render_new_project({one});
  const auto project = parse_project(text, ".ordercheck.toml");
  ASSERT_TRUE(project) << project.error().message << "\n" << text;
  EXPECT_EQ(project->stacks.size(), 1u);
  EXPECT_TRUE(project->allows.empty());
}

TEST(NewProject, WritesAStackWithDoubtsInComments) {
  FoundStack doubted = found("a", "tp=2"), sure = found("b", "ac");
  doubted.doubts = {"x\n[[allow]]"};
  doubted.entry.target = "megatron";
  doubted.entry.job = Job(8, {});
  const std::string text = render_new_project({doubted, sure});
  const auto project = parse_project(text, ".ordercheck.toml");
  ASSERT_TRUE(project) << project.error().message << "\n" << text;
  ASSERT_EQ(project->stacks.size(), 1u);
  EXPECT_EQ(project->stacks[0].name, "b");
  EXPECT_THAT(text, HasSubstr("\n# x\\n[[allow]]\n# [[stack]]\n# name = \"a\"\n# stack = \"tp=2\"\n# for = \"megatron\"\n"
                              "# sizes = { ranks = 8 }\n"));
  EXPECT_THAT(text, Not(HasSubstr("An example")));
  EXPECT_THAT(render_new_project({doubted}), HasSubstr("An example"));
}

TEST(NewProject, HasAnExampleInCommentsWithoutStacks) {
  std::string example;
  for (const std::string& line : split(render_new_project({}), '\n')) {
    EXPECT_TRUE(line.empty() || line.starts_with("#")) << line;
    if (line.find('=') != line.npos || line.starts_with("# [[")) example += line.substr(2) + "\n";
  }
  const auto project = parse_project(example, ".ordercheck.toml");
  ASSERT_TRUE(project) << project.error().message << "\n" << example;
  EXPECT_EQ(project->stacks.size(), 1u);
}

}  // namespace
}  // namespace ordercheck
